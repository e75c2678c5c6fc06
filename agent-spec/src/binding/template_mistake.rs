//! The messages about templates of `#[agent_fn]`.

use agent_gram::print::writer::Writer;

/// A mistake in a template of `#[agent_fn]`, by the name of the variable.
pub(super) enum TemplateMistake<'a> {
    /// Nobody fills it.
    Unfilled {
        name: &'a str,
        meant: Option<&'a str>,
    },
    /// It is a parameter whose values are media.
    Media { name: &'a str, label: &'a str },
    /// It is a parameter, and in the list of the variables that the host fills.
    FilledTwice { name: &'a str },
}

impl TemplateMistake<'_> {
    pub(super) const fn write(&self, writer: &mut Writer<'_>) {
        match self {
            Self::Unfilled { name, meant } => {
                writer.text("`");
                writer.text(name);
                writer.text("` is no parameter of the function and is not in `variables`");
                match meant {
                    Some(meant) => {
                        writer.text("; did you mean `");
                        writer.text(meant);
                        writer.text("`?");
                    }
                    None => {
                        writer.text(
                            "; add a parameter, or, if the program that runs the agent fills it, `variables = [\"",
                        );
                        writer.text(name);
                        writer.text("\"]`");
                    }
                }
            }
            Self::Media { name, label } => {
                writer.text("`");
                writer.text(name);
                writer.text("` is `");
                writer.text(label);
                writer.text(
                    "`, which cannot be inserted into a text; remove it here: it is a part of the user message \
                     without being named",
                );
            }
            Self::FilledTwice { name } => {
                writer.text("`");
                writer.text(name);
                writer.text(
                    "` is a parameter of the function, so the program cannot fill it; remove it from `variables`, or \
                     rename the parameter",
                );
            }
        }
    }
}
