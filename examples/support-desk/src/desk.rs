//! The agents of the desk, and their tools.

use agent_runtime::{Agent, ToolError, ToolLibrary, agent, tool, tools};

/// Returns the charges for an order, in euros
#[tool]
fn find_charges(order: u32) -> Result<Vec<f64>, ToolError> {
    match order {
        1042 => Ok(vec![39.90, 39.90]),
        _ => Err(ToolError::execution(format!("there is no order {order}"))),
    }
}

/// Pays money back for an order
#[tool(requires_approval)]
fn refund(order: u32, euros: f64) -> String {
    format!("{euros:.2} euros for order {order} are on their way")
}

/// Returns the place of a parcel
#[tool]
fn track_parcel(order: u32) -> String {
    format!("the parcel of order {order} is in Ulm, and arrives tomorrow")
}

pub(crate) static SUPPORT: Agent = agent! {
    tools: [find_charges, refund, track_parcel],
    [support:Agent {
        instruction: "You answer for a shop. Ask billing about money and shipping about parcels, and tell the customer what they did. Do not promise anything else.",
        model: "OpenAI/gpt-6-luna"
    } |
        [billing:Agent {
            description: "Knows the charges for orders, and pays back what was charged twice",
            instruction: "Look up the charges for the order before you pay anything back.",
            model: "OpenAI/gpt-6-luna"
        } |
            (order::Int)==>(question::Text)==>(::String),
            findCharges, refund
        ],
        [shipping:Agent {
            description: "Knows where parcels are",
            instruction: "Find the parcel of the order.",
            model: "OpenAI/gpt-6-luna"
        } |
            (order::Int)==>(::Object {fields: {place: "Text", arrives: "Text"}}),
            trackParcel
        ]
    ]
};

pub(crate) fn library() -> ToolLibrary {
    tools![find_charges, refund, track_parcel]
}
