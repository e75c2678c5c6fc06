//! The output file of a batch, which records the results.

use crate::batch_input::BatchInput;
use crate::outcome::CommandError;
use crate::output::warning_to_stderr;
use agent_spec::file::is_virtual;
use agent_spec::terminal;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// The beginning of every line that [`Record::write`] writes.
const BEGINNING: &str = "{\"id\":\"";

/// The time between two writes to the disk, which a power failure can lose at most.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// A line of the output file. Scripts depend on its members. `id` is first: see [`BEGINNING`].
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line {
    pub(super) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<String>,
    /// The parts of an answer with media.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parts: Option<Value>,
    /// The reason for which the model stopped, if the answer is not complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) finish_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cost: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    /// The hash of the input. A line without a hash is the result of any input with the same id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input_hash: Option<String>,
}

/// The part of a line that shows which input has an answer. The rest of the line is not kept, whatever its
/// size.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RecordedLine<'a> {
    id: String,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    input_hash: Option<String>,
}

impl<'a> RecordedLine<'a> {
    /// Parses a line. `None` if the line is not a result, which has a text as its answer or as its error.
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let line: Self = serde_json::from_slice(bytes).ok()?;
        let mut texts = line.content.iter().chain(&line.error);
        let is_result = line.content.is_some() || line.error.is_some();
        (is_result && texts.all(|text| text.get().starts_with('"'))).then_some(line)
    }
}

/// The state of an input in the output file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The input has an answer.
    Answered,
    /// The input has an answer, but has been changed since then.
    Changed,
    /// The input has no result, or an error.
    Open,
}

/// The output file. Only one program at a time writes to the file.
#[derive(Debug)]
pub(super) struct Record {
    file: File,
    /// The inputs with answers, by their ids, with the hashes of the inputs.
    answered: HashMap<String, Option<String>>,
    synced: Instant,
}

impl Record {
    /// Opens the output file, creates it if it is missing, and reads the results of these inputs. A last line that
    /// was not written completely is removed.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened, if another program writes to it, or if it contains something
    /// else than results.
    pub(super) fn open(path: &Path, inputs: &[BatchInput]) -> Result<Self, CommandError> {
        let name = terminal::line(&path.display().to_string(), 1000);
        let problem = |problem: String| CommandError::new(format!("`{name}` {problem}"));
        let cannot = |error: io::Error| problem(format!("cannot be used for the results: {error}"));
        // Opening a pipe waits for its reader, and reading a virtual file may wait forever.
        if path.metadata().is_ok_and(|found| !found.is_file()) || is_virtual(path) {
            return Err(problem(
                "is no file; the results need one, which records them".to_owned(),
            ));
        }
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).open(path);
        let file = file.map_err(cannot)?;
        // A file system without locks is no reason to refuse the file.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(problem(
                "is the output of a batch that runs now; wait for its end, or name another file"
                    .to_owned(),
            ));
        }
        let mut record = Self {
            file,
            answered: HashMap::new(),
            synced: Instant::now(),
        };
        let ids = inputs.iter().map(|input| input.id.as_str()).collect();
        match record.read(&ids).map_err(cannot)? {
            Found::Results => {}
            Found::Torn => warning_to_stderr(&format!(
                "the last line of `{name}` was not written completely, and is removed"
            )),
            Found::Other(line) => {
                return Err(problem(format!(
                    "has no result of a batch on line {line}; name another file, or a new one"
                )));
            }
        }
        Ok(record)
    }

    pub(super) fn state(&self, id: &str, hash: &str) -> State {
        match self.answered.get(id) {
            None => State::Open,
            Some(Some(known)) if known != hash => State::Changed,
            Some(_) => State::Answered,
        }
    }

    /// Adds a result.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written to.
    pub(super) fn write(&mut self, line: &Line) -> io::Result<()> {
        let text = terminal::json(&serde_json::to_string(line)?) + "\n";
        self.file.write_all(text.as_bytes())?;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(())
    }

    /// Makes sure that all results are on the disk.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written to.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.synced = Instant::now();
        self.file.sync_data()
    }

    /// Reads the results of the inputs with these ids, and repairs the end of the file.
    fn read(&mut self, ids: &HashSet<&str>) -> io::Result<Found> {
        self.file.seek(SeekFrom::Start(0))?;
        let mut reader = BufReader::new(&self.file);
        let mut complete_bytes = 0;
        let mut bytes = Vec::new();
        let mut has_results = false;
        for line in 1.. {
            bytes.clear();
            let length = reader.read_until(b'\n', &mut bytes)?;
            if length == 0 {
                break;
            }
            let has_end = bytes.last() == Some(&b'\n');
            // Editors on Windows write a byte order mark.
            let mark: &[u8] = if line == 1 { b"\xef\xbb\xbf" } else { b"" };
            let text = bytes.strip_prefix(mark).unwrap_or(&bytes);
            let is_blank = text.trim_ascii().is_empty();
            match RecordedLine::parse(text) {
                Some(line) => {
                    has_results = true;
                    // The last line of an input is its result.
                    let is_answer = line.error.is_none() && line.content.is_some();
                    match is_answer {
                        true if ids.contains(line.id.as_str()) => {
                            self.answered.insert(line.id, line.input_hash);
                        }
                        true => {}
                        false => _ = self.answered.remove(&line.id),
                    }
                    if !has_end {
                        (&self.file).write_all(b"\n")?;
                    }
                }
                None if is_blank && has_end => {}
                None if !has_end && is_torn(text, has_results) => {
                    self.file.set_len(complete_bytes)?;
                    return Ok(Found::Torn);
                }
                None => return Ok(Found::Other(line)),
            }
            complete_bytes += length as u64;
        }
        Ok(Found::Results)
    }
}

/// The content of an output file.
enum Found {
    /// Results only.
    Results,
    /// Results, and the beginning of another one, which was removed.
    Torn,
    /// Something else on this line.
    Other(usize),
}

/// Whether the last bytes of a file can be the beginning of a line that was not written completely. Other bytes
/// belong to a file of somebody else, and so do a few letters or zeros without a result before them. A power failure
/// can leave zeros in place of what was written.
fn is_torn(bytes: &[u8], has_results: bool) -> bool {
    if serde_json::from_slice::<IgnoredAny>(bytes).is_ok() {
        return false;
    }
    let end = bytes.iter().rposition(|byte| *byte != 0);
    let bytes = &bytes[..end.map_or(0, |end| end + 1)];
    let beginning = BEGINNING.as_bytes();
    bytes.starts_with(beginning) || has_results && beginning.starts_with(bytes)
}
