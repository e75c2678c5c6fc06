//! Parses the block of a toolbox and its settings.

use super::block::{Block, Item};
use crate::crate_path::tool_path;
use crate::export::read_export;
use crate::report::Report;
use crate::settings::SettingsReader;
use crate::tool::{Function, ParsedTool, ToolAttribute, is_tool, read_tool, strip_attributes};
use agent_spec::case::Case;
use agent_spec::names::is_tool_name;
use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
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
    let mut block = match Block::parse(item) {
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
    for attribute in &block.head.attrs {
        if is_named(attribute, "toolbox") {
            report.error(
                attribute.path().span(),
                "`#[toolbox]` is there twice; remove one",
            );
        }
    }
    block
        .head
        .attrs
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
    if let Some(name) = &own.type_name {
        report.error(
            name.span(),
            "`type_name` is for functions; a method has no type of its own, and is named `Type::method`",
        );
    }
    if let Some(path) = &own.krate {
        report.error(
            path.span(),
            "`crate` is for functions; for all methods of a block write it in `#[toolbox(crate = path)]`",
        );
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
    if own.flag("sequential").is_none() {
        own.flags.extend(settings.sequential.clone());
    }
    own.require_descriptions = own.require_descriptions.or(settings.require_descriptions);
    Item::Tool(Box::new(tool))
}

/// Reports and removes settings on the parameters of a method without `#[tool]`, because rustc
/// would report an unknown attribute.
fn refuse_settings_of_no_tool(report: &Report, function: &mut Function) {
    let attributes = function.parameters().flat_map(|parameter| &parameter.attrs);
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

const WORDS: [&str; 8] = [
    "part",
    "parts",
    "prefix",
    "rename_all",
    "export",
    "crate",
    "sequential",
    "require_descriptions",
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
    /// The word, if the flag is set.
    pub(super) sequential: Option<Ident>,
    pub(super) require_descriptions: Option<Span>,
}

/// Reads `#[toolbox(…)]`.
fn read_settings(report: &Report, tokens: TokenStream) -> Settings {
    let mut reader = SettingsReader::new(report);
    let mut read = Settings::default();
    reader.each(tokens, |reader, setting| {
        let place = setting.word.span();
        match setting.word.to_string().as_str() {
            "part" => read.part = reader.value(setting, "Writes"),
            "parts" => {
                let paths: Option<Paths> = reader.value(setting, "[Writes, reports::Reports]");
                read.parts = paths.map(|paths| (place, paths.0));
            }
            "prefix" => read.prefix = reader.value(setting, "\"db\""),
            "rename_all" => read.rename_all = reader.case(setting),
            "export" => read.export = read_export(reader, setting).map(|folder| (place, folder)),
            "crate" => read.krate = reader.crate_path(setting),
            "sequential" => {
                read.sequential = reader.flag(setting).map(|_| setting.word.clone());
            }
            "require_descriptions" => read.require_descriptions = reader.flag(setting),
            _ => reader.unknown(&setting.word, &WORDS, "a toolbox"),
        }
    });
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
