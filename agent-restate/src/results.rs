//! The bound of the results of tools.

use agent_runtime::hook::{HookFuture, RunContext};
use agent_runtime::run::PendingCall;
use agent_runtime::{Hook, ToolError};
use serde_json::Value;
use std::io::{Error, ErrorKind, Result as Written, Write};

/// The maximum number of bytes of a result. The model reads far less of one, and a step may have the results of many calls.
const RESULT_BYTES: usize = 4 << 20;

/// The maximum number of values in a result, and of lists and objects within each other, which the record of the result can
/// have.
const RESULT_VALUES: usize = 500_000;
const RESULT_DEPTH: usize = 100;

/// Gives the model an error in the place of a result that the engine cannot keep.
pub(crate) struct ResultBound;

impl Hook for ResultBound {
    fn after_tool<'a>(
        &'a self,
        _: &'a RunContext,
        call: &'a PendingCall,
        result: &'a mut Result<Value, ToolError>,
    ) -> HookFuture<'a> {
        Box::pin(async move {
            if let Ok(value) = &*result
                && let Some(problem) = problem(value)
            {
                tracing::warn!(tool = call.tool, "a result {problem}");
                *result = Err(ToolError::Execution(format!(
                    "the call was made, and its result is not kept, because it {problem}; ask for less at once"
                )));
            }
            Ok(())
        })
    }
}

/// Returns the reason for which the engine cannot keep a result.
fn problem(value: &Value) -> Option<String> {
    let (mut values, mut stack) = (0_usize, vec![(value, 1_usize)]);
    while let Some((value, depth)) = stack.pop() {
        values += 1;
        if depth > RESULT_DEPTH {
            return Some(format!(
                "has more than {RESULT_DEPTH} lists or objects within each other"
            ));
        }
        if values > RESULT_VALUES {
            return Some(format!("has more than {RESULT_VALUES} values"));
        }
        match value {
            Value::Array(items) => stack.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => stack.extend(members.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    let mut counted = Counted(0);
    match serde_json::to_writer(&mut counted, value) {
        Ok(()) => None,
        Err(_) => Some(format!(
            "takes more than {} MB of JSON text",
            RESULT_BYTES >> 20
        )),
    }
}

/// Counts what is written, up to the bound.
struct Counted(usize);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> Written<usize> {
        self.0 += bytes.len();
        match self.0 > RESULT_BYTES {
            true => Err(Error::from(ErrorKind::StorageFull)),
            false => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> Written<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn results_are_bounded_in_bytes_values_and_depth() {
        assert_eq!(problem(&json!({"a": "x".repeat(RESULT_BYTES / 2)})), None);
        let large = problem(&json!("x".repeat(40 << 20))).expect("too large");
        assert_eq!(large, "takes more than 4 MB of JSON text");
        let many = problem(&json!(vec![0; RESULT_VALUES])).expect("too many");
        assert_eq!(many, "has more than 500000 values");
        let deep = (0..200).fold(json!(0), |value, _| json!([value]));
        let deep = problem(&deep).expect("too deep");
        assert_eq!(deep, "has more than 100 lists or objects within each other");
    }
}
