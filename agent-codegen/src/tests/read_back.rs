//! Reads generated code as the macros read it.

use agent_spec::binding::description_matches;
use agent_spec::case::camel_case;
use agent_spec::doc_comment;
use agent_spec::types::fields_of;
use agent_spec::{Field, Kind, Shape, ToolSpec, Type};
use std::collections::{HashMap, HashSet};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, FnArg, Item, ItemFn, Lit, Meta, ReturnType, Token};

pub(super) struct Module {
    tools: Vec<ItemFn>,
    types: HashMap<String, Item>,
    names: Vec<String>,
}

impl Module {
    pub(super) fn read(text: &str) -> Self {
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
        let mut module = Self {
            tools: Vec::new(),
            types: HashMap::new(),
            names: Vec::new(),
        };
        for item in file.items {
            let name = match &item {
                Item::Fn(function) => function.sig.ident.to_string(),
                Item::Struct(item) => item.ident.to_string(),
                Item::Enum(item) => item.ident.to_string(),
                Item::Type(item) => item.ident.to_string(),
                _ => continue,
            };
            module.names.push(name.clone());
            match item {
                Item::Fn(function) if name != "not_written" => module.tools.push(function),
                Item::Fn(_) => {}
                item => {
                    module.types.insert(name, item);
                }
            }
        }
        module
    }

    pub(super) fn assert_names_differ(&self) {
        assert_differ(self.names.iter().cloned());
        for tool in &self.tools {
            assert_differ(
                tool.sig
                    .inputs
                    .iter()
                    .map(|input| ident_of(input).to_string()),
            );
        }
        for item in self.types.values() {
            match item {
                Item::Struct(item) => {
                    assert_differ(
                        item.fields
                            .iter()
                            .filter_map(|f| Some(f.ident.as_ref()?.to_string())),
                    );
                }
                Item::Enum(item) => {
                    assert_differ(item.variants.iter().map(|v| v.ident.to_string()))
                }
                _ => {}
            }
        }
    }

    /// Fails unless the function at a position matches a tool.
    pub(super) fn assert_matches(&self, at: usize, tool: &ToolSpec) {
        let function = &self.tools[at];
        let settings = Settings::of(&function.attrs, "tool");
        let name = settings
            .text("name")
            .unwrap_or_else(|| camel_case(&function.sig.ident.to_string()));
        assert_eq!(name, tool.name());
        let description = settings
            .text("description")
            .unwrap_or_else(|| doc_comment::description(&[&doc_of(&function.attrs)]));
        assert!(
            description_matches(&description, tool.description()),
            "{description:?} for {:?}",
            tool.description()
        );
        let params = tool.signature().params();
        assert_eq!(function.sig.inputs.len(), params.len());
        for (input, param) in function.sig.inputs.iter().zip(params) {
            let FnArg::Typed(typed) = input else {
                panic!("a parameter")
            };
            let settings = Settings::of(&typed.attrs, "tool");
            let name = settings
                .text("name")
                .unwrap_or_else(|| camel_case(&ident_of(input).to_string()));
            self.assert_matches_field(param, &name, &typed.ty, &typed.attrs, &settings);
        }
        let ReturnType::Type(_, ty) = &function.sig.output else {
            panic!("a result")
        };
        let ok = argument(ty, "Result").expect("a result");
        self.assert_is(&ok, tool.signature().returns().ty());
    }

    fn assert_matches_field(
        &self,
        field: &Field,
        name: &str,
        ty: &syn::Type,
        attributes: &[Attribute],
        settings: &Settings,
    ) {
        assert_eq!(name, field.name());
        let doc =
            Some(doc_comment::description(&[&doc_of(attributes)])).filter(|text| !text.is_empty());
        let description = settings.text("description").or(doc);
        assert_eq!(
            description.as_deref(),
            field.description().filter(|text| !text.is_empty()),
        );
        let is_option = argument(&self.plain(ty), "Option").is_some();
        assert_eq!(
            field.is_optional(),
            is_option || settings.has("default"),
            "{name}"
        );
        self.assert_is(ty, &field.ty().clone().with_optional(is_option));
    }

    /// Fails unless a Rust type matches a gram type.
    fn assert_is(&self, rust: &syn::Type, gram: &Type) {
        let rust = self.plain(rust);
        if gram.is_optional() {
            let inner = argument(&rust, "Option").expect("an option");
            return self.assert_is(&inner, &gram.clone().with_optional(false));
        }
        if let (Kind::Tuple(types), syn::Type::Tuple(tuple)) = (gram.kind(), &rust) {
            assert_eq!(types.len(), tuple.elems.len());
            let pairs = tuple.elems.iter().zip(types.iter());
            return pairs.for_each(|(rust, gram)| self.assert_is(rust, gram));
        }
        let word = last_word(&rust);
        if let Some(Item::Struct(item)) = self.types.get(&word)
            && item.fields.iter().all(|field| field.ident.is_none())
            && let Some(inner) = item.fields.iter().next()
        {
            assert!(!gram.constraints().is_none());
            return self.assert_is(&inner.ty, gram);
        }
        match gram.kind() {
            Kind::Text if word != "String" => {
                let Some(Item::Enum(item)) = self.types.get(&word) else {
                    panic!("`{word}` is no enum")
                };
                let allowed = gram.constraints().enumeration().len();
                assert!(item.variants.len() <= allowed && !item.variants.is_empty());
            }
            Kind::Text => assert_eq!(word, "String"),
            Kind::Int => assert!(word == "i64" || word == "i128", "{word}"),
            Kind::Double => assert_eq!(word, "f64"),
            Kind::Bool => assert_eq!(word, "bool"),
            Kind::Array(element) => {
                self.assert_is(&argument(&rust, "Vec").expect("a list"), element.get());
            }
            Kind::Object(Shape::Open) => assert_eq!(word, "Map"),
            Kind::Object(Shape::Map(value)) => {
                self.assert_is(&argument(&rust, "BTreeMap").expect("a map"), value.get());
            }
            Kind::Object(Shape::Fields(fields)) => {
                self.assert_is_record(&word, fields_of(fields), None);
            }
            Kind::Object(Shape::Extended(fields, further)) => {
                self.assert_is_record(&word, fields_of(fields), Some(further.get()));
            }
            Kind::Union(types) => {
                let Some(Item::Enum(item)) = self.types.get(&word) else {
                    panic!("`{word}` is no enum")
                };
                assert!(is_marked(&item.attrs, "untagged"));
                assert_eq!(item.variants.len(), types.len());
                for (variant, gram) in item.variants.iter().zip(types.iter()) {
                    let held = variant.fields.iter().next().expect("it holds a type");
                    self.assert_is(&held.ty, gram);
                }
            }
            _ => assert_eq!(word, "Value"),
        }
    }

