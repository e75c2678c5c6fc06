//! Documents on disk: the code that the `agent` command and the language server share.
//!
//! - [`source`] reads files.
//! - [`excerpt`] has the lines of a text that are shown with a finding.
//! - [`find_documents`] finds the documents in folders.
//! - [`known_tools`] holds the tools, providers and models that a document may name without declaring them.
//! - [`loaded_project`] reads the project file of a document, and the files that it names.
//! - [`reach`] has the folders, hosts, variables and commands that the tools of an agent can reach.
//! - [`report`] writes diagnostics as lines of text.

pub mod excerpt;
pub mod find_documents;
pub mod known_tools;
pub mod loaded_project;
pub mod reach;
pub mod report;
pub mod source;
