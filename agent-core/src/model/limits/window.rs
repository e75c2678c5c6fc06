//! A limit of an amount in any minute.

use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// The length of the window.
const MINUTE: Duration = Duration::from_secs(60);

/// The amounts of the last minute, whose sum has a maximum.
#[derive(Debug)]
pub(super) struct Window {
    most: u64,
    sum: u64,
    /// Oldest first.
    taken: VecDeque<Taken>,
}

#[derive(Debug)]
struct Taken {
    at: Instant,
    /// The id of the request.
    id: u64,
    amount: u64,
}

impl Window {
    pub(super) fn new(most: u64) -> Self {
        Self {
            most,
            sum: 0,
            taken: VecDeque::new(),
        }
    }

    /// Returns the time from which on there is room for an amount; `None` if there is room now. An amount above
    /// the maximum has room once the window is empty.
    pub(super) fn room_at(&mut self, now: Instant, amount: u64) -> Option<Instant> {
        while let Some(oldest) = self.taken.front()
            && now.saturating_duration_since(oldest.at) >= MINUTE
        {
            self.sum -= oldest.amount;
            self.taken.pop_front();
        }
        let mut sum = self.sum;
        let mut room_at = None;
        for taken in &self.taken {
            if sum.saturating_add(amount) <= self.most {
                break;
            }
            sum -= taken.amount;
            room_at = Some(taken.at + MINUTE);
        }
        room_at
    }

    /// Counts an amount for a request. Ids of later requests are higher.
    pub(super) fn take(&mut self, now: Instant, id: u64, amount: u64) {
        // Saturates, so that the sum stays equal to the sum of the amounts.
        let amount = amount.min(u64::MAX - self.sum);
        self.sum += amount;
        self.taken.push_back(Taken {
            at: now,
            id,
            amount,
        });
    }

    /// Replaces the amount of a request. The part above the estimate counts from now on.
    pub(super) fn correct(&mut self, now: Instant, id: u64, estimate: u64, amount: u64) {
        if amount > estimate {
            return self.take(now, id, amount - estimate);
        }
        let found = self.taken.iter_mut().find(|taken| taken.id == id);
        if let Some(taken) = found {
            self.sum -= taken.amount;
            taken.amount = taken.amount.min(amount);
            self.sum += taken.amount;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn no_minute_has_more_than_the_maximum() {
        let start = Instant::now();
        let mut window = Window::new(10);
        window.take(start, 1, 4);
        window.take(start + 10 * SECOND, 2, 5);
        let now = start + 20 * SECOND;
        assert_eq!(window.room_at(now, 1), None);
        assert_eq!(window.room_at(now, 2), Some(start + MINUTE));
        assert_eq!(window.room_at(now, 6), Some(start + 70 * SECOND));
        assert_eq!(window.room_at(start + MINUTE, 5), None);
    }

    #[test]
    fn an_amount_above_the_maximum_waits_for_an_empty_window() {
        let start = Instant::now();
        let mut window = Window::new(10);
        assert_eq!(window.room_at(start, u64::MAX), None);
        window.take(start, 1, u64::MAX);
        window.take(start, 2, u64::MAX);
        assert_eq!(window.room_at(start, 11), Some(start + MINUTE));
        assert_eq!(window.room_at(start + MINUTE, 11), None);
        assert_eq!(window.sum, 0);
    }

    #[test]
    fn the_usage_replaces_the_estimate() {
        let start = Instant::now();
        let mut window = Window::new(10);
        window.take(start, 1, 8);
        window.correct(start, 1, 8, 3);
        assert_eq!(window.room_at(start, 7), None);
        let later = start + 30 * SECOND;
        window.correct(later, 1, 3, 9);
        assert_eq!(window.room_at(later, 1), None);
        assert_eq!(window.room_at(later, 2), Some(start + MINUTE));
        // An estimate that is older than a minute is gone.
        window.correct(start + 90 * SECOND, 7, 5, 1);
        assert_eq!(window.room_at(start + 90 * SECOND, 10), None);
    }
}