    fn assert_is_record(&self, word: &str, fields: &[Field], further: Option<&Type>) {
        let Some(Item::Struct(item)) = self.types.get(word) else {
            panic!("`{word}` is no struct")
        };
        let maps = item.fields.iter().skip(fields.len());
        let maps: Vec<&syn::Field> = maps.collect();
        assert_eq!(maps.len(), usize::from(further.is_some()));
        for (map, further) in maps.iter().zip(further) {
            assert!(is_marked(&map.attrs, "flatten"));
            let map = self.plain(&map.ty);
            self.assert_is(&argument(&map, "BTreeMap").expect("a map"), further);
        }
        let rule = Settings::of(&item.attrs, "serde").text("rename_all");
        for (rust, field) in item.fields.iter().zip(fields) {
            let ident = rust.ident.as_ref().expect("a name").to_string();
            let ident = ident.strip_prefix("r#").unwrap_or(&ident);
            let name = Settings::of(&rust.attrs, "serde").text("rename");
            let name = name.unwrap_or_else(|| match rule.as_deref() {
                None => ident.to_owned(),
                Some("camelCase") => camel_case(ident),
                Some("kebab-case") => ident.replace('_', "-"),
                Some("SCREAMING_SNAKE_CASE") => ident.to_ascii_uppercase(),
                // In Pascal case, a run of capitals is one word.
                Some(_) => field.name().to_owned(),
            });
            let settings = Settings::of(&rust.attrs, "gram");
            self.assert_matches_field(field, &name, &rust.ty, &rust.attrs, &settings);
        }
    }

    /// Resolves an alias.
    fn plain(&self, ty: &syn::Type) -> syn::Type {
        match self.types.get(&last_word(ty)) {
            Some(Item::Type(alias)) => self.plain(&alias.ty),
            _ => ty.clone(),
        }
    }
}

/// The arguments of an attribute.
struct Settings(HashMap<String, Expr>);

impl Settings {
    fn of(attributes: &[Attribute], name: &str) -> Self {
        let mut settings = HashMap::new();
        let own = attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident(name));
        for attribute in own.filter(|attribute| matches!(attribute.meta, Meta::List(_))) {
            let read = attribute.parse_nested_meta(|meta| {
                let word = meta.path.segments.last().expect("a word").ident.to_string();
                if meta.input.is_empty() {
                    // A mark, such as `untagged`.
                    return Ok(());
                }
                let value = meta.value()?.parse()?;
                assert!(settings.insert(word, value).is_none(), "a setting twice");
                Ok(())
            });
            read.expect("settings");
        }
        Self(settings)
    }

    fn has(&self, word: &str) -> bool {
        self.0.contains_key(word)
    }

    fn text(&self, word: &str) -> Option<String> {
        text_of(self.0.get(word)?)
    }
}

/// Whether attributes of serde have a word without a value.
fn is_marked(attributes: &[Attribute], word: &str) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("serde")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|path| path.is_ident(word))
    })
}

fn text_of(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

fn doc_of(attributes: &[Attribute]) -> String {
    let texts = attributes
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(meta) if meta.path.is_ident("doc") => text_of(&meta.value),
            _ => None,
        });
    texts.collect::<Vec<_>>().join("\n")
}

fn ident_of(input: &FnArg) -> &syn::Ident {
    match input {
        FnArg::Typed(typed) => match &*typed.pat {
            syn::Pat::Ident(pattern) => &pattern.ident,
            _ => panic!("a name"),
        },
        FnArg::Receiver(_) => panic!("a function"),
    }
}

fn last_word(ty: &syn::Type) -> String {
    match ty {
        syn::Type::Path(path) => path
            .path
            .segments
            .last()
            .map_or_else(String::new, |s| s.ident.to_string()),
        _ => String::new(),
    }
}

/// Returns the `T` of `Option<T>`, `Vec<T>`, `BTreeMap<String, T>` or `Result<T, E>`.
fn argument(ty: &syn::Type, name: &str) -> Option<syn::Type> {
    let syn::Type::Path(path) = ty else {
        return None;
    };
    let segment = path
        .path
        .segments
        .last()
        .filter(|segment| segment.ident == name)?;
    let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    let list: &Punctuated<_, Token![,]> = &arguments.args;
    let argument = if name == "BTreeMap" {
        list.last()
    } else {
        list.first()
    };
    match argument? {
        syn::GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    }
}

fn assert_differ(names: impl Iterator<Item = String>) {
    let mut known = HashSet::new();
    for name in names {
        assert!(known.insert(name.clone()), "`{name}` twice");
    }
}
