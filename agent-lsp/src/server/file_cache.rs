//! A cache of files that are not open, because a request about names reads all files of the workspace.

use super::documents::MAX_CHECKED;
use super::loaded_tools::LoadedTools;
use super::text::{Encoding, Text};
use crate::language::analysis::Analysis;
use agent_project::loaded_project::folder_of;
use agent_project::source;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, SystemTime};

/// The maximum length of all cached texts, in bytes. Without the limit, a folder of somebody else that is opened in an
/// editor could fill the memory; beyond the limit, files are read again for each request.
const MAX_TEXTS: usize = 64 << 20;

/// The maximum length of all texts whose analysis is cached, in bytes. An analysis takes many times the
/// memory of its text, so that the documents of somebody else's folder could fill the memory.
const MAX_ANALYZED: usize = 4 << 20;

/// The minimum age of the last change of a cached file.
///
/// A younger file can change again without a different time stamp, and that change would not be noticed.
const MIN_AGE: Duration = Duration::from_secs(2);

/// A file that was read.
pub(super) struct CachedFile {
    text: Text,
    analysis: OnceCell<Rc<Analysis>>,
    /// Whether the cache contains the file. Otherwise only the caller has it.
    is_cached: bool,
}

impl CachedFile {
    /// Returns the text.
    pub(super) fn text(&self) -> &Text {
        &self.text
    }
}

/// The metadata by which a change of a file is noticed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: SystemTime,
    length: u64,
}

/// A cache of files.
#[derive(Default)]
pub(super) struct FileCache {
    files: HashMap<PathBuf, (Stamp, Rc<CachedFile>)>,
}

impl FileCache {
    /// Returns a file, which is read if it is not cached or has changed. Returns `None` if the file cannot
    /// be read or is too long to be checked.
    pub(super) fn read(&mut self, path: &Path, encoding: Encoding) -> Option<Rc<CachedFile>> {
        let metadata = path.metadata().ok()?;
        let stamp = Stamp {
            modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            length: metadata.len(),
        };
        if stamp.length > MAX_CHECKED as u64 {
            return None;
        }
        match self.files.get(path) {
            Some((cached, file)) if *cached == stamp => return Some(Rc::clone(file)),
            _ => self.files.remove(path),
        };
        let now = SystemTime::now();
        let text = Text::new(source::read(path).ok()?.text, encoding);
        let length = text.as_str().len();
        let age = now.duration_since(stamp.modified);
        let is_cached =
            age.is_ok_and(|age| age > MIN_AGE) && self.length(|_| true) + length <= MAX_TEXTS;
        let file = Rc::new(CachedFile {
            text,
            analysis: OnceCell::new(),
            is_cached,
        });
        if is_cached {
            self.files
                .insert(path.to_owned(), (stamp, Rc::clone(&file)));
        }
        Some(file)
    }

    /// Returns the analysis of a file.
    pub(super) fn analysis(
        &self,
        path: &Path,
        file: &CachedFile,
        tools: &LoadedTools,
    ) -> Rc<Analysis> {
        if let Some(analysis) = file.analysis.get() {
            return Rc::clone(analysis);
        }
        let tools = tools.in_folder(folder_of(path));
        let analysis = Rc::new(tools.analyze(file.text.as_str()));
        let length = file.text.as_str().len();
        let is_analyzed = |file: &CachedFile| file.analysis.get().is_some();
        if file.is_cached && self.length(is_analyzed) + length <= MAX_ANALYZED {
            return Rc::clone(file.analysis.get_or_init(|| analysis));
        }
        analysis
    }

    /// Removes all files except these.
    pub(super) fn retain(&mut self, paths: &HashSet<PathBuf>) {
        self.files.retain(|path, _| paths.contains(path));
    }

    /// Removes all files, because their analyses depend on the known tools.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the length of the texts of some of the cached files, in bytes.
    fn length(&self, counts: impl Fn(&CachedFile) -> bool) -> usize {
        let files = self.files.values().map(|(_, file)| file);
        let counted = files.filter(|file| counts(file));
        counted.map(|file| file.text.as_str().len()).sum()
    }
}
