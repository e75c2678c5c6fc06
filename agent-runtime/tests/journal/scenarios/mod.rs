//! Runs of each kind, killed at each commit, on any journal. Tests of other crates include this file for their journals.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "several test programs include this file, and each uses a part"
)]

mod crashing;
mod killed;
pub mod table;

pub use crashing::Crashing;
pub use killed::check;
