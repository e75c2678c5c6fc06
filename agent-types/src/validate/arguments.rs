//! The arguments of a call.

use crate::json_value::{
    KeyProblem, MAX_ARGUMENT_VALUES, Path, describe, has_more_values_than, parse_json, read_json,
    value_to_json,
};
use crate::signature::Signature;
use crate::types::{ByName, Field, Kind, Shape, Type, alternative_like, fields_of, types_of};
use crate::validate::conforming::conforms;
use crate::validate::number::without_fraction;
use crate::validate::violation::{MOST_VIOLATIONS, Violation, Violations};
use crate::validate::walk::{
    Keys, Validation, element_of, field_of, fields_of_type, first_fitting, is_absent,
    items_of_type, values_of,
};
use crate::validate::whole::WholeNumbers;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Arguments that satisfy a signature, in the form that the tool reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments<'t> {
    text: Cow<'t, str>,
    /// The arguments as a value, when a value was built.
    value: Option<Value>,
    dropped: Vec<String>,
    /// The numbers of the model's text that the value may have rounded.
    whole: WholeNumbers,
}

impl Arguments<'_> {
    /// Returns the JSON text for the tool: the model's own text when nothing had to be normalised.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The JSON text to hand to the tool.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text.into_owned()
    }

    /// Returns the arguments as a value: an object.
    #[must_use]
    pub fn into_value(self) -> Value {
        // The text was read before, so it can be read again.
        self.value
            .unwrap_or_else(|| parse_json(&self.text).unwrap_or_default())
    }

    /// Takes the numbers that the value may have rounded, for writing the value as text.
    pub(super) fn take_whole(&mut self) -> WholeNumbers {
        std::mem::take(&mut self.whole)
    }

    /// The arguments that the signature does not name and the tool does not see: the name of an
    /// argument, or, inside a record, the path from the argument on, such as `user.nickname`.
    #[must_use]
    pub fn dropped(&self) -> &[String] {
        &self.dropped
    }
}

/// Checks the arguments of a call, as the JSON text that a model sent, and normalises them: missing
/// optional arguments get their default, `5.0` becomes `5` for an `Int`, `null` for optional values is
/// removed, unless one variant of the tool's enum reads it as a value, and so are undeclared arguments.
///
/// `implementation` is the signature of the tool that will be called, if it has one. It has the integer
/// ranges of the Rust types. A parameter that is optional there may be missing, or `null`, although this
/// signature requires it.
///
/// An empty or blank text counts as `{}`, which is what some models send for a call without
/// arguments. The text has all digits of an integer of up to 128 bits; [`Arguments::into_value`] has the
/// nearest double of an integer beyond 64 bits, since `serde_json` holds no other.
///
/// # Errors
/// Everything that is wrong with the arguments; for a text that is not JSON, or has more than
/// [`MAX_ARGUMENT_VALUES`] values, only that.
pub(crate) fn check_arguments<'t>(
    signature: &Signature,
    text: &'t str,
    implementation: Option<&Signature>,
) -> Result<Arguments<'t>, Violations> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    refuse_too_many_values(text)?;
    let (named, further) = signature.named_and_further();
    let host = implementation.map_or(&[][..], Signature::params);
    if further.is_none() && conforms(named, host, text) {
        let arguments = Arguments {
            text: Cow::Borrowed(text),
            value: None,
            dropped: Vec::new(),
            whole: WholeNumbers::default(),
        };
        debug_assert!(
            check_as_value(signature, text, host)
                .is_ok_and(|same| same.text == text && same.dropped.is_empty()),
            "{text} conforms to {signature} as it is"
        );
        return Ok(arguments);
    }
    check_as_value(signature, text, host)
}

/// Checks and normalises the arguments of a call, and returns them as a value. The text is parsed once, unlike
/// that of [`check_arguments`], whose value is only built when it is asked for.
pub(crate) fn read_arguments(signature: &Signature, text: &str) -> Result<Value, Violations> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    refuse_too_many_values(text)?;
    check_as_value(signature, text, &[]).map(Arguments::into_value)
}

