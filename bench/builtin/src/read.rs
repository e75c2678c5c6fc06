//! Reading a file.

use crate::scratch::Scratch;
use crate::{Amount, table, tool};
use agent_builtin::read_file;
use bench_shared::Failure;
use serde_json::json;
use std::hint::black_box;

pub(crate) fn measure(amount: &Amount) -> Result<(), Failure> {
    let scratch = Scratch::new()?;
    let path = scratch.path().join("text");
    let line = "A line of ordinary text, with a word or two that are not ASCII: naïve, façade.\n";
    let mut text = line.repeat(amount.bytes / line.len() + 1);
    text.truncate(text.floor_char_boundary(amount.bytes));
    std::fs::write(&path, &text)?;

    let written = path.display().to_string();
    let context = tool::context(scratch.path())?;
    let runtime = tool::runtime()?;
    let title = format!("reading {} bytes", amount.bytes);
    table::measure(
        &title,
        amount.rounds,
        vec![
            (
                "`std::fs::read_to_string`",
                Box::new(|| {
                    black_box(std::fs::read_to_string(&path)?);
                    Ok(())
                }),
            ),
            (
                "`read_file`, the function",
                Box::new(|| {
                    black_box(read_file(&written, None, None, &context)?);
                    Ok(())
                }),
            ),
            (
                "`readFile`, called",
                Box::new(|| {
                    let arguments = json!({"path": written});
                    let result = tool::call(&runtime, &read_file {}, &arguments, &context)?;
                    assert_eq!(result["size"], text.len() as u64);
                    black_box(result);
                    Ok(())
                }),
            ),
        ],
    )
}
