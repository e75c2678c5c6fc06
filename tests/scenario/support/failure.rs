//! All that a caller can learn from an error.

use std::error::Error;
use std::fmt::Write;

/// Every text that an error and its causes can print, in which no secret may stand.
pub(crate) fn all_texts(error: &agent_runtime::Error) -> String {
    let mut texts = String::new();
    let mut next: Option<&dyn Error> = Some(error);
    while let Some(error) = next {
        writeln!(texts, "{error}\n{error:?}\n{error:#?}").expect("a string takes all text");
        next = error.source();
    }
    texts
}
