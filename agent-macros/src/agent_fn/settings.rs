//! The settings in `#[agent_fn(…)]`: where the agent is written, or the agent itself.

use crate::agent::{GramSource, Options, flat, read_providers, read_source, read_texts, start};
use crate::export::read_export;
use crate::report::Report;
use crate::settings::{Setting, SettingsReader};
use crate::tokens::respanned;
use crate::tool_list::{Element, read_list, refuse_repeated};
use agent_spec::case::{Case, camel_case};
use agent_spec::instruction::{InstructionPart, parts};
use agent_spec::vocabulary::RecordKind;
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::{LitStr, Path, Type};

const WORDS: [&str; 10] = [
    "file",
    "gram",
    "agent",
    "tools",
    "providers",
    "exact",
    "export",
    "crate",
    "type_name",
    "rename_all",
];

const TOOLS_EXAMPLE: &str = "write `tools = [look_up]`";

/// The settings of the function of an agent.
#[derive(Default)]
pub(super) struct AgentSettings {
    /// The gram, if the agent is written in gram.
    pub(super) gram: Option<GramSource>,
    /// The settings that `agent!` has, too.
    pub(super) options: Options,
    pub(super) krate: Option<Path>,
    pub(super) type_name: Option<Ident>,
    pub(super) rename_all: Option<Case>,
    /// The properties of the agent, if it has no gram.
    pub(super) properties: Properties,
}

/// The properties of an agent that is written in the attribute.
#[derive(Default)]
pub(super) struct Properties {
    pub(super) name: Option<LitStr>,
    pub(super) description: Option<LitStr>,
    /// The names that the host fills.
    pub(super) variables: Option<Vec<LitStr>>,
    /// The other properties: the key in gram, the place of the word, and the value.
    pub(super) others: Vec<Property>,
    /// The first word of a property.
    pub(super) first: Option<Ident>,
}

/// A property of an agent.
pub(super) struct Property {
    pub(super) key: String,
    pub(super) word: Ident,
    pub(super) value: TokenStream,
}

/// Reads `#[agent_fn(…)]` of a function.
pub(super) fn read_agent_settings(report: &Report, tokens: TokenStream) -> AgentSettings {
    let mut reader = SettingsReader::new(report);
    let mut read = AgentSettings::default();
    reader.each(tokens, |reader, setting| {
        let place = setting.word.span();
        match setting.word.to_string().as_str() {
            "file" => {
                let path: Option<LitStr> = reader.value(setting, "\"agents/translate.gram\"");
                let source = path.map(|path| GramSource::File {
                    path: path.value(),
                    span: path.span(),
                });
                set_gram(report, &mut read, setting, source);
            }
            "gram" => {
                let source = read_gram(report, setting);
                set_gram(report, &mut read, setting, source);
            }
            "agent" => {
                let name: Option<LitStr> = reader.value(setting, "\"translate\"");
                read.options.agent = name.map(|name| (name.value(), name.span()));
            }
            "tools" => read.options.tools = read_tools(report, setting),
            "providers" => {
                let value = setting.value();
                let rest = read_providers(report, &mut read.options.providers, place, &value);
                if let Some(token) = rest.first() {
                    let message = "a comma is missing after the value of `providers`";
                    report.error(start(token), message);
                }
            }
            "exact" => read.options.exact = reader.flag(setting).is_some(),
            "export" => {
                read.options.export = read_export(reader, setting).map(|folder| (folder, place));
            }
            "crate" => read.krate = reader.crate_path(setting),
            "type_name" => read.type_name = reader.value(setting, "TranslateAgent"),
            "rename_all" => read.rename_all = reader.case(setting),
            _ => read_property(report, reader, setting, &mut read.properties),
        }
    });
    refuse_contradictions(report, &read);
    read
}