/// Refuses arguments with more values than allowed, before they take memory.
fn refuse_too_many_values(text: &str) -> Result<(), Violations> {
    if has_more_values_than(text.as_bytes(), MAX_ARGUMENT_VALUES) {
        let expected = format!("at most {MAX_ARGUMENT_VALUES} values");
        let violation = Violation::new(&Path::Root, expected, "more");
        return Err(Violations::one(violation));
    }
    Ok(())
}

/// Checks and normalises the arguments of a call as a value.
fn check_as_value<'t>(
    signature: &Signature,
    text: &'t str,
    host: &[Field],
) -> Result<Arguments<'t>, Violations> {
    let (mut value, duplicates) = parse(text)?;
    let tool_fills = |param: &Field| field_of(host, param.name()).is_some_and(Field::is_optional);
    let whole = WholeNumbers::read(text, &value);
    let mut completion = Completion::new(&whole);
    let mut walk = Validation {
        violations: duplicates,
        whole: Some(&whole),
        ..Validation::default()
    };
    let Value::Object(members) = &mut value else {
        // Keys given twice inside it no longer matter.
        let found = describe(&value);
        let violation = Violation::new(&Path::Root, "an object of arguments", found);
        return Err(Violations::one(violation));
    };
    let (named, further) = signature.named_and_further();
    for param in named.iter().filter(|param| tool_fills(param)) {
        // `null` is absent where the tool has the parameter optional, as it is where this signature has. Only
        // a parameter of `Any` has `null` among its values.
        let is_null = members.get(param.name()).is_some_and(Value::is_null);
        if is_null && !matches!(param.ty().kind(), Kind::Any) {
            members.remove(param.name());
            completion.changed = true;
        }
    }
    let keys = Keys {
        are_open: further.is_some(),
        may_miss: tool_fills,
    };
    walk.fields_unless(named, host, members, Path::Root, keys);
    if let Some(values) = further {
        walk.further(named, (values, None), members, Path::Root);
    }
    Violations::from_list(walk.violations)?;
    let undeclared = Undeclared {
        values: further,
        ..Undeclared::REMOVED
    };
    completion.record((named, host), undeclared, members, Path::Root);
    let text = if completion.changed {
        Cow::Owned(whole.write(&value))
    } else {
        Cow::Borrowed(text)
    };
    Ok(Arguments {
        text,
        value: Some(value),
        dropped: completion.dropped,
        whole,
    })
}

/// Removes keys that are in the order of the members. `Map::remove` is compiled again in each crate that calls it.
fn remove(members: &mut Map<String, Value>, unwanted: &[String]) {
    let mut unwanted = unwanted;
    for (key, value) in std::mem::take(members) {
        match unwanted {
            [first, rest @ ..] if *first == key => unwanted = rest,
            _ => {
                members.insert(key, value);
            }
        }
    }
}

/// The changes that normalising made to a value.
struct Completion<'t, 'w> {
    changed: bool,
    dropped: Vec<String>,
    /// Finds the types that values of unions fit.
    walk: Validation<'t>,
    whole: &'w WholeNumbers,
}

impl<'t, 'w> Completion<'t, 'w> {
    fn new(whole: &'w WholeNumbers) -> Self {
        Self {
            changed: false,
            dropped: Vec::new(),
            walk: Validation::default(),
            whole,
        }
    }

    /// Inserts missing values, drops undeclared ones, and normalises the rest. `host` has the fields of the
    /// implementation.
    fn fields(
        &mut self,
        fields: &'t [Field],
        host: &[Field],
        members: &mut Map<String, Value>,
        path: Path<'_>,
    ) {
        self.record((fields, host), Undeclared::REMOVED, members, path);
    }

