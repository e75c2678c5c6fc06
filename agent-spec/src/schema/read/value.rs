//! Defaults, and the values of enumerations.

use super::source::Json;
use super::walk::Walk;
use crate::types::{Kind, Shape, Type, fields_of};
use crate::validate::fits_value;
use agent_gram::MAX_DEPTH;
use agent_gram::Value;
use agent_gram::value::Text;
use agent_gram::value::{Array, Decimal, Record};

impl<'s> Walk<'s> {
    /// The default of a value of this type, if it fits.
    pub(super) fn default(&mut self, ty: &Type, default: Json<'s>) -> Option<Value> {
        if !self.spend(default.weight()) {
            return None;
        }
        let Some(value) = gram_value(ty, default, 0) else {
            let found = default.describe();
            self.report_at(
                "default",
                format!("gram has no word for {found} or a part of it"),
                "gram has no `null`: leave out what may be missing",
            );
            return None;
        };
        match fits_value(ty, &value) {
            Ok(()) => Some(value),
            Err(reason) => {
                let message = format!("the default does not fit the type: {reason}");
                self.report_at("default", message, "");
                None
            }
        }
    }
}

/// JSON as a gram value. `null` is left out where the type says that a value may be missing;
/// elsewhere gram has no word for it, nor for what nests too deep.
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
            for item in items.iter() {
                values.push(gram_value(element, item, depth + 1)?);
            }
            Value::Array(Array::new(values).ok()?)
        }
        Json::Object(members) => {
            let mut record = Record::new();
            for (key, member) in members.iter() {
                let (ty, may_miss) = member_type(ty, key);
                if may_miss && matches!(member, Json::Null) {
                    continue;
                }
                let value = gram_value(ty, member, depth + 1)?;
                record.insert(key.to_owned(), value).ok()?;
            }
            Value::Map(record)
        }
    })
}

/// The type of a member of an object, and whether it may be missing.
fn member_type<'t>(ty: &'t Type, key: &str) -> (&'t Type, bool) {
    match ty.kind() {
        Kind::Object(Shape::Map(value)) => (value.get(), false),
        Kind::Object(Shape::Fields(fields)) => {
            let field = fields_of(fields).iter().find(|field| field.name() == key);
            field.map_or((Type::ANY, false), |field| {
                (field.ty(), field.is_optional())
            })
        }
        _ => (Type::ANY, false),
    }
}
