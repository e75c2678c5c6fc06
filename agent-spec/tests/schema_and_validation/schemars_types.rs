//! The schemas that schemars writes for ordinary types, read as gram types.

use crate::schema_and_validation::against_jsonschema::{validator, without_absent};
use agent_spec::schema::{Loss, SchemaReader};
use agent_spec::{Returns, Signature, Type};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A person.
#[derive(JsonSchema, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Person {
    /// What to call them.
    first_name: String,
    age: Option<u8>,
    /// Where they live.
    home: Option<Address>,
    work: Address,
    tags: Vec<String>,
    scores: HashMap<String, f64>,
    rooms: BTreeMap<String, Vec<Option<Colour>>>,
    mood: Mood,
    last_mood: Option<Mood>,
    note: Value,
    extra: Map<String, Value>,
    initial: char,
    name: Wrapped,
}

#[derive(JsonSchema, Deserialize, Serialize)]
struct Address {
    street: String,
    #[schemars(range(min = 1, max = 99999), extend("x-form" = "short"))]
    zip: u32,
}

#[derive(JsonSchema, Deserialize, Serialize)]
enum Colour {
    Red,
    Green,
}

/// How they feel.
#[derive(JsonSchema, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Mood {
    /// Smiling.
    VeryGood,
    /// Not smiling.
    Bad,
    Unknown,
}

#[derive(JsonSchema, Deserialize, Serialize)]
struct Wrapped(#[schemars(length(min = 1), email)] String);

#[derive(JsonSchema, Deserialize, Serialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Options {
    limit: i64,
    factor: Option<f32>,
    names: Vec<String>,
}

#[derive(JsonSchema, Deserialize, Serialize)]
struct Request {
    #[serde(default)]
    options: Options,
    #[serde(default)]
    colour: Option<Colour>,
    bytes: [u8; 3],
}

#[derive(JsonSchema, Deserialize, Serialize)]
struct Numbers {
    a: i8,
    b: i16,
    c: i32,
    d: i64,
    e: i128,
    f: isize,
    g: u8,
    h: u16,
    i: u32,
    j: u64,
    k: u128,
    l: usize,
    m: f32,
    n: f64,
    o: std::num::NonZeroU8,
}

fn schema_of<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let generator: SchemaGenerator = settings.into_generator();
    generator.into_root_schema_for::<T>().to_value()
}

fn schema<T: JsonSchema>() -> Value {
    schema_of::<T>(SchemaSettings::draft2020_12())
}

fn read<T: JsonSchema>() -> Type {
    let schema = schema::<T>();
    Type::from_schema(&schema).unwrap_or_else(|error| panic!("{schema:#}\n{error}"))
}

fn params<T: JsonSchema>() -> Vec<String> {
    let signature = Signature::from_schemas(&schema::<T>(), None).expect("readable");
    let text = signature.to_string();
    assert_eq!(
        agent_spec::parse_signature(&text).as_ref(),
        Ok(&signature),
        "{text}"
    );
    let text = text.strip_suffix("==>(::Any)").expect("the result");
    text.split("==>").map(str::to_owned).collect()
}

#[test]
fn a_struct_is_a_list_of_parameters() {
    assert_eq!(
        params::<Person>(),
        [
            "(age::Int {optional: true, minimum: 0, maximum: 255})",
            "(extra::Object)",
            "(firstName::Text {description: \"What to call them.\"})",
            "(home::Object {optional: true, description: \"Where they live.\", fields: [{name: \"street\", type: \"Text\"}, {name: \"zip\", type: \"Int\", minimum: 1, maximum: 99999}]})",
            "(initial::Text {minLength: 1, maxLength: 1})",
            "(lastMood::Text {optional: true, description: \"How they feel.\\n- \\\"very_good\\\": Smiling.\\n- \\\"bad\\\": Not smiling.\", enum: [\"unknown\", \"very_good\", \"bad\"]})",
            "(mood::Text {description: \"How they feel.\\n- \\\"very_good\\\": Smiling.\\n- \\\"bad\\\": Not smiling.\", enum: [\"unknown\", \"very_good\", \"bad\"]})",
            "(name::Text {format: \"email\", minLength: 1})",
            "(note::Any)",
            "(rooms::Object {valueType: {type: \"Array\", elementType: {type: \"Text\", optional: true, enum: [\"Red\", \"Green\"]}}})",
            "(scores::Object {valueType: \"Double\"})",
            "(tags::Array {elementType: \"Text\"})",
            "(work::Object {fields: [{name: \"street\", type: \"Text\"}, {name: \"zip\", type: \"Int\", minimum: 1, maximum: 99999}]})",
        ]
    );
}

