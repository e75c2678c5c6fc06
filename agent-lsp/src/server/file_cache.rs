//! What was read of files that are not open, kept while they do not change: each question about names
//! goes through all files of the workspace.

use super::documents::MAX_CHECKED;
use super::loaded_tools::Known;
use super::text::{Encoding, Text};
use crate::language::analysis::Analysis;
use crate::source;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, SystemTime};

/// How many bytes of texts are kept.
const MAX_TEXTS: usize = 64 << 20;

/// Of how many bytes of texts is kept what they declare, which takes many times their length.
const MAX_ANALYSED: usize = 16 << 20;

/// A file that changed so short a time before it was read may change again within what its time of
/// change can tell, and is not kept.
const UNSETTLED: Duration = Duration::from_secs(2);

/// A file that was read.
pub(super) struct ReadFile {
    text: Text,
    analysis: OnceCell<Rc<Analysis>>,
    is_kept: bool,
}

impl ReadFile {
    /// Its text.
    pub(super) fn text(&self) -> &Text {
        &self.text
    }
}

/// By what a file is seen to have changed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    changed: SystemTime,
    length: u64,
}

/// What was read of files.
#[derive(Default)]
pub(super) struct Files {
    kept: HashMap<PathBuf, (Stamp, Rc<ReadFile>)>,
    /// How many bytes the kept texts have.
    bytes: usize,
    /// How many of these were analysed.
    analysed: usize,
}

impl Files {
    /// Reads a file, unless it was read and has not changed. Nothing when it cannot be read, or is too
    /// long to be checked.
    pub(super) fn read(&mut self, file: &Path, encoding: Encoding) -> Option<Rc<ReadFile>> {
        let metadata = file.metadata().ok()?;
        let stamp = Stamp {
            changed: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            length: metadata.len(),
        };
        if stamp.length > MAX_CHECKED as u64 {
            return None;
        }
        match self.kept.get(file) {
            Some((kept, read)) if *kept == stamp => return Some(Rc::clone(read)),
            Some(_) => self.drop(file),
            None => {}
        }
        let now = SystemTime::now();
        let text = Text::new(source::read(file).ok()?.text, encoding);
        let length = text.as_str().len();
        let age = now.duration_since(stamp.changed);
        let is_kept = age.is_ok_and(|age| age > UNSETTLED) && self.bytes + length <= MAX_TEXTS;
        let read = Rc::new(ReadFile {
            text,
            analysis: OnceCell::new(),
            is_kept,
        });
        if is_kept {
            self.bytes += length;
            self.kept.insert(file.to_owned(), (stamp, Rc::clone(&read)));
        }
        Some(read)
    }

    /// What a file declares.
    pub(super) fn analysis(&mut self, file: &ReadFile, known: &Known) -> Rc<Analysis> {
        if let Some(analysis) = file.analysis.get() {
            return Rc::clone(analysis);
        }
        let analysis = Rc::new(known.analyse(file.text.as_str()));
        let length = file.text.as_str().len();
        if file.is_kept && self.analysed + length <= MAX_ANALYSED {
            self.analysed += length;
            return Rc::clone(file.analysis.get_or_init(|| analysis));
        }
        analysis
    }

    /// Forgets all files but these: others are gone.
    pub(super) fn keep_only(&mut self, files: &HashSet<PathBuf>) {
        let gone = self.kept.keys().filter(|file| !files.contains(*file));
        let gone: Vec<PathBuf> = gone.cloned().collect();
        gone.iter().for_each(|file| self.drop(file));
    }

    /// Forgets all files: what they declare depends on the tools that are known.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    fn drop(&mut self, file: &Path) {
        let Some((_, read)) = self.kept.remove(file) else {
            return;
        };
        let length = read.text.as_str().len();
        self.bytes -= length;
        if read.analysis.get().is_some() {
            self.analysed -= length;
        }
    }
}
