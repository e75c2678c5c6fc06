//! The open documents.

use super::loaded_tools::LoadedTools;
use super::text::{Encoding, Text};
use crate::language::analysis::Analysis;
use gen_lsp_types::{Range, Uri};
use serde::Deserialize;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Instant;

/// The maximum length of a text that is checked, in bytes, as for a command. An analysis takes many times the memory of
/// its text, so that a file in somebody else's folder could fill the memory of the editor's machine.
pub(super) const MAX_CHECKED: usize = 32 << 20;

/// An open document. Its text is the text that the client sent; the file is not read.
pub(super) struct Document {
    snapshot: Snapshot,
    analysis: OnceCell<Rc<Analysis>>,
    /// The time since which the diagnostics of the client are for an older text; `None` if they are up to
    /// date.
    outdated: Option<Instant>,
}

/// A version of a document.
#[derive(Clone)]
pub(super) struct Snapshot {
    /// The number of the opening, because a document that is opened again is a different one.
    opening: u64,
    uri: Uri,
    version: i32,
    text: Text,
}

/// A change of a text. Without a range, it replaces the whole text.
///
/// The protocol's own type would deserialize a change with an invalid range as one without a range.
#[derive(Debug, Deserialize)]
pub(super) struct Change {
    range: Option<Range>,
    text: String,
}

impl Snapshot {
    /// Returns the address, as the client writes it.
    pub(super) fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Returns the version.
    pub(super) fn version(&self) -> i32 {
        self.version
    }

    /// Returns the text.
    pub(super) fn text(&self) -> &Text {
        &self.text
    }

    /// Returns whether the text is too long to be checked.
    pub(super) fn is_too_long(&self) -> bool {
        self.text.as_str().len() > MAX_CHECKED
    }
}

impl Document {
    /// Returns the address, as the client writes it.
    pub(super) fn uri(&self) -> &Uri {
        &self.snapshot.uri
    }

    /// Returns the version.
    pub(super) fn version(&self) -> i32 {
        self.snapshot.version
    }

    /// Returns the text.
    pub(super) fn text(&self) -> &Text {
        &self.snapshot.text
    }

    /// Returns whether the text is too long to be checked.
    pub(super) fn is_too_long(&self) -> bool {
        self.snapshot.is_too_long()
    }

    /// Returns the analysis of the text, which is made once for each version.
    pub(super) fn analysis(&self, tools: &LoadedTools) -> &Rc<Analysis> {
        self.analysis.get_or_init(|| {
            Rc::new(if self.is_too_long() {
                Analysis::default()
            } else {
                tools.in_project(self.uri()).analyze(self.text().as_str())
            })
        })
    }

    fn mark_outdated(&mut self) {
        self.analysis = OnceCell::new();
        self.outdated.get_or_insert_with(Instant::now);
    }
}

/// The open documents.
#[derive(Default)]
pub(super) struct Documents {
    open: HashMap<String, Document>,
    /// The number of openings so far.
    openings: u64,
}

impl Documents {
    /// Opens a document. If it is open already, its text is replaced.
    pub(super) fn open(&mut self, uri: Uri, version: i32, text: String, encoding: Encoding) {
        self.openings += 1;
        let mut document = Document {
            snapshot: Snapshot {
                opening: self.openings,
                uri,
                version,
                text: Text::new(text, encoding),
            },
            analysis: OnceCell::new(),
            outdated: None,
        };
        document.mark_outdated();
        self.open.insert(document.uri().0.clone(), document);
    }

    /// Changes a document. Returns whether it is open.
    pub(super) fn change(&mut self, uri: &Uri, version: i32, changes: Vec<Change>) -> bool {
        let Some(document) = self.open.get_mut(uri.as_ref()) else {
            return false;
        };
        let text = &mut document.snapshot.text;
        for change in changes {
            match change.range {
                Some(range) => text.replace(range, &change.text),
                None => *text = Text::new(change.text, text.encoding()),
            }
        }
        document.snapshot.version = version;
        document.mark_outdated();
        true
    }

    /// Closes a document. Returns whether it was open.
    pub(super) fn close(&mut self, uri: &Uri) -> bool {
        self.open.remove(uri.as_ref()).is_some()
    }

    /// Returns a document that is open.
    pub(super) fn get(&self, uri: &Uri) -> Option<&Document> {
        self.open.get(uri.as_ref())
    }

    /// Returns all documents that are open, ordered by address.
    pub(super) fn all(&self) -> Vec<&Document> {
        let mut all: Vec<&Document> = self.open.values().collect();
        all.sort_unstable_by_key(|document| &document.uri().0);
        all
    }

    /// Returns whether the document of a snapshot is still open.
    pub(super) fn is_open(&self, snapshot: &Snapshot) -> bool {
        self.get(&snapshot.uri)
            .is_some_and(|document| document.snapshot.opening == snapshot.opening)
    }

    /// Marks the diagnostics of all documents as outdated.
    pub(super) fn mark_all_outdated(&mut self) {
        self.open.values_mut().for_each(Document::mark_outdated);
    }

    /// Returns the document whose diagnostics are outdated for longest, and marks them as up to date.
    pub(super) fn take_outdated(&mut self) -> Option<Snapshot> {
        let outdated = self.open.values_mut();
        let document = outdated
            .filter(|document| document.outdated.is_some())
            .min_by_key(|document| document.outdated)?;
        document.outdated = None;
        Some(document.snapshot.clone())
    }
}
