//! Tools of several parameters, each of which gives back all of them.

use super::{Gives, Tool, agree, call};
use agent_runtime::serde_json::{Value, json};
use agent_runtime::tool;
use std::collections::{BTreeMap, BTreeSet};

/// Narrowed by attributes
#[tool(inline)]
pub(super) fn narrowed(
    #[tool(minimum = 1, maximum = 5)] count: u8,
    #[tool(minimum = 0.5, maximum = 2.5)] share: f64,
    #[tool(pattern = "^[a-c][0-9]+$")] code: String,
    #[tool(min_length = 1, max_length = 2)] tag: String,
    #[tool(enum = ["asc", "desc"], default = "asc")] sort: String,
    #[tool(format = "email")] mail: Option<String>,
    #[tool(min_items = 1, max_items = 2)] parts: Vec<String>,
) -> Value {
    json!({
        "count": count, "share": share, "code": code, "tag": tag, "sort": sort, "mail": mail,
        "parts": parts,
    })
}

/// By reference, and with other names
#[tool(inline)]
pub(super) fn borrowed(
    name: &str,
    #[tool(name = "the-list")] list: &[u8],
    #[tool(name = "Limit", default = 3)] limit: u16,
    maybe: Option<String>,
    nested_lists: &[Vec<bool>],
) -> Value {
    json!({
        "name": name, "the-list": list, "Limit": limit, "maybe": maybe, "nestedLists": nested_lists,
    })
}

/// What holds others
#[tool(inline)]
pub(super) fn holders(
    any: Option<Value>,
    set: BTreeSet<i8>,
    map: BTreeMap<String, Option<u8>>,
    letter: char,
    triple: [bool; 3],
    #[tool(default = ["a", "b"])] words: Vec<String>,
    small: f32,
) -> Value {
    json!({
        "any": any, "set": set, "map": map, "letter": letter, "triple": triple, "words": words,
        "small": small,
    })
}

/// Anything at all
#[tool(inline)]
pub(super) fn anything(any: Value, more: Vec<Value>) -> Value {
    json!({"any": any, "more": more})
}

#[test]
fn tools_of_several_parameters_agree() {
    agree::<narrowed>(Gives::All);
    agree::<borrowed>(Gives::All);
    agree::<holders>(Gives::All);
    agree::<anything>(Gives::All);
}

#[test]
fn reports_all_problems_at_once() {
    let wrong = [
        ("count", json!(6)),
        ("share", json!("much")),
        ("code", json!("A1")),
        ("tag", json!("abc")),
        ("sort", json!("up")),
        ("mail", json!("nobody")),
        ("parts", json!([])),
    ];
    // Every subset.
    for subset in 0..1u32 << wrong.len() {
        let mut arguments = json!({
            "count": 3, "share": 1, "code": "a1", "tag": "ab", "sort": "asc", "mail": "a@b.org",
            "parts": ["a"],
        });
        let is_in = |at: usize| subset & (1 << at) != 0;
        for (at, (name, value)) in wrong.iter().enumerate() {
            if is_in(at) {
                arguments[name] = value.clone();
            }
        }
        let message = call(&narrowed {}, &arguments).err().unwrap_or_default();
        for (at, (name, _)) in wrong.iter().enumerate() {
            let named = message.contains(&format!("$.{name}"));
            assert_eq!(named, is_in(at), "{name} of {arguments}: {message}");
        }
    }
    let none = call(&narrowed {} as &dyn Tool, &json!({})).expect_err("much is missing");
    for name in ["count", "share", "code", "tag", "parts"] {
        assert!(none.contains(&format!("`{name}` is required")), "{none}");
    }
}
