//! Names of Rust and names of gram.

/// `say_hello` as `sayHello`: the way tools and parameters are named for models. Raw identifiers
/// lose their mark, leading underscores stay.
pub(crate) fn camel_case(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let rest = name.trim_start_matches('_');
    let mut out = name[..name.len() - rest.len()].to_owned();
    let mut upper = false;
    for (at, c) in rest.chars().enumerate() {
        match c {
            '_' => upper = true,
            c if upper => {
                out.extend(c.to_uppercase());
                upper = false;
            }
            c if at == 0 => out.extend(c.to_lowercase()),
            c => out.push(c),
        }
    }
    out
}

/// The 64-bit FNV-1a hash of a method's name, by which `Method<HASH>` tells the tools of a toolbox
/// apart. Raw identifiers lose their mark.
pub(crate) fn method_hash(name: &str) -> u64 {
    agent_spec::binding::name_hash(name.strip_prefix("r#").unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_camel_case() {
        for (rust, gram) in [
            ("say_hello", "sayHello"),
            ("a", "a"),
            ("SHOUT", "sHOUT"),
            ("get2_things", "get2Things"),
            ("_hidden_one", "_hiddenOne"),
            ("r#match", "match"),
            ("trailing_", "trailing"),
        ] {
            assert_eq!(camel_case(rust), gram, "{rust}");
        }
    }
}
