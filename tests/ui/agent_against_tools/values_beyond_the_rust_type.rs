use agent_runtime::{agent, tool};

/// Paints pixels
#[tool]
fn paint(red: Vec<u8>, shade: i8, #[tool(default = 1)] times: u16) {
    let _ = (red, shade, times);
}

fn main() {
    let _ = agent! {
        tools: [paint],
        [helper:Agent { instruction: "Help.", model: "OpenAI/gpt-6-luna" } |
            [paint:Tool { description: "Paints pixels" } |
                (red::Array {elementType: {type: "Int", minimum: -1}})
                ==>(shade::Int {enum: [1, 128]})
                ==>(times::Int {maximum: 65535})
                ==>(::Null)
            ]
        ]
    };
}
