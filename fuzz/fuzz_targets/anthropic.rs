//! Answers in the format of Anthropic's Messages, streamed or whole, and errors: see `agent_fuzz::model`.

#![no_main]

use agent_fuzz::model::{Format, Provider};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

const FORMAT: Format = Format {
    model: "Anthropic/claude-haiku-4-5",
    key: "ANTHROPIC_API_KEY",
    base: "",
    stream: "text/event-stream",
    last: r#"{"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Bye."}], "stop_reason": "end_turn"}"#,
};

static PROVIDER: LazyLock<Provider> = LazyLock::new(|| Provider::start(&FORMAT));

fuzz_target!(|input: &[u8]| PROVIDER.check(input));
