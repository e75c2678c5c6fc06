//! Rust types for gram types.

use crate::attribute::{AttributeArgs, Literal};
use crate::doc_comment::{field_comment, is_plain};
use crate::identifier::{Scope, pascal};
use crate::line_width::{LINE, width_of};
use crate::serde_rename::{field_renames, variant_renames};
use crate::type_name::TypePath;
use agent_gram::Value;
use agent_spec::types::{Bound, Constraint, fields_of, types_of};
use agent_spec::vocabulary::{Keyword, TypeFamily};
use agent_spec::{Constraints, Field, Kind, MediaKind, Param, Returns, Shape, Signature, Type};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The maximum width of a type that is written in full. Parts of a wider type get names.
const TYPE_WIDTH: usize = 52;

/// The maximum nesting of a type that is written in full. clippy warns about deeper types.
const TYPE_NESTING: usize = 4;

/// The maximum width of the elements of a tuple on one line, as rustfmt has it.
pub(crate) const TUPLE_WIDTH: usize = 60;

/// The maximum number of elements of a tuple that has a type in gram.
const TUPLE_LENGTH: usize = 12;

/// Names that have another meaning in the module: the names that the module imports, and the names of the
/// prelude.
const TAKEN: [&str; 47] = [
    "Audio",
    "BTreeMap",
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Deserialize",
    "Document",
    "Drop",
    "Eq",
    "Err",
    "Fn",
    "From",
    "GramType",
    "Image",
    "Map",
    "None",
    "Ok",
    "Option",
    "Part",
    "PartialEq",
    "Result",
    "Serialize",
    "Some",
    "String",
    "ToolError",
    "Vec",
    "AsMut",
    "AsRef",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "Extend",
    "FnMut",
    "FnOnce",
    "FromIterator",
    "Into",
    "IntoIterator",
    "Iterator",
    "Ord",
    "PartialOrd",
    "Self",
    "Send",
    "Sized",
    "Sync",
    "ToString",
    "Value",
];

/// The generated types of a module.
pub(crate) struct Types {
    names: Scope,
    /// The names of the generated types by their definitions.
    known: HashMap<String, String>,
    /// The items that are not printed yet, each behind the item that needs it first.
    items: Vec<String>,
    /// The names that the types import.
    pub(crate) uses: BTreeSet<&'static str>,
    /// Warnings about the parts of types that attributes cannot express.
    pub(crate) warnings: Vec<String>,
}

