//! The tests of the built-in tools.

#[cfg(feature = "calculator")]
mod calculator;
#[cfg(all(unix, feature = "files"))]
mod files;
#[cfg(all(feature = "calculator", feature = "files", feature = "web"))]
mod grams;
#[cfg(feature = "web")]
mod web;
#[cfg(any(feature = "web", all(unix, feature = "files")))]
mod with_timeout;
