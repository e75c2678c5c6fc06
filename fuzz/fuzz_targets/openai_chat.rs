//! Answers in the format of OpenAI's Chat Completions, streamed or whole, and errors: see `agent_fuzz::model`.

#![no_main]

use agent_fuzz::model::{Format, Provider};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

const FORMAT: Format = Format {
    model: "OpenAI/gpt-4o-mini",
    key: "OPENAI_API_KEY",
    base: "/v1",
    stream: "text/event-stream",
    last: r#"{"choices": [{"index": 0, "message": {"role": "assistant", "content": "Bye."}, "finish_reason": "stop"}]}"#,
};

static PROVIDER: LazyLock<Provider> = LazyLock::new(|| Provider::start(&FORMAT));

fuzz_target!(|input: &[u8]| PROVIDER.check(input));
