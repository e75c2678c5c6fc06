//! The formats of output, as values of `--format`.

use clap::ValueEnum;

/// The format of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Human,
    /// For programs: one JSON document on standard output, and nothing else there
    Json,
}

/// The format of findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FindingsFormat {
    /// For people, with the lines they are about
    #[default]
    Human,
    /// For editors: `file:line:column: code: message`, a line each, on standard output
    Short,
    /// For programs: one JSON document on standard output
    Json,
}
