//! Reads one schema, and the schemas in it, as a type.

use crate::keyword::{Keyword, TypeFamily};
use crate::names::{FURTHER, PARAMETER_NAMES, is_parameter_name, nearest, not_a_parameter_name};
use crate::schema::form::TYPES;
use crate::schema::read::Loss;
use crate::schema::read::anything::{extended, is_anything, is_explicit, unread_part};
use crate::schema::read::converter::{Converter, PathStep, Place, ReadSchema};
use crate::schema::read::keyword::{is_own, is_type, structure_of};
use crate::schema::read::limits::Allowed;
use crate::schema::read::source::{Json, Members};
use crate::types::{Field, Kind, Param, Shape, Type, types_of};
use agent_gram::value::Nest;
use std::borrow::Cow;
use std::collections::HashSet;

impl<'s> Converter<'s> {
    /// Reads one schema. Its parts are read by [`Converter::schema`].
    pub(super) fn node(
        &mut self,
        schema: Json<'s>,
        assumed: Option<&'static str>,
    ) -> Option<ReadSchema> {
        match schema {
            Json::Bool(true) => Some(ReadSchema::of(Type::new(Kind::Any))),
            Json::Bool(false) => {
                self.report(
                    "the schema `false` allows no value, and every gram type allows one",
                    "leave out what has this schema",
                );
                None
            }
            Json::Object(members) => {
                let parts = self.parts(members, assumed)?;
                self.finish(members, parts)
            }
            other => {
                let found = other.describe();
                self.report(format!("expected a schema, found {found}"), "");
                None
            }
        }
    }

    /// Reads each keyword, or group of keywords. All are read, so that every problem is found.
    fn parts(
        &mut self,
        members: Members<'s>,
        assumed: Option<&'static str>,
    ) -> Option<Vec<ReadSchema>> {
        if !self.spend(members.len()) {
            return None;
        }
        self.refuse_keywords(members);
        let mut parts = Vec::new();
        if members.iter().any(|(key, _)| is_own(key)) {
            parts.push(self.own(members, assumed));
        }
        if let Some(reference) = members.get("$ref") {
            parts.push(self.reference(reference));
        }
        // Schemas for the same value need not repeat its type.
        let known = match members.get("type") {
            Some(Json::Text(text)) => TYPES.into_iter().find(|word| *word == text),
            Some(_) => None,
            None => assumed,
        };
        if let Some(all) = members.get("allOf") {
            parts.extend(self.arms("allOf", all, known));
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(arms) = members.get(key) {
                let arms = self.arms(key, arms, known);
                parts.push(self.union(key, arms));
            }
        }
        parts.into_iter().collect()
    }

    fn finish(&mut self, members: Members<'s>, parts: Vec<ReadSchema>) -> Option<ReadSchema> {
        let mut found = self.together(parts)?;
        match members.get("description") {
            None => {}
            Some(Json::Text(text)) if self.spend(text.len() / 64) => {
                found.description = Some(text.to_owned());
            }
            Some(Json::Text(_)) => return None,
            Some(other) => self.wrong("description", "a text", other),
        }
        match members.get("default") {
            // Gram has no null: a default of `null` means that the value is missing.
            None | Some(Json::Null) => {}
            Some(default) => found.default = self.default(&found.ty, default),
        }
        Some(found)
    }

    /// Reads the schemas of a list, such as that of `allOf`. `known` is the type of the value, if it is
    /// declared beside the list.
    fn arms(
        &mut self,
        key: &'static str,
        arms: Json<'s>,
        known: Option<&'static str>,
    ) -> Vec<Option<ReadSchema>> {
        let Json::List(arms) = arms else {
            self.wrong(key, "a list of schemas", arms);
            return vec![None];
        };
        let values = arms.iter().filter(|arm| !is_type(*arm, "null"));
        let levels = if key != "allOf" && values.count() > 1 {
            UNION_LEVELS
        } else {
            0
        };
        self.nesting += levels;
        self.steps.push(PathStep::Key(key.into()));
        let mut all = Vec::new();
        for (at, arm) in arms.iter().enumerate() {
            self.steps.push(PathStep::Index(at));
            self.assumed = known;
            all.push(self.schema(arm));
            self.steps.pop();
        }
        self.steps.pop();
        self.nesting -= levels;
        if all.is_empty() {
            self.report_at(key, "expected at least one schema, found none", "");
            all.push(None);
        }
        all
    }
}

