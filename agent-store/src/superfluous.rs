//! The ended runs that take too much.

/// Returns the number of ended runs that are deleted: those that are too old and, while all runs take more than
/// `max_bytes`, those that ended first. `ended` has the sizes of the ended runs in this order, `bytes` is the size of all
/// runs, and `old` the number of runs that are too old.
pub(crate) fn count(
    ended: impl Iterator<Item = u64>,
    mut bytes: u64,
    old: usize,
    max_bytes: u64,
) -> usize {
    let is_deleted = |(at, size): &(usize, u64)| {
        let is_deleted = *at < old || bytes > max_bytes;
        bytes = bytes.saturating_sub(*size);
        is_deleted
    };
    ended.enumerate().take_while(is_deleted).count()
}
