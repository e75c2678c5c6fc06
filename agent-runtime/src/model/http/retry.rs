//! Retrying a request: which status codes may succeed later, and the pause before the next attempt.

use std::time::{Duration, SystemTime};

/// The attempts of a request that fails with a transient error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retry {
    /// The maximum number of attempts, the first included.
    pub(crate) attempts: u32,
    /// The approximate first pause. Each further pause is twice as long.
    pub(crate) first_pause: Duration,
}

/// The longest pause, unless the server asks for a longer one.
const MAX_PAUSE: Duration = Duration::from_secs(20);

impl Retry {
    /// Returns the pause after an attempt, counted from 1: a random duration between half and all of the
    /// step, so that clients that failed together do not retry together.
    pub(super) fn pause(&self, attempt: u32) -> Duration {
        let step = self
            .first_pause
            .saturating_mul(1 << (attempt - 1).min(16))
            .min(MAX_PAUSE);
        let share = (agent_core::__private::random() % 1_000) as f64 / 1_000.0;
        step.mul_f64(0.5 + share / 2.0)
    }
}

/// Whether the same request may succeed later, by the status of its answer.
pub(super) fn is_transient(status: u16) -> bool {
    matches!(status, 408 | 429 | 500..=599)
}

/// Parses a `Retry-After` header: a number of seconds, or a date.
pub(super) fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return match seconds >= Duration::MAX.as_secs_f64() {
            true => Some(Duration::MAX),
            false => Duration::try_from_secs_f64(seconds).ok(),
        };
    }
    let until = httpdate::parse_http_date(header).ok()?;
    Some(until.duration_since(now).unwrap_or(Duration::ZERO))
}

/// Parses a `retry-after-ms` header: a number of milliseconds.
pub(super) fn milliseconds(header: &str) -> Option<Duration> {
    let milliseconds: f64 = header.trim().parse().ok()?;
    Duration::try_from_secs_f64(milliseconds / 1_000.0).ok()
}

/// The end of an error message when the server asks to wait longer than the request may take.
pub(super) fn too_long(asked: Duration, left: Duration) -> String {
    format!(
        "; it asks to wait {} s, longer than the {} s that are left for the request",
        // Rounded up, so that waiting as long as the message says is enough.
        asked
            .as_secs()
            .saturating_add(u64::from(asked.subsec_nanos() > 0)),
        left.as_secs()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::time::UNIX_EPOCH;

    #[test]
    fn pauses_double_and_are_random_within_their_step() {
        let retry = Retry {
            attempts: 3,
            first_pause: Duration::from_millis(500),
        };
        for (attempt, step) in [(1, 500), (2, 1_000), (3, 2_000), (40, 20_000)] {
            let pause = retry.pause(attempt).as_millis();
            assert!((step / 2..=step).contains(&pause), "{pause} of {step}");
        }
        let pauses: HashSet<_> = (0..50).map(|_| retry.pause(1)).collect();
        assert!(pauses.len() > 10, "{pauses:?}");
    }

    #[test]
    fn parses_retry_after_in_milliseconds() {
        for (header, wait) in [
            ("1500", Some(1_500)),
            (" 20.5 ", Some(20)),
            ("0", Some(0)),
            ("-1", None),
            ("soon", None),
            ("NaN", None),
            ("1e400", None),
        ] {
            let found = milliseconds(header).map(|wait| wait.as_millis());
            assert_eq!(found, wait, "{header}");
        }
    }

    #[test]
    fn parses_retry_after_in_seconds_and_as_a_date() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_770);
        let wait = |header| retry_after(header, now).map(|wait| wait.as_millis());
        assert_eq!(wait("2"), Some(2_000));
        assert_eq!(wait(" 0.5 "), Some(500));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:37 GMT"), Some(7_000));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:00 GMT"), Some(0));
        assert_eq!(
            wait("99999999999999999999"),
            Some(Duration::MAX.as_millis())
        );
        assert_eq!(wait("-1"), None);
        for wrong in [
            "",
            "later",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 25:49:37 GMT",
            "Sun, 06 Nov 1969 08:49:37 GMT",
            "Sun, 99999999999999999999 Nov 1994 08:49:37 GMT",
        ] {
            assert_eq!(wait(wrong), None, "{wrong}");
        }
    }
}
