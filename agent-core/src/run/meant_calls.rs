//! The calls that a model means when it writes them in another form than its provider's.
//!
//! Models see tools in a namespace, and some models write its name before the name of the tool. Some models
//! of OpenAI write several calls as one call of `multi_tool_use.parallel`, a tool that no request has. The
//! conversation has the calls that are meant, because providers reject a call of a tool with a dot in its
//! name.

use crate::conversation::ToolCall;
use agent_spec::json::{MAX_ARGUMENT_VALUES, has_more_values_than, without_lone_surrogates};
use agent_tool::trace::TARGET;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The namespaces of tools, of OpenAI's models and of Google's.
const NAMESPACES: [&str; 2] = ["functions", "default_api"];

/// The names of a call that consists of several calls. The second one is from servers that replace the dot.
const SEVERAL_CALLS: [&str; 2] = ["multi_tool_use.parallel", "multi_tool_use_parallel"];

/// Returns the calls that are meant. `is_tool` reports whether there is a tool of a name. The name of a tool
/// is never changed.
pub(super) fn meant_calls(
    calls: Vec<ToolCall>,
    is_tool: impl Fn(&str) -> bool + Copy,
) -> Vec<ToolCall> {
    let calls = split_calls(calls, is_tool).into_iter();
    calls.map(|call| meant_call(call, is_tool)).collect()
}

/// Returns a call with the name of a tool in place of the same name in a namespace. Arguments that cannot be
/// parsed only because of a half of a character are corrected.
pub(super) fn meant_call(call: ToolCall, is_tool: impl Fn(&str) -> bool) -> ToolCall {
    let name = without_namespace(call.tool());
    let is_named = name == call.tool() || is_tool(call.tool()) || !is_tool(name);
    let name = if is_named { call.tool() } else { name };
    let arguments = without_lone_surrogates(call.args_text());
    if is_named && matches!(arguments, Cow::Borrowed(_)) {
        return call;
    }
    tracing::debug!(target: TARGET, tool = name, "a call was corrected");
    ToolCall::new(call.id(), name, arguments)
}

/// Returns a name without the namespace before it.
pub(super) fn without_namespace(name: &str) -> &str {
    match name.split_once(['.', ':']) {
        Some((space, name)) if NAMESPACES.contains(&space) => name,
        _ => name,
    }
}

/// Whether a call of this name consists of several calls.
pub(crate) fn is_several(name: &str, is_tool: impl Fn(&str) -> bool) -> bool {
    SEVERAL_CALLS.contains(&without_namespace(name)) && !is_tool(name)
}

/// Returns the calls, in which each call that consists of several calls is replaced by these several calls. A
/// call that cannot be split stays, and gets the result of a call of an unknown tool.
pub(crate) fn split_calls(
    calls: Vec<ToolCall>,
    is_tool: impl Fn(&str) -> bool + Copy,
) -> Vec<ToolCall> {
    if !calls.iter().any(|call| is_several(call.tool(), is_tool)) {
        return calls;
    }
    let mut split = Vec::new();
    for call in calls {
        match several_calls(&call).filter(|_| is_several(call.tool(), is_tool)) {
            Some(several) => {
                tracing::debug!(target: TARGET, calls = several.len(), "a call was split");
                split.extend(several);
            }
            None => split.push(call),
        }
    }
    split
}

/// The arguments of a call that consists of several calls.
#[derive(Deserialize)]
struct SeveralCalls<'a> {
    #[serde(borrow)]
    tool_uses: Vec<OneOfSeveral<'a>>,
}

#[derive(Deserialize)]
struct OneOfSeveral<'a> {
    recipient_name: String,
    /// The text of the model, which the conversation keeps.
    #[serde(borrow, default)]
    parameters: Option<&'a RawValue>,
}

