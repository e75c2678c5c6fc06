//! The date form that HTTP servers send: `Sun, 06 Nov 1994 08:49:37 GMT`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// The time that such a text says. The two older forms, which servers must not send, are not read.
pub(super) fn parse(text: &str) -> Option<SystemTime> {
    let (_, rest) = text.trim().split_once(", ")?;
    let mut parts = rest.split(' ');
    let day: u64 = parts.next()?.parse().ok()?;
    let month = parts.next()?;
    let month = MONTHS.iter().position(|name| *name == month)? as u64 + 1;
    let year: u64 = parts.next()?.parse().ok()?;
    let mut clock = parts.next()?.split(':');
    let mut unit = |below: u64| -> Option<u64> {
        let number = clock.next()?.parse().ok()?;
        (number < below).then_some(number)
    };
    let (hour, minute, second) = (unit(24)?, unit(60)?, unit(61)?);
    let whole = parts.next() == Some("GMT") && parts.next().is_none() && clock.next().is_none();
    if !whole || !(1970..=9999).contains(&year) || !(1..=31).contains(&day) {
        return None;
    }
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

/// Days since 1970-01-01, counting years from March so that the leap day comes last.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_and_nonsense_is_not() {
        let seconds = |text| {
            let time = parse(text)?.duration_since(UNIX_EPOCH).ok()?;
            Some(time.as_secs())
        };
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(seconds("Tue, 29 Feb 2000 12:00:00 GMT"), Some(951_825_600));
        for wrong in [
            "",
            "soon",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 25:49:37 GMT",
            "Sun, 06 Nov 1969 08:49:37 GMT",
            "Sun, 99999999999999999999 Nov 1994 08:49:37 GMT",
        ] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }
}
