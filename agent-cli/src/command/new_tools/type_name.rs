//! Names for the types that a document has no names for: after the field, then the record around
//! it, then the tool.

use super::identifier::{cut, pascal};

/// The longest name of a type.
const LONGEST: usize = 32;

/// Where a type stands.
#[derive(Clone)]
pub(super) struct Place {
    /// The tool's name, as it stands in the document.
    pub(super) tool: String,
    pub(super) in_result: bool,
    /// The names around it, the outermost first.
    path: Vec<String>,
}

impl Place {
    /// Among the arguments of a tool.
    pub(super) fn arguments(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            in_result: false,
            path: vec![tool_word(tool)],
        }
    }

    /// The result of a tool.
    pub(super) fn result(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            in_result: true,
            path: vec![format!("{}Result", tool_word(tool))],
        }
    }

    /// A field of the record that stands here.
    pub(super) fn field(&self, name: &str) -> Self {
        let mut place = self.clone();
        let word = pascal(name).unwrap_or_else(|| "Field".to_owned());
        place.path.push(word);
        place
    }

    /// What the list or map that stands here holds.
    pub(super) fn item(&self) -> Self {
        let mut place = self.clone();
        if let Some(last) = place.path.last_mut() {
            *last = match singular(last) {
                Some(one) => one,
                None if last.ends_with("Item") => return place,
                None => format!("{last}Item"),
            };
        }
        place
    }

    /// What a type that stands here may be called, the best first.
    pub(super) fn candidates(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let mut name = String::new();
        // A few suffice; then come numbers.
        for word in self.path.iter().rev().take(4) {
            name.insert_str(0, word);
            if name.chars().count() > LONGEST {
                break;
            }
            names.push(name.clone());
        }
        if names.is_empty() {
            // Room is left for a number.
            names.push(cut(&name, LONGEST - 6));
        }
        names
    }

    /// What the type is, in a sentence.
    pub(super) fn sentence(&self) -> String {
        let tool = &self.tool;
        match (self.in_result, self.path.len()) {
            (true, 1) => format!("The result of `{tool}`."),
            (true, _) => format!("A part of the result of `{tool}`."),
            (false, _) => format!("A part of the arguments of `{tool}`."),
        }
    }
}

fn tool_word(tool: &str) -> String {
    pascal(tool).unwrap_or_else(|| "Tool".to_owned())
}

/// One of several, as far as English is regular.
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
    fn items_are_called_by_the_singular() {
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
        let place = Place::arguments("save-user")
            .field("user")
            .field("home_addresses");
        assert_eq!(
            place.item().candidates(),
            ["HomeAddress", "UserHomeAddress", "SaveUserUserHomeAddress"]
        );
        assert_eq!(Place::result("getURL").candidates(), ["GetUrlResult"]);
        let long = Place::arguments("t").field(&"x".repeat(80));
        assert_eq!(long.candidates(), ["X".to_owned() + &"x".repeat(25)]);
    }
}
