//! The arguments of a call.

use crate::json_value::{
    KeyProblem, MAX_ARGUMENT_VALUES, Path, describe, has_more_values_than, parse_json, read_json,
    value_to_json,
};
use crate::signature::Signature;
use crate::types::{ByName, Field, Kind, Shape, Type, fields_of, types_of};
use crate::validate::aliases::{self, alternative_of};
use crate::validate::conforming::conforms;
use crate::validate::json_text::{SchemaTypes, inner_value, is_json_like, reads_json_text};
use crate::validate::number::without_fraction;
use crate::validate::violation::{MOST_VIOLATIONS, Violation, Violations};
use crate::validate::walk::{
    Keys, Validation, element_of, field_of, fields_of_type, first_fitting, is_absent,
    items_of_type, values_of,
};
use crate::validate::whole::{WholeNumbers, has_coarse, pointer};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashMap;

/// Arguments that satisfy a signature, in the form that the tool reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments<'t> {
    text: Cow<'t, str>,
    /// The arguments as a value, when a value was built.
    value: Option<Value>,
    dropped: Vec<String>,
    json_texts: Vec<String>,
    /// The numbers of the model's text that the value may have rounded.
    whole: WholeNumbers,
}

impl<'t> Arguments<'t> {
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
        self.into_parts().1
    }

    /// Returns the JSON text for the tool, borrowed if it is the model's own.
    pub(super) fn into_cow(self) -> Cow<'t, str> {
        self.text
    }

    /// Returns the JSON text and the value.
    pub(super) fn into_parts(self) -> (Cow<'t, str>, Value) {
        let Self { text, value, .. } = self;
        // The text was read before, so it can be read again.
        let value = value.unwrap_or_else(|| parse_json(&text).unwrap_or_default());
        (text, value)
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

    /// The paths of the lists and objects that were given as their JSON text, such as `$.user.tags`.
    #[must_use]
    pub fn json_texts(&self) -> &[String] {
        &self.json_texts
    }
}

/// Checks the arguments of a call, as the JSON text that a model sent, and normalises them:
/// - Missing optional arguments get their default.
/// - `5.0` becomes `5` for an `Int`.
/// - `null` for optional values is removed, unless one variant of the tool's enum reads it as a value.
/// - Undeclared arguments are removed.
/// - An alias becomes the name of its field or variant.
/// - The JSON text of a list or an object becomes the value, where no text is allowed.
///
/// `implementation` is the signature of the tool that will be called, if it has one. It has the integer
/// ranges of the Rust types. A parameter that is optional there may be missing, or `null`, although this
/// signature requires it.
///
/// An empty or blank text and `null` count as `{}`, because some models send them for a call without
/// arguments. The text has all digits of an integer of up to 128 bits; [`Arguments::into_value`] has the
/// nearest double of an integer beyond 64 bits, since `serde_json` holds no other.
///
/// # Errors
/// All violations; for a text that is not JSON, or has more than [`MAX_ARGUMENT_VALUES`] values, only that
/// violation.
pub(crate) fn check_arguments<'t>(
    signature: &Signature,
    text: &'t str,
    implementation: Option<&Signature>,
) -> Result<Arguments<'t>, Violations> {
    let text = arguments_text(text);
    refuse_too_many_values(text)?;
    let (named, further) = signature.named_and_further();
    let host = implementation.map_or(&[][..], Signature::params);
    if further.is_none() && conforms(named, host, text) {
        let arguments = Arguments {
            text: Cow::Borrowed(text),
            value: None,
            dropped: Vec::new(),
            json_texts: Vec::new(),
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

/// Checks and normalises the arguments of a call, with their value. The text is parsed once, unlike that of
/// [`check_arguments`], whose value is only built when it is asked for.
pub(crate) fn read_arguments<'t>(
    signature: &Signature,
    text: &'t str,
) -> Result<Arguments<'t>, Violations> {
    let text = arguments_text(text);
    refuse_too_many_values(text)?;
    check_as_value(signature, text, &[])
}

