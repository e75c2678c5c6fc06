//! Unique ids.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Returns the id of a new run: 32 hexadecimal digits. The operating system seeds the hasher of the standard
/// library, which is random enough to tell runs apart.
pub(crate) fn run_id() -> String {
    format!("{:016x}{:016x}", random(), random())
}

/// Returns a number that differs from call to call. It is not suitable for secrets.
pub fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
