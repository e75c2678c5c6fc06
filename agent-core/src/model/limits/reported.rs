//! The limits that a provider reports in the headers of its answers.

use std::time::Duration;
use std::time::SystemTime;
use tokio::time::Instant;

/// The maximum time for which a report makes a request wait, because a broken server can report a reset in years. After
/// this time the request is sent, and its answer has a new report.
const MAX_RESET: Duration = Duration::from_secs(60);

/// The limits that the headers of an answer report.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    pub(super) requests: Option<Remaining>,
    pub(super) tokens: Option<Remaining>,
}

/// The rest of a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Remaining {
    /// The amount at the reset, if the provider reports it.
    limit: Option<f64>,
    remaining: f64,
    /// The time until the reset.
    reset: Duration,
}

/// The amount that a provider has left, according to its last report and the requests since then.
///
/// Both OpenAI and Anthropic fill up the limit at a constant rate until the reset. After the reset, the limit
/// applies until the next report.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    amount: f64,
    /// The maximum of the amount.
    limit: f64,
    /// The growth in a second; 0 if it is unknown.
    rate: f64,
    at: Instant,
    reset_at: Instant,
}

impl Left {
    /// Creates the amount left after a report, from which requests that may not be part of the report are
    /// subtracted.
    pub(super) fn new(now: Instant, report: Remaining, unreported: u64) -> Self {
        let reset = report.reset.as_secs_f64();
        let limit = report.limit.unwrap_or(f64::INFINITY);
        let missing = (limit - report.remaining).max(0.0);
        Self {
            amount: report.remaining - unreported as f64,
            limit,
            rate: if reset > 0.0 && limit.is_finite() {
                missing / reset
            } else {
                0.0
            },
            at: now,
            reset_at: now + report.reset.min(MAX_RESET),
        }
    }

    /// Returns the time from which on an amount is left; `None` if it is left now.
    pub(super) fn room_at(&self, now: Instant, amount: u64) -> Option<Instant> {
        // A request that is larger than the limit is sent when the limit is full.
        let wanted = (amount as f64).min(self.limit);
        let missing = wanted - self.grown(now);
        if self.rate == 0.0 {
            let waits = missing > 0.0 && now < self.reset_at;
            return waits.then_some(self.reset_at);
        }
        // The smallest part that timers distinguish is a millisecond, so less than that is no reason to wait.
        if missing <= self.rate / 1_000.0 {
            return None;
        }
        let wait = Duration::try_from_secs_f64(missing / self.rate).unwrap_or(MAX_RESET);
        Some(now + wait.min(MAX_RESET))
    }

    pub(super) fn take(&mut self, now: Instant, amount: u64) {
        self.amount = self.grown(now) - amount as f64;
        self.at = now;
    }

    fn grown(&self, now: Instant) -> f64 {
        let seconds = now.saturating_duration_since(self.at).as_secs_f64();
        (self.amount + seconds * self.rate).min(self.limit)
    }
}

impl Report {
    /// Reads the headers of an answer: `x-ratelimit-remaining-requests` and the like of OpenAI and compatible
    /// servers, `anthropic-ratelimit-requests-remaining` and the like of Anthropic. Headers that cannot be read
    /// are ignored.
    pub fn from_headers<'h>(header: impl Fn(&str) -> Option<&'h str>, now: SystemTime) -> Self {
        let of = |what: &str| {
            let openai = |part: &str| header(&format!("x-ratelimit-{part}-{what}"));
            let anthropic = |part: &str| header(&format!("anthropic-ratelimit-{what}-{part}"));
            let value = |part: &str| openai(part).or_else(|| anthropic(part));
            let reset = value("reset").and_then(|text| time_until(text, now));
            Some(Remaining {
                limit: value("limit").and_then(amount),
                remaining: value("remaining").and_then(amount)?,
                reset: reset.unwrap_or(MAX_RESET),
            })
        };
        Self {
            requests: of("requests"),
            tokens: of("tokens"),
        }
    }
}

