//! Arguments that conform as they are, found while their text is read.
//!
//! Most calls are right and need no change. For them no [`Value`] is built, because building it takes
//! longer than the rest of the check. [`Validation`] checks each value against its type; this module
//! only reads the text. It stops at the first part that is wrong or must be changed, and the arguments
//! are checked again from the beginning, as a value.

use crate::json_value::Path;
use crate::types::{Field, Kind, Shape, Type, alternative_like, fields_of, types_of};
use crate::validate::aliases::is_alias;
use crate::validate::json_text::is_json_like;
use crate::validate::walk::{
    Validation, element_of, field_of, fields_of_type, items_of_type, text_form,
};
use serde_core::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;

/// The number of fields up to which a record is read here, because each field has a bit. Other records are read by the
/// validation.
const FAST_FIELDS: usize = u64::BITS as usize;

/// Whether a text is an object that satisfies the parameters and can be passed to the tool without a
/// change. `host` has the parameters of the implementation.
///
/// `false` does not mean that the arguments are wrong.
pub(super) fn conforms(params: &[Field], host: &[Field], text: &str) -> bool {
    let mut walk = Validation::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let members = Members {
        walk: &mut walk,
        fields: params,
        host,
    };
    (&mut deserializer).deserialize_map(members).is_ok() && deserializer.end().is_ok()
}

/// A value that is read.
struct Conforming<'w, 't> {
    walk: &'w mut Validation<'t>,
    ty: &'t Type,
    host: Option<&'t Type>,
    /// Whether `null` counts as absent and is removed.
    may_be_absent: bool,
}

impl<'t> Conforming<'_, 't> {
    /// Returns the type of a list or an object and that of the implementation: the type itself, or the
    /// only type of a union that can have the value. A stream cannot be tried against several types.
    ///
    /// `None` also for a type with constraints: an enumeration compares the whole value, and bounds need
    /// the number of items.
    fn only(&self, has_value: fn(&Kind) -> bool) -> Option<(&'t Type, Option<&'t Type>)> {
        let mut ty = self.ty;
        while let Kind::Union(types) = ty.kind() {
            let may_have = |ty: &&Type| {
                has_value(ty.kind()) || matches!(ty.kind(), Kind::Any | Kind::Union(_))
            };
            let mut matching = types_of(types).iter().filter(may_have);
            match (matching.next(), matching.next()) {
                (Some(only), None) if ty.constraints().is_none() => ty = only,
                _ => return None,
            }
        }
        if !has_value(ty.kind()) || !ty.constraints().is_none() {
            return None;
        }
        let host = self.host.and_then(|host| alternative_like(host, ty));
        Some((ty, host))
    }

    /// Whether the type is that of integers without constraints, and the implementation can hold this one. Nearly all
    /// integers are of such a type, and [`Validation`] takes several times as long.
    fn is_any_integer(&self, value: i128) -> bool {
        let host = self.host.and_then(|host| alternative_like(host, self.ty));
        let range = self.ty.host_range().or(host.and_then(Type::host_range));
        matches!(self.ty.kind(), Kind::Int)
            && self.ty.constraints().is_none()
            && range.is_none_or(|(lowest, highest)| (*lowest..=*highest).contains(&value))
    }

    /// Checks a value against its type.
    fn check<E: Error>(self, value: &Value) -> Result<(), E> {
        self.walk.value(self.ty, self.host, value, Path::Root);
        if self.walk.violations.is_empty() {
            Ok(())
        } else {
            Err(unclear())
        }
    }
}

/// Creates the error that ends the reading.
fn unclear<E: Error>() -> E {
    E::custom("")
}

