//! How a run is shown.

use clap::ValueEnum;

/// For whom a run is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people, as it happens.
    #[default]
    Human,
    /// For programs: one JSON document on standard output, and nothing else there.
    Json,
    /// For storing and asking: a gram document on standard output, and nothing else there.
    Gram,
}
