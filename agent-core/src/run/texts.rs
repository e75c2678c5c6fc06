//! The texts that the model and the caller read.

use super::MAX_RUN_BYTES;
use super::guarded::Guarded;
use crate::model::FinishReason;
use agent_spec::json::MAX_ARGUMENT_VALUES;
use agent_spec::types::Field;
use agent_spec::{Model, Signature, ToolChoice};
use agent_tool::__private::shortened;
use agent_tool::Error;
use agent_tool::media::Part;
use agent_tool::tool::ToolError;

/// The result of a call that was running when the run ended.
pub(super) const CALL_STOPPED: &str = "cancelled: the run ended before the call was finished";

/// The result of a call that was not begun when the run ended.
pub(super) const CALL_NOT_MADE: &str = "not made: the run ended before the call was begun";

/// The result of a call whose run can keep no more.
pub(super) const RESULT_NOT_KEPT: &str = "the call was made, and its result is not kept: with it, the answers and results \
                                          of the run would be too large";

/// The result of a call in an answer that was cut off.
pub(super) const CUT_OFF: &str = "the answer was cut off before the call was complete, so it was \
                                  not made; send it again, with shorter text before it";

/// The result of a call in an answer that was refused or filtered.
pub(super) const FILTERED: &str = "the provider's filter or a refusal ended the answer, so that the \
                                   call may not be complete and was not made";

/// The problem with the arguments of a person's edit that are no object. A model's arguments are read in
/// further ways.
pub(super) const NO_OBJECT: &str = "`$`: expected an object of arguments";

/// The result of a search that finds no tool.
pub(super) const NOTHING_FOUND: &str = "no tool fits these words; search with other words";

/// The result of the call that gives the typed answer.
pub(super) const ANSWER_TAKEN: &str = "the answer was taken";

/// The error of a run that its caller cancelled.
pub(super) const CANCELLED: &str = "the run was cancelled";

/// The problem with a summary that reached its limit of tokens.
pub(super) const SUMMARY_CUT_OFF: &str = "it was cut off at the model's limit of tokens";

/// The error of a message that is sent to a run that has ended.
pub(super) const SAID_TOO_LATE: &str =
    "the run has ended, so that the model does not get the message; begin another run with it";

/// The maximum number of bytes of a model's own reason in an error.
const MAX_REASON: usize = 500;

/// The maximum length of a type that an error shows, so that the error stays readable.
const MAX_TYPE: usize = 500;

/// The maximum number of tool names in the answer to an unknown name.
const LISTED: usize = 20;

/// The warning that the oldest messages stay, because the context of the model is not known.
pub(super) fn context_not_known(model: &Model) -> String {
    format!(
        "`compactAbove` is \"auto\", and the context of `{model}` is not known, so that nothing is summarised; write a \
         number of tokens, or `contextWindow` in a row of the model"
    )
}

/// The warning that a model made no call although the agent's tool choice demands one.
pub(super) fn no_demanded_call(model: &Model, choice: &ToolChoice) -> String {
    format!(
        "`toolChoice` is \"{choice}\", and `{model}` answered without a call",
        choice = choice.as_str()
    )
}

/// Cuts a result at a number of bytes, and appends a note if it was cut.
pub(super) fn bounded(mut text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let whole = text.len();
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.push_str(&format!(
        "\n[cut: the result has {whole} bytes, of which these are the first {end}]"
    ));
    // Frees the rest of a long text, because the history is kept.
    text.shrink_to_fit();
    text
}

/// Cuts the texts of a result at a number of bytes together. Media are whole.
pub(super) fn bounded_parts(parts: Vec<Part>, most: usize) -> Vec<Part> {
    let mut left = most;
    let cut = parts.into_iter().map(|part| match part {
        Part::Text(text) => {
            let here = left;
            left = left.saturating_sub(text.len());
            Part::Text(bounded(text, here))
        }
        part => part,
    });
    cut.collect()
}

pub(super) fn unknown_tool<'a>(
    name: &str,
    meant: Option<&str>,
    names: impl Iterator<Item = &'a str>,
) -> String {
    let name = agent_tool::__private::shortened(name, 64);
    if let Some(meant) = meant {
        return format!("there is no tool `{name}`; did you mean `{meant}`?");
    }
    let names: Vec<String> = names.take(LISTED).map(|name| format!("`{name}`")).collect();
    if names.is_empty() {
        format!("there is no tool `{name}`; there are no tools at all, so answer in words")
    } else {
        format!(
            "there is no tool `{name}`; the tools are {}",
            names.join(", ")
        )
    }
}