    /// Does the same for a record that may have further keys.
    fn record(
        &mut self,
        (fields, host): (&'t [Field], &[Field]),
        undeclared: Undeclared<'t, '_>,
        members: &mut Map<String, Value>,
        path: Path<'_>,
    ) {
        let by_name = ByName::new(fields);
        let host = ByName::new(host);
        let mut present = 0;
        let mut unwanted = Vec::new();
        for (key, value) in members.iter_mut() {
            match (by_name.get(key), undeclared.values) {
                (Some(field), _) if !is_removed(field, host.get(key), value) => {
                    let host = host.get(key).map(Field::ty);
                    self.value(field.ty(), host, value, path.key(key));
                    present += 1;
                    continue;
                }
                (Some(_), _) => {}
                (None, Some(values)) => {
                    self.value(values, undeclared.host_values, value, path.key(key));
                    continue;
                }
                (None, None) if undeclared.rivals.iter().any(|ty| declares(ty, key)) => continue,
                (None, None) => self.dropped.push(dropped_name(path, key)),
            }
            unwanted.push(key.clone());
        }
        if !unwanted.is_empty() {
            self.changed = true;
            remove(members, &unwanted);
        }
        if present == fields.len() {
            return;
        }
        for field in fields {
            if let Some(default) = field.default()
                && !members.contains_key(field.name())
                && let Some(mut value) = value_to_json(default)
            {
                self.changed = true;
                self.value(field.ty(), None, &mut value, path.key(field.name()));
                members.insert(field.name().to_owned(), value);
            }
        }
    }

    /// Returns the types of a union after `first` that an object fits, too, if they matter: if the object has
    /// keys that `first` does not declare.
    fn rivals(
        &mut self,
        first: &Type,
        types: &'t [Type],
        members: &mut Map<String, Value>,
    ) -> Vec<&'t Type> {
        if members.keys().all(|key| declares(first, key)) {
            return Vec::new();
        }
        let value = Value::Object(std::mem::take(members));
        let later = types.iter().skip_while(|ty| !std::ptr::eq(*ty, first));
        let later = later.skip(1);
        let fits = |ty: &&'t Type| {
            first_fitting(&mut self.walk, std::slice::from_ref(*ty), &value).is_some()
        };
        let rivals = later.filter(fits).collect();
        if let Value::Object(taken) = value {
            *members = taken;
        }
        rivals
    }

    fn value(&mut self, ty: &'t Type, host: Option<&Type>, value: &mut Value, path: Path<'_>) {
        let host = host.and_then(|host| alternative_of(host, ty));
        match (ty.kind(), value) {
            (Kind::Union(types), value) => {
                let types = types_of(types);
                let Some(ty) = first_fitting(&mut self.walk, types, value) else {
                    return;
                };
                match (ty.kind(), value) {
                    (Kind::Object(Shape::Fields(fields)), Value::Object(members)) => {
                        let keys = Undeclared {
                            values: None,
                            host_values: None,
                            rivals: &self.rivals(ty, types, members),
                        };
                        let host = host.and_then(|host| alternative_of(host, ty));
                        let fields = (fields_of(fields), fields_of_type(host));
                        self.record(fields, keys, members, path);
                    }
                    (_, value) => self.value(ty, host, value, path),
                }
            }
            (Kind::Tuple(types), Value::Array(items)) => {
                let host = items_of_type(host);
                for (at, (ty, item)) in types_of(types).iter().zip(items).enumerate() {
                    self.value(ty, host.get(at), item, path.index(at));
                }
            }
            (Kind::Int, Value::Number(number)) => {
                let written = self.whole.get(path);
                let (whole, is_plain) = match written {
                    Some(written) => (written.as_number(), written.is_plain),
                    None => (without_fraction(number), true),
                };
                self.changed |= whole.is_some() || !is_plain;
                if let Some(whole) = whole {
                    *number = whole;
                }
            }
            (Kind::Array(element), Value::Array(items)) => {
                let host = host.and_then(element_of);
                for (at, item) in items.iter_mut().enumerate() {
                    self.value(element, host, item, path.index(at));
                }
            }
            (Kind::Object(Shape::Fields(fields)), Value::Object(members)) => {
                self.fields(fields_of(fields), fields_of_type(host), members, path);
            }
            (Kind::Object(Shape::Extended(fields, values)), Value::Object(members)) => {
                let keys = Undeclared {
                    values: Some(values.get()),
                    host_values: host.and_then(values_of),
                    rivals: &[],
                };
                let fields = (fields_of(fields), fields_of_type(host));
                self.record(fields, keys, members, path);
            }
            (Kind::Object(Shape::Map(of)), Value::Object(members)) => {
                let host = host.and_then(values_of);
                for (key, member) in members {
                    self.value(of, host, member, path.key(key));
                }
            }
            _ => {}
        }
    }
}

