//! The arguments of a call of a Rust function: the function is called if and only if the arguments fit its
//! signature.
//!
//! The first byte selects the function; the rest is the text of the arguments.

#![no_main]

use agent_fuzz::block_on;
use agent_runtime::tool::invoke_tool;
use agent_runtime::{GramType, ToolContext, ToolError, ToolLibrary, tool, tools};
use libfuzzer_sys::fuzz_target;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::LazyLock;

#[derive(Debug, Serialize, Deserialize, GramType)]
#[serde(rename_all = "camelCase", tag = "kind")]
enum Shape {
    Circle { radius: f64 },
    Rectangle { width: u8, height: i16 },
    Empty,
}

#[derive(Debug, Serialize, Deserialize, GramType)]
#[serde(rename_all = "camelCase")]
struct Line {
    sku: String,
    count: u32,
    #[serde(default)]
    tags: Vec<String>,
    note: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, GramType)]
#[serde(rename_all = "kebab-case")]
enum Size {
    Small,
    VeryLarge,
}

/// Draws shapes
#[tool]
fn draw(shapes: Vec<Shape>, scale: Option<f32>, #[tool(default = false)] fill: bool) -> usize {
    let _ = (scale, fill);
    shapes.len()
}

/// Orders lines
#[tool]
fn order(
    lines: Vec<Line>,
    #[tool(pattern = "^[A-Z]{2}-[0-9]+$")] customer: String,
    size: Option<Size>,
    prices: BTreeMap<String, f64>,
) -> String {
    format!("{customer} {size:?} {} {}", lines.len(), prices.len())
}

/// Counts numbers
#[tool]
fn numbers(whole: i64, large: u64, byte: u8, pair: (i32, bool), many: Vec<Option<i8>>) -> u64 {
    let _ = (whole, byte, pair, many);
    large
}

/// Keeps any value
#[tool]
fn keep(value: serde_json::Value, texts: Option<Vec<String>>, letter: Option<char>) -> usize {
    let _ = (value, letter);
    texts.map_or(0, |texts| texts.len())
}

static TOOLS: LazyLock<ToolLibrary> = LazyLock::new(|| tools![draw, order, numbers, keep]);

const NAMES: [&str; 4] = ["draw", "order", "numbers", "keep"];

fuzz_target!(|input: &[u8]| {
    let Some((first, text)) = input.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let name = NAMES[usize::from(*first) % NAMES.len()];
    let tool = TOOLS.lookup(name).expect("a tool");
    let signature = tool.descriptor().signature().expect("a signature");
    let checked = signature.check_arguments(text, None);
    let called = block_on(invoke_tool(&**tool, text, &ToolContext::detached()));
    match (&checked, &called) {
        (Ok(_), Ok(_)) => {}
        (Err(violations), Err(error)) => {
            assert!(violations.len() > 0);
            assert!(!error.to_string().is_empty());
        }
        // A signature does not say which variant of an enum has a field.
        (Ok(_), Err(ToolError::Validation(_))) if name == "draw" => {}
        _ => panic!("{name}: {checked:?}, but {called:?}"),
    }
});
