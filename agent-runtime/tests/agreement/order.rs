//! In whatever order arguments come, and whatever stands beside them, the same is read.

use agent_runtime::serde_json::{Value, json};
use agent_runtime::{Tool, ToolContext, ToolError, tool};

/// Tells what it was given
#[tool(inline)]
fn tell(
    first: i64,
    second: Option<String>,
    #[tool(default = 7)] third: i64,
    fourth: Value,
) -> Value {
    json!([first, second, third, fourth])
}

fn called(text: &str) -> Result<Value, ToolError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("it starts");
    runtime.block_on((tell {}).call(text, &ToolContext::detached()))
}

#[test]
fn any_order_reads_the_same() {
    for text in [
        r#"{"first": 1, "second": "b", "third": 3, "fourth": [4]}"#,
        r#"{"first":1,"second":"b","third":3,"fourth":[4]}"#,
        "\n{ \"first\" :\t1 , \"second\" : \"b\" ,\r\n\"third\":3, \"fourth\" : [ 4 ] } \n",
        r#"{"fourth": [4], "third": 3, "second": "b", "first": 1}"#,
        r#"{"first": 1, "third": 3, "second": "b", "fourth": [4]}"#,
        r#"{"first": 1, "\u0073econd": "b", "third": 3, "fourth": [4]}"#,
        r#"{"first": 1, "other": 0, "second": "b", "third": 3, "fourth": [4]}"#,
        r#"{"first": 1, "second": "b", "third": 3, "fourth": [4], "other": {"first": 2}}"#,
        r#"{"first": 1.0, "second": "b", "third": 3, "fourth": [4]}"#,
    ] {
        let read = called(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(read, json!([1, "b", 3, [4]]), "{text}");
    }
}

#[test]
fn an_optional_value_may_be_missing_anywhere() {
    for text in [
        r#"{"first": 1, "fourth": null}"#,
        r#"{"first": 1, "second": null, "third": null, "fourth": null}"#,
        r#"{"fourth": null, "third": null, "first": 1}"#,
    ] {
        let read = called(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(read, json!([1, null, 7, null]), "{text}");
    }
}

#[test]
fn rejects_arguments_that_are_not_an_object() {
    for text in [
        r#"{"first": 1, "second": "b", "third": 3, "fourth": 4"#,
        r#"{"first": 1, "second": "b", "third": 3, "fourth": 4,}"#,
        r#"{"first": 1, "second": "b", "third": 3, "fourth": 4} {}"#,
        r#"{"first": 1, "second": "b", "third": 3, "fourth": 4, "first": 1}"#,
        r#"{"first": 1, "first": 1, "second": "b", "third": 3, "fourth": 4}"#,
        r#"{"first": 1, "second": "b", "third": nullx, "fourth": 4}"#,
        r#"{"first": 1 "second": "b", "third": 3, "fourth": 4}"#,
        r#"{"first": 1, "second": "b", "third": 3}"#,
        r#"{"first": "1", "second": "b", "third": 3, "fourth": 4}"#,
        r#"[1, "b", 3, 4]"#,
        "",
    ] {
        let error = called(text).expect_err(text);
        assert!(matches!(error, ToolError::Validation(_)), "{text}: {error}");
    }
}
