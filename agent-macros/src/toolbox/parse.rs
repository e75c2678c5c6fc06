//! Parses the block of a toolbox and its settings.

use super::block::{Block, Item};
use crate::crate_path::tool_path;
use crate::report::Report;
use crate::settings::SettingsReader;
use crate::tool::{
    Function, ParsedTool, ToolAttribute, is_tool, read_case, read_export, read_path, read_tool,
    strip_attributes,
};
use agent_spec::case::Case;
use agent_spec::names::is_tool_name;
use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Ident, LitStr, Meta, Path, Token};

/// A block with the settings of its toolbox. Our attributes are removed from its methods.
pub(super) struct ParsedToolbox {
    pub(super) block: Block,
    pub(super) settings: Settings,
}

impl ParsedToolbox {
    /// Returns the methods that are tools.
    pub(super) fn tools(&self) -> impl Iterator<Item = &ParsedTool> {
        self.block.items.iter().filter_map(|item| match item {
            Item::Tool(tool) => Some(&**tool),
            _ => None,
        })
    }

    /// Returns the path of agent-runtime.
    pub(super) fn krate(&self) -> TokenStream {
        tool_path(self.settings.krate.as_ref())
    }
}

/// Parses the block and all settings. Returns `None` if the item is not a block of methods.
pub(super) fn parse_toolbox(
    report: &Report,
    arguments: TokenStream,
    item: TokenStream,
) -> Option<ParsedToolbox> {
    let mut block = match Block::parse.parse2(item) {
        Ok(block) => block,
        Err(error) => {
            report.error(
                error.span(),
                "`#[toolbox]` goes on an `impl` block, whose methods it makes tools",
            );
            return None;
        }
    };
    let settings = read_settings(report, arguments);
    for attribute in &block.attributes {
        if is_named(attribute, "toolbox") {
            report.error(
                attribute.path().span(),
                "`#[toolbox]` is there twice; remove one",
            );
        }
    }
    block
        .attributes
        .retain(|attribute| !is_named(attribute, "toolbox"));
    block.items = block
        .items
        .into_iter()
        .map(|item| match item {
            Item::Function(function) => read_method(report, &settings, *function),
            other => other,
        })
        .collect();
    Some(ParsedToolbox { block, settings })
}

/// Reads a method as a tool, if it has `#[tool]`.
fn read_method(report: &Report, settings: &Settings, mut function: Function) -> Item {
    let is_tool_attribute = |attribute: &Attribute| is_named(attribute, "tool");
    let Some(at) = function.attributes.iter().position(is_tool_attribute) else {
        refuse_settings_of_no_tool(report, &mut function);
        return Item::Function(Box::new(function));
    };
    let attribute = function.attributes.remove(at);
    let arguments = match attribute.meta {
        Meta::Path(_) => TokenStream::new(),
        Meta::List(list) => list.tokens,
        Meta::NameValue(meta) => {
            report.error(
                meta.eq_token.span,
                "write settings in parentheses: `#[tool(name = \"find\")]`",
            );
            TokenStream::new()
        }
    };
    let mut tool = read_tool(report, arguments, function);
    let own = &mut tool.settings;
    if own.export.is_some() {
        report.error(
            tool.function.signature.ident.span(),
            "`export` writes all tools of a toolbox to one file: `#[toolbox(export)]`",
        );
    }
    for (word, span) in [
        ("type_name", own.type_name.as_ref().map(Spanned::span)),
        ("crate", own.krate.as_ref().map(Spanned::span)),
    ] {
        if let Some(span) = span {
            report.error(
                span,
                format!("`{word}` is for functions; {}", instead_of(word)),
            );
        }
    }
    if let (None, Some(prefix)) = (&own.name, &settings.prefix)
        && is_tool_name(&prefix.value())
    {
        let method = &tool.function.signature.ident;
        let case = own
            .rename_all
            .or(settings.rename_all)
            .unwrap_or(Case::Camel);
        let name = case.of_rust(&format!("{}_{}", prefix.value(), method.unraw()));
        own.name = Some(LitStr::new(&name, method.span()));
    }
    own.krate.clone_from(&settings.krate);
    own.rename_all = own.rename_all.or(settings.rename_all);
    own.sequential = own.sequential.or(settings.sequential);
    own.require_descriptions = own.require_descriptions.or(settings.require_descriptions);
    Item::Tool(Box::new(tool))
}