/// Returns the text of arguments: an empty object for a text by which models express that there are no
/// arguments.
pub fn arguments_text(text: &str) -> &str {
    match text.trim() {
        "" | "null" => "{}",
        _ => text,
    }
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
    let mut source = Cow::Borrowed(text);
    let mut json_texts = Vec::new();
    if let Value::String(inner) = &value
        && let Some(object @ Value::Object(_)) = inner_value(inner, &mut 0)
    {
        source = Cow::Owned(inner.clone());
        value = object;
        json_texts.push(Path::Root.to_string());
    }
    let (named, further) = signature.named_and_further();
    let adopted = match aliases::has_aliases(host) {
        true => aliases::with_aliases_of(named, host),
        false => None,
    };
    let params = adopted.as_deref().unwrap_or(named);
    let tool_fills = |param: &Field| field_of(host, param.name()).is_some_and(Field::is_optional);
    let mut whole = WholeNumbers::read(&source, &value);
    let mut completion = Completion::new(&whole);
    completion.changed = !json_texts.is_empty();
    completion.json_texts = json_texts;
    let mut walk = Validation {
        violations: duplicates,
        whole: Some(&whole),
        reads_json_text: true,
        ..Validation::default()
    };
    let Value::Object(members) = &mut value else {
        // Keys that are given twice inside of a value that is no object are not reported.
        let found = describe(&value);
        let mut violation = Violation::new(&Path::Root, "an object of arguments", found);
        if value.as_str().is_some_and(is_json_like) {
            violation = violation.with_help("write the object itself, not its JSON text");
        }
        return Err(Violations::one(violation));
    };
    for param in params.iter().filter(|param| tool_fills(param)) {
        // `null` counts as absent where the parameter is optional for the tool, as it does where the
        // parameter is optional in this signature. Only a parameter of `Any` has `null` among its values.
        let is_null = members.get(param.name()).is_some_and(Value::is_null);
        let keeps_null = |host: &Field| param.is_optional() && host.ty().keeps_null();
        let is_kept = field_of(host, param.name()).is_some_and(keeps_null);
        if is_null && !is_kept && !matches!(param.ty().kind(), Kind::Any) {
            members.remove(param.name());
            completion.changed = true;
        }
    }
    let keys = Keys {
        are_open: further.is_some(),
        may_miss: tool_fills,
    };
    walk.fields_unless(params, host, members, Path::Root, keys);
    if let Some(values) = further {
        walk.further(params, (values, None), members, Path::Root);
    }
    Violations::from_list(walk.violations)?;
    let undeclared = Undeclared {
        values: further,
        ..Undeclared::REMOVED
    };
    completion.record((params, host), undeclared, members, Path::Root);
    let Completion {
        changed,
        dropped,
        json_texts,
        renamed,
        ..
    } = completion;
    whole.renamed(renamed);
    let text = if changed {
        Cow::Owned(whole.write(&value))
    } else {
        Cow::Borrowed(text)
    };
    Ok(Arguments {
        text,
        value: Some(value),
        dropped,
        json_texts,
        whole,
    })
}

/// Removes and renames keys, which are in the order of the members: each with its new name, or `None`. `Map::remove` is
/// compiled again in each crate that calls it.
fn change_keys(members: &mut Map<String, Value>, changes: &[(String, Option<&str>)]) {
    let mut changes = changes;
    for (key, value) in std::mem::take(members) {
        let key = match changes {
            [(from, to), rest @ ..] if *from == key => {
                changes = rest;
                match to {
                    Some(name) => (*name).to_owned(),
                    None => continue,
                }
            }
            _ => key,
        };
        members.insert(key, value);
    }
}

