//! Names of generated types, because types have no names in a document. They are made of the names of the
//! field, of the records around it, and of the tool.

use crate::identifier::{cut, pascal};

/// The maximum length of a type's name, so that lines stay within the width of rustfmt.
const NAME_WIDTH: usize = 32;

/// The path from a tool to a type.
#[derive(Clone)]
pub(crate) struct TypePath {
    /// The tool's name in the document.
    pub(crate) tool: String,
    /// Whether the type is part of the tool's result.
    pub(crate) in_result: bool,
    /// The names around the type, the outermost first.
    names: Vec<String>,
}

impl TypePath {
    /// Creates the path to the arguments of a tool.
    pub(crate) fn arguments(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            in_result: false,
            names: vec![tool_word(tool)],
        }
    }

    /// Creates the path to the result of a tool.
    pub(crate) fn result(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            in_result: true,
            names: vec![format!("{}Result", tool_word(tool))],
        }
    }

    /// Returns the path to a field of this record.
    pub(crate) fn field(&self, name: &str) -> Self {
        let mut path = self.clone();
        let word = pascal(name).unwrap_or_else(|| "Field".to_owned());
        path.names.push(word);
        path
    }

    /// Returns the path to the elements of this list or map.
    pub(crate) fn item(&self) -> Self {
        let mut path = self.clone();
        if let Some(last) = path.names.last_mut() {
            *last = match singular(last) {
                Some(one) => one,
                None if last.ends_with("Item") => return path,
                None => format!("{last}Item"),
            };
        }
        path
    }

    /// Returns names for this type, the best first.
    pub(crate) fn candidates(&self) -> Vec<String> {
        let mut candidates: Vec<String> = Vec::new();
        let mut name = String::new();
        // Only a few longer names are tried; then numbers are added.
        for word in self.names.iter().rev().take(4) {
            name.insert_str(0, word);
            if name.chars().count() > NAME_WIDTH {
                break;
            }
            candidates.push(name.clone());
        }
        if candidates.is_empty() {
            // Leaves room for a number, which `Scope::take` may add.
            candidates.push(cut(&name, NAME_WIDTH - 6));
        }
        candidates
    }

    /// Describes the type in a sentence for its doc comment.
    pub(crate) fn sentence(&self) -> String {
        let tool = &self.tool;
        match (self.in_result, self.names.len()) {
            (true, 1) => format!("The result of `{tool}`."),
            (true, _) => format!("A part of the result of `{tool}`."),
            (false, _) => format!("A part of the arguments of `{tool}`."),
        }
    }
}

fn tool_word(tool: &str) -> String {
    pascal(tool).unwrap_or_else(|| "Tool".to_owned())
}

/// Returns the singular of a regular English noun.
fn singular(name: &str) -> Option<String> {
    if name.len() < 4 || ["ss", "us", "is"].iter().any(|end| name.ends_with(end)) {
        return None;
    }
    if let Some(stem) = name.strip_suffix("ies") {
        return Some(format!("{stem}y"));
    }
    let hissing = ["sses", "xes", "ches", "shes"];
    if hissing.iter().any(|end| name.ends_with(end)) {
        return name.strip_suffix("es").map(str::to_owned);
    }
    name.strip_suffix('s').map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_named_by_the_singular() {
        for (many, one) in [
            ("Users", Some("User")),
            ("Entries", Some("Entry")),
            ("Addresses", Some("Address")),
            ("Status", None),
            ("Data", None),
            ("Ids", None),
        ] {
            assert_eq!(singular(many).as_deref(), one, "{many}");
        }
    }

    #[test]
    fn shorter_names_come_first() {
        let path = TypePath::arguments("save-user")
            .field("user")
            .field("home_addresses");
        assert_eq!(
            path.item().candidates(),
            ["HomeAddress", "UserHomeAddress", "SaveUserUserHomeAddress"]
        );
        assert_eq!(TypePath::result("getURL").candidates(), ["GetUrlResult"]);
        let long = TypePath::arguments("t").field(&"x".repeat(80));
        assert_eq!(long.candidates(), ["X".to_owned() + &"x".repeat(25)]);
    }
}
