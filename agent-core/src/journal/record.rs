//! The records of a run as a journal keeps them: texts with checksums.

use super::RunInfo;
use crate::conversation::{ConversationName, Message, StoreError};
use agent_tool::__private::Sha256Pieces;
use agent_tool::media::Sha256;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A record: one input of a run, as JSON text, and its checksum.
#[derive(Clone)]
pub struct Record {
    /// The JSON text without the parts that it shares with other records.
    json: Arc<str>,
    /// The shared parts, each with the number of bytes of `json` before it, in order.
    shared: Vec<(usize, Arc<str>)>,
    checksum: Sha256,
}

impl Record {
    /// Creates the record at a position of a run, counted from 0. `previous` is the checksum of the record
    /// before, or [`Record::first_checksum`] for the first record.
    #[must_use]
    pub fn sealed(run: &str, position: u64, json: impl Into<Arc<str>>, previous: &Sha256) -> Self {
        let json = json.into();
        let checksum = checksum(run, position, std::iter::once(&*json), previous);
        Self::stored(json, checksum)
    }

    /// Creates the record that a journal has, which [`StoredRun::verify`] checks.
    #[must_use]
    pub fn stored(json: impl Into<Arc<str>>, checksum: Sha256) -> Self {
        Self {
            json: json.into(),
            shared: Vec::new(),
            checksum,
        }
    }

    /// Creates the record that a journal has, whose text shares parts with other records, such as an image. Each part
    /// comes with the number of bytes of `json` before it. A part at a place that is not in the text, or not behind the
    /// part before, is left out, so that [`StoredRun::verify`] finds the damage.
    #[must_use]
    pub fn stored_in_parts(
        json: impl Into<Arc<str>>,
        mut shared: Vec<(usize, Arc<str>)>,
        checksum: Sha256,
    ) -> Self {
        let (json, mut last) = (json.into(), 0);
        shared.retain(|(place, _)| {
            let fits = *place >= last && json.is_char_boundary(*place);
            last = last.max(*place);
            fits
        });
        Self {
            json,
            shared,
            checksum,
        }
    }

    /// The checksum before the first record of each run.
    #[must_use]
    pub fn first_checksum() -> Sha256 {
        Sha256::of(b"")
    }

    /// The JSON text. It is put together for each call if the record was [stored in parts](Self::stored_in_parts).
    #[must_use]
    pub fn json(&self) -> Cow<'_, str> {
        match self.shared.is_empty() {
            true => Cow::Borrowed(&self.json),
            false => Cow::Owned(self.pieces().collect()),
        }
    }

    /// The pieces of the JSON text.
    fn pieces(&self) -> impl Iterator<Item = &str> {
        let ends = self.shared.iter().map(|(place, _)| *place);
        let ends = ends.chain([self.json.len()]);
        let begins = std::iter::once(0).chain(self.shared.iter().map(|(place, _)| *place));
        let parts = self.shared.iter().map(|(_, part)| &**part).chain([""]);
        let pieces = begins.zip(ends).zip(parts);
        pieces.flat_map(|((begin, end), part)| [&self.json[begin..end], part])
    }

    /// The checksum: SHA-256 over the id of the run, the position, the checksum of the record before and the text.
    #[must_use]
    pub fn checksum(&self) -> &Sha256 {
        &self.checksum
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Record")
            .field("bytes", &self.pieces().map(str::len).sum::<usize>())
            .field("checksum", &self.checksum)
            .finish()
    }
}

/// Compares the texts and the checksums, and not how the texts are kept.
impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        self.checksum == other.checksum && self.json() == other.json()
    }
}

impl Eq for Record {}

fn checksum<'t>(
    run: &str,
    position: u64,
    json: impl Iterator<Item = &'t str>,
    previous: &Sha256,
) -> Sha256 {
    let place = [(run.len() as u64).to_le_bytes(), position.to_le_bytes()];
    let mut digest = Sha256Pieces::default();
    for piece in [place.as_flattened(), run.as_bytes(), previous.as_bytes()] {
        digest.push(piece);
    }
    for piece in json {
        digest.push(piece.as_bytes());
    }
    digest.digest()
}

/// Records that are appended together.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Commit {
    /// The number of records that the run has before these.
    pub position: u64,
    /// The records.
    pub records: Vec<Record>,
    /// The run after these records.
    pub info: RunInfo,
    /// The messages of a run that ends with the commit, if the journal has the store of its conversation.
    pub turn: Option<Turn>,
    /// The number of the last mail that the records have, which is deleted with all mail before it.
    pub taken: Option<u64>,
}

/// The messages of a run, which are added to a conversation as
/// [`ConversationStore::append_run`](crate::conversation::ConversationStore::append_run) does.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Turn {
    /// The name of the conversation.
    pub conversation: ConversationName,
    /// The messages.
    pub messages: Vec<Message>,
}

impl Turn {
    /// Creates a turn.
    #[must_use]
    pub fn new(conversation: ConversationName, messages: Vec<Message>) -> Self {
        Self {
            conversation,
            messages,
        }
    }
}