/// The value of `type`.
struct Declared {
    /// The types besides `null`.
    words: Vec<&'static str>,
    /// Whether `null` is allowed.
    null: bool,
}

impl<'s> Converter<'s> {
    /// Returns the type that the keywords of this object imply.
    pub(super) fn own(
        &mut self,
        members: Members<'s>,
        assumed: Option<&'static str>,
    ) -> Option<ReadSchema> {
        let declared = self.declared(members);
        let allowed = self.allowed(members);
        let (declared, allowed) = (declared?, allowed?);
        let ty = match (declared, allowed) {
            (Some(declared), Some(allowed)) => self.listed(members, &declared, &allowed)?,
            (Some(declared), None) => self.any_of_words(members, &declared)?,
            (None, Some(allowed)) => self.listed_untyped(members, &allowed)?,
            // Without a `type`, anything is allowed, `null` as well.
            (None, None) => {
                let word = self.implied(members, assumed);
                self.of_word(members, word)?
            }
        };
        let mut found = ReadSchema::of(ty);
        let further = self.further(members);
        found.closed = further.is_some_and(|(_, value)| matches!(value, Json::Bool(false)));
        Some(found)
    }

    /// A type of the given words, narrowed by the keywords of each.
    fn any_of_words(&mut self, members: Members<'s>, declared: &Declared) -> Option<Type> {
        let levels = if declared.words.len() > 1 {
            UNION_LEVELS
        } else {
            0
        };
        self.nesting += levels;
        // All are read, so that every problem is found.
        let words = declared.words.iter();
        let types: Vec<_> = words
            .map(|word| self.of_word(members, Some(word)))
            .collect();
        self.nesting -= levels;
        let types: Option<Vec<Type>> = types.into_iter().collect();
        let null = declared.null.then(|| Type::new(Kind::Null));
        Type::any_of(types?.into_iter().chain(null))
    }

    /// A type of the listed values, which must be of the types that are declared.
    fn listed(
        &mut self,
        members: Members<'s>,
        declared: &Declared,
        allowed: &Allowed<'s>,
    ) -> Option<Type> {
        if allowed.null && !declared.null {
            let words: Vec<_> = declared
                .words
                .iter()
                .map(|word| format!("{word:?}"))
                .collect();
            let message = format!("`null` is listed, but `type` is {}", words.join(", "));
            let help = "write `null` in `type` as well, take it out";
            self.lose_at(Loss::EnumValues, allowed.key, message, help);
        }
        let null = declared.null && allowed.null;
        if allowed.values.is_empty() && null {
            return Some(Type::new(Kind::Null));
        }
        let plain = match allowed.word() {
            Some(word) if declared.words.contains(&word) => self.of_word(members, Some(word))?,
            _ => self.any_of_words(members, declared)?.with_optional(false),
        };
        if matches!(plain.kind(), Kind::Null) {
            return Some(plain);
        }
        let narrowed = self.enumerated(plain, allowed)?;
        // The values alone determine their types.
        let narrowed = match narrowed.constraints().enumeration() {
            values if matches!(narrowed.kind(), Kind::Union(_)) && !values.is_empty() => {
                Type::new(Kind::Any).with_constraints(narrowed.constraints().clone())
            }
            _ => narrowed,
        };
        Some(narrowed.with_optional(null))
    }

    /// A type of the listed values, without `type`.
    fn listed_untyped(&mut self, members: Members<'s>, allowed: &Allowed<'s>) -> Option<Type> {
        if allowed.values.is_empty() {
            return Some(Type::new(Kind::Null));
        }
        // Keywords of other types than that of the values have no effect.
        let word = allowed.word();
        if word.is_none() {
            self.implied(members, None);
        }
        let plain = self.of_word(members, word)?;
        let narrowed = self.enumerated(plain, allowed)?;
        Some(narrowed.with_optional(allowed.null))
    }