fn amount(text: &str) -> Option<f64> {
    let amount: f64 = text.trim().parse().ok()?;
    (amount.is_finite() && amount >= 0.0).then_some(amount)
}

/// Parses the time of a reset: a duration such as `6m0s` or `12ms`, a number of seconds, the seconds of a Unix
/// time, or a date and time such as `2026-01-27T12:00:30Z`.
fn time_until(text: &str, now: SystemTime) -> Option<Duration> {
    /// The number of seconds from which on a number is a Unix time and no duration: three years.
    const UNIX_TIME: f64 = 100_000_000.0;
    let text = text.trim();
    let since_epoch = now.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let until = |seconds: f64| {
        let until = (seconds - since_epoch.as_secs_f64()).max(0.0);
        Duration::try_from_secs_f64(until).ok()
    };
    if let Some(seconds) = amount(text) {
        return match seconds >= UNIX_TIME {
            true => until(seconds),
            false => Duration::try_from_secs_f64(seconds).ok(),
        };
    }
    duration(text).or_else(|| until(date_and_time(text)?))
}

/// Parses a duration of numbers with units, such as `1h2m3.5s`.
fn duration(text: &str) -> Option<Duration> {
    let mut seconds = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let unit = rest.find(|c: char| c.is_ascii_alphabetic())?;
        let number = amount(&rest[..unit])?;
        rest = &rest[unit..];
        let end = rest
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(rest.len());
        seconds += number
            * match &rest[..end] {
                "d" => 86_400.0,
                "h" => 3_600.0,
                "m" => 60.0,
                "s" => 1.0,
                "ms" => 0.001,
                _ => return None,
            };
        rest = &rest[end..];
    }
    Duration::try_from_secs_f64(seconds).ok()
}

/// Parses a date and time of RFC 3339. Returns the seconds since 1970.
fn date_and_time(text: &str) -> Option<f64> {
    let (date, time) = text.split_once(['T', 't'])?;
    let zone = time.find(['Z', 'z', '+', '-'])?;
    let (time, zone) = time.split_at(zone);
    let [year, month, day] = numbers(date, '-')?;
    let [hours, minutes, seconds] = numbers(time, ':')?;
    if !(1..=12).contains(&(month as i64)) {
        return None;
    }
    // The days since 1970, with years that begin in March, so that the leap day is the last one.
    let (year, month) = match month > 2.0 {
        true => (year, month - 3.0),
        false => (year - 1.0, month + 9.0),
    };
    let leap_days = (year / 4.0).floor() - (year / 100.0).floor() + (year / 400.0).floor();
    let days = year * 365.0 + leap_days + ((153.0 * month + 2.0) / 5.0).floor() + day - 719_469.0;
    let offset = match zone.strip_prefix(['+', '-']) {
        None => 0.0,
        Some(offset) => {
            let [hours, minutes] = numbers(offset, ':')?;
            let seconds = hours * 3_600.0 + minutes * 60.0;
            if zone.starts_with('-') {
                -seconds
            } else {
                seconds
            }
        }
    };
    Some(days * 86_400.0 + hours * 3_600.0 + minutes * 60.0 + seconds - offset)
}