pub(super) fn undeclared(name: &str) -> String {
    format!("the tool `{name}` is not one of this agent's tools")
}

pub(super) fn denied(reason: Option<&str>) -> String {
    match reason {
        Some(reason) => format!("the call was denied: {reason}"),
        None => "the call was denied".to_owned(),
    }
}

pub(super) fn not_in_doubt(call_id: &str) -> String {
    format!("the call `{call_id}` is not in doubt: it was never made, so that it has no result")
}

/// The result of a call in doubt that a person reports as not made.
pub(super) fn interrupted(reason: Option<&str>) -> String {
    match reason {
        Some(reason) => format!("the call was interrupted, and failed: {reason}"),
        None => "the call was interrupted, and failed".to_owned(),
    }
}

/// The result of a call of which it is not known whether it was made.
pub(super) const NOT_KNOWN: &str = "the call was interrupted, and it is not known whether it was made; find out before \
                                    you make it again";

pub(super) fn bad_edit(call_id: &str, tool: &str, error: &ToolError) -> String {
    format!("the edited call `{call_id}` of `{tool}` waits still: {error}")
}

/// The error of a result that a person gives to a call in doubt.
pub(super) fn bad_result(
    call_id: &str,
    tool: &str,
    signature: &Signature,
    violations: &str,
) -> String {
    format!(
        "the call `{call_id}` of `{tool}` waits still, because the result does not fit `{signature}`: {violations}"
    )
}

