//! Round trips of responses through gram.

use super::{AgentResponse, ToolInvocation};
use crate::conversation::{Taint, Thinking};
use crate::model::{FinishReason, Usage};
use agent_gram::{Pattern, ValueError, parse_patterns, print};
use agent_tool::tool::ToolError;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Number, Value, json};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a-z`\"\\\\\n ]{0,12}", "[a-z ]{110,130}"]
}

fn any_json() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Number::from),
        any::<u64>().prop_map(Number::from),
        any::<f64>().prop_filter_map("finite", Number::from_f64),
        (-3_i8..3).prop_filter_map("finite", |whole| Number::from_f64(whole.into())),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number.prop_map(Value::Number),
        text().prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            btree_map(text(), inner, 0..4).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

fn error() -> impl Strategy<Value = ToolError> {
    prop_oneof![
        text().prop_map(ToolError::Execution),
        Just(ToolError::Timeout),
        text().prop_map(ToolError::Validation),
        text().prop_map(ToolError::Authorization),
    ]
}

fn invocation() -> impl Strategy<Value = ToolInvocation> {
    let result = prop_oneof![any_json().prop_map(Ok), error().prop_map(Err)];
    let names = (
        prop_oneof!["[a-z]{0,6}", text()],
        prop_oneof!["call_[0-9]{1,3}", text()],
    );
    let used = (option::of(usage()), option::of(0.0..1e6));
    let counts = (any::<u32>(), used);
    let parts = (names, any_json(), result, option::of(text()), counts);
    parts.prop_map(
        |((tool, call_id), args, result, error_text, (attempt, (usage, cost)))| ToolInvocation {
            tool,
            call_id,
            args,
            result,
            error_text,
            attempt,
            usage,
            cost,
            taint: Taint::ALL[attempt as usize % 3],
        },
    )
}

fn usage() -> impl Strategy<Value = Usage> {
    any::<[u64; 6]>().prop_map(|counts| Usage {
        input_tokens: counts[0],
        output_tokens: counts[1],
        cached_tokens: counts[2] % 2,
        cache_written_tokens: counts[5] % 2,
        uncounted_requests: counts[0] % 2,
        reasoning_tokens: counts[3] % 2,
        requests: counts[4],
    })
}

fn response() -> impl Strategy<Value = AgentResponse> {
    let reason = prop_oneof![Just("length".to_owned()), text()];
    let cost = proptest::option::of(0.0..1e6_f64);
    let warnings = vec(text(), 0..2);
    let parts = (
        text(),
        vec(invocation(), 0..4),
        usage(),
        cost,
        reason,
        warnings,
    );
    parts.prop_map(
        |(content, tools_used, usage, cost, reason, warnings)| AgentResponse {
            parts: match content.len() % 3 {
                0 if content.is_empty() => Vec::new(),
                0 => vec![Thinking::new("Acme", "Hm.").into(), content.as_str().into()],
                _ => vec![content.as_str().into()],
            },
            content,
            tools_used,
            usage,
            cost,
            finish_reason: FinishReason::from_word(&reason),
            warnings,
        },
    )
}

/// Prints the pattern of a response and reads the text.
fn printed_and_read(pattern: Pattern) -> Pattern {
    let printed = print(std::slice::from_ref(&pattern));
    let read = parse_patterns(&printed).unwrap_or_else(|errors| panic!("{printed}: {errors:#?}"));
    assert_eq!(read, [pattern], "{printed}");
    read.into_iter().next().expect("one pattern")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn a_response_comes_back(response in response()) {
        let pattern = response.to_pattern().expect("not deep");
        let read = AgentResponse::from_pattern(&printed_and_read(pattern));
        prop_assert_eq!(read, Ok(response));
    }
}

fn with_result(result: Value) -> ToolInvocation {
    ToolInvocation {
        tool: "t".to_owned(),
        call_id: "call_1".to_owned(),
        args: json!({}),
        result: Ok(result),
        error_text: None,
        attempt: 1,
        usage: None,
        cost: None,
        taint: Taint::Clean,
    }
}

/// A list of so many levels.
fn nested(levels: usize) -> Value {
    (1..levels).fold(json!([]), |inner, _| Value::Array(vec![inner]))
}

#[test]
fn json_of_any_depth_comes_back_or_is_refused() {
    for levels in [1, 63, 64, 65, 128, 191] {
        let invocation = with_result(nested(levels));
        let pattern = invocation.to_pattern().expect("not too deep");
        let read = ToolInvocation::from_pattern(&printed_and_read(pattern));
        assert_eq!(read, Ok(invocation), "{levels}");
    }
    assert_eq!(
        with_result(nested(192)).to_pattern(),
        Err(ValueError::TooDeep)
    );
}

#[test]
fn gram_has_its_own_words_for_most_of_json() {
    for (json, gram) in [
        (json!(null), "json`null`"),
        (
            json!({"a": null, "b": [1, null]}),
            "{a: json`null`, b: [1, json`null`]}",
        ),
        (
            json!([5, 5.0, -0.5, true, "x"]),
            "[5, 5.0, -0.5, true, \"x\"]",
        ),
        (json!(u64::MAX), "18446744073709551615"),
        (json!({"two words": {}}), "{`two words`: {}}"),
    ] {
        let pattern = with_result(json).to_pattern().expect("not deep");
        let expected = parse_patterns(&format!("({{result: {gram}}})")).expect(gram);
        let result = |pattern: &Pattern| pattern.subject().properties.get("result").cloned();
        assert_eq!(result(&pattern), result(&expected[0]), "{gram}");
    }
}

#[test]
fn rejects_an_invalid_pattern_with_the_element() {
    let call = "callId: \"c\", attempt: 1, args: {}";
    for (text, message) in [
        (
            "(a)".to_owned(),
            "the pattern must have the label `AgentResponse`",
        ),
        ("(:AgentResponse)".to_owned(), "`content` is missing"),
        (
            "(:AgentResponse {content: 5})".to_owned(),
            "`content` is a text",
        ),
        (
            "(:AgentResponse {content: \"c\", usage: {requests: -1}})".to_owned(),
            "`usage` is a map of whole numbers; `requests` is not a whole number of 64 bits",
        ),
        (
            "[:AgentResponse {content: \"c\"} | (x)]".to_owned(),
            "element 0: the pattern must have the label `ToolInvocation`",
        ),
        (
            format!(
                "[:AgentResponse {{content: \"c\"}} | [:ToolInvocation {{{call}, result: s}} | t]]"
            ),
            "element 0: `result`: the symbol `s` has no form in JSON; write it as text, or as json`…`",
        ),
        (
            format!(
                "[:AgentResponse {{content: \"c\"}} | [:ToolInvocation {{{call}, result: json`{{`}} | t]]"
            ),
            "element 0: `result`: not JSON: EOF while parsing an object at line 1 column 1",
        ),
        (
            format!("[:AgentResponse {{content: \"c\"}} | [:ToolInvocation {{{call}}} | t]]"),
            "element 0: `result` is missing",
        ),
        (
            format!(
                "[:AgentResponse {{content: \"c\"}} | (:ToolInvocation {{{call}, result: 1}})]"
            ),
            "element 0: a call has exactly one element, its tool; this one has 0",
        ),
        (
            format!(
                "[:AgentResponse {{content: \"c\"}} | [:ToolInvocation {{{call}, error: {{kind: \"x\"}}}} | t]]"
            ),
            "element 0: `error` is `{kind, text}`, the kind being `execution`, `timeout`, `validation` or `authorization`",
        ),
    ] {
        let pattern = parse_patterns(&text).expect(&text).remove(0);
        let found = AgentResponse::from_pattern(&pattern).map_err(|error| error.to_string());
        assert_eq!(found, Err(message.to_owned()), "{text}");
    }
}
