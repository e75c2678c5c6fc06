//! Dates and times, RFC 3339, section 5.6.

/// `full-date "T" full-time`.
pub(super) fn is_date_time(text: &str) -> bool {
    match text.split_once(['T', 't']) {
        Some((date, time)) => is_date(date) && is_time(time),
        None => false,
    }
}

/// `full-date`: a day that exists, section 5.7.
pub(super) const fn is_date(text: &str) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text.as_bytes() else {
        return false;
    };
    let (Some(century), Some(year), Some(month), Some(day)) =
        (pair(y1, y2), pair(y3, y4), pair(m1, m2), pair(d1, d2))
    else {
        return false;
    };
    let year = 100 * century + year;
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    1 <= day && day <= days
}

/// `full-time`. A leap second is the last of a day in UTC, section 5.7.
pub(super) fn is_time(text: &str) -> bool {
    let [h1, h2, b':', m1, m2, b':', s1, s2, rest @ ..] = text.as_bytes() else {
        return false;
    };
    let (Some(hour), Some(minute), Some(second)) = (pair(*h1, *h2), pair(*m1, *m2), pair(*s1, *s2))
    else {
        return false;
    };
    let Some(offset) = after_fraction(rest).and_then(offset_minutes) else {
        return false;
    };
    let utc = (60 * i32::from(hour) + i32::from(minute) - offset).rem_euclid(24 * 60);
    hour <= 23 && minute <= 59 && (second <= 59 || second == 60 && utc == 23 * 60 + 59)
}

/// What follows `time-secfrac`, which may be missing.
fn after_fraction(rest: &[u8]) -> Option<&[u8]> {
    let [b'.', digits @ ..] = rest else {
        return Some(rest);
    };
    let count = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    (count > 0).then(|| &digits[count..])
}

/// `time-offset` in minutes.
fn offset_minutes(text: &[u8]) -> Option<i32> {
    match *text {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (pair(h1, h2)?, pair(m1, m2)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let offset = 60 * i32::from(hours) + i32::from(minutes);
            Some(if sign == b'-' { -offset } else { offset })
        }
        _ => None,
    }
}

/// Two digits.
const fn pair(tens: u8, ones: u8) -> Option<u16> {
    if tens.is_ascii_digit() && ones.is_ascii_digit() {
        Some((10 * (tens - b'0') + (ones - b'0')) as u16)
    } else {
        None
    }
}