/// The error for arguments that a tool does not have.
pub(super) fn no_such_arguments(names: &[String], signature: &Signature) -> String {
    let quoted = |names: &mut dyn Iterator<Item = &str>| {
        let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    let wrong = quoted(&mut names.iter().map(String::as_str));
    let wrong = match names.len() {
        1 => format!("there is no argument {wrong}"),
        _ => format!("there are no arguments {wrong}"),
    };
    // The names inside records and lists are only in the signature.
    let is_nested = |name: &String| name.contains(['.', '[']);
    if names.iter().any(is_nested) {
        return format!("{wrong}; the signature is `{signature}`");
    }
    let there = quoted(&mut signature.params().iter().map(Field::name));
    match signature.params().len() {
        0 => format!("{wrong}; the tool takes none"),
        1 => format!("{wrong}; the only one is {there}"),
        _ => format!("{wrong}; the arguments are {there}"),
    }
}

pub(super) fn no_attempts_left(name: &str, error: &ToolError) -> String {
    let text = format!("no attempts are left: do not call `{name}` again");
    continued(&error.to_string(), &text)
}

/// The result of a call that is not made because its tool has no attempts left.
pub(super) fn not_made_without_attempts(name: &str) -> String {
    format!("not made: no attempts are left, so do not call `{name}` again")
}

/// Appends a clause to a text, which may be a whole sentence. Its full stop is dropped, because two marks
/// in a row (`.;`) look like a mistake.
pub(super) fn continued(text: &str, clause: &str) -> String {
    let text = text.trim_end();
    let start = text.trim_end_matches(['.', ';', ',', ':']);
    if start.is_empty() {
        return clause.to_owned();
    }
    if start.ends_with(['!', '?', '…']) {
        return format!("{start} ({clause})");
    }
    format!("{start}; {clause}")
}

pub(super) fn too_many_turns(agent: &str, most: u32) -> String {
    let turns = if most == 1 { "turn" } else { "turns" };
    format!(
        "the agent `{agent}` wanted to call tools in more than {most} {turns}; `maxIterations` \
         raises the limit"
    )
}

/// The error of a run whose answers and results are too much to keep.
pub(super) fn too_many_bytes(agent: &str) -> String {
    let most = MAX_RUN_BYTES >> 20;
    format!(
        "the answers and results of the agent `{agent}` are larger than {most} MiB together, which is the most that a \
         run keeps"
    )
}

/// The error result of a call of an agent whose run failed.
pub(super) fn agent_failed(agent: &str, error: &Error) -> String {
    format!("the agent `{agent}` failed: {error}")
}

/// The error result of a call of an agent that failed after words of strangers had entered it: the reason may have them.
pub(super) fn tainted_agent_failed(agent: &str, error: &Error) -> String {
    format!(
        "the agent `{agent}` failed ({}); the reason is not shown, because words of strangers had entered the agent",
        error.kind().word()
    )
}

/// The error result of a call that `whenTainted` denies.
pub(super) fn guarded(tool: &str, guarded: &Guarded) -> String {
    format!(
        "`{tool}` was not called: {guarded}; such a call is not made then, so answer without it"
    )
}

/// The error result of a call of an agent below so many other agents that no further agent may be called.
pub(super) fn too_deep(agent: &str, path: &str) -> String {
    format!(
        "a call of the agent `{agent}`, since the calls are as deep as `maxDepth` allows ({}); answer without it",
        agent_tool::__private::shortened(path, 200)
    )
}

pub(super) fn too_many_pauses(model: &Model) -> String {
    let most = super::MAX_PAUSES;
    format!(
        "`{model}` paused one answer more than {most} times; it was sent back each time to go on"
    )
}

pub(super) fn too_many_calls(model: &Model, calls: usize) -> String {
    let most = super::MAX_CALLS;
    format!("`{model}` wants {calls} calls in one answer; the most is {most}, so none was made")
}

pub(super) fn too_many_values(model: &Model) -> String {
    format!(
        "`{model}` wants calls with more than {MAX_ARGUMENT_VALUES} values in their arguments, so none was made"
    )
}

pub(super) fn too_many_bad_calls(agent: &str) -> String {
    format!(
        "the agent `{agent}` made {} bad calls in a row",
        super::MAX_BAD_CALLS
    )
}

/// The result of a call that gives the answer beside calls of other tools.
pub(super) fn answer_alone(name: &str) -> String {
    format!(
        "the answer was not taken, since other tools were called with it: call `{name}` alone, \
         when their results are known"
    )
}

/// The result of a call that gives one of several answers.
pub(super) fn answer_once(name: &str, times: usize) -> String {
    format!(
        "no answer was taken, since `{name}` was called {times} times in one answer: call it once"
    )
}

/// The answer to a model that answers in text where a typed answer is required.
pub(super) fn answer_by_call(name: &str) -> String {
    format!(
        "the answer is text and no JSON of its type; give the final answer by calling the tool `{name}`, or as JSON of \
         its type with nothing else"
    )
}

/// The end of the correction of an answer in JSON that is not of the type.
pub(super) const ANSWER_AS_JSON: &str =
    "give the final answer as JSON of its type with nothing else";

pub(super) fn no_answer_of_type(
    model: &Model,
    times: u32,
    wanted: &str,
    refused: &ToolError,
) -> String {
    let wanted = shortened(wanted, MAX_TYPE);
    let refused = shortened(refused.text(), MAX_REASON);
    format!(
        "`{model}` failed {times} times to give an answer of the type that is wanted, `{wanted}`; the last one was \
         refused: {refused}"
    )
}

/// The error of a model that refuses a typed answer, with its reason.
pub(super) fn refused(model: &Model, reason: &str) -> String {
    let reason = shortened(reason, MAX_REASON);
    format!("`{model}` refused to give the answer: {reason}")
}

/// The error of an answer that reached its limit of tokens before its first word, such as in its thoughts.
pub(super) fn cut_off_without_text(model: &Model) -> String {
    format!(
        "`{model}` reached its limit of tokens before it wrote any text; the finish reason is \
         `length`. Raise `maxTokens`, or shorten the conversation"
    )
}

/// The problem with a reply that has no summary.
pub(super) fn not_a_summary(reason: &FinishReason) -> String {
    format!("the answer had no text that can be used; the finish reason is `{reason}`")
}

/// The problem with a summary that would make the request longer.
pub(super) fn summary_too_long(tokens: usize, replaced: usize) -> String {
    format!("it has about {tokens} tokens, and the messages that it replaces have {replaced}")
}

/// The error of a model that wrote no summary.
pub(super) fn no_summary(model: &Model, problem: &str) -> String {
    format!(
        "`{model}` failed twice to summarise the beginning of the conversation, which is too long: {problem}"
    )
}

pub(super) fn empty_answer(model: &Model, reason: &FinishReason) -> String {
    let what = match reason {
        FinishReason::ContentFilter => "had its answer held back twice by its provider",
        _ => "answered twice with neither text nor calls",
    };
    format!("`{model}` {what}; the finish reason is `{reason}`")
}

#[cfg(test)]
mod tests {
    use super::continued;

    #[test]
    fn continues_a_sentence_without_a_second_mark() {
        for (text, expected) in [
            ("the disk is full", "the disk is full; stop"),
            (
                "Check the variable DB_URL.",
                "Check the variable DB_URL; stop",
            ),
            ("Wait... ", "Wait; stop"),
            ("Is it on?", "Is it on? (stop)"),
            ("Stop!.", "Stop! (stop)"),
            ("", "stop"),
            (". ", "stop"),
        ] {
            assert_eq!(continued(text, "stop"), expected, "{text}");
        }
    }
}
