//! Experiments with agents: see [`Experiment`].

mod experiment;

pub use experiment::*;
