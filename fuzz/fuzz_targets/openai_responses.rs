//! Answers in the format of OpenAI's Responses, streamed or whole, and errors: see `agent_fuzz::model`.

#![no_main]

use agent_fuzz::model::{Format, Provider};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

const FORMAT: Format = Format {
    model: "OpenAIResponses/gpt-5-mini",
    key: "OPENAI_API_KEY",
    base: "/v1",
    stream: "text/event-stream",
    last: r#"{"id": "r", "status": "completed", "output": [{"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": "Bye."}]}]}"#,
};

static PROVIDER: LazyLock<Provider> = LazyLock::new(|| Provider::start(&FORMAT));

fuzz_target!(|input: &[u8]| PROVIDER.check(input));