impl Commit {
    /// Creates a commit.
    #[must_use]
    pub fn new(position: u64, records: Vec<Record>, info: RunInfo) -> Self {
        Self {
            position,
            records,
            info,
            turn: None,
            taken: None,
        }
    }

    /// Returns the same commit with the messages of the run.
    #[must_use]
    pub fn with_turn(mut self, turn: Turn) -> Self {
        self.turn = Some(turn);
        self
    }

    /// Returns the number of records of the commit that a run with `count` records has already. `checksum_at` returns
    /// the checksum of the record at a position of the run.
    ///
    /// # Errors
    /// When the run has fewer records than the commit expects, or other ones.
    pub fn known<E: From<StoreError>>(
        &self,
        count: u64,
        checksum_at: impl FnOnce(u64) -> Result<Option<Sha256>, E>,
    ) -> Result<usize, E> {
        let unexpected = || E::from(StoreError::lease_lost(&self.info.run));
        let known = count
            .checked_sub(self.position)
            .and_then(|known| usize::try_from(known).ok())
            .ok_or_else(unexpected)?;
        let Some(last) = known.checked_sub(1) else {
            return Ok(0);
        };
        // Each checksum covers all records before it, so that it is enough to compare the last one.
        let last = self.records.get(last).ok_or_else(unexpected)?;
        match checksum_at(count - 1)? == Some(*last.checksum()) {
            true => Ok(known),
            false => Err(unexpected()),
        }
    }
}

/// A run that was read from a journal.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StoredRun {
    /// The run's entry in the list.
    pub info: RunInfo,
    /// The records, in order.
    pub records: Vec<Record>,
    /// The number of records that the journal counted in the last commit.
    pub count: u64,
    /// The checksum of the last record of the last commit, which the journal keeps apart from the records.
    pub last_checksum: Sha256,
}

impl StoredRun {
    /// Creates the result of [`Journal::read`](super::Journal::read).
    #[must_use]
    pub fn new(info: RunInfo, records: Vec<Record>, count: u64, last_checksum: Sha256) -> Self {
        Self {
            info,
            records,
            count,
            last_checksum,
        }
    }

    /// Checks that the records are those that were appended: none was changed, none is missing at the end, and none
    /// belongs to another run or another position.
    ///
    /// # Errors
    /// A [format](StoreError::is_format) error that names the run and the position of the first damaged record.
    pub fn verify(&self) -> Result<(), StoreError> {
        let run = &self.info.run;
        let mut previous = Record::first_checksum();
        for (position, record) in (0..).zip(&self.records) {
            if checksum(run, position, record.pieces(), &previous) != record.checksum {
                return Err(damaged(run, position, "does not fit its checksum"));
            }
            previous = record.checksum;
        }
        let found = self.records.len() as u64;
        if found != self.count {
            let problem = format!(
                "is missing: the run has {found} records, and {} were appended",
                self.count
            );
            return Err(damaged(run, found.min(self.count), &problem));
        }
        if previous != self.last_checksum {
            return Err(damaged(
                run,
                found.saturating_sub(1),
                "is not the one that was appended last",
            ));
        }
        Ok(())
    }
}

fn damaged(run: &str, position: u64, problem: &str) -> StoreError {
    StoreError::format(format!(
        "the journal of the run `{run}` is damaged: record {position} {problem}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_parts(json: &str, shared: &[(usize, &str)]) -> Record {
        let shared = shared
            .iter()
            .map(|(place, part)| (*place, Arc::from(*part)));
        Record::stored_in_parts(json, shared.collect(), Record::first_checksum())
    }

    #[test]
    fn the_text_of_a_record_in_parts_is_whole() {
        for (json, shared, whole) in [
            ("[]", &[][..], "[]"),
            ("[\"\",\"é\"]", &[(2, "x"), (5, "y")], "[\"x\",\"yé\"]"),
            ("", &[(0, "x"), (0, "y")], "xy"),
            // Places that do not fit.
            ("[\"é\"]", &[(3, "x"), (7, "x")], "[\"é\"]"),
            ("[\"\"]", &[(2, "x"), (1, "y"), (4, "z")], "[\"x\"]z"),
        ] {
            let record = in_parts(json, shared);
            assert_eq!(record.json(), whole);
            assert_eq!(record, Record::stored(whole, Record::first_checksum()));
            assert!(format!("{record:?}").contains(&format!("bytes: {}", whole.len())));
        }
    }

    #[test]
    fn a_record_in_parts_has_the_checksum_of_its_text() {
        let whole = Record::sealed("run", 0, "[\"text\"]", &Record::first_checksum());
        let stored = |part: &str| {
            let shared = vec![(2, Arc::from(part))];
            let record = Record::stored_in_parts("[\"\"]", shared, *whole.checksum());
            StoredRun::new(RunInfo::new("run", "a"), vec![record], 1, *whole.checksum())
        };
        assert!(stored("text").verify().is_ok());
        assert!(stored("tex").verify().is_err());
    }
}
