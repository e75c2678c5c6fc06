use agent_runtime::GramType;

#[derive(GramType)]
union Bits {
    whole: u32,
    part: u8,
}

fn main() {}
