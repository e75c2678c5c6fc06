//! Days of the calendar.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

/// A day of the Gregorian calendar from the year 1 to 9999, such as `2026-11-28`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

/// The error of a text that is no date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateError;

impl Date {
    /// Creates a date; `None` for a day that does not exist.
    #[must_use]
    pub const fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        if year == 0 || year > 9999 || month == 0 || month > 12 || day == 0 {
            return None;
        }
        if day > days_in(year, month) {
            return None;
        }
        Some(Self { year, month, day })
    }

    /// Returns the day of a point in time, in UTC. A time beyond the calendar of this type is its last day.
    #[must_use]
    pub fn of(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::of_days(i64::try_from(since.as_secs() / 86_400).unwrap_or(i64::MAX))
    }

    /// Returns the number of days from this date to another one; negative for an earlier one.
    #[must_use]
    pub fn days_until(self, other: Self) -> i64 {
        other.days() - self.days()
    }

    /// Returns the number of days since 1970-01-01.
    ///
    /// Years begin in March here, so that the day that leap years add is the last one of a year
    /// (<https://howardhinnant.github.io/date_algorithms.html>).
    fn days(self) -> i64 {
        let month = i64::from(self.month);
        let year = i64::from(self.year) - i64::from(month <= 2);
        let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + i64::from(self.day) - 1;
        year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719_468
    }

    fn of_days(days: i64) -> Self {
        const LAST: Date = Date {
            year: 9999,
            month: 12,
            day: 31,
        };
        // Counts month by month from an estimate that is never too late. That is fast enough, because a
        // catalogue asks for one date at a time.
        let Ok(year) = u16::try_from(1970 + days / 366) else {
            return LAST;
        };
        let mut date = Self {
            year,
            month: 1,
            day: 1,
        };
        loop {
            if date.year > 9999 {
                return LAST;
            }
            let left = days - date.days();
            let in_month = i64::from(days_in(date.year, date.month));
            if left < in_month {
                date.day = u8::try_from(left + 1).unwrap_or(1);
                return date;
            }
            match date.month {
                12 => (date.year, date.month) = (date.year + 1, 1),
                month => date.month = month + 1,
            }
        }
    }
}

const fn days_in(year: u16, month: u8) -> u8 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl FromStr for Date {
    type Err = DateError;

    /// Parses `YYYY-MM-DD`.
    fn from_str(text: &str) -> Result<Self, DateError> {
        let mut parts = text.split('-');
        let mut number = |length: usize| {
            let part = parts.next()?;
            let is_number = part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
            is_number.then(|| part.parse::<u16>().ok())?
        };
        let read = (number(4), number(2), number(2));
        let (Some(year), Some(month), Some(day)) = read else {
            return Err(DateError);
        };
        if parts.next().is_some() {
            return Err(DateError);
        }
        let (Ok(month), Ok(day)) = (u8::try_from(month), u8::try_from(day)) else {
            return Err(DateError);
        };
        Self::new(year, month, day).ok_or(DateError)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl fmt::Display for DateError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a date is written as `2026-11-28`, and the day must exist")
    }
}

impl std::error::Error for DateError {}