/// Parses as many numbers as the caller wants.
fn numbers<const N: usize>(text: &str, separator: char) -> Option<[f64; N]> {
    let numbers: Option<Vec<f64>> = text.split(separator).map(amount).collect();
    numbers?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(headers: &[(&'static str, &'static str)]) -> Report {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_769_515_200);
        let header = |name: &str| {
            let found = headers.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| *value)
        };
        Report::from_headers(header, now)
    }

    fn remaining(limit: Option<f64>, remaining: f64, reset_ms: u64) -> Option<Remaining> {
        let reset = Duration::from_millis(reset_ms);
        Some(Remaining {
            limit,
            remaining,
            reset,
        })
    }

    #[test]
    fn reads_the_headers_of_openai() {
        let found = report(&[
            ("x-ratelimit-limit-requests", "60"),
            ("x-ratelimit-remaining-requests", "59"),
            ("x-ratelimit-reset-requests", "1s"),
            ("x-ratelimit-limit-tokens", "150000"),
            ("x-ratelimit-remaining-tokens", "149984"),
            ("x-ratelimit-reset-tokens", "6m0s"),
        ]);
        assert_eq!(found.requests, remaining(Some(60.0), 59.0, 1_000));
        assert_eq!(found.tokens, remaining(Some(150_000.0), 149_984.0, 360_000));
    }

    #[test]
    fn reads_the_headers_of_anthropic() {
        let found = report(&[
            ("anthropic-ratelimit-requests-limit", "50"),
            ("anthropic-ratelimit-requests-remaining", "0"),
            ("anthropic-ratelimit-requests-reset", "2026-01-27T12:00:30Z"),
            ("anthropic-ratelimit-tokens-remaining", "8000"),
        ]);
        assert_eq!(found.requests, remaining(Some(50.0), 0.0, 30_000));
        assert_eq!(found.tokens, remaining(None, 8_000.0, 60_000));
        assert_eq!(report(&[("retry-after", "3")]), Report::default());
    }

    #[test]
    fn reads_each_form_of_a_reset_and_ignores_others() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_769_515_200);
        for (text, expected) in [
            ("12ms", Some(12)),
            ("2m59.56s", Some(179_560)),
            ("1h0m1s", Some(3_601_000)),
            ("1d", Some(86_400_000)),
            ("7", Some(7_000)),
            (" 0.5 ", Some(500)),
            ("1769515205", Some(5_000)),
            ("1769515100", Some(0)),
            ("2026-01-27T12:00:01.5Z", Some(1_500)),
            ("2026-01-27T14:00:01+02:00", Some(1_000)),
            ("2026-01-27T07:00:02-05:00", Some(2_000)),
            ("2026-03-01T12:00:00Z", Some(33 * 86_400_000)),
            ("2020-02-29T00:00:00Z", Some(0)),
            ("soon", None),
            ("-3s", None),
            ("3 weeks", None),
            ("s", None),
            ("12é", None),
            ("1e400s", None),
            ("2026-13-01T00:00:00Z", None),
            ("2026-01-27", None),
            ("NaN", None),
        ] {
            let found = time_until(text, now).map(|wait| wait.as_millis());
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn the_rest_of_a_limit_grows_up_to_the_limit() {
        let now = Instant::now();
        let second = Duration::from_secs(1);
        let report = remaining(Some(60.0), 0.0, 60_000).expect("a report");
        let mut left = Left::new(now, report, 0);
        assert_eq!(left.room_at(now, 1), Some(now + second));
        assert_eq!(left.room_at(now + second, 1), None);
        left.take(now + second, 1);
        assert_eq!(left.room_at(now + second, 1), Some(now + 2 * second));
        // After the reset no more than the limit is left, also for a request that is larger.
        let later = now + 100 * second;
        assert_eq!(left.room_at(later, 1_000), None);
        left.take(later, 60);
        assert_eq!(left.room_at(later, 1), Some(later + second));
        // No report makes a request wait longer than a minute.
        let long = remaining(Some(10.0), 0.0, 3_600_000).expect("a report");
        let left = Left::new(now, long, 2);
        assert_eq!(left.room_at(now, 1), Some(now + 60 * second));
        // Without the limit the rate is unknown, and the report counts until its reset.
        let unknown = remaining(None, 1.0, 5_000).expect("a report");
        let mut left = Left::new(now, unknown, 0);
        assert_eq!(left.room_at(now, 1), None);
        left.take(now, 1);
        assert_eq!(left.room_at(now, 1), Some(now + 5 * second));
        assert_eq!(left.room_at(now + 5 * second, 1), None);
    }
}
