//! The documents that names lead to: open documents, tool files, and the files in the workspace folders.
//! An open document has the text of the client, and its file is not read.

use super::documents::Document;
use super::file_cache::CachedFile;
use super::loaded_tools::{is_tool_file, resolve_links};
use super::state::State;
use super::text::Text;
use super::uri::{file_of, uri_of};
use crate::language::analysis::Analysis;
use crate::language::resolve;
use agent_gram::Span;
use agent_project::find_documents::find_documents;
use gen_lsp_types::{Location, Uri};
use serde_json::Value;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A document of the workspace.
pub(super) struct WorkspaceDocument<'s> {
    uri: Uri,
    display_name: String,
    /// The version, if the document is open.
    version: Option<i32>,
    text: DocumentText<'s>,
    state: &'s State,
    analysis: OnceCell<Rc<Analysis>>,
    is_shared: bool,
}

enum DocumentText<'s> {
    Open(&'s Document),
    File(PathBuf, Rc<CachedFile>),
}

impl WorkspaceDocument<'_> {
    /// Returns the address.
    pub(super) fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Returns the version, if the document is open.
    pub(super) fn version(&self) -> Option<i32> {
        self.version
    }

    /// Returns the text.
    pub(super) fn text(&self) -> &Text {
        match &self.text {
            DocumentText::Open(document) => document.text(),
            DocumentText::File(_, file) => file.text(),
        }
    }

    /// Returns the analysis of the text, which is kept as long as the document.
    pub(super) fn analysis(&self) -> &Analysis {
        self.analysis.get_or_init(|| self.analyze())
    }

    /// Returns the analysis of the text. It takes many times the memory of the text, so a search through all documents
    /// keeps it no longer than needed.
    pub(super) fn analyze(&self) -> Rc<Analysis> {
        let State { files, tools, .. } = self.state;
        match &self.text {
            DocumentText::Open(document) => Rc::clone(document.analysis(tools)),
            DocumentText::File(path, file) => files.borrow().analysis(path, file, tools),
        }
    }
}

/// The documents of the workspace that a request needs, each once. If the request is about a document,
/// that document is the first.
pub(super) struct Workspace<'s> {
    documents: Vec<WorkspaceDocument<'s>>,
}

impl<'s> Workspace<'s> {
    /// The index of the document that the request is about.
    pub(super) const CURRENT: usize = 0;

    /// Collects the documents whose text passes the filter, and the document that the request is about.
    pub(super) fn filtered(
        state: &'s State,
        current: Option<&'s Document>,
        filter: impl Fn(&str) -> bool,
    ) -> Self {
        let mut collector = Collector::new(state, filter);
        if let Some(current) = current {
            collector.add_current(current);
        }
        collector.add_open_documents();
        collector.add_tool_files();
        if let Some(current) = current {
            collector.add_project_files(current);
        }
        for root in &state.roots {
            collector.add_folder(root);
        }
        state.files.borrow_mut().retain(&collector.seen);
        Self {
            documents: collector.documents,
        }
    }

    /// Collects the documents that the names in a document can resolve to: itself and the tool files.
    pub(super) fn in_scope(state: &'s State, current: &'s Document) -> Self {
        let mut collector = Collector::new(state, |_| true);
        collector.add_current(current);
        for open in state.documents.all() {
            if is_tool_file(&state.config.tool_files, open.uri()) {
                collector.add_open_document(open);
            }
        }
        collector.add_tool_files();
        collector.add_project_files(current);
        Self {
            documents: collector.documents,
        }
    }

    /// Returns the documents.
    pub(super) fn documents(&self) -> &[WorkspaceDocument<'s>] {
        &self.documents
    }

    /// Returns the documents for [`resolve`]. The id of a document is its index.
    pub(super) fn resolvable(&self) -> Vec<resolve::Document<'_, usize>> {
        let documents = self.documents.iter().enumerate();
        documents
            .map(|(id, document)| resolve::Document {
                id,
                display_name: &document.display_name,
                text: document.text().as_str(),
                analysis: document.analysis(),
                is_shared: document.is_shared,
            })
            .collect()
    }

    /// Returns the location of a span in the document of an index.
    pub(super) fn location(&self, index: usize, span: Span) -> Option<Location> {
        let document = self.documents.get(index)?;
        Some(Location {
            uri: document.uri.clone(),
            range: document.text().range(span),
        })
    }
}

/// The collection of the documents of a [`Workspace`].
struct Collector<'s, F> {
    state: &'s State,
    filter: F,
    documents: Vec<WorkspaceDocument<'s>>,
    /// The files that were collected or filtered out, without symbolic links.
    seen: HashSet<PathBuf>,
}

impl<'s, F: Fn(&str) -> bool> Collector<'s, F> {
    fn new(state: &'s State, filter: F) -> Self {
        Self {
            state,
            filter,
            documents: Vec::new(),
            seen: HashSet::new(),
        }
    }