fn set_gram(
    report: &Report,
    read: &mut AgentSettings,
    setting: &Setting,
    source: Option<GramSource>,
) {
    if read.gram.is_some() {
        let message = "an agent has one source: `file` or `gram`; remove one of them";
        report.error(setting.word.span(), message);
    }
    // A source with an error counts as a source, so that no missing source is reported.
    let none = || GramSource::Tokens(TokenStream::new());
    read.gram = Some(source.unwrap_or_else(none));
}

/// Reads the gram after `gram =`: tokens, in braces if they are several patterns, or a string literal.
fn read_gram(report: &Report, setting: &Setting) -> Option<GramSource> {
    const EXAMPLE: &str = "write the agent: `gram = [translate:Agent {…} | …]`";
    let Some(value) = setting.value.clone() else {
        report.error(setting.word.span(), EXAMPLE);
        return None;
    };
    let tokens: Vec<TokenTree> = flat(value).collect();
    let tokens = match tokens.as_slice() {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Brace => {
            group.stream().into_iter().collect()
        }
        _ => tokens,
    };
    Some(read_source(report, None, &tokens, EXAMPLE))
}

fn read_tools(report: &Report, setting: &Setting) -> Vec<Element> {
    let Some(value) = &setting.value else {
        report.error(setting.word.span(), TOOLS_EXAMPLE);
        return Vec::new();
    };
    let mut tokens = value.clone().into_iter();
    let mut elements = match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Group(list)), None) if list.delimiter() == Delimiter::Bracket => {
            read_list(report, list.stream(), TOOLS_EXAMPLE)
        }
        _ => match syn::parse2::<Type>(value.clone()) {
            Ok(ty) => vec![Element::Spread(Box::new(ty))],
            Err(error) => {
                let message = format!("{TOOLS_EXAMPLE} or the name of a set, `tools = GREETERS`");
                report.error(error.span(), message);
                Vec::new()
            }
        },
    };
    refuse_repeated(report, &mut elements, "agent");
    for element in &elements {
        if let Element::Method { .. } = element {
            let (start, end) = element.spans();
            let message = format!(
                "`{}` is a method, and an agent function has no value to call it on; call the agent with \
                 `Runtime::call`, and give it the library that has the value",
                element.name()
            );
            report.error_between(start, end, message);
        }
    }
    elements
}

/// Reads a property of the agent.
fn read_property(
    report: &Report,
    reader: &SettingsReader<'_>,
    setting: &Setting,
    read: &mut Properties,
) {
    let word = &setting.word;
    let name = word.to_string();
    match name.as_str() {
        "name" => read.name = reader.value(setting, "\"translate\""),
        "description" => {
            read.description = reader.value(setting, "\"Translates a text\"");
            if let Some(text) = &read.description
                && text.value().trim().is_empty()
            {
                report.error(text.span(), "the description of an agent must not be empty");
            }
        }
        "variables" => read.variables = Some(read_variables(report, setting)),
        _ => {
            let key = camel_case(&name);
            if !RecordKind::Agent
                .keys()
                .any(|known| known == key && Case::Snake.variant(known) == name)
            {
                return refuse_unknown(reader, word);
            }
            let value = match setting.value.clone() {
                // A flag of an agent, such as `requires_approval`.
                None => quote_spanned!(word.span()=> true),
                Some(value) if key.to_lowercase().ends_with("timeout") => duration(value),
                Some(value) => value,
            };
            let word = word.clone();
            read.others.push(Property { key, word, value });
        }
    }
    read.first.get_or_insert_with(|| word.clone());
}

/// Returns a length of time as gram writes it: `"5s"` in an attribute is `5s`.
fn duration(value: TokenStream) -> TokenStream {
    if let Ok(text) = syn::parse2::<LitStr>(value.clone())
        && let Ok(tokens) = text.value().parse::<TokenStream>()
    {
        return respanned(tokens, text.span());
    }
    value
}

