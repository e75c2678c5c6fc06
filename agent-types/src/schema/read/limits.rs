//! The keywords of numbers, texts and lists that gram has as well.

use crate::constraints::{Bound, Constraint, Constraints, empty_range};
use crate::keyword::{Keyword, KeywordValue, TypeFamily};
use crate::schema::read::Loss;
use crate::schema::read::converter::{Converter, PathStep};
use crate::schema::read::source::{Json, Members};
use crate::terminal;
use crate::types::{ByName, Kind, Type, types_of};
use crate::validate::fits_value_of;
use agent_gram::value::{Array, Decimal, Record, Text};
use agent_gram::{MAX_DEPTH, Value};
use std::borrow::Cow;

impl<'s> Converter<'s> {
    /// Returns the constraints that apply to a kind. Keywords of other kinds were reported before.
    pub(super) fn constraints(&mut self, members: Members<'s>, kind: &Kind) -> Constraints {
        let mut constraints = Constraints::NONE;
        for keyword in Keyword::CONSTRAINTS.iter().copied() {
            let family = keyword.family();
            // The length of a tuple is that of its items.
            let applies = family != TypeFamily::Any && !matches!(kind, Kind::Tuple(_));
            if applies && kind.is_in(family) {
                self.constraint(members, keyword, &mut constraints);
            }
        }
        if let Some((least, greatest)) = constraints.opt_empty_range() {
            self.report_at(least.name(), empty_range(least, greatest), "");
        }
        constraints
    }

    fn constraint(
        &mut self,
        members: Members<'s>,
        keyword: Keyword,
        constraints: &mut Constraints,
    ) {
        match keyword.value() {
            KeywordValue::Text => {
                if let Some(text) = self.text(members, keyword.name()) {
                    // The author of a foreign schema may accept other forms of the format, such as a UUID
                    // without dashes.
                    if keyword == Keyword::Format && self.reader.is_foreign {
                        self.note(format!("- format: {text}"));
                        return;
                    }
                    constraints.set(keyword, Constraint::Text(text));
                }
            }
            KeywordValue::Pattern => {
                if let Some(pattern) = self.pattern(members, keyword.name()) {
                    constraints.set(keyword, Constraint::Text(pattern));
                }
            }
            KeywordValue::Count => {
                if let Some(count) = self.count(members, keyword.name()) {
                    constraints.set(keyword, Constraint::Count(count));
                }
            }
            KeywordValue::Number => {
                if let Some(bound) = self.number(members, keyword) {
                    constraints.set(keyword, Constraint::Number(&bound));
                }
            }
            // `enum` is read separately, because its values must fit the type. `schema` is no keyword of
            // JSON Schema.
            KeywordValue::Values | KeywordValue::Part | KeywordValue::Schema => {}
        }
    }

    fn text(&mut self, members: Members<'s>, key: &'static str) -> Option<&'s str> {
        match members.get(key)? {
            Json::Text(text) => self.spend(text.len() / 64).then_some(text),
            other => {
                self.wrong(key, "a text", other);
                None
            }
        }
    }

    fn pattern(&mut self, members: Members<'s>, key: &'static str) -> Option<&'s str> {
        let pattern = self.text(members, key)?;
        if let Err(reason) = self.patterns.check(pattern) {
            let message = format!("the pattern cannot be used: {reason}");
            self.lose_at(Loss::Patterns, key, message, "write another one");
            if self.reader.is_foreign {
                self.note(format!("- pattern: {pattern}"));
            }
            return None;
        }
        Some(pattern)
    }

    fn count(&mut self, members: Members<'s>, key: &'static str) -> Option<u64> {
        let value = members.get(key)?;
        let count = value.as_count();
        if count.is_none() {
            self.wrong(key, "a whole number, 0 or more", value);
        }
        count
    }

    fn number(&mut self, members: Members<'s>, keyword: Keyword) -> Option<Bound> {
        let key = keyword.name();
        let value = draft_4_bound(members, keyword, members.get(key)?)?;
        let bound = match value {
            Json::Integer(value) => Some(Bound::Int(value)),
            Json::Number(value) => Decimal::new(value).ok().map(Bound::Double),
            _ => None,
        };
        match bound {
            Some(bound) if keyword == Keyword::MultipleOf && !bound.is_positive() => {
                self.wrong(key, "a number above 0", value);
                None
            }
            None => {
                self.wrong(key, "a number", value);
                None
            }
            bound => bound,
        }
    }
}

/// Returns the number that a keyword means. In draft 4, `exclusiveMinimum: true` makes `minimum` exclusive,
/// and `exclusiveMinimum: false` has no effect.
fn draft_4_bound<'s>(members: Members<'s>, keyword: Keyword, value: Json<'s>) -> Option<Json<'s>> {
    let is_true = |key| matches!(members.get(key), Some(Json::Bool(true)));
    let end = match keyword {
        Keyword::ExclusiveMinimum => "minimum",
        Keyword::ExclusiveMaximum => "maximum",
        Keyword::Minimum if is_true("exclusiveMinimum") => return None,
        Keyword::Maximum if is_true("exclusiveMaximum") => return None,
        _ => return Some(value),
    };
    match value {
        // Without a number to exclude, the keyword itself is wrong.
        Json::Bool(true) => members.get(end).or(Some(value)),
        Json::Bool(false) => None,
        value => Some(value),
    }
}

