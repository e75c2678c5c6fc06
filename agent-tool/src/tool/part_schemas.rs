//! The JSON Schemas of parts of a signature: the keyword `schema` of `Any`.
//!
//! agent-spec validates the rest of the signature. With the feature `json-schema`, the values of these parts
//! are validated here, each schema compiled once for a tool. Without the feature, the tool itself must check
//! the values. The values of a schema that cannot be compiled are not validated, either, so that a schema
//! that was read fails no run. An example is a schema with a regular expression that only JavaScript
//! supports.

#[cfg(not(feature = "json-schema"))]
pub use none::PartSchemas;
#[cfg(feature = "json-schema")]
pub use validated::PartSchemas;

use super::contract_guard::wrong_result;
use super::{ToolError, wrong_arguments};
use agent_spec::Arguments;
use serde_json::Value;

impl PartSchemas {
    /// Validates arguments that satisfy the signature.
    ///
    /// # Errors
    /// All problems of the arguments.
    pub fn check_arguments(&self, arguments: &Arguments<'_>) -> Result<(), ToolError> {
        self.arguments_problems(|| arguments.clone().into_value())
            .map_err(wrong_arguments)
    }

    /// Validates arguments that satisfy the signature, as a value.
    ///
    /// # Errors
    /// All problems of the arguments.
    pub fn check_values(&self, arguments: &Value) -> Result<(), ToolError> {
        self.arguments_problems(|| arguments.clone())
            .map_err(wrong_arguments)
    }

    /// Validates a result that is of the return type.
    ///
    /// # Errors
    /// All problems of the result.
    pub fn check_result(&self, result: &Value) -> Result<(), ToolError> {
        self.result_problems(result).map_err(wrong_result)
    }
}

#[cfg(not(feature = "json-schema"))]
mod none {
    use agent_spec::Signature;
    use serde_json::Value;

    /// Nothing, because nothing validates JSON Schemas.
    #[derive(Clone, Copy, Debug)]
    pub struct PartSchemas;

    impl PartSchemas {
        /// Does nothing.
        pub const fn of(_: &Signature) -> Self {
            Self
        }

        /// Returns no problems.
        ///
        /// # Errors
        /// Never.
        pub fn arguments_problems(&self, _: impl FnOnce() -> Value) -> Result<(), String> {
            Ok(())
        }

        /// Returns no problems.
        ///
        /// # Errors
        /// Never.
        pub const fn result_problems(&self, _: &Value) -> Result<(), String> {
            Ok(())
        }
    }
}

#[cfg(feature = "json-schema")]
mod validated {
    use super::super::any_schema::{Compiled, MOST_PROBLEMS, Work};
    use crate::trace::TARGET;
    use agent_spec::types::{Field, Kind, Type, types_of};
    use agent_spec::{Signature, Violations};
    use serde_json::Value;
    use std::collections::HashSet;
    use std::fmt;
    use std::sync::Arc;

    /// The schemas of a signature, if it has any. Cloning is cheap.
    #[derive(Clone, Default)]
    pub struct PartSchemas(Option<Arc<Parts>>);

    #[derive(Default)]
    struct Parts {
        arguments: Option<SchemaPart>,
        result: Option<SchemaPart>,
    }

    /// A type with a schema for a part of it. Parts without a schema are left out.
    enum SchemaPart {
        Schema {
            schema: Arc<Compiled>,
            /// Whether `null` counts as no value.
            is_optional: bool,
        },
        /// The elements of a list.
        Elements(Box<SchemaPart>),
        /// Elements of a list, by index.
        Items(Vec<(usize, SchemaPart)>),
        Members {
            fields: Vec<(String, SchemaPart)>,
            further: Option<Further>,
        },
        /// The types of a union, in order.
        Either(Vec<(Type, Option<SchemaPart>)>),
    }

    /// The members of an object that are not fields.
    struct Further {
        fields: HashSet<String>,
        values: Box<SchemaPart>,
    }