    /// A type of one word, narrowed by the keywords that apply to the type. Other keywords have no effect.
    fn of_word(&mut self, members: Members<'s>, word: Option<&str>) -> Option<Type> {
        let kind = match word {
            None => Kind::Any,
            Some("null") => Kind::Null,
            Some("boolean") => Kind::Bool,
            Some("integer") => Kind::Int,
            Some("number") => Kind::Double,
            Some("string") => Kind::Text,
            Some("array") => self.list(members)?,
            Some(_) => Kind::Object(self.shape(members)?),
        };
        let constraints = self.constraints(members, &kind);
        Some(Type::new(kind).with_constraints(constraints))
    }

    /// Reads a list: of elements of one type, or of a type for each place.
    fn list(&mut self, members: Members<'s>) -> Option<Kind> {
        let (key, parts) = match (members.get("prefixItems"), members.get("items")) {
            (Some(Json::List(parts)), _) => ("prefixItems", parts),
            (Some(other), _) => {
                self.wrong("prefixItems", "a list of schemas", other);
                return None;
            }
            // The form of drafts before 2020-12.
            (None, Some(Json::List(parts))) => ("items", parts),
            (None, Some(items)) => {
                let element = self.nested("items", items, 1)?;
                return Some(Kind::Array(element.into_nest()));
            }
            (None, None) => return Some(Kind::Array(Nest::from_static(Type::ANY))),
        };
        self.steps.push(PathStep::Key(key.into()));
        self.nesting += UNION_LEVELS - 1;
        let all: Vec<_> = parts.iter().enumerate().collect();
        let types: Vec<_> = all
            .into_iter()
            .map(|(at, part)| self.nested_step(PathStep::Index(at), part, 1))
            .collect();
        self.nesting -= UNION_LEVELS - 1;
        self.steps.pop();
        let types: Option<Vec<_>> = types.into_iter().collect();
        let types: Vec<Type> = types?.into_iter().map(|found| *found.ty).collect();
        self.lose_length(members, key, types.len());
        Some(Kind::Tuple(Cow::Owned(types)))
    }

    /// Reports a tuple whose length is not exactly that of its parts.
    fn lose_length(&mut self, members: Members<'s>, key: &'static str, parts: usize) {
        let count = |key| members.get(key).and_then(Json::as_count);
        let rest = if key == "items" {
            "additionalItems"
        } else {
            "items"
        };
        let closed = [rest, "unevaluatedItems"]
            .into_iter()
            .any(|key| matches!(members.get(key), Some(Json::Bool(false))));
        let parts = u64::try_from(parts).unwrap_or(u64::MAX);
        let least = count("minItems").unwrap_or(0);
        let most = count("maxItems").unwrap_or(u64::MAX);
        let most = if closed { most.min(parts) } else { most };
        if (least, most) != (parts, parts) {
            let message =
                format!("a tuple in gram has each of its items and no others, here {parts}");
            let help = format!("write `\"minItems\": {parts}` and `\"{rest}\": false`");
            self.lose_at(Loss::Tuples, key, message, &help);
        }
    }

