use agent_runtime::tool;

/// Takes something
#[tool]
fn take(user_id: u8, #[allow(non_snake_case)] userId: u8) {
    let _ = (user_id, userId);
}

fn main() {}
