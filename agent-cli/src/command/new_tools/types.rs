//! Types of gram as types of Rust.

use super::attribute::Settings;
use super::identifier::Scope;
use super::item;
use super::literal::Literal;
use super::type_name::Place;
use super::wide::{has_wide_bounds, has_wide_integer};
use super::width::width_of;
use super::words::variants_of;
use agent_spec::types::fields_of;
use agent_spec::{Constraints, Field, Kind, Param, Returns, Shape, Signature, Type};
use std::collections::{BTreeSet, HashMap};

/// The longest type that is written in full; of a longer one, parts get names.
const LONGEST: usize = 52;

/// The most types within each other that are written in full; clippy asks about more.
const DEEPEST: usize = 4;

/// Names of types that mean something else in the module.
const TAKEN: [&str; 24] = [
    "BTreeMap",
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Deserialize",
    "Drop",
    "Err",
    "Eq",
    "Fn",
    "From",
    "GramType",
    "Map",
    "None",
    "Ok",
    "Option",
    "PartialEq",
    "Result",
    "Serialize",
    "Some",
    "String",
    "ToolError",
    "Vec",
];
/// The same, in two lists to keep the lines short.
const ALSO_TAKEN: [&str; 19] = [
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

/// The types of a module.
pub(super) struct Types {
    pub(super) names: Scope,
    /// The name of each type that was written, by what it looks like.
    known: HashMap<String, String>,
    /// The items that are not printed yet, each after the item that needs it first.
    items: Vec<String>,
    /// What the types need to have in scope.
    pub(super) uses: BTreeSet<&'static str>,
    /// What could not be said.
    pub(super) warnings: Vec<String>,
}

impl Types {
    pub(super) fn new() -> Self {
        Self {
            names: Scope::with(&[&TAKEN[..], &ALSO_TAKEN[..]].concat()),
            known: HashMap::new(),
            items: Vec::new(),
            uses: BTreeSet::new(),
            warnings: Vec::new(),
        }
    }

    /// The items that were written since this was called last.
    pub(super) fn take_items(&mut self) -> Vec<String> {
        std::mem::take(&mut self.items)
    }

    /// The type of a parameter or field, with the settings that say what the type does not.
    pub(super) fn of_field(
        &mut self,
        field: &Field,
        place: &Place,
        is_wide: bool,
    ) -> (String, Settings) {
        let ty = field.ty();
        let is_wide = is_wide || field.default().is_some_and(has_wide_integer);
        let mut settings = Settings::default();
        let default = field.default().and_then(Literal::of);
        // A default that no literal can say is left to the document.
        let is_optional = ty.is_optional() || (field.default().is_some() && default.is_none());
        settings.add_if("default", default);
        let rust = match self.enumeration(ty, place) {
            Some(name) => name,
            None => {
                self.constraints(&mut settings, ty.constraints(), place);
                self.bare(ty, place, is_wide)
            }
        };
        let rust = if is_optional {
            self.generic("Option", "", rust, place)
        } else {
            rust
        };
        (rust, settings)
    }

    /// The type of a result.
    pub(super) fn of_result(&mut self, ty: &Type, place: &Place) -> String {
        if matches!(ty.kind(), Kind::Any) {
            // Whatever a tool returns is `Any`, however it is narrowed.
            let any = self.bare(ty, place, false);
            return match ty.is_optional() {
                true => self.generic("Option", "", any, place),
                false => any,
            };
        }
        self.of_type(ty, place, false)
    }

    /// A type that must say everything itself: in a list, in a map, or returned.
    fn of_type(&mut self, ty: &Type, place: &Place, is_wide: bool) -> String {
        let required = match self.enumeration(ty, place) {
            Some(name) => name,
            None if ty.constraints().is_none() => self.bare(ty, place, is_wide),
            None => self.narrowed(ty, place, is_wide),
        };
        if ty.is_optional() {
            self.generic("Option", "", required, place)
        } else {
            required
        }
    }

    /// The type without what narrows it and without `Option`.
    fn bare(&mut self, ty: &Type, place: &Place, is_wide: bool) -> String {
        let is_wide = is_wide || has_wide_bounds(ty.constraints());
        match ty.kind() {
            Kind::Null => "()".to_owned(),
            Kind::Text => "String".to_owned(),
            Kind::Int if is_wide => "i128".to_owned(),
            Kind::Int => "i64".to_owned(),
            Kind::Double => "f64".to_owned(),
            Kind::Bool => "bool".to_owned(),
            Kind::Array(element) => {
                let item = self.of_type(element.get(), &place.item(), is_wide);
                self.generic("Vec", "", item, place)
            }
            Kind::Object(Shape::Open) => {
                self.uses.extend(["Map", "Value"]);
                "Map<String, Value>".to_owned()
            }
            Kind::Object(Shape::Map(value)) => {
                self.uses.insert("BTreeMap");
                let value = self.of_type(value.get(), &place.item(), is_wide);
                self.generic("BTreeMap", "String, ", value, place)
            }
            Kind::Object(Shape::Fields(fields)) => {
                self.record(fields_of(fields), ty, place, is_wide)
            }
            // Whatever kinds there will be, a JSON value holds them.
            _ => {
                self.uses.insert("Value");
                "Value".to_owned()
            }
        }
    }

    fn record(&mut self, fields: &[Field], ty: &Type, place: &Place, is_wide: bool) -> String {
        let plain = Type::new(ty.kind().clone());
        let key = format!("struct {is_wide} {}", look(&plain));
        if let Some(name) = self.known.get(&key) {
            return name.clone();
        }
        let (name, at) = self.reserve(key, place);
        self.uses.insert("derive");
        self.items[at] = item::structure(self, &name, fields, place, is_wide);
        name
    }

    /// The enum for a text of which only some words are allowed; nothing for other types, and for
    /// words that make no names.
    fn enumeration(&mut self, ty: &Type, place: &Place) -> Option<String> {
        let variants = variants_of(ty)?;
        let key = format!("enum {}", look(&ty.clone().with_optional(false)));
        if let Some(name) = self.known.get(&key) {
            return Some(name.clone());
        }
        let (name, at) = self.reserve(key, place);
        self.uses.insert("derive");
        self.items[at] = item::enumeration(&name, &variants, place);
        Some(name)
    }

    /// A struct around a type that is narrowed, where no attribute could say so.
    fn narrowed(&mut self, ty: &Type, place: &Place, is_wide: bool) -> String {
        let mut settings = Settings::default();
        self.constraints(&mut settings, ty.constraints(), place);
        if settings.is_empty() {
            return self.bare(ty, place, is_wide);
        }
        let key = format!(
            "newtype {is_wide} {}",
            look(&ty.clone().with_optional(false))
        );
        if let Some(name) = self.known.get(&key) {
            return name.clone();
        }
        let (name, at) = self.reserve(key, place);
        self.uses.insert("derive");
        let inner = self.bare(ty, place, is_wide);
        self.items[at] = item::newtype(&name, &settings, &inner, place);
        name
    }

    /// `Vec<T>` and the like. A part that makes it too long gets a name of its own.
    fn generic(&mut self, name: &str, first: &str, last: String, place: &Place) -> String {
        let long = |last: &str| format!("{name}<{first}{last}>");
        let is_deep = last.matches('<').count() >= DEEPEST;
        if !is_deep && width_of(&long(&last)) <= LONGEST {
            return long(&last);
        }
        let alias = self.alias(&last, place);
        long(&alias)
    }

    /// A name for a type, in place of all that it is made of.
    pub(super) fn alias(&mut self, ty: &str, place: &Place) -> String {
        let key = format!("type {ty}");
        if let Some(alias) = self.known.get(&key) {
            return alias.clone();
        }
        let (alias, at) = self.reserve(key, place);
        self.items[at] = item::alias(&alias, ty, place);
        alias
    }

    /// A name for a new type, and where its item is to be put.
    fn reserve(&mut self, key: String, place: &Place) -> (String, usize) {
        let name = self.names.take(&place.candidates(), "");
        self.known.insert(key, name.clone());
        self.items.push(String::new());
        (name, self.items.len() - 1)
    }

    fn constraints(&mut self, settings: &mut Settings, by: &Constraints, place: &Place) {
        if !by.enumeration().is_empty() {
            let values = Literal::choices(by.enumeration());
            if values.is_none() && place.in_result {
                self.warnings.push(format!(
                    "in the result of `{}` only some records are allowed, which attributes of Rust \
                     cannot say; `agent!` refuses the function until the `enum` is left out",
                    place.tool
                ));
            }
            settings.add_if("enum", values);
        }
        settings.add_if("minimum", by.minimum.as_ref().map(Literal::bound));
        settings.add_if("maximum", by.maximum.as_ref().map(Literal::bound));
        settings.add_if("min_length", by.min_length.map(Literal::count));
        settings.add_if("max_length", by.max_length.map(Literal::count));
        let text = |text: &agent_gram::value::Text| Literal::text(text.as_str());
        settings.add_if("pattern", by.pattern.as_ref().map(text));
        // A format without a name says nothing.
        let format = by
            .format
            .as_ref()
            .filter(|format| !format.as_str().is_empty());
        settings.add_if("format", format.map(text));
        settings.add_if("min_items", by.min_items.map(Literal::count));
        settings.add_if("max_items", by.max_items.map(Literal::count));
    }
}

/// What a type looks like: equal for equal types.
fn look(ty: &Type) -> String {
    let param = Param::new("x", ty.clone());
    Signature::new(vec![param], Returns::new(Type::new(Kind::Null))).to_string()
}
