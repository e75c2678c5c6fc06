//! The settings in `#[toolbox(…)]`.

use crate::report::Report;
use crate::settings::Reader;
use crate::tool::{read_case, read_export, read_path};
use agent_spec::case::Case;
use proc_macro2::{Span, TokenStream};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, LitStr, Path, Token};

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

/// The settings of a block. A flag holds where it stands.
#[derive(Default)]
pub(super) struct Settings {
    /// What this part of a toolbox is called.
    pub(super) part: Option<Ident>,
    /// The other blocks of this toolbox.
    pub(super) parts: Option<(Span, Vec<Path>)>,
    pub(super) prefix: Option<LitStr>,
    pub(super) rename_all: Option<Case>,
    /// The folder.
    pub(super) export: Option<(Span, String)>,
    pub(super) krate: Option<Path>,
    pub(super) sequential: Option<Span>,
    pub(super) require_descriptions: Option<Span>,
}

/// Reads `#[toolbox(…)]`.
pub(super) fn read_settings(report: &Report, tokens: TokenStream) -> Settings {
    let mut reader = Reader::new(report);
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