    /// Reads `type`, if there is one; `None` when it is invalid.
    fn declared(&mut self, members: Members<'s>) -> Option<Option<Declared>> {
        let Some(value) = members.get("type") else {
            return Some(None);
        };
        let listed: Vec<Json<'s>> = match value {
            Json::List(list) => list.iter().collect(),
            one => vec![one],
        };
        let mut words = Vec::new();
        for item in &listed {
            let known = match item {
                Json::Text(text) => TYPES.into_iter().find(|word| word == text),
                _ => None,
            };
            let Some(known) = known else {
                self.not_a_word(*item);
                return None;
            };
            if !words.contains(&known) {
                words.push(known);
            }
        }
        if words.is_empty() {
            self.wrong("type", "at least one type", value);
            return None;
        }
        // Whole numbers are numbers.
        if words.contains(&"number") {
            words.retain(|word| *word != "integer");
        }
        let nullable = matches!(members.get("nullable"), Some(Json::Bool(true)));
        let null = nullable || words.contains(&"null");
        words.retain(|word| *word != "null");
        Some(Some(Declared { words, null }))
    }

    fn not_a_word(&mut self, found: Json<'_>) {
        let meant = match found {
            Json::Text(text) => nearest(text, TYPES),
            _ => None,
        };
        let help = match meant {
            Some(meant) => format!("did you mean {meant:?}?"),
            None => "the types are \"null\", \"boolean\", \"integer\", \"number\", \"string\", \
                     \"array\" and \"object\""
                .to_owned(),
        };
        let found = found.describe();
        self.report_at("type", format!("expected a type, found {found}"), help);
    }

    /// Returns the type that the keywords of a schema without `type` apply to. Such keywords allow all values
    /// of other types, which gram cannot express.
    ///
    /// `assumed` is the type that a schema around this one declares for the same value.
    fn implied(
        &mut self,
        members: Members<'s>,
        assumed: Option<&'static str>,
    ) -> Option<&'static str> {
        if assumed.is_some() {
            return assumed;
        }
        let mut implied = None;
        for (family, word, meant) in [
            (TypeFamily::Text, "string", "\"string\""),
            (TypeFamily::Array, "array", "\"array\""),
            (TypeFamily::Object, "object", "\"object\""),
            (TypeFamily::Number, "number", "\"integer\" or \"number\""),
        ] {
            let constraints = Keyword::CONSTRAINTS.iter();
            let keys = constraints
                .filter(|keyword| keyword.family() == family)
                .map(|keyword| keyword.name())
                .chain(structure_of(family).iter().copied());
            for key in keys.filter(|key| members.get(key).is_some()) {
                let message = format!("`{key}` without `type` allows whatever is not {meant}");
                let help = format!("write `type` as well: {meant}");
                if implied.is_some_and(|implied| implied != word) {
                    self.report_at(key, message, help);
                } else if self.lose_at(Loss::ImpliedTypes, key, message, &help) {
                    implied = Some(word);
                }
            }
        }
        implied
    }
}

impl Allowed<'_> {
    /// Returns the one type of the values, or `None` when they have several types.
    fn word(&self) -> Option<&'static str> {
        let of = |value: &Json<'_>| match value {
            Json::Bool(_) => Some("boolean"),
            Json::Integer(_) => Some("integer"),
            Json::Number(_) => Some("number"),
            Json::Text(_) => Some("string"),
            // The values themselves determine the parts of a list or an object.
            Json::Null | Json::List(_) | Json::Object(_) => None,
        };
        let mut words = self.values.iter().map(of);
        let first = words.next()??;
        words.try_fold(first, |all, word| match (all, word?) {
            (all, word) if all == word => Some(all),
            ("integer" | "number", "integer" | "number") => Some("number"),
            _ => None,
        })
    }
}

/// The number of levels of gram that a record needs: the list of its fields, and the map of each field.
const RECORD_LEVELS: usize = 2;

/// The number of levels of gram that a union or a tuple needs: the list of its types, and the map of each.
const UNION_LEVELS: usize = 2;

impl<'s> Converter<'s> {
    /// Reads a part of a type, `levels` levels of gram deeper.
    pub(super) fn nested(
        &mut self,
        key: impl Into<Cow<'s, str>>,
        schema: Json<'s>,
        levels: usize,
    ) -> Option<ReadSchema> {
        self.nested_step(PathStep::Key(key.into()), schema, levels)
    }

    fn nested_step(
        &mut self,
        step: PathStep<'s>,
        schema: Json<'s>,
        levels: usize,
    ) -> Option<ReadSchema> {
        self.part(step, schema, levels, Place::Nested)
    }

