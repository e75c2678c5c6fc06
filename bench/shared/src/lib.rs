//! The parts that all benchmarks share: options, clocks, medians and tables.

pub mod options;
pub mod process;
pub mod statistics;
pub mod table;
pub mod time;

pub use options::Options;
pub use statistics::{interleaved, median};
pub use table::Table;

/// The error of a benchmark.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