/// The changes that normalising made to a value.
struct Completion<'t, 'w> {
    changed: bool,
    dropped: Vec<String>,
    /// The paths of the lists and objects that were given as their JSON text.
    json_texts: Vec<String>,
    /// The number of values in the texts that a `schema` was read for.
    inner_values: usize,
    /// The types of values that each `schema` allows in place of such texts.
    schema_types: HashMap<&'t str, SchemaTypes>,
    /// The members that got the name of their field in the place of an alias; see [`WholeNumbers::renamed`].
    renamed: Vec<(String, String)>,
    /// Finds the types that values of unions fit.
    walk: Validation<'t>,
    whole: &'w WholeNumbers,
}

impl<'t, 'w> Completion<'t, 'w> {
    fn new(whole: &'w WholeNumbers) -> Self {
        Self {
            changed: false,
            dropped: Vec::new(),
            json_texts: Vec::new(),
            inner_values: 0,
            schema_types: HashMap::new(),
            renamed: Vec::new(),
            walk: Validation {
                reads_json_text: true,
                ..Validation::default()
            },
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

    /// Completes a record as [`fields`](Self::fields) does. The record may have further keys.
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
        let mut changes = Vec::new();
        for (key, value) in members.iter_mut() {
            match (by_name.get(key), undeclared.values) {
                (Some(field), _) if !is_removed(field, host.get(field.name()), value) => {
                    let name = field.name();
                    let host = host.get(name).map(Field::ty);
                    self.value(field.ty(), host, value, path.key(key));
                    present += 1;
                    if name != key {
                        changes.push((key.clone(), Some(name)));
                        if !self.whole.is_empty() {
                            self.renamed.push((pointer(path.key(name)), key.clone()));
                        }
                    }
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
            changes.push((key.clone(), None));
        }
        if !changes.is_empty() {
            self.changed = true;
            change_keys(members, &changes);
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

    /// Returns the list or object that a text stands for.
    fn inner_value(&mut self, ty: &'t Type, text: &str) -> Option<Value> {
        if reads_json_text(ty) {
            return inner_value(text, &mut 0);
        }
        let schema = ty.constraints().schema.as_deref()?;
        // No earlier step has counted the values in the text or read its numbers.
        let inner = is_json_like(text).then(|| inner_value(text, &mut self.inner_values))??;
        let types = self
            .schema_types
            .entry(schema)
            .or_insert_with(|| SchemaTypes::of(schema));
        (types.reads(&inner) && !has_coarse(&inner)).then_some(inner)
    }

    fn value(&mut self, ty: &'t Type, host: Option<&Type>, value: &mut Value, path: Path<'_>) {
        let host = host.and_then(|host| alternative_of(host, ty));
        if let Value::String(text) = value
            && let Some(inner) = self.inner_value(ty, text)
        {
            *value = inner;
            self.changed = true;
            self.json_texts.push(path.to_string());
        }
        match (ty.kind(), value) {
            (Kind::Text, Value::String(text)) => {
                let name = aliases::variant_of(ty, text);
                if name != text {
                    *text = name.to_owned();
                    self.changed = true;
                }
            }
            (Kind::Union(types), value) => {
                let types = types_of(types);
                self.walk.inner_values = 0;
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
                    // Another type of the union may be a text.
                    (Kind::Any, Value::String(_)) => {}
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
    /// The type of the values of these keys, where the record has further keys.
    values: Option<&'t Type>,
    /// The type of the values of these keys in the implementation.
    host_values: Option<&'r Type>,
    /// The other types of a union that the value fits. A key that one of them declares is kept, because an
    /// implementation that refuses unknown keys reads the value as that type.
    rivals: &'r [&'t Type],
}

impl Undeclared<'_, '_> {
    /// Undeclared keys are removed.
    const REMOVED: Self = Self {
        values: None,
        host_values: None,
        rivals: &[],
    };
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
        Kind::Object(Shape::Fields(fields)) => {
            let mut fields = fields_of(fields).iter();
            fields.any(|field| aliases::is_named(field, key))
        }
        Kind::Object(_) | Kind::Any => true,
        Kind::Union(types) => types_of(types).iter().any(|ty| declares(ty, key)),
        _ => false,
    }
}

/// Returns the name by which a dropped key is listed: the name of an argument, or the path of a nested key
/// from the argument on.
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
