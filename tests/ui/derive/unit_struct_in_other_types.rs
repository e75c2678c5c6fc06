use agent_runtime::{GramType, agent, tool};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize, GramType)]
struct Marker;

#[derive(Deserialize, GramType)]
#[serde(tag = "kind")]
enum Tagged {
    Held(Marker),
    Other { value: u8 },
}

#[derive(Deserialize, GramType)]
struct Flattened {
    #[serde(flatten)]
    marker: Marker,
    counts: BTreeMap<Marker, u8>,
    #[serde(skip_serializing_if = "skip")]
    skipped: Marker,
}

fn skip(_: &Marker) -> bool {
    true
}

/// Marks
#[tool]
fn mark(marker: Marker) -> String {
    let _ = marker;
    String::new()
}

fn main() {
    let _ = agent! {
        tools: [mark],
        [marker:Agent { instruction: "Mark.", model: "OpenAI/gpt-6-luna" } |
            [mark:Tool { description: "Marks" } | (marker::Text)==>(::String)]
        ]
    };
}
