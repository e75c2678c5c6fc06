//! Tests of the errors about requests that were not recorded, and about wrong files.

use crate::testing::{bare, fresh, greet, greets, record};
use agent_runtime::Error;
use agent_runtime::testing::Cassette;
use std::path::Path;

async fn mismatch(cassette: &Cassette, inputs: &[&str]) -> String {
    let runtime = bare(cassette).build().expect("a runtime");
    let mut last = None;
    for input in inputs {
        last = greet(&runtime, input).await.err();
    }
    let error: Error = last.expect("an error");
    assert!(error.is_llm() && !error.is_unavailable(), "{error:?}");
    error.to_string()
}

#[tokio::test]
async fn shows_the_nearest_request_and_its_first_difference() {
    let path = fresh("nearest.json");
    record(&path, "Hello, I'm Ada", greets()).await;
    let told = mismatch(&Cassette::replay(&path), &["Hello, I'm Bob"]).await;
    let expected = format!(
        "the cassette `{}` has no answer to this request: the nearest of its 2, number 1, differs at \
         `messages[0].content`: recorded \"Hello, I'm Ada\", now \"Hello, I'm Bob\"; to record it \
         again, run once with `Cassette::record` in place of `Cassette::replay`",
        path.display()
    );
    assert_eq!(told, expected);
    let told = mismatch(&Cassette::replay_or_record(&path), &["Hello, I'm Bob"]).await;
    assert!(
        told.ends_with("; to record it again, delete the file"),
        "{told}"
    );
}

#[tokio::test]
async fn reports_a_request_that_was_recorded_less_often() {
    let path = fresh("used_up.json");
    record(&path, "Hello", greets()).await;
    let told = mismatch(&Cassette::replay(&path), &["Hello", "Hello"]).await;
    assert!(
        told.contains("it was recorded once, and comes once more"),
        "{told}"
    );
}

#[tokio::test]
async fn assert_complete_names_unused_answers() {
    let path = fresh("left.json");
    record(&path, "Hello, I'm Ada", greets()).await;
    let cassette = Cassette::replay(&path);
    let left = std::panic::catch_unwind(|| cassette.assert_complete()).expect_err("a panic");
    let left = left.downcast_ref::<String>().expect("a text");
    assert!(
        left.ends_with(
            "holds answers to requests that did not come: number 1, after \"Hello, I'm Ada\"; \
             number 2, after \"Hello, Ada! Nice to meet you.\""
        ),
        "{left}"
    );
}

fn unreadable(path: &Path) -> String {
    let error = bare(&Cassette::replay(path)).build().expect_err("an error");
    assert!(error.is_configuration(), "{error:?}");
    error.to_string()
}

#[test]
fn build_reports_a_missing_file() {
    let path = fresh("missing.json");
    let told = unreadable(&path);
    assert!(told.starts_with("there is no cassette `"), "{told}");
    assert!(
        told.contains("missing.json`; to record it, run once with"),
        "{told}"
    );
}

#[test]
fn reports_where_a_file_is_wrong() {
    let path = fresh("edited.json");
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let exchange = |outcome: &str| {
        format!(
            "{{\"format\": \"agent-cassette\", \"version\": 1, \"exchanges\": [{{\"request\": {{}}, \
             {outcome}}}]}}"
        )
    };
    for (text, words) in [
        ("{", "it is not JSON"),
        ("{}", "it does not say `\"format\": \"agent-cassette\"`"),
        (
            "{\"format\": \"agent-cassette\", \"version\": 2}",
            "its version is 2, and this program reads 1",
        ),
        (
            &exchange("\"reply\": {\"tool_calls\": []}"),
            "exchange 1: `tool_calls` is unknown; did you mean `toolCalls`?",
        ),
        (
            &exchange("\"reply\": {\"content\": 1}"),
            "exchange 1: `content` is a text or an array of parts, not a number",
        ),
        (
            &exchange("\"replay\": {}"),
            "exchange 1: it has one of `reply` and `error`",
        ),
        (
            &exchange("\"error\": {\"kind\": \"lost\", \"text\": \"\"}"),
            "exchange 1: `lost` is not a kind of error",
        ),
        (
            &exchange("\"parts\": [{}], \"reply\": {}"),
            "exchange 1: a part has `text`, `thought`, `part`, or the number of a `call` from 0",
        ),
    ] {
        std::fs::write(&path, text).expect("it can be written");
        let told = unreadable(&path);
        assert!(told.contains(words), "{told}");
    }
}
