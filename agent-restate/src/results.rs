//! The bound of the results of tools.

use crate::journal::invocation;
use agent_runtime::hook::{HookFuture, RunContext};
use agent_runtime::run::PendingCall;
use agent_runtime::{Hook, ToolError};
use serde_json::Value;
use std::io::{Error, ErrorKind, Result as Written, Write};

/// The maximum number of bytes of a result. The model reads far less of a result, and a step may have the
/// results of many calls.
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
                && let Err(problem) = bytes_of(value).and_then(keeps)
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

/// Counts a result of so many bytes among those of the next commit.
///
/// # Errors
/// The reason why the commit cannot contain the result.
fn keeps(bytes: usize) -> Result<(), String> {
    match invocation() {
        Some(invocation) if !invocation.takes_result(bytes) => {
            Err("is too large beside the other results of the turn".to_owned())
        }
        _ => Ok(()),
    }
}

/// Returns the number of bytes of a result.
///
/// # Errors
/// The reason for which the engine cannot keep the result.
fn bytes_of(value: &Value) -> Result<usize, String> {
    let (mut values, mut stack) = (0_usize, vec![(value, 1_usize)]);
    while let Some((value, depth)) = stack.pop() {
        values += 1;
        if depth > RESULT_DEPTH {
            return Err(format!(
                "has more than {RESULT_DEPTH} lists or objects within each other"
            ));
        }
        if values > RESULT_VALUES {
            return Err(format!("has more than {RESULT_VALUES} values"));
        }
        match value {
            Value::Array(items) => stack.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => stack.extend(members.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    let mut counted = Counted(0);
    match serde_json::to_writer(&mut counted, value) {
        Ok(()) => Ok(counted.0),
        Err(_) => Err(format!(
            "takes more than {} MB of JSON text",
            RESULT_BYTES >> 20
        )),
    }
}

/// Counts what is written, up to the bound.
struct Counted(usize);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> Written<usize> {
        // These bytes are escaped again, because the JSON text becomes a part of another JSON text.
        let escaped = bytes.iter().filter(|byte| matches!(byte, b'"' | b'\\'));
        self.0 += bytes.len() + escaped.count();
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
        let problem = |value: &Value| bytes_of(value).expect_err("it is refused");
        bytes_of(&json!({"a": "x".repeat(RESULT_BYTES / 2)})).expect("it is small");
        let large = problem(&json!("x".repeat(40 << 20)));
        assert_eq!(large, "takes more than 4 MB of JSON text");
        let many = problem(&json!(vec![0; RESULT_VALUES]));
        assert_eq!(many, "has more than 500000 values");
        let deep = (0..200).fold(json!(0), |value, _| json!([value]));
        let deep = problem(&deep);
        assert_eq!(deep, "has more than 100 lists or objects within each other");
    }
}
