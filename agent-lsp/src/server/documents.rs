//! The documents that are open in the client.

use super::loaded_tools::Known;
use super::text::{Encoding, Text};
use crate::language::analysis::Analysis;
use gen_lsp_types::{Range, Uri};
use serde::Deserialize;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Instant;

/// The longest text that is checked.
pub(super) const MAX_CHECKED: usize = 32 << 20;

/// An open document: what the client says it is, whatever the file says.
pub(super) struct Document {
    snapshot: Snapshot,
    analysis: OnceCell<Rc<Analysis>>,
    /// Since when the client has findings of an older text.
    outdated: Option<Instant>,
    /// Whether only the client knows the text, since a message was lost that may have changed it.
    is_aside: bool,
}

/// A document as it is at some time.
#[derive(Clone)]
pub(super) struct Snapshot {
    /// Which opening of a document this belongs to: one that is opened again is another.
    opening: u64,
    uri: Uri,
    version: i32,
    text: Text,
}

/// A change of a text. The protocol's own type would read one whose range is broken as a whole new
/// text.
#[derive(Debug, Deserialize)]
pub(super) struct Change {
    range: Option<Range>,
    text: String,
}

impl Snapshot {
    /// The document's address, as the client writes it.
    pub(super) fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Which of its texts this is.
    pub(super) fn version(&self) -> i32 {
        self.version
    }

    /// Its text.
    pub(super) fn text(&self) -> &Text {
        &self.text
    }

    /// Whether it is too long to be checked.
    pub(super) fn is_too_long(&self) -> bool {
        self.text.as_str().len() > MAX_CHECKED
    }
}

impl Document {
    /// Its address, as the client writes it.
    pub(super) fn uri(&self) -> &Uri {
        &self.snapshot.uri
    }

    /// Which of its texts this is.
    pub(super) fn version(&self) -> i32 {
        self.snapshot.version
    }

    /// Its text.
    pub(super) fn text(&self) -> &Text {
        &self.snapshot.text
    }

    /// Whether it is too long to be checked.
    pub(super) fn is_too_long(&self) -> bool {
        self.snapshot.is_too_long()
    }

    /// What it declares: found once for each of its texts.
    pub(super) fn analysis(&self, known: &Known) -> &Rc<Analysis> {
        self.analysis.get_or_init(|| {
            Rc::new(if self.is_too_long() {
                Analysis::default()
            } else {
                known.analyse(self.text().as_str())
            })
        })
    }

    fn is_outdated(&mut self) {
        self.analysis = OnceCell::new();
        if !self.is_aside {
            self.outdated.get_or_insert_with(Instant::now);
        }
    }

    fn set_aside(&mut self) {
        self.is_aside = true;
        self.outdated = None;
    }
}

/// All open documents.
#[derive(Default)]
pub(super) struct Documents {
    open: HashMap<String, Document>,
    /// How often a document was opened.
    openings: u64,
}

impl Documents {
    /// Opens a document. One that is open gets this text.
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
            is_aside: false,
        };
        document.is_outdated();
        self.open.insert(document.uri().0.clone(), document);
    }

    /// Changes a document. Says whether it is open. One that was set aside waits for a whole text.
    pub(super) fn change(&mut self, uri: &Uri, version: i32, changes: Vec<Change>) -> bool {
        let Some(document) = self.open.get_mut(uri.as_ref()) else {
            return false;
        };
        let text = &mut document.snapshot.text;
        for change in changes {
            match change.range {
                Some(_) if document.is_aside => {}
                Some(range) => text.replace(range, &change.text),
                None => {
                    *text = Text::new(change.text, text.encoding());
                    document.is_aside = false;
                }
            }
        }
        document.snapshot.version = version;
        document.is_outdated();
        true
    }

    /// Sets a document aside until its whole text comes. Says whether it is open.
    pub(super) fn set_aside(&mut self, uri: &Uri) -> bool {
        let document = self.open.get_mut(uri.as_ref());
        document.map(Document::set_aside).is_some()
    }

    /// The addresses of the documents that were set aside.
    pub(super) fn aside(&self) -> impl Iterator<Item = &Uri> {
        let aside = self.open.values().filter(|document| document.is_aside);
        aside.map(Document::uri)
    }

    /// Closes a document. Says whether it was open.
    pub(super) fn close(&mut self, uri: &Uri) -> bool {
        self.open.remove(uri.as_ref()).is_some()
    }

    /// An open document that was not set aside.
    pub(super) fn get(&self, uri: &Uri) -> Option<&Document> {
        let document = self.open.get(uri.as_ref());
        document.filter(|document| !document.is_aside)
    }

    /// All open documents that were not set aside, in the order of their addresses.
    pub(super) fn all(&self) -> Vec<&Document> {
        let open = self.open.values();
        let mut all: Vec<&Document> = open.filter(|document| !document.is_aside).collect();
        all.sort_unstable_by_key(|document| &document.uri().0);
        all
    }

    /// Whether the document that this was is still open.
    pub(super) fn has(&self, snapshot: &Snapshot) -> bool {
        self.get(&snapshot.uri)
            .is_some_and(|document| document.snapshot.opening == snapshot.opening)
    }

    /// Has all findings made anew, because other tools are known.
    pub(super) fn check_all_again(&mut self) {
        self.open.values_mut().for_each(Document::is_outdated);
    }

    /// The document whose findings are outdated for longest. From now on they are not.
    pub(super) fn take_outdated(&mut self) -> Option<Snapshot> {
        let outdated = self.open.values_mut();
        let document = outdated
            .filter(|document| document.outdated.is_some())
            .min_by_key(|document| document.outdated)?;
        document.outdated = None;
        Some(document.snapshot.clone())
    }
}
