//! Answers in the format of Ollama, streamed or whole, and errors: see `agent_fuzz::model`.

#![no_main]

use agent_fuzz::model::{Format, Provider};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

const FORMAT: Format = Format {
    model: "Ollama/qwen3:4b",
    key: "OLLAMA_API_KEY",
    base: "",
    stream: "application/x-ndjson",
    last: r#"{"message": {"role": "assistant", "content": "Bye."}, "done": true, "done_reason": "stop"}"#,
};

static PROVIDER: LazyLock<Provider> = LazyLock::new(|| Provider::start(&FORMAT));

fuzz_target!(|input: &[u8]| PROVIDER.check(input));