#[test]
fn defaults_are_defaults() {
    assert_eq!(
        params::<Request>(),
        [
            "(bytes::Array {elementType: {type: \"Int\", minimum: 0, maximum: 255}, minItems: 3, maxItems: 3})",
            "(colour::Text {optional: true, enum: [\"Red\", \"Green\"]})",
            "(options::Object {default: {limit: 0, names: []}, fields: [{name: \"factor\", type: \"Double\", optional: true}, {name: \"limit\", type: \"Int\", default: 0}, {name: \"names\", type: \"Array\", default: [], elementType: \"Text\"}]})",
        ]
    );
}

#[test]
fn integers_of_all_widths_are_int() {
    assert_eq!(
        params::<Numbers>(),
        [
            "(a::Int {minimum: -128, maximum: 127})",
            "(b::Int {minimum: -32768, maximum: 32767})",
            "(c::Int)",
            "(d::Int)",
            "(e::Int)",
            "(f::Int)",
            "(g::Int {minimum: 0, maximum: 255})",
            "(h::Int {minimum: 0, maximum: 65535})",
            "(i::Int {minimum: 0})",
            "(j::Int {minimum: 0})",
            "(k::Int {minimum: 0})",
            "(l::Int {minimum: 0})",
            "(m::Double)",
            "(n::Double)",
            "(o::Int {minimum: 1, maximum: 255})",
        ]
    );
}

#[test]
fn every_dialect_and_contract_reads_the_same() {
    let one = |settings: SchemaSettings| {
        let schema = schema_of::<Person>(settings);
        Type::from_schema(&schema).unwrap_or_else(|error| panic!("{schema:#}\n{error}"))
    };
    let expected = read::<Person>();
    assert_eq!(one(SchemaSettings::draft07()), expected);
    assert_eq!(one(SchemaSettings::draft2019_09()), expected);
    let inline = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    assert_eq!(one(inline), expected);
    // A serialized field is always present, even when it is `null`.
    assert_eq!(
        one(SchemaSettings::draft2020_12().for_serialize()),
        expected
    );
}

/// Both must allow a value, or both refuse it.
fn check_values<T: JsonSchema>(values: &[(Value, bool)]) {
    let (schema, ty) = (schema::<T>(), read::<T>());
    let theirs = validator(&schema);
    let again = validator(&ty.schema().to_value());
    for (value, expected) in values {
        let plain = without_absent(&ty, value);
        assert_eq!(theirs.is_valid(value), *expected, "schemars: {value}");
        assert_eq!(
            again.is_valid(&plain),
            *expected,
            "read and written: {value}"
        );
        assert_eq!(ty.validate(value).is_ok(), *expected, "read: {value}");
    }
}

#[test]
fn values_are_allowed_and_refused_alike() {
    let person = |changes: Value| {
        let mut person = json!({
            "firstName": "Ada", "work": {"street": "x", "zip": 1}, "tags": ["a"], "scores": {"x": 1.5},
            "rooms": {"r": ["Red", null]}, "mood": "bad", "note": null, "extra": {}, "initial": "A",
            "name": "ada@example.org",
        });
        for (key, value) in changes.as_object().expect("changes") {
            person[key] = value.clone();
        }
        person
    };
    check_values::<Person>(&[
        (person(json!({})), true),
        (
            person(json!({"age": 255, "home": {"street": "y", "zip": 2}, "lastMood": "very_good"})),
            true,
        ),
        (
            person(json!({"age": null, "home": null, "lastMood": null})),
            true,
        ),
        (person(json!({"age": 256})), false),
        (person(json!({"age": "1"})), false),
        (person(json!({"firstName": null})), false),
        (person(json!({"home": {"street": "y"}})), false),
        (person(json!({"work": {"street": "y", "zip": 0}})), false),
        (person(json!({"tags": [1]})), false),
        (person(json!({"scores": {"x": "1"}})), false),
        (person(json!({"rooms": {"r": ["Blue"]}})), false),
        (person(json!({"rooms": {"r": null}})), false),
        (person(json!({"mood": "VeryGood"})), false),
        (person(json!({"mood": null})), false),
        (person(json!({"initial": "AB"})), false),
        (person(json!({"name": "nobody"})), false),
        (person(json!({"unknown": 1})), true),
        (json!([]), false),
    ]);
    check_values::<Request>(&[
        (json!({"bytes": [1, 2, 3]}), true),
        (
            json!({"bytes": [1, 2, 3], "options": {}, "colour": "Red"}),
            true,
        ),
        (
            json!({"bytes": [1, 2, 3], "options": {"factor": null}}),
            true,
        ),
        (json!({"bytes": [1, 2]}), false),
        (json!({"bytes": [1, 2, 3], "colour": "Blue"}), false),
        (
            json!({"bytes": [1, 2, 3], "options": {"limit": 1.5}}),
            false,
        ),
    ]);
    check_values::<Option<Colour>>(&[
        (json!("Red"), true),
        (json!(null), true),
        (json!("x"), false),
    ]);
}

