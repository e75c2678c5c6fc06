//! Answers in the format of Google's Gemini, streamed or whole, and errors: see `agent_fuzz::model`.

#![no_main]

use agent_fuzz::model::{Format, Provider};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

const FORMAT: Format = Format {
    model: "Google/gemini-2.5-flash",
    key: "GOOGLE_API_KEY",
    base: "",
    stream: "text/event-stream",
    last: r#"{"candidates": [{"content": {"role": "model", "parts": [{"text": "Bye."}]}, "finishReason": "STOP"}]}"#,
};

static PROVIDER: LazyLock<Provider> = LazyLock::new(|| Provider::start(&FORMAT));

fuzz_target!(|input: &[u8]| PROVIDER.check(input));
