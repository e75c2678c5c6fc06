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

/// A doc comment as the description of a tool: up to its first heading, single line breaks as
/// blanks, paragraphs apart.
pub(crate) fn description_of(doc: &str) -> String {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut open = false;
    let mut in_code = false;
    let stars = has_stars(doc);
    for line in doc.lines().map(str::trim) {
        let line = if stars {
            line.strip_prefix('*').unwrap_or(line).trim()
        } else {
            line
        };
        in_code ^= line.starts_with("```");
        if !in_code && line.starts_with('#') && line.trim_start_matches('#').starts_with(' ') {
            break;
        }
        if line.is_empty() {
            open = false;
            continue;
        }
        match paragraphs.last_mut() {
            Some(paragraph) if open => {
                paragraph.push(' ');
                paragraph.push_str(line);
            }
            _ => paragraphs.push(line.to_owned()),
        }
        open = true;
    }
    paragraphs.join("\n\n")
}

/// Whether every line but the first starts with `*`, as in a block comment that is drawn as a box.
fn has_stars(doc: &str) -> bool {
    let mut lines = doc
        .lines()
        .skip(1)
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .peekable();
    lines.peek().is_some() && lines.all(|line| line.starts_with('*'))
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

    #[test]
    fn descriptions_end_at_the_first_heading() {
        let doc = " Greets a\n person.\n\n Twice.\n\n # Errors\n Never.";
        assert_eq!(description_of(doc), "Greets a person.\n\nTwice.");
        assert_eq!(description_of(" Costs #1 and\n #2"), "Costs #1 and #2");
        assert_eq!(description_of("\n\n"), "");
        assert_eq!(
            description_of(" Boxed\n * comment\n *\n * # Heading\n * hidden "),
            "Boxed comment"
        );
        assert_eq!(
            description_of(" Shows\n\n ```\n # code\n ```\n # End"),
            "Shows\n\n``` # code ```"
        );
    }
}