impl<'de> DeserializeSeed<'de> for Conforming<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Conforming<'_, '_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        if self.may_be_absent {
            return Err(unclear());
        }
        self.check(&Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.check(&Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        if self.is_any_integer(value.into()) {
            return Ok(());
        }
        self.check(&Value::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        if self.is_any_integer(value.into()) {
            return Ok(());
        }
        self.check(&Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        // `5.0` becomes `5`.
        if may_be_whole(self.ty) {
            return Err(unclear());
        }
        self.check(&Value::from(value))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        let is_any_text = matches!(self.ty.kind(), Kind::Text | Kind::Any)
            && self.ty.constraints().is_none()
            && text_form(Some(self.ty)).or(text_form(self.host)).is_none();
        if is_any_text {
            return Ok(());
        }
        // An alias becomes the name of its variant.
        if is_alias(self.ty, text) {
            return Err(unclear());
        }
        // The text may stand for a list or an object.
        if self.ty.constraints().schema.is_some() && is_json_like(text) {
            return Err(unclear());
        }
        self.check(&Value::from(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Some((ty, host)) = self.only(|kind| matches!(kind, Kind::Array(_) | Kind::Tuple(_)))
        else {
            return Err(unclear());
        };
        let (each, host_each, types, host_types) = match ty.kind() {
            Kind::Array(element) => (
                Some(element.get()),
                host.and_then(element_of),
                &[][..],
                &[][..],
            ),
            Kind::Tuple(types) => (None, None, types_of(types), items_of_type(host)),
            _ => return Err(unclear()),
        };
        let mut at = 0;
        loop {
            // A tuple with too many items is an error.
            let Some(ty) = each.or(types.get(at)) else {
                return match items.next_element::<serde_core::de::IgnoredAny>()? {
                    None => Ok(()),
                    Some(_) => Err(unclear()),
                };
            };
            let item = items.next_element_seed(Conforming {
                walk: &mut *self.walk,
                ty,
                host: host_each.or(host_types.get(at)),
                may_be_absent: false,
            })?;
            if item.is_none() {
                return if each.is_some() {
                    Ok(())
                } else {
                    Err(unclear())
                };
            }
            at += 1;
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<(), A::Error> {
        let Some((ty, host)) = self.only(|kind| matches!(kind, Kind::Object(_))) else {
            return Err(unclear());
        };
        // An object with any keys needs a table to find keys that are given twice.
        let Kind::Object(Shape::Fields(fields)) = ty.kind() else {
            return Err(unclear());
        };
        let record = Members {
            walk: self.walk,
            fields: fields_of(fields),
            host: fields_of_type(host),
        };
        record.visit_map(members)
    }
}

/// Whether a number with the fraction 0 may be changed to a whole number.
fn may_be_whole(ty: &Type) -> bool {
    match ty.kind() {
        Kind::Int => true,
        Kind::Union(types) => types_of(types).iter().any(may_be_whole),
        _ => false,
    }
}

/// The members of a record that is read.
struct Members<'w, 't> {
    walk: &'w mut Validation<'t>,
    fields: &'t [Field],
    host: &'t [Field],
}

impl<'de> Visitor<'de> for Members<'_, '_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let Self { walk, fields, host } = self;
        if fields.len() > FAST_FIELDS {
            return Err(unclear());
        }
        // A bit for each field that has a value.
        let mut found = 0_u64;
        let mut next = 0;
        while let Some(at) = members.next_key_seed(Name { fields, next })? {
            let bit = 1 << at;
            if found & bit != 0 {
                return Err(unclear());
            }
            found |= bit;
            next = at + 1;
            let field = &fields[at];
            let host = match host.get(at) {
                Some(host) if host.has_name_of(field) => Some(host),
                _ => field_of(host, field.name()),
            };
            members.next_value_seed(Conforming {
                walk: &mut *walk,
                ty: field.ty(),
                host: host.map(Field::ty),
                may_be_absent: field.is_optional(),
            })?;
        }
        // A missing field without a default is left out.
        let is_right = |(at, field): (usize, &Field)| {
            found & (1 << at) != 0 || field.is_optional() && field.default().is_none()
        };
        if fields.iter().enumerate().all(is_right) {
            Ok(())
        } else {
            Err(unclear())
        }
    }
}

/// Reads a key as the position of its field. `next` is the expected field, because models mostly write
/// members in the order of the fields.
struct Name<'t> {
    fields: &'t [Field],
    next: usize,
}

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = usize;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<usize, E> {
        let Self { fields, next } = self;
        match fields.get(next) {
            Some(field) if field.is_named(name) => Ok(next),
            _ => {
                let at = fields.iter().position(|field| field.is_named(name));
                at.ok_or_else(unclear)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram_type::GramType;

    /// Each row has an argument, and whether it conforms to `Int`, and to `Int` with an implementation that holds an `i8`.
    #[test]
    fn integers_conform_within_the_range_of_the_implementation() {
        let params = [Field::new("n", Type::new(Kind::Int))];
        let host = [Field::new("n", i8::TYPE.clone())];
        for (argument, to_int, to_i8) in [
            ("0", true, true),
            ("127", true, true),
            ("128", true, false),
            ("-128", true, true),
            ("-129", true, false),
            ("9223372036854775808", true, false),
            ("18446744073709551616", false, false),
            ("5.0", false, false),
            ("\"5\"", false, false),
            ("null", false, false),
        ] {
            let text = format!("{{\"n\": {argument}}}");
            assert_eq!(conforms(&params, &[], &text), to_int, "{argument}");
            assert_eq!(conforms(&params, &host, &text), to_i8, "{argument}");
            assert_eq!(conforms(&host, &[], &text), to_i8, "{argument}");
        }
    }
}
