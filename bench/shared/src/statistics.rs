//! Medians over rounds.

use crate::Failure;

/// Returns the median; of an even number of values the upper one.
///
/// # Panics
/// When there are no values.
pub fn median<T: Copy + PartialOrd>(values: impl IntoIterator<Item = T>) -> T {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    values[values.len() / 2]
}

/// Measures each subject once a round, and returns the results of each. The subjects alternate, so that
/// whatever slows the machine for a while slows all of them.
///
/// # Errors
/// The first failure.
pub fn interleaved<S, T>(
    subjects: impl IntoIterator<Item = S>,
    rounds: usize,
    mut measure: impl FnMut(&mut S) -> Result<T, Failure>,
) -> Result<Vec<Vec<T>>, Failure> {
    let mut subjects: Vec<S> = subjects.into_iter().collect();
    let mut results: Vec<Vec<T>> = subjects.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for (subject, results) in subjects.iter_mut().zip(&mut results) {
            results.push(measure(subject)?);
        }
    }
    Ok(results)
}