/// The treatment of the keys that a record does not declare.
#[derive(Clone, Copy)]
struct Undeclared<'t, 'r> {
    /// The type of their values, where the record has further keys.
    values: Option<&'t Type>,
    /// The type of their values in the implementation.
    host_values: Option<&'r Type>,
    /// The other types of a union that the value fits. A key that one of them declares is kept, because an
    /// implementation that refuses unknown keys reads the value as that type.
    rivals: &'r [&'t Type],
}

impl Undeclared<'_, '_> {
    /// They are removed.
    const REMOVED: Self = Self {
        values: None,
        host_values: None,
        rivals: &[],
    };
}

/// Returns the type of an implementation that has the values of `ty`: in a union, the only type of its label,
/// or the equal type.
fn alternative_of<'h>(host: &'h Type, ty: &Type) -> Option<&'h Type> {
    let equal = || match host.kind() {
        Kind::Union(types) => types_of(types).iter().find(|host| *host == ty),
        _ => None,
    };
    alternative_like(host, ty).or_else(equal)
}

/// Whether a value is removed as a missing one: `null` for an optional field, unless the implementation reads
/// it as a value.
fn is_removed(field: &Field, host: Option<&Field>, value: &Value) -> bool {
    let keeps_null = |field: &Field| field.ty().keeps_null();
    is_absent(field, value) && !keeps_null(field) && !host.is_some_and(keeps_null)
}

/// Whether values of a type have a key.
fn declares(ty: &Type, key: &str) -> bool {
    match ty.kind() {
        Kind::Object(Shape::Fields(fields)) => field_of(fields_of(fields), key).is_some(),
        Kind::Object(_) | Kind::Any => true,
        Kind::Union(types) => types_of(types).iter().any(|ty| declares(ty, key)),
        _ => false,
    }
}

/// An argument is listed by its name, a nested key by its path from the argument on.
fn dropped_name(path: Path<'_>, key: &str) -> String {
    if matches!(path, Path::Root) {
        return key.to_owned();
    }
    let path = path.key(key).to_string();
    path.trim_start_matches('$')
        .trim_start_matches('.')
        .to_owned()
}

/// Parses JSON text, and reports the keys that another parser would read differently: those that an object
/// has twice, and those that `serde_json` reserves.
///
/// # Errors
/// When the text is not JSON, with line and column, or nests deeper than `serde_json` reads (128).
pub(super) fn parse(text: &str) -> Result<(Value, Vec<Violation>), Violations> {
    let mut violations = Vec::new();
    let value = read_json(text, |problem, path| {
        if violations.len() < MOST_VIOLATIONS {
            violations.push(match problem {
                KeyProblem::Duplicate => Violation::new(&path, "the key once", "it more than once"),
                KeyProblem::Reserved => {
                    Violation::new(&path, "another key", "one that JSON parsers reserve")
                }
            });
        }
    });
    match value {
        Ok(value) => Ok((value, violations)),
        Err(error) => {
            let found = format!("text that is not: {error}");
            let violation = Violation::new(&Path::Root, "JSON", found);
            Err(Violations::one(violation))
        }
    }
}
