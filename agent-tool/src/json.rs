//! Parameters of types with a JSON Schema and without a gram type.

use agent_spec::__private::Host;
use agent_spec::{GramType, Kind, Type};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

/// A value of a type that gram cannot describe and schemars can: a type of another crate, an untagged enum, a
/// tuple.
///
/// Its gram type is `Any`. Models get the JSON Schema of the type in its place. `Json<T>` can be used wherever
/// a type can, also in a `Vec` and an `Option`. Serde reads and writes the value, and reports an invalid one.
///
/// ```
/// use agent_tool::schemars::JsonSchema;
/// use agent_tool::{Json, serde::Deserialize, tool};
///
/// #[derive(Deserialize, JsonSchema)]
/// # #[serde(crate = "agent_tool::serde")]
/// # #[schemars(crate = "agent_tool::schemars")]
/// #[serde(untagged)]
/// enum Id {
///     Number(u64),
///     Name(String),
/// }
///
/// /// Finds a person
/// #[tool]
/// fn find(id: Json<Id>, others: Vec<Json<Id>>) -> String {
///     match id.0 {
///         Id::Number(number) => format!("{number}, {} more", others.len()),
///         Id::Name(name) => name,
///     }
/// }
///
/// assert_eq!(find::SIGNATURE, r#"(id::Any)==>(others::Array)==>(::String)"#);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Json<T>(pub T);

impl<T> Deref for Json<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Json<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Json<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self)
    }
}

impl<T: Serialize> Serialize for Json<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<T: JsonSchema> JsonSchema for Json<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}

impl<T: JsonSchema> GramType for Json<T> {
    const TYPE: &'static Type = &Type::new(Kind::Any).with_host(Host::Schema(schema_of::<T>));
}

/// Returns the schema of a type by schemars. A recursive type refers to `$defs`.
pub(crate) fn schema_of<T: JsonSchema>() -> serde_json::Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let mut schema = generator.subschema_for::<T>();
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        schema.insert("$defs".to_owned(), definitions.into());
    }
    schema.to_value()
}
