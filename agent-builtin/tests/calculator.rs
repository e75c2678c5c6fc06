//! The calculator: its results, its errors and its limits.

mod agreement;
mod properties;
mod refused;
mod values;