fn read_variables(report: &Report, setting: &Setting) -> Vec<LitStr> {
    const EXAMPLE: &str =
        "write `variables = [\"today\"]`: the names that the program that runs the agent fills";
    let value = setting.value();
    let (names, rest) = read_texts(report, setting.word.span(), &value, true, EXAMPLE);
    if let Some(token) = rest.first() {
        report.error(start(token), EXAMPLE);
    }
    for name in &names {
        let text = name.value();
        if parts(&format!("{{{{{text}}}}}")) != [InstructionPart::Variable(&text)] {
            let message = format!(
                "{text:?} is not the name of a variable; write letters, digits, `_`, `-` or `.`"
            );
            report.error(name.span(), message);
        }
    }
    names
}

fn refuse_unknown(reader: &SettingsReader<'_>, word: &Ident) {
    let name = word.to_string();
    let keys = RecordKind::Agent.keys();
    let keys: Vec<String> = keys.map(|key| Case::Snake.variant(key)).collect();
    let keys = keys.iter().map(String::as_str);
    let known: Vec<&str> = WORDS.into_iter().chain(keys).collect();
    let in_snake = Case::Snake.variant(&name);
    if in_snake == name || !known.contains(&in_snake.as_str()) {
        return reader.unknown(word, &known, "an agent function");
    }
    let message = format!(
        "`{name}` is not a setting of an agent function; write it as Rust does: `{in_snake}`"
    );
    reader.report().error(word.span(), message);
}

/// Reports settings that exclude each other.
fn refuse_contradictions(report: &Report, read: &AgentSettings) {
    let is_gram = read.gram.is_some();
    if let (true, Some(word)) = (is_gram, &read.properties.first) {
        report.error(
            word.span(),
            format!(
                "`{word}` is a property of the agent, which is written in its gram; write it there"
            ),
        );
    }
    if let (Some(GramSource::File { .. }), Some((_, span))) = (&read.gram, &read.options.export) {
        report.error(
            *span,
            "`export` writes an agent of the code to a file, and this agent has a file; remove one of them",
        );
    }
    if is_gram {
        return;
    }
    if let Some((_, span)) = &read.options.agent {
        report.error(
            *span,
            "`agent` chooses an agent of a document; add `file = \"…\"` or `gram = […]`, or call this agent so with \
             `name = \"…\"`",
        );
    }
    if read.properties.first.is_none() && report.is_empty() {
        report.error(
            Span::call_site(),
            "the function has no agent: write `file = \"agents/translate.gram\"`, `gram = [translate:Agent {…} | …]`, \
             or the agent itself, `model = \"Provider/model-id\", instruction = \"…\"`",
        );
    }
}

impl Properties {
    /// Returns the value of a property that is a text, with its place.
    pub(super) fn text(&self, key: &str) -> Option<LitStr> {
        let property = self.others.iter().find(|property| property.key == key)?;
        syn::parse2(property.value.clone()).ok()
    }

    /// Returns the agent as gram at the tokens of the attribute, under the name `agent`, and without its signature.
    /// `place` is the place of the description, if it is a doc comment. The checker compares `variables` with the
    /// signature, so they are for the printed gram only.
    pub(super) fn tokens(
        &self,
        place: Span,
        description: Option<&str>,
        tools: &[Ident],
        variables: &[LitStr],
    ) -> TokenStream {
        let description = description.map(|description| {
            let place = self.description.as_ref().map_or(place, LitStr::span);
            let text = LitStr::new(description, place);
            quote!(description: #text)
        });
        let others = self.others.iter().map(|Property { key, word, value }| {
            let key = Ident::new(key, word.span());
            quote!(#key: #value)
        });
        let variables = (!variables.is_empty()).then(|| quote!(variables: [#(#variables),*]));
        let properties = description.into_iter().chain(others).chain(variables);
        let bar = (!tools.is_empty()).then(|| quote!(|));
        quote!([agent: Agent { #(#properties),* } #bar #(#tools),*])
    }
}