    /// Reads a part of a type. A nested part that can only be `null` is a problem.
    fn part(
        &mut self,
        step: PathStep<'s>,
        schema: Json<'s>,
        levels: usize,
        place: Place,
    ) -> Option<ReadSchema> {
        self.nesting += levels;
        self.steps.push(step);
        let notes = std::mem::take(&mut self.notes);
        let before = self.enter();
        let found = self.schema(schema);
        let may_be_null = place == Place::Described;
        let found = found.filter(|found| may_be_null || !self.refuse_null(found));
        let found = self.leave(schema, found, before, place);
        let mut found = found.map(ReadSchema::settled);
        let step = self.steps.pop();
        self.nesting -= levels;
        let own = std::mem::replace(&mut self.notes, notes);
        if let Some(found) = found.as_mut().filter(|_| self.reader.is_foreign) {
            found.cases.extend(own);
            if place == Place::Nested
                && let Some(text) = found.full_description()
            {
                let owner = match step {
                    Some(PathStep::Index(at)) => format!("item {}", at + 1),
                    Some(PathStep::Key(key)) if key == "items" => "each item".to_owned(),
                    _ => "each value".to_owned(),
                };
                let text = text.strip_prefix("- ").unwrap_or(&text);
                self.note(format!("- {owner}: {text}"));
            }
        }
        found
    }

    fn refuse_null(&mut self, found: &ReadSchema) -> bool {
        let is_null = matches!(found.ty.kind(), Kind::Null);
        if is_null {
            self.report(
                "only what a tool returns can be `null` and nothing else",
                "write the type of the values beside it, or leave it out",
            );
        }
        is_null
    }

    /// The known properties of an object.
    pub(super) fn shape(&mut self, members: Members<'s>) -> Option<Shape> {
        let required = self.required(members);
        let fields = self.properties(members, required.as_deref());
        let (required, mut fields) = (required?, fields?);
        // A required property without a schema may have any value.
        let mut described: HashSet<&str> = match members.get("properties") {
            Some(Json::Object(properties)) => properties.iter().map(|(name, _)| name).collect(),
            _ => HashSet::new(),
        };
        for name in required {
            if described.insert(name) {
                let anything = Type::new(Kind::Any);
                fields.push(self.named_field(name, anything));
            }
        }
        let has_properties = members.get("properties").is_some();
        let is_record = has_properties || !fields.is_empty();
        match self.further(members) {
            Some((key, values)) if self.allows_others(members) => {
                // If the patterns are a problem, this problem was reported already.
                let is_word = matches!(values, Json::Bool(_)) && !self.is_loss_of_arguments();
                let allowed = is_word
                    || self.lose_at(
                        Loss::FurtherProperties,
                        key,
                        "further keys have one type in gram, and here their names decide",
                        "write one schema for all further keys",
                    );
                allowed.then(|| extended(fields, Type::new(Kind::Any)))
            }
            None if self.allows_others(members) => Some(extended(fields, Type::new(Kind::Any))),
            Some((key, Json::Bool(false))) => {
                let allowed = self.lose_at(
                    Loss::ClosedObjects,
                    key,
                    "gram has no objects that refuse further keys; it ignores them",
                    "take it out",
                );
                allowed.then_some(Shape::Fields(Cow::Owned(fields)))
            }
            None if has_properties => Some(Shape::Fields(Cow::Owned(fields))),
            None => Some(extended(fields, unread_part())),
            Some((key, values)) => {
                let value = match key {
                    "patternProperties" => self.values_by_pattern(members)?,
                    _ => self.nested(key, values, 1)?,
                };
                Some(match is_record || is_explicit(&value.ty) {
                    true => extended(fields, *value.ty),
                    false => Shape::Map(value.into_nest()),
                })
            }
        }
    }

    /// Returns the field of a property, which may have another name in the type.
    fn named_field(&mut self, name: &str, ty: Type) -> Field {
        if !self.reader.renames {
            return Field::new(name.to_owned(), ty);
        }
        let shown = self.names.shown(name, self.root, &self.reader.known_names);
        let is_renamed = shown != name;
        let field = Field::new(shown, ty);
        match is_renamed {
            true => field.with_remote(name.to_owned()),
            false => field,
        }
    }