    impl PartSchemas {
        /// Compiles the schemas of a signature.
        pub fn of(signature: &Signature) -> Self {
            let mut compiler = Compiler {
                known: Vec::new(),
                path: "$".to_owned(),
            };
            let (named, further) = signature.named_and_further();
            let arguments = compiler.object(named, further);
            "$returns".clone_into(&mut compiler.path);
            let result = compiler.part(signature.returns().ty(), false);
            Self(match (&arguments, &result) {
                (None, None) => None,
                _ => Some(Arc::new(Parts { arguments, result })),
            })
        }

        /// Returns the problems of arguments, a line each. `arguments` is called if a part of them has a schema.
        pub fn arguments_problems(&self, arguments: impl FnOnce() -> Value) -> Result<(), String> {
            match self.0.as_ref().and_then(|parts| parts.arguments.as_ref()) {
                Some(part) => problems(part, &arguments()),
                None => Ok(()),
            }
        }

        /// Returns the problems of a result, a line each.
        pub fn result_problems(&self, result: &Value) -> Result<(), String> {
            match self.0.as_ref().and_then(|parts| parts.result.as_ref()) {
                Some(part) => problems(part, result),
                None => Ok(()),
            }
        }
    }

    impl fmt::Debug for PartSchemas {
        fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("PartSchemas")
        }
    }

    fn problems(part: &SchemaPart, value: &Value) -> Result<(), String> {
        let mut check = Check {
            path: "$".to_owned(),
            problems: Vec::new(),
            work: Work::default(),
        };
        check.part(part, value);
        let found = check.problems;
        if found.is_empty() {
            return Ok(());
        }
        let shown = &found[..found.len().min(Violations::PRINTED)];
        let mut text = shown.join("\n");
        if found.len() > shown.len() {
            text.push_str(&format!("\nand {} more", found.len() - shown.len()));
        }
        Err(text)
    }

    struct Compiler {
        /// The schemas by their texts, because a signature may have the same schema in many places.
        known: Vec<(String, Option<Arc<Compiled>>)>,
        path: String,
    }

    impl Compiler {
        fn part(&mut self, ty: &Type, is_optional: bool) -> Option<SchemaPart> {
            let is_optional = is_optional || ty.is_optional();
            if let Some(text) = &ty.constraints().schema {
                return Some(SchemaPart::Schema {
                    schema: self.compiled(text)?,
                    is_optional,
                });
            }
            match ty.kind() {
                Kind::Array(of) => {
                    let part = self.at("[]", |this| this.part(of.get(), false));
                    part.map(|part| SchemaPart::Elements(Box::new(part)))
                }
                Kind::Tuple(types) => {
                    let mut items = Vec::new();
                    for (at, ty) in types_of(types).iter().enumerate() {
                        let part = self.at(&format!("[{at}]"), |this| this.part(ty, false));
                        items.extend(part.map(|part| (at, part)));
                    }
                    (!items.is_empty()).then_some(SchemaPart::Items(items))
                }
                Kind::Union(types) => {
                    let types = types_of(types).iter();
                    let either: Vec<_> =
                        types.map(|ty| (ty.clone(), self.part(ty, false))).collect();
                    let has_part = either.iter().any(|(_, part)| part.is_some());
                    has_part.then_some(SchemaPart::Either(either))
                }
                Kind::Object(shape) => self.object(shape.fields(), shape.values()),
                _ => None,
            }
        }

        fn object(&mut self, fields: &[Field], values: Option<&Type>) -> Option<SchemaPart> {
            let further = values.and_then(|values| self.at(".*", |this| this.part(values, false)));
            let mut parts = Vec::new();
            for field in fields {
                let step = format!(".{}", field.name());
                let part = self.at(&step, |this| this.part(field.ty(), field.is_optional()));
                parts.extend(part.map(|part| (field.name().to_owned(), part)));
            }
            if parts.is_empty() && further.is_none() {
                return None;
            }
            let names = fields.iter().map(|field| field.name().to_owned());
            Some(SchemaPart::Members {
                fields: parts,
                further: further.map(|values| Further {
                    fields: names.collect(),
                    values: Box::new(values),
                }),
            })
        }

        fn at<T>(&mut self, step: &str, work: impl FnOnce(&mut Self) -> T) -> T {
            let length = self.path.len();
            self.path.push_str(step);
            let done = work(self);
            self.path.truncate(length);
            done
        }

        /// Compiles a schema, unless that is impossible.
        fn compiled(&mut self, text: &str) -> Option<Arc<Compiled>> {
            if let Some((_, known)) = self.known.iter().find(|(known, _)| known == text) {
                return known.clone();
            }
            let schema = agent_spec::json::parse_json(text).map_err(|error| error.to_string());
            let compiled = schema.and_then(|schema: Value| {
                Compiled::of_part(&schema).map_err(|error| error.to_string())
            });
            let compiled = compiled.inspect_err(|reason| {
                tracing::warn!(target: TARGET, path = self.path, reason, "the values of a `schema` are not validated");
            });
            let compiled = compiled.ok().map(Arc::new);
            self.known.push((text.to_owned(), compiled.clone()));
            compiled
        }
    }

    /// One validation.
    struct Check {
        path: String,
        problems: Vec<String>,
        /// The work that all parts share.
        work: Work,
    }

    impl Check {
        fn part(&mut self, part: &SchemaPart, value: &Value) {
            if self.problems.len() >= MOST_PROBLEMS {
                return;
            }
            match (part, value) {
                (
                    SchemaPart::Schema {
                        is_optional: true, ..
                    },
                    Value::Null,
                ) => {}
                (SchemaPart::Schema { schema, .. }, value) => {
                    // The paths of the schema's own messages begin at the part.
                    let place = format!("`{}", self.path);
                    let found = schema.problems_within(value, &mut self.work);
                    let found = found.iter().map(|problem| problem.replace("`$", &place));
                    self.problems.extend(found);
                }
                (SchemaPart::Elements(part), Value::Array(items)) => {
                    for (at, item) in items.iter().enumerate() {
                        self.at(&format!("[{at}]"), part, item);
                    }
                }
                (SchemaPart::Items(parts), Value::Array(items)) => {
                    for (at, part) in parts {
                        if let Some(item) = items.get(*at) {
                            self.at(&format!("[{at}]"), part, item);
                        }
                    }
                }
                (SchemaPart::Members { fields, further }, Value::Object(members)) => {
                    for (name, part) in fields {
                        if let Some(member) = members.get(name) {
                            self.at(&format!(".{name}"), part, member);
                        }
                    }
                    if let Some(further) = further {
                        for (name, member) in members {
                            if !further.fields.contains(name) {
                                self.at(&format!(".{name}"), &further.values, member);
                            }
                        }
                    }
                }
                (SchemaPart::Either(types), value) => self.either(types, value),
                // Another kind of value is refused by the type.
                _ => {}
            }
        }

        fn at(&mut self, step: &str, part: &SchemaPart, value: &Value) {
            let length = self.path.len();
            self.path.push_str(step);
            self.part(part, value);
            self.path.truncate(length);
        }

        /// Checks a value that at least one type must allow. The problems are those of the first type that
        /// allows the value apart from its schemas.
        fn either(&mut self, types: &[(Type, Option<SchemaPart>)], value: &Value) {
            let before = std::mem::take(&mut self.problems);
            let mut first = None;
            for (ty, part) in types {
                if ty.validate(value).is_err() {
                    continue;
                }
                if let Some(part) = part {
                    self.part(part, value);
                }
                let found = std::mem::take(&mut self.problems);
                if found.is_empty() {
                    first = None;
                    break;
                }
                first = first.or(Some(found));
            }
            self.problems = before;
            self.problems.extend(first.into_iter().flatten());
        }
    }
}
