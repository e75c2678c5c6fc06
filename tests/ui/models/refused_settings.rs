//! Requests that vendors began to refuse in 2026: each of these agents would have failed at its first message.

use agent_runtime::{agent, tool};

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".into()
}

fn openai() {
    let _ = agent! {
        tools: [get_time],
        [unset_effort:Agent {instruction: "Tell.", model: "OpenAIChat/gpt-5.6-terra"} | getTime]
    };
    let _ = agent! {
        [minimal_at_chat:Agent {instruction: "Tell.", model: "OpenAIChat/gpt-5.6-sol", reasoningEffort: "minimal"}]
    };
    let _ = agent! {
        [minimal:Agent {instruction: "Tell.", model: "OpenAI/gpt-5.6-luna", reasoningEffort: "minimal"}]
    };
    let _ = agent! {
        [warm_at_chat:Agent {instruction: "Tell.", model: "OpenAIChat/gpt-5.6-luna", temperature: 0.7}]
    };
    let _ = agent! {
        tools: [get_time],
        [no_way_out:Agent {instruction: "Tell.", model: "OpenAIChat/gpt-6-astra", reasoningEffort: "low"} | getTime]
    };
    let _ = agent! {
        [none_at_chat:Agent {instruction: "Tell.", model: "OpenAIChat/gpt-6-astra", reasoningEffort: "none"}]
    };
    let _ = agent! {
        [cold:Agent {instruction: "Tell.", model: "OpenAI/gpt-6-sol", temperature: 0}]
    };
    let _ = agent! {
        deny: ["retired-model"],
        [over:Agent {instruction: "Tell.", model: "OpenAI/o3-mini"}]
    };
}

fn anthropic() {
    let _ = agent! {
        [cold:Agent {instruction: "Tell.", model: "Anthropic/claude-sonnet-5", temperature: 0}]
    };
    let _ = agent! {
        [budget:Agent {instruction: "Tell.", model: "Anthropic/claude-sonnet-5", thinkingBudget: 2000}]
    };
    let _ = agent! {
        [thoughtless:Agent {instruction: "Tell.", model: "Anthropic/claude-opus-5-5", thinking: false}]
    };
    let _ = agent! {
        tools: [get_time],
        [forced:Agent {instruction: "Tell.", model: "Anthropic/claude-opus-5-5", toolChoice: "required"} | getTime]
    };
    let _ = agent! {
        tools: [get_time],
        [named:Agent {instruction: "Tell.", model: "Anthropic/claude-fable-5-1", toolChoice: "getTime"} | getTime]
    };
    let _ = agent! {
        [thoughtless:Agent {instruction: "Tell.", model: "Anthropic/claude-sonnet-5-5", thinking: false}]
    };
}

fn google() {
    let _ = agent! {
        [minimal:Agent {instruction: "Tell.", model: "Google/gemini-3.7-flash", reasoningEffort: "minimal"}]
    };
}

fn main() {
    openai();
    anthropic();
    google();
}
