//! The calculator: what it answers, what it refuses, and that nothing takes long.
#![cfg(feature = "builtin-calculator")]

mod agreement;
mod properties;
mod refused;
mod values;
