//! Ids that no other run has.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Thirty-two hexadecimal digits. The standard library's hasher is seeded by the operating system,
/// which is random enough for telling runs apart and needs no crate for random numbers.
pub(crate) fn run_id() -> String {
    format!("{:016x}{:016x}", random(), random())
}

/// A number that differs from call to call; not for secrets.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
