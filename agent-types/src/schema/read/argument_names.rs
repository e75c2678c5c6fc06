//! Names for the model in the place of names that gram or a provider does not accept.

use crate::names::is_parameter_name;
use crate::schema::read::source::Json;
use agent_gram::MAX_DEPTH;
use std::collections::{HashMap, HashSet};

/// The names of the properties of one document.
#[derive(Default)]
pub(super) struct ArgumentNames {
    shown: HashMap<String, String>,
    /// The names that no other property may get, once there is a name to replace.
    taken: HashSet<String>,
    /// The number of names that were derived from one text. The search for a free name continues at this
    /// number.
    counts: HashMap<String, usize>,
}

impl ArgumentNames {
    /// Returns the name that the model sees, which is the same wherever the name is in the document. `known`
    /// has names of the document, each with the name that the model sees already.
    pub(super) fn shown(
        &mut self,
        name: &str,
        root: Json<'_>,
        known: &[(String, String)],
    ) -> String {
        if known.is_empty() && is_parameter_name(name) {
            return name.to_owned();
        }
        if self.taken.is_empty() {
            collect_names(root, &mut self.taken, 0);
            for (name, shown) in known {
                // The document may have a new property of the shown name.
                if is_parameter_name(shown) && self.taken.insert(shown.clone()) {
                    self.shown.insert(name.clone(), shown.clone());
                }
            }
        }
        if let Some(shown) = self.shown.get(name) {
            return shown.clone();
        }
        if is_parameter_name(name) {
            return name.to_owned();
        }
        let plain = plain_name(name);
        let count = self.counts.entry(plain.clone()).or_default();
        let shown = loop {
            *count += 1;
            let free = match *count {
                1 => plain.clone(),
                count => format!("{plain}_{count}"),
            };
            if self.taken.insert(free.clone()) {
                break free;
            }
        };
        self.shown.insert(name.to_owned(), shown.clone());
        shown
    }
}

/// Collects all keys and texts of a document. Its property names are among them.
fn collect_names(json: Json<'_>, names: &mut HashSet<String>, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    match json {
        Json::Text(text) if is_parameter_name(text) => {
            names.insert(text.to_owned());
        }
        Json::List(items) => items
            .iter()
            .for_each(|item| collect_names(item, names, depth + 1)),
        Json::Object(members) => {
            for (key, member) in members.iter() {
                names.insert(key.to_owned());
                collect_names(member, names, depth + 1);
            }
        }
        _ => {}
    }
}

/// Returns a name with `_` in the place of characters that a name cannot have: `_top` for `$top`, `filter_x`
/// for `filter[x]`.
fn plain_name(name: &str) -> String {
    /// The longest name without a number behind it.
    const LONGEST: usize = 56;
    let mut plain = String::new();
    let mut is_replaced = false;
    for c in name.chars() {
        let is_plain = c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if is_plain {
            plain.push(c);
        } else if !is_replaced {
            plain.push('_');
        }
        is_replaced = !is_plain;
    }
    if is_replaced && plain.len() > 1 {
        plain.pop();
    }
    plain.truncate(LONGEST);
    match plain.is_empty() {
        true => "_".to_owned(),
        false => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::read::source::sealed::Sealed as _;
    use serde_json::json;

    #[test]
    fn names_are_plain_and_differ_from_all_others() {
        let long = "é".repeat(10) + &"x".repeat(200);
        let document = json!({"properties": {"_top": {}, "filter_x": {}}, "required": ["a_b"]});
        let mut names = ArgumentNames::default();
        let mut shown = |name: &str| names.shown(name, document.json(), &[]);
        for (name, expected) in [
            ("plain.name-1", "plain.name-1"),
            ("$top", "_top_2"),
            ("@top", "_top_3"),
            ("$top", "_top_2"),
            ("filter[x]", "filter_x_2"),
            ("filter[x][y]", "filter_x_y"),
            ("a b", "a_b_2"),
            ("größe", "gr_e"),
            ("名前", "_"),
            ("", "__2"),
            ("[]", "__3"),
        ] {
            assert_eq!(shown(name), expected, "{name}");
        }
        assert!(is_parameter_name(&shown(&long)));
    }

    #[test]
    fn keeps_known_names_in_any_order_unless_a_property_has_them() {
        let document = json!({"properties": {"a[": {}, "a$": {}, "taken": {}, "limit": {}}});
        let known = [
            ("a$", "a_"),
            ("a[", "a_2"),
            ("gone", "a"),
            ("$t", "taken"),
            ("limit", "most"),
            ("b!", "no name"),
        ];
        let known = known.map(|(name, shown)| (name.to_owned(), shown.to_owned()));
        let mut names = ArgumentNames::default();
        let mut shown = |name: &str| names.shown(name, document.json(), &known);
        for (name, expected) in [
            ("a!", "a_3"),
            ("a[", "a_2"),
            ("a$", "a_"),
            ("$t", "_t"),
            ("taken", "taken"),
            ("limit", "most"),
            ("b!", "b"),
        ] {
            assert_eq!(shown(name), expected, "{name}");
        }
    }
}
