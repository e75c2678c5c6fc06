//! When a request is sent again, and after how long.

use std::time::{Duration, SystemTime};

/// How a request that failed in passing is sent again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retry {
    /// How often a request is sent at most.
    pub(crate) tries: u32,
    /// About how long the first pause is; each further one is twice as long.
    pub(crate) base: Duration,
}

/// The longest pause that is not the server's wish.
const LONGEST: Duration = Duration::from_secs(20);

impl Retry {
    pub(crate) const DEFAULT: Self = Self {
        tries: 3,
        base: Duration::from_millis(500),
    };

    /// The pause before a further try, between half and the whole of its step, so that clients
    /// that failed together do not come back together. `tried` counts from 1.
    pub(super) fn pause(&self, tried: u32) -> Duration {
        let step = self
            .base
            .saturating_mul(1 << (tried - 1).min(16))
            .min(LONGEST);
        let share = (crate::id::random() % 1_000) as f64 / 1_000.0;
        step.mul_f64(0.5 + share / 2.0)
    }
}

/// Whether a status says that the same request may succeed later.
pub(super) fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 429 | 500..=599)
}

/// How long a `Retry-After` header asks to wait: seconds, or until a date.
pub(super) fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        // More seconds than a duration has are still a wish.
        return match seconds >= Duration::MAX.as_secs_f64() {
            true => Some(Duration::MAX),
            false => Duration::try_from_secs_f64(seconds).ok(),
        };
    }
    let until = httpdate::parse_http_date(header).ok()?;
    Some(until.duration_since(now).unwrap_or(Duration::ZERO))
}

/// What is said of a wish that the time for the request leaves no room for.
pub(super) fn too_long(asked: Duration, left: Duration) -> String {
    format!(
        "; it asks to wait {} s, longer than the {} s that are left for the request",
        // Up, so that who waits as long as is said has waited long enough; and down.
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
    fn pauses_grow_and_vary_within_their_step() {
        let retry = Retry::DEFAULT;
        for (tried, step) in [(1, 500), (2, 1_000), (3, 2_000), (40, 20_000)] {
            let pause = retry.pause(tried).as_millis();
            assert!((step / 2..=step).contains(&pause), "{pause} of {step}");
        }
        let pauses: HashSet<_> = (0..50).map(|_| retry.pause(1)).collect();
        assert!(pauses.len() > 10, "{pauses:?}");
    }

    #[test]
    fn a_server_says_when_in_seconds_or_by_date() {
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
