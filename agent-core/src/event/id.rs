//! The ids of the events of a run that is in a journal.

use super::Event;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The id of an event of a run that is in a journal, with which a client continues after the last event that
/// it received: see `Runtime::follow`. As text it is three numbers, such as `12.3.1`: the step, the number
/// and the holder.
///
/// ```
/// use agent_runtime::event::EventId;
///
/// let id: EventId = "12.3.1".parse().unwrap();
/// assert_eq!((id.step, id.number, id.holder), (12, 3, 1));
/// assert_eq!(id.to_string(), "12.3.1");
/// assert!("12.3".parse::<EventId>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct EventId {
    /// The step: the number of records that the journal had when the event happened.
    pub step: u64,
    /// The number of the event in its step. An [`Event::StepReset`] has 0.
    pub number: u64,
    /// The number of the lease of the process that reported the event. It is 0 for an event that was read
    /// from the journal. The number of that event differs, because the journal has no parts of answers.
    pub holder: u64,
}

impl EventId {
    /// Creates an id from the step, the number and the holder.
    #[must_use]
    pub const fn new(step: u64, number: u64, holder: u64) -> Self {
        Self {
            step,
            number,
            holder,
        }
    }
}

/// An event of a run that is followed, and its id.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FollowedEvent {
    /// The id.
    pub id: EventId,
    /// The event.
    pub event: Event,
}

impl FollowedEvent {
    /// Creates an event with an id.
    #[must_use]
    pub fn new(id: EventId, event: Event) -> Self {
        Self { id, event }
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}.{}", self.step, self.number, self.holder)
    }
}

/// The error for a text that is no id of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidEventId;

impl fmt::Display for InvalidEventId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(
            "the id of an event is three numbers with dots between them, such as `12.3.1`",
        )
    }
}

impl std::error::Error for InvalidEventId {}

impl FromStr for EventId {
    type Err = InvalidEventId;

    fn from_str(text: &str) -> Result<Self, InvalidEventId> {
        let mut numbers = text
            .split('.')
            .map(|number| number.parse().map_err(|_| InvalidEventId));
        let mut next = || numbers.next().unwrap_or(Err(InvalidEventId));
        let id = Self::new(next()?, next()?, next()?);
        match numbers.next() {
            None => Ok(id),
            Some(_) => Err(InvalidEventId),
        }
    }
}

impl From<EventId> for String {
    fn from(id: EventId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for EventId {
    type Error = InvalidEventId;

    fn try_from(text: String) -> Result<Self, InvalidEventId> {
        text.parse()
    }
}
