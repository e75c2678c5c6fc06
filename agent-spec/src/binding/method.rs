//! The methods of a toolbox by their names in Rust, which no trait can hold: what is said when one
//! that `Db::find` names is not there.

use super::stop::{Finding, stop};
use crate::names::nearness;
use agent_gram::print::writer::Writer;

/// The methods of a toolbox that are tools, block by block.
#[derive(Clone, Copy, Debug)]
pub struct MethodNames {
    names: &'static [&'static str],
    next: Option<&'static MethodNames>,
}

impl MethodNames {
    /// No methods.
    pub const NONE: &'static Self = &Self::new(&[], None);

    /// The methods of one block, and those of the blocks after it.
    #[must_use]
    pub const fn new(names: &'static [&'static str], next: Option<&'static MethodNames>) -> Self {
        Self { names, next }
    }

    /// The name that is nearest to a misspelled one.
    const fn nearest(&self, name: &str) -> Option<&'static str> {
        let mut nearest: Option<(usize, &'static str)> = None;
        let mut block = Some(self);
        while let Some(MethodNames { names, next }) = block {
            let mut at = 0;
            while at < names.len() {
                if let Some(distance) = nearness(name, names[at]) {
                    match nearest {
                        Some((least, _)) if least <= distance => {}
                        _ => nearest = Some((distance, names[at])),
                    }
                }
                at += 1;
            }
            block = *next;
        }
        match nearest {
            Some((_, name)) => Some(name),
            None => None,
        }
    }

    /// Writes the first few names.
    const fn write(&self, writer: &mut Writer<'_>) {
        let mut written = 0;
        let mut block = Some(self);
        while let Some(MethodNames { names, next }) = block {
            let mut at = 0;
            while at < names.len() {
                if written > 0 {
                    writer.text(", ");
                }
                if written == 10 {
                    writer.text("…");
                    return;
                }
                writer.text(names[at]);
                written += 1;
                at += 1;
            }
            block = *next;
        }
    }
}

/// Stops with a message: the toolbox `owner` has no tool method of the name.
///
/// # Panics
/// Always.
#[track_caller]
pub const fn stop_at_unknown_method(owner: &str, name: &str, methods: &MethodNames) -> ! {
    stop(&Finding::UnknownMethod {
        owner,
        name,
        methods,
    })
}

pub(super) const fn write_unknown_method(
    writer: &mut Writer<'_>,
    owner: &str,
    name: &str,
    methods: &MethodNames,
) {
    writer.text("`");
    writer.text(owner);
    writer.text("` has no tool `");
    writer.text(name);
    if let Some(nearest) = methods.nearest(name) {
        writer.text("`; did you mean `");
        writer.text(nearest);
        writer.text("`?");
        return;
    }
    writer.text("`: a method is a tool when it has `#[tool]` in a block with `#[toolbox]`; these are tools: ");
    methods.write(writer);
}