    fn required(&mut self, members: Members<'s>) -> Option<Vec<&'s str>> {
        let Some(value) = members.get("required") else {
            return Some(Vec::new());
        };
        let names = match value {
            Json::List(names) if !self.spend(names.len()) => return None,
            Json::List(names) => names
                .iter()
                .map(|name| match name {
                    Json::Text(name) => Some(name),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        if names.is_none() {
            self.wrong("required", "a list of names", value);
        }
        names
    }

    /// Reads all properties, so that the problems of each are found. When the list of required
    /// properties is invalid, which was reported, no property is required.
    fn properties(
        &mut self,
        members: Members<'s>,
        required: Option<&[&str]>,
    ) -> Option<Vec<Field>> {
        let properties = match members.get("properties") {
            None => return Some(Vec::new()),
            Some(Json::Object(properties)) => properties,
            Some(other) => {
                self.wrong("properties", "an object of schemas", other);
                return None;
            }
        };
        let required: HashSet<&str> = required.unwrap_or_default().iter().copied().collect();
        self.steps.push(PathStep::Key("properties".into()));
        let mut all = Vec::new();
        for (name, schema) in properties.iter() {
            let step = PathStep::Key(name.into());
            all.push((
                name,
                self.part(step, schema, RECORD_LEVELS, Place::Described),
            ));
        }
        let fields: Vec<_> = all
            .into_iter()
            .map(|(name, found)| Some(self.field(name, found?, required.contains(name))))
            .collect();
        self.steps.pop();
        let fields: Option<Vec<_>> = fields.into_iter().collect();
        Some(fields?.into_iter().flatten().collect())
    }

    /// Returns the field of a property. `None` for a property that can only be `null`, because it counts as
    /// absent.
    fn field(&mut self, name: &'s str, found: ReadSchema, required: bool) -> Option<Field> {
        let anything = is_anything(&found.ty);
        let only_null = matches!(found.ty.kind(), Kind::Null);
        if only_null {
            self.lose_at(
                Loss::RequiredNull,
                name,
                "it can only be `null`, and in gram `null` counts as absent",
                "leave it out",
            );
            return None;
        }
        if required && found.ty.is_optional() && !anything {
            self.lose_at(
                Loss::RequiredNull,
                name,
                "it must be there and may be `null`, and in gram `null` counts as absent",
                "take it out of `required`",
            );
        }
        let description = found.full_description();
        // The default of a required property is never used.
        let default = found.default.filter(|_| !required);
        let optional = !required || (found.ty.is_optional() && !anything);
        // If the schema allows `null`, a caller that writes `null` may mean something else than a missing
        // value.
        let keeps_null = anything || found.ty.is_optional() || found.ty.keeps_null();
        let ty = found.ty.with_optional(optional && default.is_none());
        let mut field = self.named_field(name, ty.with_null_kept(keeps_null));
        if let Some(default) = default {
            field = field.with_default(default);
        }
        if let Some(description) = description {
            field = field.with_description(description);
        }
        Some(field)
    }

    /// Returns the parameters in the schema of the arguments.
    pub(super) fn parameters(&mut self, arguments: ReadSchema) -> Option<Vec<Param>> {
        let anything = || Some(Type::new(Kind::Any));
        let (mut params, further) = match arguments.ty.kind() {
            Kind::Object(Shape::Open) => (Vec::new(), anything()),
            Kind::Object(shape) => (shape.fields().to_vec(), shape.values().cloned()),
            Kind::Union(types) if self.is_loss_of_arguments() => {
                self.fields_of_any(types_of(types))
            }
            // Arguments are always an object.
            _ if is_anything(&arguments.ty) => (Vec::new(), anything()),
            _ => {
                let label = arguments.ty.label();
                self.report(
                    format!("the arguments of a call are an object of named values, not `{label}`"),
                    "write `\"type\": \"object\"` and a property for each parameter",
                );
                return None;
            }
        };
        if !arguments.ty.constraints().is_none() {
            self.report_at(
                "enum",
                "arguments are declared one by one, not as a whole",
                "",
            );
        }
        let names = params.iter().map(Param::name);
        for name in names.filter(|name| !is_parameter_name(name)) {
            let help = format!("write {PARAMETER_NAMES}");
            self.report_at("properties", not_a_parameter_name(name), help);
        }
        if let Some(ty) = further {
            let mut param = Param::new(FURTHER, ty);
            let notes = std::mem::take(&mut self.notes);
            if !notes.is_empty() {
                param = param.with_description(notes.join("\n"));
            }
            params.push(param);
        }
        Some(params)
    }
}