fn several_calls(call: &ToolCall) -> Option<Vec<ToolCall>> {
    let text = without_lone_surrogates(call.args_text());
    // No tool is called with more values.
    if has_more_values_than(text.as_bytes(), MAX_ARGUMENT_VALUES) {
        return None;
    }
    let several: SeveralCalls<'_> = serde_json::from_str(&text).ok()?;
    let calls = (1..).zip(several.tool_uses).map(|(number, one)| {
        // The run makes an id for a call without one.
        let id = match call.id() {
            "" => String::new(),
            id => format!("{id}_{number}"),
        };
        let given = one.parameters.map_or("{}", RawValue::get);
        // Some models write the object as a text.
        let arguments = serde_json::from_str(given).unwrap_or_else(|_| given.to_owned());
        ToolCall::new(id, one.recipient_name, arguments)
    });
    Some(calls.collect()).filter(|calls: &Vec<_>| !calls.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_tool(name: &str) -> bool {
        ["send", "find", "functions_x"].contains(&name)
    }

    #[test]
    fn a_name_in_a_namespace_is_that_of_the_tool_if_there_is_one() {
        for (name, meant) in [
            ("functions.send", "send"),
            ("functions:find", "find"),
            ("default_api.send", "send"),
            ("default_api:send", "send"),
            ("send", "send"),
            ("functions_x", "functions_x"),
            ("functions.sends", "functions.sends"),
            ("functions.", "functions."),
            ("functions", "functions"),
            (".send", ".send"),
            ("mail.send", "mail.send"),
            ("functions.mail.send", "functions.mail.send"),
            ("functionssend", "functionssend"),
            ("Functions.send", "Functions.send"),
            ("", ""),
        ] {
            let call = ToolCall::new("a", name, r#"{"b":  1}"#);
            let expected = ToolCall::new("a", meant, r#"{"b":  1}"#);
            assert_eq!(meant_call(call, is_tool), expected);
        }
        let call = ToolCall::new("a", "functions.send", "{}");
        assert_eq!(
            meant_call(call.clone(), |name| is_tool(name)
                || name == "functions.send"),
            call
        );
    }

    fn meant(name: &str, arguments: &str) -> Vec<(String, String, String)> {
        let other = ToolCall::new("b", "send", "{}");
        let calls = vec![ToolCall::new("a", name, arguments), other.clone()];
        let mut calls = meant_calls(calls, is_tool);
        assert_eq!(calls.pop(), Some(other));
        let calls = calls.iter();
        let parts = calls.map(|call| [call.id(), call.tool(), call.args_text()].map(str::to_owned));
        parts.map(|[id, tool, text]| (id, tool, text)).collect()
    }

    #[test]
    fn several_calls_as_one_are_split_or_stay_as_a_whole() {
        let own =
            |id: &str, tool: &str, text: &str| (id.to_owned(), tool.to_owned(), text.to_owned());
        let arguments = r#"{"tool_uses": [
            {"recipient_name": "functions.send", "parameters": {"z": 1.0,  "a": [2]}},
            {"recipient_name": "find"},
            {"recipient_name": "gone", "parameters": null, "more": {}},
            {"recipient_name": "find", "parameters": "{\"a\": \"\ud83d\"}"},
            {"recipient_name": "multi_tool_use.parallel", "parameters": {"tool_uses": []}}]}"#;
        for name in [
            "multi_tool_use.parallel",
            "multi_tool_use_parallel",
            "functions.multi_tool_use.parallel",
        ] {
            let expected = [
                own("a_1", "send", r#"{"z": 1.0,  "a": [2]}"#),
                own("a_2", "find", "{}"),
                own("a_3", "gone", "{}"),
                own("a_4", "find", "{\"a\": \"\u{fffd}\"}"),
                own("a_5", "multi_tool_use.parallel", r#"{"tool_uses": []}"#),
            ];
            assert_eq!(meant(name, arguments), expected);
        }
        for arguments in [
            "",
            "{}",
            "[]",
            r#"{"tool_uses": []}"#,
            r#"{"tool_uses": {}}"#,
            r#"{"tool_uses": [{"recipient_name": "send"}, {"parameters": {}}]}"#,
            r#"{"tool_uses": [{"recipient_name": "send", "parameters": {}}"#,
        ] {
            let name = "multi_tool_use.parallel";
            assert_eq!(meant(name, arguments), [own("a", name, arguments)]);
        }
        let several = r#"{"tool_uses": [{"recipient_name": "find"}]}"#;
        assert_eq!(meant("parallel", several), [own("a", "parallel", several)]);
        let calls = vec![ToolCall::new("a", SEVERAL_CALLS[1], several)];
        assert_eq!(meant_calls(calls.clone(), |_| true), calls);
        let without_id = vec![ToolCall::new("", SEVERAL_CALLS[0], several)];
        assert_eq!(meant_calls(without_id, is_tool)[0].id(), "");
    }

    #[test]
    fn half_a_character_is_replaced_in_arguments() {
        let call = |text: &str| ToolCall::new("a", "send", text);
        let repaired = meant_call(call(r#"{"a": "\ud83d", "b": "\\ud83d"}"#), is_tool);
        assert_eq!(repaired, call(r#"{"a": "\ufffd", "b": "\\ud83d"}"#));
    }
}
