//! Names of Rust and names of gram: what `#[tool]` makes of a function, and what `agent new-tools`
//! must write so that it is made again.

mod case;

pub use case::Case;

/// `say_hello` as `sayHello`: the way tools and parameters are named for models. Raw identifiers
/// lose their mark, leading underscores stay.
#[must_use]
pub fn camel_case(name: &str) -> String {
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
