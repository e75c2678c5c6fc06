//! What stands in `agent!(…)`: the head of an item, if it is one; options; gram.

use super::item::{Item, opt_item};
use super::options::{Options, read_options};
use super::source::{Source, read_source};
use crate::report::Report;
use crate::tool_list::take_crate_path;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

const EXAMPLE: &str = "write the agent: gram such as `[name:Agent {…} | …]`";

/// The parts, read.
pub(super) struct Input {
    /// The path of agent-runtime.
    pub(super) krate: TokenStream,
    /// What the agent is called as an item; none when it is an expression.
    pub(super) item: Option<Item>,
    pub(super) options: Options,
    pub(super) source: Source,
}

/// Reads everything. The first token is the group with the path of agent-runtime, which the public
/// macro puts there.
pub(super) fn parse_input(report: &Report, input: TokenStream) -> Input {
    let (krate, tokens) = take_crate_path(input);
    let tokens: Vec<TokenTree> = flat(tokens).collect();
    let (item, rest) = opt_item(report, &tokens);
    let (mut options, rest) = read_options(report, rest);
    if let (Some((_, span)), None) = (&options.export, &item) {
        report.error(
            *span,
            "`export` adds a test, which cannot stand in an expression; write an item: \
             `agent! { pub static GREETER, export, … }`",
        );
    }
    let source = read_source(report, options.file.take(), rest, EXAMPLE);
    Input {
        krate,
        item,
        options,
        source,
    }
}

/// The tokens without the groups that only hold together what a macro by example passed on, such as
/// a `$text:literal`.
fn flat(tokens: TokenStream) -> Box<dyn Iterator<Item = TokenTree>> {
    Box::new(tokens.into_iter().flat_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => flat(group.stream()),
        token => Box::new(std::iter::once(token)),
    }))
}