fn instead_of(word: &str) -> &'static str {
    if word == "crate" {
        "for all methods of a block write it in `#[toolbox(crate = path)]`"
    } else {
        "a method has no type of its own, and is named `Type::method`"
    }
}

/// Reports and removes settings on the parameters of a method without `#[tool]`, because rustc
/// would report an unknown attribute.
fn refuse_settings_of_no_tool(report: &Report, function: &mut Function) {
    let inputs = function.signature.parameters();
    let attributes = inputs.flat_map(|parameter| &parameter.attributes);
    let mut found = false;
    for attribute in attributes.filter(|attribute| is_tool(attribute)) {
        report.error(
            attribute.path().span(),
            "this is a setting of a tool, and the method is none; write `#[tool]` on it",
        );
        found = true;
    }
    if found {
        strip_attributes(function, ToolAttribute::Tool);
    }
}

/// Whether the last name of the attribute's path is `name`.
fn is_named(attribute: &Attribute, name: &str) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|segment| segment.ident == name)
}

const PART: &str = "part";
const PARTS: &str = "parts";
const PREFIX: &str = "prefix";
const RENAME_ALL: &str = "rename_all";
const EXPORT: &str = "export";
const CRATE: &str = "crate";
const SEQUENTIAL: &str = "sequential";
const REQUIRE_DESCRIPTIONS: &str = "require_descriptions";

const WORDS: [&str; 8] = [
    PART,
    PARTS,
    PREFIX,
    RENAME_ALL,
    EXPORT,
    CRATE,
    SEQUENTIAL,
    REQUIRE_DESCRIPTIONS,
];

/// The settings of a block. A flag is the span of its word.
#[derive(Default)]
pub(super) struct Settings {
    /// The name of this part of a toolbox.
    pub(super) part: Option<Ident>,
    /// The other blocks of this toolbox.
    pub(super) parts: Option<(Span, Vec<Path>)>,
    pub(super) prefix: Option<LitStr>,
    pub(super) rename_all: Option<Case>,
    /// The span of the word, and the folder.
    pub(super) export: Option<(Span, String)>,
    pub(super) krate: Option<Path>,
    pub(super) sequential: Option<Span>,
    pub(super) require_descriptions: Option<Span>,
}

/// Reads `#[toolbox(…)]`.
fn read_settings(report: &Report, tokens: TokenStream) -> Settings {
    let mut reader = SettingsReader::new(report);
    let mut read = Settings::default();
    for setting in reader.settings(tokens) {
        if !reader.is_new(&setting) {
            continue;
        }
        match setting.word.to_string().as_str() {
            PART => read.part = reader.value(&setting, "Writes"),
            PARTS => {
                read.parts = reader
                    .value::<Paths>(&setting, "[Writes, reports::Reports]")
                    .map(|paths| (setting.word.span(), paths.0));
            }
            PREFIX => read.prefix = reader.value(&setting, "\"db\""),
            RENAME_ALL => read.rename_all = read_case(&reader, &setting),
            EXPORT => {
                let folder = read_export(&reader, &setting);
                read.export = folder.map(|folder| (setting.word.span(), folder));
            }
            CRATE => read.krate = read_path(report, &setting),
            SEQUENTIAL => read.sequential = reader.flag(&setting),
            REQUIRE_DESCRIPTIONS => read.require_descriptions = reader.flag(&setting),
            _ => reader.unknown(&setting.word, &WORDS, "a toolbox"),
        }
    }
    read
}

/// `[a::B, C]`
struct Paths(Vec<Path>);

impl Parse for Paths {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let list;
        syn::bracketed!(list in input);
        let paths =
            Punctuated::<Path, Token![,]>::parse_terminated_with(&list, Path::parse_mod_style)?;
        Ok(Self(paths.into_iter().collect()))
    }
}
