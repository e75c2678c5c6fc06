//! Results of calls, as the model reads them.

use crate::fixture::{NEW, OLD, connected, server};
use crate::runs::after_call;
use agent_runtime::Message;
use agent_runtime::media::Part;
use agent_runtime::serde_json::{Value, json};

const IMAGE: &str =
    r#"{"type": "image", "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB", "mimeType": "image/png"}"#;

/// The schema of an object with these properties, which are required.
fn object(properties: &Value) -> Value {
    let names: Vec<&String> = properties.as_object().expect("an object").keys().collect();
    json!({"type": "object", "properties": properties, "required": names})
}

/// The script of a server whose tool `look` has a result.
fn script(revision: &str, output: &Value, result: &str) -> Value {
    let mut look = json!({"name": "look", "inputSchema": {"type": "object"}});
    if !output.is_null() {
        look["outputSchema"] = output.clone();
    }
    json!({"revision": revision, "lists": [[look]], "results": {"look": result}})
}

/// The parts of a message: its texts, and the kinds of its media.
fn read(message: &Message) -> Vec<String> {
    let parts = message.parts().iter().map(|part| match part {
        Part::Text(text) => text.clone(),
        part => format!("<{}>", part.kind()),
    });
    parts.collect()
}

/// Checks what the model reads for a result, in both revisions.
async fn check(output: &Value, result: &str, expected: &[&str]) {
    for revision in [NEW, OLD] {
        let server = connected(&script(revision, output, result)).await;
        let message = after_call(&server.library(), "s_look", "{}").await;
        assert_eq!(read(&message), expected, "{revision}: {result}");
    }
}

/// Returns a result: its content, and more members.
fn result(content: &[&str], more: &str) -> String {
    let text = |text: &&str| match text.starts_with("{\"type\"") {
        true => (*text).to_owned(),
        false => json!({"type": "text", "text": text}).to_string(),
    };
    let content: Vec<String> = content.iter().map(text).collect();
    format!(
        r#"{{"resultType": "complete", "content": [{}]{more}}}"#,
        content.join(", ")
    )
}

const SUM: &str = r#", "structuredContent": {"sum": 2}"#;

