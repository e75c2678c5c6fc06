//! The documents that names lead to: those that are open, the files of `--tools`, and the files in the
//! folders that the client works in. What is open counts as the client has it, whatever the file says.

use super::documents::Document;
use super::file_cache::ReadFile;
use super::loaded_tools::is_file_of;
use super::main_loop::Server;
use super::text::Text;
use super::uri::{file_of, uri_of};
use crate::language::analysis::Analysis;
use crate::language::resolve as reach;
use agent_gram::Span;
use gen_lsp_types::{Location, Uri};
use ignore::WalkBuilder;
use serde_json::Value;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A document of the workspace.
pub(super) struct Member<'s> {
    uri: Uri,
    shown: String,
    /// What the client calls this text; nothing when it is not open.
    version: Option<i32>,
    text: Words<'s>,
    analysis: Rc<Analysis>,
    shared: bool,
}

/// A text of the workspace.
enum Words<'s> {
    Open(&'s Text),
    File(Rc<ReadFile>),
}

/// The documents of the workspace, each once. The one that was asked about, if one was, is the first.
pub(super) struct Workspace<'s> {
    members: Vec<Member<'s>>,
}

impl<'s> Workspace<'s> {
    /// The document that was asked about.
    pub(super) const HERE: usize = 0;

    /// The documents whose texts are of interest, and the one that was asked about. Most are of none,
    /// and are not read further.
    pub(super) fn of(
        server: &'s Server,
        here: Option<&'s Document>,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Self {
        let mut gathering = Gathering::new(server, is_wanted);
        if let Some(here) = here {
            gathering.add_here(here);
        }
        gathering.add_open();
        gathering.add_tools();
        for root in &server.roots {
            gathering.add_folder(root);
        }
        server.files.borrow_mut().keep_only(&gathering.seen);
        Self {
            members: gathering.members,
        }
    }

    /// The documents that a name of this one can lead to: itself, and the files of `--tools`.
    pub(super) fn around(server: &'s Server, document: &'s Document) -> Self {
        let mut gathering = Gathering::new(server, |_| true);
        gathering.add_here(document);
        for open in server.documents.all() {
            if is_file_of(&server.config.tool_files, open.uri()) {
                gathering.add_document(open);
            }
        }
        gathering.add_tools();
        Self {
            members: gathering.members,
        }
    }

    /// The documents.
    pub(super) fn members(&self) -> &[Member<'s>] {
        &self.members
    }

    /// The same for questions about names. A document is known by its place among the members.
    pub(super) fn documents(&self) -> Vec<reach::Document<'_, usize>> {
        let members = self.members.iter().enumerate();
        members
            .map(|(id, member)| reach::Document {
                id,
                shown: &member.shown,
                text: member.text().as_str(),
                analysis: &member.analysis,
                shared: member.shared,
            })
            .collect()
    }

    /// A place in one of the members, for the client.
    pub(super) fn location(&self, id: usize, span: Span) -> Option<Location> {
        let member = self.members.get(id)?;
        Some(Location {
            uri: member.uri.clone(),
            range: member.text().range(span),
        })
    }
}

impl Member<'_> {
    /// Its address.
    pub(super) fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Which of its texts this is; nothing when it is not open.
    pub(super) fn version(&self) -> Option<i32> {
        self.version
    }

    /// Its text.
    pub(super) fn text(&self) -> &Text {
        match &self.text {
            Words::Open(text) => text,
            Words::File(file) => file.text(),
        }
    }

    /// What was read of it.
    pub(super) fn analysis(&self) -> &Analysis {
        &self.analysis
    }
}

/// Members, while they are gathered.
struct Gathering<'s, W> {
    server: &'s Server,
    is_wanted: W,
    members: Vec<Member<'s>>,
    /// The files of members and of what was not of interest.
    seen: HashSet<PathBuf>,
}

impl<'s, W: Fn(&str) -> bool> Gathering<'s, W> {
    fn new(server: &'s Server, is_wanted: W) -> Self {
        Self {
            server,
            is_wanted,
            members: Vec::new(),
            seen: HashSet::new(),
        }
    }

    fn add_here(&mut self, document: &'s Document) {
        if let Some(file) = file_of(document.uri()) {
            self.is_first(&file);
        }
        self.members.push(self.member(document));
    }

    fn add_open(&mut self) {
        // Their texts are not known, and what their files say does not count.
        for file in self.server.documents.aside().filter_map(file_of) {
            self.is_first(&file);
        }
        for document in self.server.documents.all() {
            self.add_document(document);
        }
    }

    fn add_document(&mut self, document: &'s Document) {
        let mut members = self.members.iter();
        let is_here = members.any(|member| member.uri == *document.uri());
        // Also what is not of interest is open, and its file does not count.
        let file = file_of(document.uri());
        let is_first = file.is_none_or(|file| self.is_first(&file));
        if is_first && !is_here && (self.is_wanted)(document.text().as_str()) {
            self.members.push(self.member(document));
        }
    }

    fn member(&self, document: &'s Document) -> Member<'s> {
        Member {
            uri: document.uri().clone(),
            shown: match file_of(document.uri()) {
                Some(file) => shown(&file),
                None => document.uri().as_ref().to_owned(),
            },
            version: Some(document.version()),
            text: Words::Open(document.text()),
            analysis: Rc::clone(document.analysis(&self.server.known)),
            shared: is_file_of(&self.server.config.tool_files, document.uri()),
        }
    }

    fn add_tools(&mut self) {
        for file in &self.server.config.tool_files {
            self.add_file(file, real(file), true);
        }
    }

    /// Adds the files of a folder that are neither hidden nor ignored by git, as `agent fmt` finds
    /// them.
    fn add_folder(&mut self, folder: &Path) {
        let real = real(folder);
        let mut walk = WalkBuilder::new(folder);
        walk.require_git(false).ignore(false);
        walk.sort_by_file_name(OsStr::cmp);
        for entry in walk.build().flatten() {
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            if is_file && entry.path().extension() == Some(OsStr::new("gram")) {
                // The walk follows no links, so that only the folder itself may have another name.
                let below = entry.path().strip_prefix(folder);
                let real = below.map_or_else(|_| entry.path().to_owned(), |below| real.join(below));
                self.add_file(entry.path(), real, false);
            }
        }
    }

    /// Adds a file, unless it is there. One that cannot be read, or is too long, has nothing to say.
    fn add_file(&mut self, file: &Path, real: PathBuf, shared: bool) {
        if self.seen.contains(&real) {
            return;
        }
        let encoding = self.server.client().encoding;
        let read = self.server.files.borrow_mut().read(&real, encoding);
        self.seen.insert(real);
        let Some(read) = read.filter(|read| (self.is_wanted)(read.text().as_str())) else {
            return;
        };
        let Some(uri) = uri_of(file) else {
            return;
        };
        let mut files = self.server.files.borrow_mut();
        self.members.push(Member {
            uri,
            shown: shown(file),
            version: None,
            analysis: files.analysis(&read, &self.server.known),
            text: Words::File(read),
            shared,
        });
    }

    fn is_first(&mut self, file: &Path) -> bool {
        self.seen.insert(real(file))
    }
}

/// The path without symbolic links, by which a file of several names is known.
fn real(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| file.to_owned())
}

/// A file as messages name it: by its last name, which is what editors show.
fn shown(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str());
    name.to_string_lossy().into_owned()
}

/// The folders that a client says in the parameters of `initialize` that it works in.
pub(super) fn roots_of(params: &Value) -> Vec<PathBuf> {
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
