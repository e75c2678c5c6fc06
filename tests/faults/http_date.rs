//! Dates as HTTP has them.

use std::time::{SystemTime, UNIX_EPOCH};

/// A time to the second, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
pub(crate) fn http_date(time: SystemTime) -> String {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .expect("after 1970")
        .as_secs();
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][days as usize % 7];
    let (mut year, mut day) = (1970, days);
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let months = [
        ("Jan", 31),
        ("Feb", 28 + u64::from(is_leap(year))),
        ("Mar", 31),
        ("Apr", 30),
        ("May", 31),
        ("Jun", 30),
        ("Jul", 31),
        ("Aug", 31),
        ("Sep", 30),
        ("Oct", 31),
        ("Nov", 30),
        ("Dec", 31),
    ];
    let mut month = "";
    for (name, length) in months {
        month = name;
        if day < length {
            break;
        }
        day -= length;
    }
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!(
        "{weekday}, {:02} {month} {year} {hour:02}:{minute:02}:{second:02} GMT",
        day + 1
    )
}

#[test]
fn formats_http_dates() {
    for (seconds, date) in [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (1_767_225_599, "Wed, 31 Dec 2025 23:59:59 GMT"),
    ] {
        let time = UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        assert_eq!(http_date(time), date);
    }
}