#[tokio::test]
async fn content_beside_structured_content_reaches_the_model() {
    let sum = object(&json!({"sum": {"type": "integer"}}));
    let audio = r#"{"type": "audio", "data": "UklGRgAAAABXQVZF", "mimeType": "audio/wav"}"#;
    let link = r#"{"type": "resource_link", "uri": "file:///b.txt", "name": "b.txt"}"#;
    let note = r#"{"type": "resource", "resource": {"uri": "file:///a", "text": "A note"}}"#;
    for (content, expected) in [
        (&["Two."][..], &[r#"{"sum":2}"#, "Two."][..]),
        (&[IMAGE], &[r#"{"sum":2}"#, "<image>"]),
        (
            &["{\n  \"sum\": 2\n}", "Two.", IMAGE, audio],
            &[r#"{"sum":2}"#, "Two.", "<image>", "<audio>"],
        ),
        (
            &[link, note],
            &[r#"{"sum":2}"#, "b.txt: file:///b.txt", "A note"],
        ),
        (
            &["The sum is {\"sum\": 2}"],
            &[r#"{"sum":2}"#, "The sum is {\"sum\": 2}"],
        ),
    ] {
        // Whether the tool has an output schema or not.
        for output in [&sum, &Value::Null] {
            check(output, &result(content, SUM), expected).await;
        }
    }
}

#[tokio::test]
async fn text_that_repeats_structured_content_is_read_once() {
    let list = r#"{"result":["a","{\"b\":1}",3]}"#;
    for (content, structured) in [
        (&[][..], r#"{"sum":2}"#),
        (&[""], r#"{"sum":2}"#),
        (&["{\"sum\": 2}"], r#"{"sum":2}"#),
        (&[" {\n\"sum\":2 }\n"], r#"{"sum":2}"#),
        (&["2"], r#"{"sum":2}"#),
        // As the SDK for Python writes results that are no objects.
        (&["a text"], r#"{"result":"a text"}"#),
        (&["a", "{\"b\":1}", "3"], list),
        (&["[\"a\", \"{\\\"b\\\":1}\", 3]"], list),
        // As the server for files does.
        (
            &["line 1\nline 2\n"],
            r#"{"content":"line 1\nline 2\n","size":14}"#,
        ),
    ] {
        let more = format!(r#", "structuredContent": {structured}"#);
        check(&Value::Null, &result(content, &more), &[structured]).await;
    }
}

#[tokio::test]
async fn text_is_structured_content_if_it_is_json_of_the_output_schema() {
    let sum = object(&json!({"sum": {"type": "integer"}}));
    for (output, content, expected) in [
        (&sum, &["{\"sum\": 2}"][..], &[r#"{"sum":2}"#][..]),
        (
            &sum,
            &["Two.", "{\"sum\": 2}", IMAGE],
            &[r#"{"sum":2}"#, "Two.", "<image>"],
        ),
        // Without an output schema, a text is a text.
        (&Value::Null, &["{\"sum\": 2}"], &["{\"sum\": 2}"]),
    ] {
        check(output, &result(content, ""), expected).await;
    }
}

#[tokio::test]
async fn a_result_that_is_not_as_promised_says_that_the_tool_was_called() {
    let sum = object(&json!({"sum": {"type": "integer"}}));
    let wrong = r#", "structuredContent": {"sum": "two"}"#;
    for (content, more, words) in [
        (&["It is two."][..], "", &["It is two."][..]),
        (&["{\"sum\": \"two\"}"], "", &["{\"sum\": \"two\"}"]),
        (&[], "", &[]),
        (&[IMAGE], "", &["[image]"]),
        (&["Two."], wrong, &["Two.", "{\"sum\":\"two\"}", "sum"]),
    ] {
        for revision in [NEW, OLD] {
            let result = result(content, more);
            let server = connected(&script(revision, &sum, &result)).await;
            let message = after_call(&server.library(), "s_look", "{}").await;
            let text = message.content();
            for word in ["the tool was called, and its result is not", "schema"]
                .iter()
                .chain(words)
            {
                assert!(text.contains(word), "{result}: {text}");
            }
        }
    }
}

#[tokio::test]
async fn an_error_has_its_structured_content() {
    let sum = object(&json!({"sum": {"type": "integer"}}));
    let detail = r#", "isError": true, "structuredContent": {"code": 7, "field": "city"}"#;
    let json = r#"{"code":7,"field":"city"}"#;
    let both = format!("no such city\n{json}");
    let with_image = format!("no such city\n[image]\n{json}");
    for (content, more, expected) in [
        (&["no such city"][..], detail, &*both),
        (&["no such city", IMAGE], detail, &with_image),
        (&[], detail, json),
        (&["{\"field\": \"city\", \"code\": 7}"], detail, json),
        (&["no such city"], r#", "isError": true"#, "no such city"),
        (&[IMAGE], r#", "isError": true"#, "[image]"),
        (
            &[],
            r#", "isError": true"#,
            "the tool failed and gave no reason",
        ),
    ] {
        for output in [&sum, &Value::Null] {
            check(output, &result(content, more), &[expected]).await;
        }
    }
}

#[tokio::test]
async fn half_of_a_surrogate_pair_loses_no_result() {
    for (written, read) in [
        (r"a \ud83d", "a \u{fffd}"),
        (r"\udc4b b", "\u{fffd} b"),
        (r"\ud83d\ud83d\udc4b", "\u{fffd}\u{1f44b}"),
        (r"\uD83D\u0041", "\u{fffd}A"),
        (r"\\ud83d", r"\ud83d"),
        (r"\ud83d\udc4b", "\u{1f44b}"),
    ] {
        let plain = format!(
            r#"{{"resultType": "complete", "content": [{{"type": "text", "text": "{written}"}}]}}"#
        );
        check(&Value::Null, &plain, &[read]).await;
        let structured = format!(
            r#"{{"resultType": "complete", "content": [], "structuredContent": {{"a": "{written}"}}}}"#
        );
        check(
            &Value::Null,
            &structured,
            &[&json!({"a": read}).to_string()],
        )
        .await;
        let failed = format!(
            r#"{{"resultType": "complete", "isError": true, "content": [{{"type": "text", "text": "{written}"}}]}}"#
        );
        check(&Value::Null, &failed, &[read]).await;
    }
}

#[tokio::test]
async fn content_beside_structured_content_holds_no_keys() {
    let result = result(&["The key is hunter2hunter2."], SUM);
    let server = server(&script(NEW, &Value::Null, &result)).env("KEY", "hunter2hunter2");
    let server = server.connect().await.expect("a server");
    let message = after_call(&server.library(), "s_look", "{}").await;
    assert_eq!(read(&message), [r#"{"sum":2}"#, "The key is [key]."]);
}
