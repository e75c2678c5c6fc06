//! Documents with the tools of MCP servers: `mcp: ["mcp/files.gram"]`.

use super::document::Document;
use super::errors;
use super::options::SpannedText;
use crate::locked_tool::LockedTool;
use crate::report::Report;
use crate::tool_list::Element;
use agent_spec::ToolSpec;
use agent_spec::check::{Options, check};
use proc_macro2::TokenStream;
use quote::quote;

/// The tools of the documents that `mcp` lists.
#[derive(Default)]
pub(crate) struct Locks {
    documents: Vec<Document>,
    tools: Vec<LockedTool>,
}

impl Locks {
    /// Reads the documents. Reports their errors at the literals with their paths.
    pub(super) fn read(report: &Report, paths: &[SpannedText]) -> Self {
        let mut locks = Self::default();
        for (path, span) in paths {
            let Some(document) = Document::read_file(report, path, *span) else {
                continue;
            };
            let checked = check(document.text(), Options::default());
            document.report(report, &errors(&checked));
            if !checked.agents.is_empty() {
                let message = format!(
                    "`{path}` declares an agent; `mcp` lists documents with the tools of servers"
                );
                report.error(*span, message);
            }
            locks
                .tools
                .extend(checked.tools.iter().map(|node| LockedTool {
                    spec: node.spec.clone(),
                    span: *span,
                    is_used: false,
                }));
            locks.documents.push(document);
        }
        locks
    }

    /// Returns the elements of the list of tools.
    pub(super) fn elements(&self, is_used: impl Fn(&str) -> bool) -> impl Iterator<Item = Element> {
        self.tools.iter().map(move |tool| {
            let is_used = is_used(tool.spec.name());
            let tool = tool.clone();
            Element::Locked(Box::new(LockedTool { is_used, ..tool }))
        })
    }

    /// Returns the spec of a tool.
    pub(super) fn spec(&self, name: &str) -> Option<&ToolSpec> {
        let mut specs = self.tools.iter().map(|tool| &tool.spec);
        specs.find(|spec| spec.name() == name)
    }

    /// Returns items that make cargo build again when a document changes.
    pub(super) fn tracked(&self, rt: &TokenStream) -> TokenStream {
        let documents = self.documents.iter();
        let tracked = documents.map(|document| document.tracked(rt));
        quote!(#(#tracked)*)
    }
}
