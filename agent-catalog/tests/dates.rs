//! Dates.

use agent_catalog::Date;
use std::time::{Duration, UNIX_EPOCH};

fn date(text: &str) -> Date {
    text.parse().expect("a date")
}

#[test]
fn dates_that_exist_are_read_and_written() {
    for text in [
        "2026-11-28",
        "2024-02-29",
        "2000-02-29",
        "0001-01-01",
        "9999-12-31",
    ] {
        assert_eq!(date(text).to_string(), text);
    }
    for text in [
        "",
        "2026",
        "2026-11",
        "2026-11-28-01",
        "26-11-28",
        "2026-1-28",
        "2026-11-031",
        "2026-13-01",
        "2026-00-01",
        "2026-11-00",
        "2026-11-31",
        "2023-02-29",
        "1900-02-29",
        "0000-01-01",
        "+026-11-28",
        "2026-11-2é",
        "28.11.2026",
    ] {
        assert!(text.parse::<Date>().is_err(), "{text}");
    }
}

#[test]
fn days_are_counted_over_leap_years() {
    for (from, to, days) in [
        ("2026-11-28", "2026-11-28", 0),
        ("2026-11-28", "2027-01-14", 47),
        ("2027-01-14", "2026-11-28", -47),
        ("2024-02-28", "2024-03-01", 2),
        ("2023-02-28", "2023-03-01", 1),
        ("1970-01-01", "2000-03-01", 11_017),
        ("0001-01-01", "1970-01-01", 719_162),
    ] {
        assert_eq!(date(from).days_until(date(to)), days, "{from} {to}");
    }
}

#[test]
fn a_time_has_a_date() {
    let after = |days: u64| Date::of(UNIX_EPOCH + Duration::from_secs(days * 86_400 + 86_399));
    let first = date("1970-01-01");
    for days in (0..60_000).step_by(13).chain(2_932_000..2_932_897) {
        let found = after(days);
        assert_eq!(
            first.days_until(found),
            i64::try_from(days).expect("a few"),
            "{found}"
        );
    }
    assert_eq!(after(2_932_897 + 500_000).to_string(), "9999-12-31");
}