/// The values that `enum` or `const` lists.
pub(super) struct Allowed<'s> {
    pub(super) key: &'static str,
    /// The values that are not `null`.
    pub(super) values: Vec<Json<'s>>,
    pub(super) null: bool,
}

impl<'s> Converter<'s> {
    /// Returns the listed values, if there is a list; `None` when the list itself is invalid.
    pub(super) fn allowed(&mut self, members: Members<'s>) -> Option<Option<Allowed<'s>>> {
        let (key, all) = match (members.get("enum"), members.get("const")) {
            (None, None) => return Some(None),
            (None, Some(only)) => ("const", vec![only]),
            (Some(Json::List(list)), None) => ("enum", list.iter().collect()),
            (Some(Json::List(list)), Some(only)) => {
                if !list.iter().any(|value| value.is_same(only)) {
                    self.report_at("const", "`const` is no value of `enum`", "keep one of them");
                    return None;
                }
                ("const", vec![only])
            }
            (Some(other), _) => {
                self.wrong("enum", "a list of the values allowed", other);
                return None;
            }
        };
        if all.is_empty() {
            let message = "`enum` must allow at least one value";
            let allowed = self.lose_at(Loss::EnumValues, "enum", message, "");
            return allowed.then_some(None);
        }
        let (nulls, values): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|value| matches!(value, Json::Null));
        Some(Some(Allowed {
            key,
            values,
            null: !nulls.is_empty(),
        }))
    }

    /// The type, narrowed to the values listed that fit it.
    pub(super) fn enumerated(&mut self, plain: Type, allowed: &Allowed<'s>) -> Option<Type> {
        let mut values: Vec<agent_gram::Value> = Vec::new();
        if !self.spend(allowed.values.iter().map(|value| value.weight()).sum()) {
            return None;
        }
        self.steps.push(PathStep::Key(allowed.key.into()));
        for value in &allowed.values {
            let found = value.describe();
            let reason = match gram_value(&plain, *value, 0) {
                None => Err("gram has no word for it or a part of it".to_owned()),
                Some(gram) => fits_value_of(&plain, &gram, &mut self.patterns).map(|()| gram),
            };
            match reason {
                Ok(gram) => values.push(gram),
                Err(reason) => {
                    let message = format!("{found} cannot be an allowed value: {reason}");
                    let help = "take it out: no value could be it";
                    self.lose(Loss::EnumValues, message, help);
                }
            }
        }
        self.steps.pop();
        let mut constraints = plain.constraints().clone();
        constraints.enumeration = Cow::Owned(values);
        Some(plain.with_constraints(constraints))
    }
}

impl<'s> Converter<'s> {
    /// The default of a value of this type, if it fits.
    pub(super) fn default(&mut self, ty: &Type, default: Json<'s>) -> Option<Value> {
        if !self.spend(default.weight()) {
            return None;
        }
        let (message, help) = match gram_value(ty, default, 0) {
            None => (
                format!(
                    "gram has no word for {} or a part of it",
                    default.describe()
                ),
                "gram has no `null`: leave out what may be missing",
            ),
            Some(value) => match fits_value_of(ty, &value, &mut self.patterns) {
                Ok(()) => return Some(value),
                Err(reason) => (format!("the default does not fit the type: {reason}"), ""),
            },
        };
        self.lose_at(Loss::Defaults, "default", message, help);
        if self.reader.is_foreign
            && let Some(default) = default.to_ordered(0)
        {
            self.note(format!(
                "- default: {}",
                terminal::json(&default.to_string())
            ));
        }
        None
    }
}

/// Converts JSON to a gram value. Gram has no `null`: a `null` is left out where the type is optional, and
/// is an error elsewhere, like a value that nests too deep.
pub(super) fn gram_value(ty: &Type, json: Json<'_>, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    Some(match json {
        Json::Null => return None,
        Json::Bool(value) => Value::Boolean(value),
        Json::Integer(value) => Value::Integer(value),
        Json::Number(value) => Value::Decimal(Decimal::new(value).ok()?),
        Json::Text(text) => Value::String(Text::new(text)),
        Json::List(items) => {
            let element = match ty.kind() {
                Kind::Array(element) => element.get(),
                _ => Type::ANY,
            };
            let mut values = Vec::with_capacity(items.len());
            for (at, item) in items.iter().enumerate() {
                let place = match ty.kind() {
                    Kind::Tuple(types) => types_of(types).get(at).unwrap_or(Type::ANY),
                    _ => element,
                };
                values.push(gram_value(place, item, depth + 1)?);
            }
            Value::Array(Array::new(values).ok()?)
        }
        Json::Object(members) => {
            let mut entries = Vec::with_capacity(members.len());
            let of = member_types(ty);
            for (key, member) in members.iter() {
                let (ty, may_miss) = of(key);
                if may_miss && matches!(member, Json::Null) {
                    continue;
                }
                let value = gram_value(ty, member, depth + 1)?;
                entries.push((Text::new(key), value));
            }
            Value::Map(Record::from_entries(entries).ok()?)
        }
    })
}

/// Returns a function to the type of a member of an object, and whether the member may be missing.
fn member_types<'t>(ty: &'t Type) -> impl Fn(&str) -> (&'t Type, bool) {
    let (fields, values) = match ty.kind() {
        Kind::Object(shape) => (shape.fields(), shape.values()),
        _ => (&[][..], None),
    };
    let fields = ByName::new(fields);
    move |key| match fields.get(key) {
        Some(field) => (field.ty(), field.is_optional()),
        None => (values.unwrap_or(Type::ANY), false),
    }
}