#[test]
fn calls_drop_the_keys_that_a_closed_struct_rejects() {
    let signature = Signature::from_schemas(&schema::<Options>(), None).expect("readable");
    let call = signature.check_arguments(r#"{"limit": 2, "other": 1}"#, None);
    let arguments = call.expect("an argument that is not named is dropped");
    assert!(validator(&schema::<Options>()).is_valid(&arguments.into_value()));
    let error = SchemaReader::exact()
        .read_type(&schema::<Options>())
        .unwrap_err();
    assert_eq!(error.first().path(), "$.additionalProperties");
}

#[derive(JsonSchema, Deserialize, Serialize)]
struct Odd {
    shape: Shape,
    either: Either,
    tagged: Tagged,
    pair: (i32, String),
    unit: (),
    set: HashSet<String>,
    node: Node,
    non_zero: std::num::NonZeroI8,
    by_number: HashMap<u32, String>,
}

#[derive(JsonSchema, Deserialize, Serialize)]
enum Shape {
    Circle { radius: f64 },
    Square(f64),
    Nothing,
}

#[derive(JsonSchema, Deserialize, Serialize)]
#[serde(untagged)]
enum Either {
    Text(String),
    Number(i32),
}

#[derive(JsonSchema, Deserialize, Serialize)]
#[serde(tag = "kind")]
enum Tagged {
    A { x: i32 },
    B,
}

#[derive(JsonSchema, Deserialize, Serialize)]
struct Node {
    children: Vec<Node>,
}

#[test]
fn names_the_parts_that_gram_cannot_express() {
    let schema = schema::<Odd>();
    let error = Type::from_schema(&schema).expect_err("gram cannot say it");
    let found: Vec<_> = error
        .problems()
        .iter()
        .map(|problem| (problem.path(), problem.referrer().unwrap_or_default()))
        .collect();
    assert_eq!(
        found,
        [
            ("$.properties.by_number.patternProperties", ""),
            (
                "$.$defs.Node.properties.children.items.$ref",
                "$.properties.node"
            ),
            ("$.properties.non_zero.not", ""),
            ("$.properties.set.uniqueItems", ""),
        ]
    );
}

#[test]
fn a_caller_who_allows_losses_gets_a_type() {
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema counts")]
    struct Loose {
        shape: Shape,
        set: HashSet<String>,
        node: Node,
        non_zero: std::num::NonZeroI8,
    }
    let reader = SchemaReader::new()
        .allowing(Loss::UniqueItems)
        .allowing(Loss::Recursion)
        .allowing(Loss::Not);
    let ty = reader.read_type(&schema::<Loose>()).expect("readable");
    assert_eq!(
        Signature::new(vec![], Returns::new(ty)).to_string(),
        concat!(
            "()==>(::Object {fields: [",
            "{name: \"node\", type: \"Object\", fields: [{name: \"children\", type: \"Array\"}]}, ",
            "{name: \"non_zero\", type: \"Int\", minimum: -128, maximum: 127}, ",
            "{name: \"set\", type: \"Array\", elementType: \"Text\"}, ",
            "{name: \"shape\", type: \"Any\", anyOf: [{type: \"Text\", enum: [\"Nothing\"]}, ",
            "{type: \"Object\", fields: [{name: \"Circle\", type: \"Object\", fields: [{name: \"radius\", type: \"Double\"}]}]}, ",
            "{type: \"Object\", fields: [{name: \"Square\", type: \"Double\"}]}]}]})",
        )
    );
}
