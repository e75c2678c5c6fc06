//! The calculator: what it answers, what it refuses, and that nothing takes long.

mod agreement;
mod properties;
mod refused;
mod values;