impl Types {
    /// Creates a module without types. `taken` are more names that have another meaning in the module.
    pub(crate) fn new(taken: &[&'static str]) -> Self {
        Self {
            names: Scope::with(&[&TAKEN[..], taken].concat()),
            known: HashMap::new(),
            items: Vec::new(),
            uses: BTreeSet::new(),
            warnings: Vec::new(),
        }
    }

    /// Returns the items that were generated since the last call.
    pub(crate) fn take_items(&mut self) -> Vec<String> {
        std::mem::take(&mut self.items)
    }

    /// Generates the type of a parameter or field, with the arguments of its attribute.
    pub(crate) fn of_field(
        &mut self,
        field: &Field,
        path: &TypePath,
        is_wide: bool,
    ) -> (String, AttributeArgs) {
        let ty = field.ty();
        let is_wide = is_wide || field.default().is_some_and(has_wide_integer);
        let mut args = AttributeArgs::default();
        let default = field.default().and_then(Literal::of);
        // A default without a literal is left to the document.
        let is_optional = ty.is_optional() || (field.default().is_some() && default.is_none());
        args.add_if(Keyword::Default.word(), default);
        let rust = match self.enumeration(ty, path) {
            Some(name) => name,
            None => {
                self.constraints(&mut args, ty.constraints(), path);
                self.bare(ty, path, is_wide)
            }
        };
        (self.optional_if(is_optional, rust, path), args)
    }

    /// Generates the type of a result.
    pub(crate) fn of_result(&mut self, ty: &Type, path: &TypePath) -> String {
        if matches!(ty.kind(), Kind::Any) {
            // `Any` has no attributes in a result, because every value that a tool returns is `Any`.
            let any = self.bare(ty, path, false);
            return self.optional_if(ty.is_optional(), any, path);
        }
        self.of_type(ty, path, false)
    }

    /// Generates a type that has no attribute beside it: in a list, in a map, or as a result.
    fn of_type(&mut self, ty: &Type, path: &TypePath, is_wide: bool) -> String {
        let required = match self.enumeration(ty, path) {
            Some(name) => name,
            None if ty.constraints().is_none() => self.bare(ty, path, is_wide),
            None => self.narrowed(ty, path, is_wide),
        };
        self.optional_if(ty.is_optional(), required, path)
    }

    fn optional_if(&mut self, is_optional: bool, rust: String, path: &TypePath) -> String {
        match is_optional {
            true => self.generic("Option", "", rust, path),
            false => rust,
        }
    }

    /// Generates the type without its constraints and without `Option`.
    fn bare(&mut self, ty: &Type, path: &TypePath, is_wide: bool) -> String {
        let is_wide = is_wide || has_wide_bounds(ty.constraints());
        match ty.kind() {
            Kind::Null => "()".to_owned(),
            Kind::Text => "String".to_owned(),
            Kind::Int if is_wide => "i128".to_owned(),
            Kind::Int => "i64".to_owned(),
            Kind::Double => "f64".to_owned(),
            Kind::Bool => "bool".to_owned(),
            Kind::Array(element) => {
                let item = self.of_type(element.get(), &path.item(), is_wide);
                self.generic("Vec", "", item, path)
            }
            Kind::Object(Shape::Open) => {
                self.uses.extend(["Map", "Value"]);
                "Map<String, Value>".to_owned()
            }
            Kind::Object(Shape::Map(value)) => {
                self.uses.insert("BTreeMap");
                let value = self.of_type(value.get(), &path.item(), is_wide);
                self.generic("BTreeMap", "String, ", value, path)
            }
            Kind::Object(Shape::Fields(fields)) => {
                self.record(fields_of(fields), None, ty, path, is_wide)
            }
            Kind::Object(Shape::Extended(fields, further)) => {
                self.record(fields_of(fields), Some(further.get()), ty, path, is_wide)
            }
            Kind::Union(types) => self.union(types_of(types), ty, path, is_wide),
            Kind::Tuple(types) if types.len() <= TUPLE_LENGTH => {
                let items = types
                    .iter()
                    .map(|ty| self.of_type(ty, &path.item(), is_wide));
                let items: Vec<String> = items.collect();
                let end = if items.len() == 1 { "," } else { "" };
                let together = items.join(", ");
                let tuple = format!("({together}{end})");
                if width_of(&tuple) <= TYPE_WIDTH {
                    tuple
                } else if width_of(&together) <= TUPLE_WIDTH {
                    self.alias(&tuple, path)
                } else {
                    self.alias(&format!("(\n    {},\n)", items.join(",\n    ")), path)
                }
            }
            Kind::Media(MediaKind::Parts) => {
                self.uses.insert("Part");
                "Vec<Part>".to_owned()
            }
            Kind::Media(media) => {
                self.uses.insert(media.label());
                media.label().to_owned()
            }
            Kind::Any => self.any_value(),
            // A JSON value can hold a value of any kind, including a kind that is added later.
            _ => {
                self.warnings.push(format!(
                    "`{}` has a type that is new or too long a tuple, which is generated as any value; \
                     `agent!` refuses the function until you write a type for it",
                    path.tool,
                ));
                self.any_value()
            }
        }
    }

    fn any_value(&mut self) -> String {
        self.uses.insert("Value");
        "Value".to_owned()
    }

    /// Generates the struct for a record, with a map for the further keys of a record that has them.
    fn record(
        &mut self,
        fields: &[Field],
        further: Option<&Type>,
        ty: &Type,
        path: &TypePath,
        is_wide: bool,
    ) -> String {
        let plain = Type::new(ty.kind().clone());
        let key = format!("struct {is_wide} {}", type_key(&plain));
        if let Some(name) = self.known.get(&key) {
            return name.clone();
        }
        let (name, at) = self.reserve(key, path);
        self.uses.insert("derive");
        self.items[at] = struct_item(self, &name, fields, further, path, is_wide);
        name
    }

    /// Generates the enum for a union, with a variant for each type. The variants have no names in JSON, so
    /// they are named for what they hold.
    fn union(&mut self, types: &[Type], ty: &Type, path: &TypePath, is_wide: bool) -> String {
        let plain = Type::new(ty.kind().clone());
        let key = format!("union {is_wide} {}", type_key(&plain));
        if let Some(name) = self.known.get(&key) {
            return name.clone();
        }
        let (name, at) = self.reserve(key, path);
        self.uses.insert("derive");
        let mut scope = Scope::with(&["Self"]);
        let mut lines = item_head(path, "Clone, Debug, Deserialize, GramType, Serialize");
        lines.extend(field_renames(&[]).container().lines("serde", 0));
        lines.push("#[serde(untagged)]".to_owned());
        lines.push(format!("pub enum {name} {{"));
        for ty in types {
            let variant = scope.take(&[variant_name(ty)], "");
            let held = self.of_type(ty, &path.field(&variant), is_wide);
            let line = format!("    {variant}({held}),");
            if width_of(&line) <= LINE {
                lines.push(line);
            } else {
                lines.push(format!("    {variant}(\n        {held},\n    ),"));
            }
        }
        lines.push("}".to_owned());
        self.items[at] = lines.join("\n");
        name
    }

    /// Generates the enum for a text with an `enum`. `None` for other types, and for values that cannot
    /// become names of variants.
    fn enumeration(&mut self, ty: &Type, path: &TypePath) -> Option<String> {
        let variants = variants_of(ty)?;
        let key = format!("enum {}", type_key(&ty.clone().with_optional(false)));
        if let Some(name) = self.known.get(&key) {
            return Some(name.clone());
        }
        let (name, at) = self.reserve(key, path);
        self.uses.insert("derive");
        self.items[at] = enum_item(&name, &variants, path);
        Some(name)
    }

    /// Generates a struct around a type with constraints, because it has no attribute beside it.
    fn narrowed(&mut self, ty: &Type, path: &TypePath, is_wide: bool) -> String {
        let mut args = AttributeArgs::default();
        self.constraints(&mut args, ty.constraints(), path);
        if args.is_empty() {
            return self.bare(ty, path, is_wide);
        }
        let key = format!(
            "newtype {is_wide} {}",
            type_key(&ty.clone().with_optional(false))
        );
        if let Some(name) = self.known.get(&key) {
            return name.clone();
        }
        let (name, at) = self.reserve(key, path);
        self.uses.insert("derive");
        let inner = self.bare(ty, path, is_wide);
        self.items[at] = newtype_item(&name, &args, &inner, path);
        name
    }

    /// Generates a type with parameters, such as `Vec<T>`. A part that makes it too wide gets a name.
    fn generic(&mut self, name: &str, first: &str, last: String, path: &TypePath) -> String {
        let long = |last: &str| format!("{name}<{first}{last}>");
        let is_deep = last.matches('<').count() >= TYPE_NESTING;
        if !is_deep && width_of(&long(&last)) <= TYPE_WIDTH {
            return long(&last);
        }
        let alias = self.alias(&last, path);
        long(&alias)
    }

    /// Generates a type alias and returns its name.
    pub(crate) fn alias(&mut self, ty: &str, path: &TypePath) -> String {
        let key = format!("type {ty}");
        if let Some(alias) = self.known.get(&key) {
            return alias.clone();
        }
        let (alias, at) = self.reserve(key, path);
        self.items[at] = alias_item(&alias, ty, path);
        alias
    }

    /// Reserves a name for a new type and the position of its item.
    fn reserve(&mut self, key: String, path: &TypePath) -> (String, usize) {
        let name = self.names.take(&path.candidates(), "");
        self.known.insert(key, name.clone());
        self.items.push(String::new());
        (name, self.items.len() - 1)
    }

    /// Adds the arguments for the constraints of a type.
    fn constraints(&mut self, args: &mut AttributeArgs, by: &Constraints, path: &TypePath) {
        for (keyword, constraint) in by.iter() {
            let literal = match constraint {
                Constraint::Values(values) => Literal::choices(values),
                Constraint::Number(bound) => Some(Literal::bound(bound)),
                Constraint::Count(count) => Some(Literal::count(count)),
                // A format with an empty name means nothing.
                Constraint::Text("") if keyword == Keyword::Format => continue,
                // A parameter that accepts any value also accepts the values of the schema.
                Constraint::Text(_) if keyword == Keyword::Schema => None,
                Constraint::Text(text) => Some(Literal::text(text)),
            };
            if literal.is_none() && path.in_result {
                let name = keyword.name();
                let which = match keyword {
                    Keyword::Schema => "the values of a JSON Schema",
                    _ => "some records",
                };
                self.warnings.push(format!(
                    "the result of `{}` allows only {which}, which attributes of Rust cannot \
                     express; `agent!` refuses the function until the `{name}` is left out",
                    path.tool
                ));
            }
            args.add_if(keyword.word(), literal);
        }
    }
}

/// Writes a type as a key: equal types have equal keys.
fn type_key(ty: &Type) -> String {
    let param = Param::new("x", ty.clone());
    Signature::new(vec![param], Returns::new(Type::new(Kind::Null))).to_string()
}

/// Writes a struct for a record.
fn struct_item(
    types: &mut Types,
    name: &str,
    fields: &[Field],
    further: Option<&Type>,
    path: &TypePath,
    is_wide: bool,
) -> String {
    let mut scope = Scope::default();
    let names: Vec<(String, String)> = fields
        .iter()
        .map(|field| (scope.snake(field.name(), "field"), field.name().to_owned()))
        .collect();
    let renames = field_renames(&names);
    let mut lines = item_head(path, "Clone, Debug, Deserialize, GramType, Serialize");
    lines.extend(renames.container().lines("serde", 0));
    if fields.is_empty() && further.is_none() {
        lines.push(format!("pub struct {name} {{}}"));
        return lines.join("\n");
    }
    lines.push(format!("pub struct {name} {{"));
    for ((field, (ident, _)), rename) in fields.iter().zip(&names).zip(&renames.own) {
        let mut serde = AttributeArgs::default();
        serde.add_if("rename", rename.as_deref().map(Literal::text));
        let (ty, mut gram) = types.of_field(field, &path.field(field.name()), is_wide);
        let docs = field_comment(field, &mut gram);
        let all = docs
            .into_iter()
            .chain(serde.lines("serde", 4))
            .chain(gram.lines("gram", 4));
        lines.extend(all.map(|line| format!("    {line}")));
        lines.push(format!("    pub {ident}: {ty},"));
    }
    if let Some(further) = further {
        let ident = scope.snake("further", "further");
        types.uses.insert("BTreeMap");
        let value = types.of_type(further, &path.field("further"), is_wide);
        let map = types.generic("BTreeMap", "String, ", value, path);
        lines.push("    #[serde(flatten)]".to_owned());
        lines.push(format!("    pub {ident}: {map},"));
    }
    lines.push("}".to_owned());
    lines.join("\n")
}

/// Returns the name of the variant for a type of a union: the tag of a record that has a tag, or else the
/// kind.
fn variant_name(ty: &Type) -> String {
    let kind = match ty.kind() {
        Kind::Null => "Null",
        Kind::Text => "Text",
        Kind::Int => "Int",
        Kind::Double => "Double",
        Kind::Bool => "Bool",
        Kind::Array(_) => "List",
        Kind::Tuple(_) => "Tuple",
        Kind::Object(Shape::Fields(fields) | Shape::Extended(fields, _)) => {
            let tag = fields_of(fields).iter().find_map(|field| {
                match field.ty().constraints().enumeration() {
                    [Value::String(word)] if is_plain(word.as_str()) => pascal(word.as_str()),
                    _ => None,
                }
            });
            return tag.unwrap_or_else(|| "Record".to_owned());
        }
        Kind::Object(_) => "Map",
        _ => "Other",
    };
    kind.to_owned()
}

/// Writes an enum with these variants, each with its name in Rust and in the document.
fn enum_item(name: &str, variants: &[(String, String)], path: &TypePath) -> String {
    let renames = variant_renames(variants);
    let derives = "Clone, Copy, Debug, Deserialize, Eq, GramType, PartialEq, Serialize";
    let mut lines = item_head(path, derives);
    lines.extend(renames.container().lines("serde", 0));
    lines.push(format!("pub enum {name} {{"));
    for ((variant, _), rename) in variants.iter().zip(&renames.own) {
        let mut serde = AttributeArgs::default();
        serde.add_if("rename", rename.as_deref().map(Literal::text));
        lines.extend(
            serde
                .lines("serde", 4)
                .iter()
                .map(|line| format!("    {line}")),
        );
        lines.push(format!("    {variant},"));
    }
    lines.push("}".to_owned());
    lines.join("\n")
}

/// Writes a struct around a type with constraints.
fn newtype_item(name: &str, args: &AttributeArgs, ty: &str, path: &TypePath) -> String {
    let mut lines = item_head(path, "Clone, Debug, Deserialize, GramType, Serialize");
    lines.extend(field_renames(&[]).container().lines("serde", 0));
    lines.extend(args.lines("gram", 0));
    let line = format!("pub struct {name}(pub {ty});");
    if width_of(&line) <= LINE {
        lines.push(line);
    } else {
        lines.push(format!("pub struct {name}(\n    pub {ty},\n);"));
    }
    lines.join("\n")
}

/// Writes a type alias.
fn alias_item(name: &str, ty: &str, path: &TypePath) -> String {
    format!("/// {}\npub type {name} = {ty};", path.sentence())
}

fn item_head(path: &TypePath, derives: &str) -> Vec<String> {
    vec![
        format!("/// {}", path.sentence()),
        format!("#[derive({derives})]"),
    ]
}

/// Whether a bound, or a value of the `enum`, does not fit `i64`.
fn has_wide_bounds(by: &Constraints) -> bool {
    by.iter().any(|(_, constraint)| match constraint {
        Constraint::Number(Bound::Int(value)) => i64::try_from(*value).is_err(),
        Constraint::Values(values) => values.iter().any(has_wide_integer),
        _ => false,
    })
}

/// Whether a value has a whole number that does not fit `i64`.
fn has_wide_integer(value: &Value) -> bool {
    match value {
        Value::Integer(value) => i64::try_from(*value).is_err(),
        Value::Array(items) => items.as_slice().iter().any(has_wide_integer),
        Value::Map(record) => record.iter().any(|(_, value)| has_wide_integer(value)),
        _ => false,
    }
}

/// The maximum length of a text that becomes a variant, so that the variant's name is short enough to read.
const VARIANT_LENGTH: usize = 40;

/// Returns the variants for a text with an `enum`, each with its name in Rust and in the document. `None` for
/// other types, and if a value cannot become a name.
fn variants_of(ty: &Type) -> Option<Vec<(String, String)>> {
    let by = ty.constraints();
    let narrows_text = |keyword: Keyword| keyword.family() == TypeFamily::Text;
    let is_narrowed_further = by.iter().any(|(keyword, _)| narrows_text(keyword));
    if !matches!(ty.kind(), Kind::Text) || by.enumeration().is_empty() || is_narrowed_further {
        return None;
    }
    let mut words = HashSet::new();
    let mut names = HashSet::new();
    let mut variants = Vec::new();
    for value in by.enumeration() {
        let word = match value {
            Value::String(text) => text.as_str(),
            Value::Tagged(tagged) => tagged.content(),
            _ => return None,
        };
        if !words.insert(word) {
            continue;
        }
        let name = pascal(word).filter(|name| name != "Self")?;
        let fits = word.chars().count() <= VARIANT_LENGTH && is_plain(word);
        if !fits || !names.insert(name.clone()) {
            return None;
        }
        variants.push((name, word.to_owned()));
    }
    Some(variants)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variants(parameter: &str) -> Option<Vec<String>> {
        let signature =
            agent_spec::parse_signature(&format!("({parameter})==>(::Null)")).expect("correct");
        let variants = variants_of(signature.params()[0].ty())?;
        Some(variants.into_iter().map(|(name, _)| name).collect())
    }

    #[test]
    fn makes_variants_of_words() {
        for (parameter, names) in [
            (
                "a::Text {enum: [\"red\", \"light-blue\"]}",
                Some(&["Red", "LightBlue"][..]),
            ),
            ("a::Text {enum: [\"red\", \"red\"]}", Some(&["Red"])),
            ("a::Text {enum: [\"red\", \"Red\"]}", None),
            ("a::Text {enum: [\"self\"]}", None),
            ("a::Text {enum: [\"1\", \"2\"]}", None),
            ("a::Text {enum: [\"red\"], minLength: 1}", None),
            ("a::Any {enum: [\"red\"]}", None),
            ("a::Text", None),
        ] {
            let names = names.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
            assert_eq!(variants(parameter), names, "{parameter}");
        }
    }
}