    fn add_current(&mut self, document: &'s Document) {
        if let Some(file) = file_of(document.uri()) {
            self.insert_seen(&file);
        }
        self.documents.push(self.open_document(document));
    }

    fn add_open_documents(&mut self) {
        for document in self.state.documents.all() {
            self.add_open_document(document);
        }
    }

    fn add_open_document(&mut self, document: &'s Document) {
        let mut documents = self.documents.iter();
        let is_collected = documents.any(|other| other.uri == *document.uri());
        // The file is marked as seen even if the filter refuses the text, because the document is open.
        let file = file_of(document.uri());
        let is_new = file.is_none_or(|file| self.insert_seen(&file));
        if is_new && !is_collected && (self.filter)(document.text().as_str()) {
            self.documents.push(self.open_document(document));
        }
    }

    fn open_document(&self, document: &'s Document) -> WorkspaceDocument<'s> {
        WorkspaceDocument {
            uri: document.uri().clone(),
            display_name: match file_of(document.uri()) {
                Some(file) => display_name(&file),
                None => document.uri().as_ref().to_owned(),
            },
            version: Some(document.version()),
            text: DocumentText::Open(document),
            state: self.state,
            analysis: OnceCell::new(),
            is_shared: is_tool_file(&self.state.config.tool_files, document.uri()),
        }
    }

    fn add_tool_files(&mut self) {
        for file in &self.state.config.tool_files {
            self.add_file(file, resolve_links(file), true);
        }
    }

    /// Adds the tool files of the project of a document. Tool files that are collected already become shared.
    fn add_project_files(&mut self, document: &Document) {
        let project = self.state.tools.in_project(document.uri());
        for file in project.tool_files() {
            let collected = self.documents.iter_mut().skip(Workspace::CURRENT + 1);
            let real = |uri: &Uri| file_of(uri).map(|file| resolve_links(&file));
            let mut collected = collected.filter(|other| real(&other.uri).as_ref() == Some(file));
            match collected.next() {
                Some(other) => other.is_shared = true,
                None => self.add_project_file(file),
            }
        }
    }

    /// Adds a tool file of a project with its text in the editor, or else the saved text.
    fn add_project_file(&mut self, file: &Path) {
        let open = self
            .state
            .documents
            .all()
            .into_iter()
            .find(|open| file_of(open.uri()).is_some_and(|open| resolve_links(&open) == *file));
        match open {
            Some(open) => {
                let before = self.documents.len();
                self.add_open_document(open);
                for added in &mut self.documents[before..] {
                    added.is_shared = true;
                }
            }
            None => self.add_file(file, file.to_owned(), true),
        }
    }

    /// Adds the `.gram` files of a folder that are neither hidden nor ignored by git, the same files as
    /// `agent fmt`.
    fn add_folder(&mut self, folder: &Path) {
        let real_folder = resolve_links(folder);
        for file in find_documents(folder).files {
            // The walk does not follow links, so only the path of the folder can contain links.
            let below = file.strip_prefix(folder);
            let real = below.map_or_else(|_| file.clone(), |below| real_folder.join(below));
            self.add_file(&file, real, false);
        }
    }

    /// Adds a file, unless it was seen, cannot be read, or is too long.
    fn add_file(&mut self, file: &Path, real: PathBuf, is_shared: bool) {
        if self.seen.contains(&real) {
            return;
        }
        let encoding = self.state.client.encoding;
        let read = self.state.files.borrow_mut().read(&real, encoding);
        self.seen.insert(real);
        let Some(read) = read.filter(|read| (self.filter)(read.text().as_str())) else {
            return;
        };
        let Some(uri) = uri_of(file) else {
            return;
        };
        self.documents.push(WorkspaceDocument {
            uri,
            display_name: display_name(file),
            version: None,
            text: DocumentText::File(file.to_owned(), read),
            state: self.state,
            analysis: OnceCell::new(),
            is_shared,
        });
    }

    /// Marks a file as seen. Returns whether it is new.
    fn insert_seen(&mut self, file: &Path) -> bool {
        self.seen.insert(resolve_links(file))
    }
}

/// Returns the name of a file for messages: its last part, which editors show.
fn display_name(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Returns the workspace folders from the parameters of `initialize`.
pub(super) fn workspace_roots(params: &Value) -> Vec<PathBuf> {
    let folders = params["workspaceFolders"].as_array();
    let folders = folders.into_iter().flatten().map(|folder| &folder["uri"]);
    let mut roots: Vec<PathBuf> = folders.filter_map(folder_of).collect();
    if roots.is_empty() {
        roots.extend(folder_of(&params["rootUri"]));
    }
    roots
}

fn folder_of(uri: &Value) -> Option<PathBuf> {
    file_of(&Uri::from(uri.as_str()?))
}
