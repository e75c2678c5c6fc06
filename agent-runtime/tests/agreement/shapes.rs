//! The shapes of types that other projects derive: values are made for the gram type, validated, read by
//! serde, written and validated again. The shapes are those of the integration tests of schemars.

use super::generate;
use agent_runtime::GramType;
use agent_runtime::serde::de::DeserializeOwned;
use agent_runtime::serde::{Deserialize, Serialize};
use agent_runtime::serde_json::{self, Map, Value};
use agent_runtime::spec::{Field, Returns, Signature, Type};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;

macro_rules! shapes {
    ($($item:item)+) => {$(
        #[derive(Deserialize, Serialize, GramType)]
        #[serde(crate = "agent_runtime::serde")]
        $item
    )+};
}

// Structs.
shapes! {
    struct Plain {
        count: String,
        open: bool,
    }
    #[serde(rename_all = "camelCase")]
    struct Renamed {
        long_name: i32,
        #[serde(rename = "new name")]
        old: i32,
        r#type: u8,
        #[serde(rename = "$schema")]
        schema: Option<bool>,
    }
    #[serde(deny_unknown_fields)]
    struct Closed {
        count: String,
        open: Option<bool>,
        #[serde(skip)]
        _skipped: bool,
    }
    struct Empty {}
    struct Wrapper(String);
    #[serde(transparent)]
    struct Transparent {
        inner: Vec<i32>,
    }
    struct Tuple(String, bool, Option<i32>);
    struct SkippingTuple(String, #[serde(skip)] (), u8);
    struct EmptyTuple();
    struct NestedTuples {
        pairs: Vec<(u8, i64)>,
        triple: (bool, (String, u8), Option<f64>),
        of_lists: ([u8; 2], Vec<String>),
    }
    struct Generic<T, U, const N: usize> {
        t: T,
        u: Vec<U>,
        n: [T; 2],
        #[serde(skip)]
        _phantom: PhantomData<U>,
    }
    struct Outer {
        spec: Plain,
        specs: BTreeMap<String, Plain>,
        any: Value,
        object: Map<String, Value>,
    }
}

shapes! {
    #[derive(Default)]
    #[serde(default)]
    struct Defaults {
        integer: u32,
        boolean: bool,
        option: Option<String>,
        #[serde(skip_serializing_if = "String::is_empty")]
        text: String,
    }
    struct Narrowed {
        #[gram(minimum = 1, maximum = 100)]
        between: f64,
        #[gram(min_length = 1, max_length = 2)]
        language: String,
        #[gram(min_items = 2, max_items = 2)]
        pair: Vec<String>,
        #[gram(format = "email")]
        email: String,
    }
    struct NarrowedTuple(#[gram(maximum = 10)] u8, bool);
}

// Enums whose variants are named.
shapes! {
    #[serde(rename_all = "snake_case")]
    enum Units {
        FirstOne,
        #[serde(skip)]
        _Skipped,
        #[serde(rename = "2")]
        Second,
    }
    #[serde(rename_all = "camelCase")]
    enum External {
        UnitOne,
        StringMap(BTreeMap<String, String>),
        StructNewType(Plain),
        Struct {
            count: i32,
            open: bool,
        },
        EmptyTuple(),
        Tuple(i32, bool),
        EmptyStruct {},
        Anything(Value),
        UnitTwo,
    }
    #[serde(rename_all_fields = "UPPERCASE", rename_all = "snake_case")]
    enum Renaming {
        StructVariant {
            field: String,
        },
        #[serde(rename = "custom name")]
        Other {
            #[serde(rename = "custom field")]
            field: String,
        },
    }
    enum OneVariant {
        Only(u8),
    }
    #[serde(deny_unknown_fields)]
    enum ClosedExternal {
        Unit,
        Closed(Closed),
        Struct { count: i32, open: bool },
    }
    #[serde(tag = "tag")]
    enum Internal {
        Unit,
        Held(Plain),
        Struct { count: i32, ready: bool },
    }
    #[serde(tag = "tag", content = "content")]
    enum Adjacent {
        Unit,
        Map(BTreeMap<String, String>),
        Held(Plain),
        Struct { count: i32, open: bool },
        Tuple(i32, bool),
        Nothing(),
    }
    #[serde(tag = "tag", content = "content")]
    enum AdjacentTuples {
        First(i32, bool),
        Second(i32, bool),
    }
}

// Enums with variants that are not named.
shapes! {
    #[serde(untagged)]
    enum Untagged {
        Held(Plain),
        Struct { count: i32, ready: bool },
        Empty(),
        Tuple(i32, bool),
        Number(u8),
        Larger(i64),
        Units(Units),
        Text(String),
        Map(BTreeMap<String, i32>),
    }
    #[serde(untagged, deny_unknown_fields)]
    enum ClosedUntagged {
        First { a: i32 },
        Second { a: i32, b: String },
        Map(BTreeMap<String, bool>),
    }
    #[serde(untagged)]
    enum WithAnything {
        Struct { count: i32 },
        Value(Value),
    }
    #[serde(rename_all = "camelCase")]
    enum ExternalTail {
        TaggedUnit,
        TaggedStruct {
            ready: i32,
        },
        #[serde(untagged)]
        Held(Plain),
        #[serde(untagged)]
        Tuple(i32, bool),
        #[serde(untagged)]
        Small(i8),
        #[serde(untagged)]
        Map(BTreeMap<String, String>),
    }
    #[serde(tag = "tag", content = "content")]
    enum AdjacentTail {
        Unit,
        Struct {
            ready: i32,
        },
        #[serde(untagged)]
        Tuple(i32, bool),
    }
    #[serde(tag = "tag")]
    enum InternalTail {
        Unit,
        Struct {
            ready: i32,
        },
        #[serde(untagged)]
        Number(i32),
    }
    #[serde(untagged)]
    enum Either<A, B> {
        Left(A),
        Right(B),
    }
}

// Variants of different integers.
shapes! {
    #[serde(untagged)]
    enum Signs {
        Signed(i64),
        Unsigned(u64),
    }
    #[serde(untagged)]
    enum Widths {
        Byte(u8),
        Short(i16),
        Word(u32),
        Long(i64),
        Unsigned(u64),
    }
    enum IntegerTail {
        Unit,
        #[serde(untagged)]
        Small(i8),
        #[serde(untagged)]
        Large(u32),
    }
    #[serde(untagged)]
    enum IntegerRecords {
        Small { x: i8, t: bool },
        Large { x: u32, t: String },
    }
    struct OfIntegers {
        one: Option<Signs>,
        all: Vec<Widths>,
        by_name: BTreeMap<String, Either<i8, u32>>,
        #[serde(flatten)]
        records: IntegerRecords,
    }
    #[gram(type = "Int", enum = [0, 1, 3])]
    #[serde(try_from = "u8", into = "u8")]
    #[derive(Clone)]
    #[repr(u8)]
    enum Numbered {
        Zero,
        One,
        Three = 3,
    }
}

impl TryFrom<u8> for Numbered {
    type Error = &'static str;

    fn try_from(number: u8) -> Result<Self, Self::Error> {
        [Self::Zero, Self::One, Self::Three]
            .into_iter()
            .find(|known| known.clone() as u8 == number)
            .ok_or("no such number")
    }
}

impl From<Numbered> for u8 {
    fn from(number: Numbered) -> Self {
        number as Self
    }
}

// Fields of which `null` is a value.
shapes! {
    #[serde(tag = "t", content = "c")]
    enum AdjacentValue {
        Unit,
        V(Value),
    }
    #[serde(tag = "t")]
    enum InternalValue {
        Unit,
        V { value: Value },
        Number { value: Option<i32> },
    }
    #[serde(tag = "t", content = "c")]
    enum AdjacentUnion {
        Unit,
        V(WithAnything),
    }
    struct HoldsValue {
        v: Value,
    }
    struct FlatHeld {
        f: bool,
        #[serde(flatten)]
        held: Option<HoldsValue>,
        #[serde(flatten)]
        adjacent: Option<AdjacentValue>,
    }
    enum HoldsTagged {
        First { held: AdjacentValue },
        Second { held: i32 },
        Several(Vec<AdjacentValue>, BTreeMap<String, InternalValue>),
    }
    struct OptionalValue {
        v: Option<Value>,
    }
}

// Associated types of type parameters.
shapes! {
    struct OfItem<T: Iterator> {
        item: T::Item,
        #[serde(skip)]
        _of: PhantomData<T>,
    }
}

#[derive(GramType)]
struct OfItems<T: Iterator, U: Iterator> {
    _all: Vec<T::Item>,
    _either: BTreeMap<String, (Option<<U as Iterator>::Item>, T::Item)>,
    #[serde(skip)]
    _of: (T, U),
}

// Flattened fields.
shapes! {
    struct Deep {
        f: f64,
        #[serde(flatten)]
        middle: Middle,
        v: Vec<i32>,
    }
    struct Middle {
        b: bool,
        #[serde(flatten)]
        inner: Option<Inner>,
    }
    struct Inner {
        s: String,
    }
    struct FlatValue {
        flag: bool,
        #[serde(flatten)]
        value: Value,
    }
    struct FlatMap {
        flag: bool,
        #[serde(flatten)]
        more: BTreeMap<String, i32>,
    }
    struct FlatAnything {
        flag: bool,
        #[serde(flatten)]
        inner: Inner,
        #[serde(flatten)]
        more: BTreeMap<String, Value>,
    }
    enum Data {
        Number(u32),
        Tuple(u8, bool),
        Struct { count: i32 },
    }
    #[serde(untagged)]
    enum Records {
        First { first: i32, both: bool },
        Second { second: String, both: bool },
    }
    struct Container {
        f: f64,
        #[serde(flatten)]
        external: Data,
        #[serde(flatten)]
        internal: Internal,
    }
    struct OptionalContainer {
        f: f64,
        #[serde(flatten)]
        external: Option<Data>,
        #[serde(flatten)]
        records: Option<Records>,
    }
    struct AdjacentContainer {
        f: f64,
        #[serde(flatten)]
        adjacent: Adjacent,
    }
}

// Maps.
shapes! {
    struct Id(u32);
    struct Maps {
        texts: HashMap<String, bool>,
        wrapped: BTreeMap<Key, bool>,
        units: BTreeMap<Units, i8>,
    }
    struct NumberMaps {
        small: BTreeMap<i8, bool>,
        large: HashMap<u64, Vec<bool>>,
        wrapped: BTreeMap<Id, bool>,
        flags: BTreeMap<bool, bool>,
        letters: BTreeMap<char, bool>,
    }
    struct Key(String);
}

macro_rules! ordered {
    ($($ty:ident: $key:expr;)+) => {$(
        impl PartialEq for $ty {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other).is_eq()
            }
        }

        impl Eq for $ty {}

        impl PartialOrd for $ty {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $ty {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                let key = $key;
                key(self).cmp(&key(other))
            }
        }
    )+};
}

ordered! {
    Id: |id: &Id| id.0;
    Key: |key: &Key| key.0.clone();
    Units: |unit: &Units| matches!(unit, Units::Second);
}

/// How many of the values that validation accepts serde reads, too.
#[derive(Clone, Copy, PartialEq)]
enum Reads {
    All,
    /// The record of all variants, or of flattened enums, is wider than the type, as are the keys of maps.
    Most,
}

fn round_trip<T: GramType + Serialize + DeserializeOwned>(name: &str, reads: Reads) {
    let param = Field::new("value", T::TYPE.clone());
    let signature = Signature::new(vec![param], Returns::new(T::TYPE.clone()));
    let read = |value: &Value| {
        let text = serde_json::json!({ "value": value }).to_string();
        let arguments = signature.check_arguments(&text, None).ok()?.into_value();
        Some(serde_json::from_str::<T>(&arguments["value"].to_string()).map_err(|e| e.to_string()))
    };
    let (came_back, unread) = (Cell::new(0), Cell::new(0));
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(600)
    });
    let result = runner.run(&generate::arguments(&signature), |arguments| {
        let Some(value) = read(arguments.get("value").unwrap_or(&Value::Null)) else {
            return Ok(());
        };
        let value = match value {
            Ok(value) => value,
            Err(error) => {
                prop_assert!(reads == Reads::Most, "{arguments} was not read: {error}");
                unread.set(unread.get() + 1);
                return Ok(());
            }
        };
        let written = serde_json::to_value(&value).expect("it can be written");
        let violations = T::TYPE.validate(&written).err();
        prop_assert!(
            violations.is_none(),
            "{arguments}, {written}: {violations:?}"
        );
        let again = read(&written)
            .expect("it was validated")
            .expect("it was written");
        let again = serde_json::to_value(&again).expect("it can be written");
        prop_assert_eq!(again, written);
        came_back.set(came_back.get() + 1);
        Ok(())
    });
    assert!(result.is_ok(), "{name}: {result:?}");
    assert!(
        came_back.get() > 8,
        "{name}: only {} came back",
        came_back.get()
    );
}

macro_rules! round_trips {
    ($($reads:ident: $($ty:ty),+;)+) => {$($(
        round_trip::<$ty>(stringify!($ty), Reads::$reads);
    )+)+};
}

#[test]
fn structs_round_trip() {
    round_trips! {
        All: Plain, Renamed, Closed, Empty, Wrapper, Transparent, Tuple, SkippingTuple, EmptyTuple,
            NestedTuples, Generic<u8, String, 2>, Outer, Defaults, Narrowed, NarrowedTuple,
            OfItem<std::vec::IntoIter<i32>>, OptionalValue;
    }
}

#[test]
fn enums_with_named_variants_round_trip() {
    round_trips! {
        All: Units, External, Renaming, OneVariant, ClosedExternal, AdjacentTuples;
        Most: Internal, Adjacent, AdjacentValue, InternalValue, AdjacentUnion, HoldsTagged;
    }
}

#[test]
fn enums_with_unnamed_variants_round_trip() {
    round_trips! {
        All: Untagged, ClosedUntagged, WithAnything, ExternalTail, Either<i32, String>,
            Either<Units, Tuple>, Signs, Widths, IntegerTail, IntegerRecords, Numbered;
        Most: AdjacentTail, InternalTail, OfIntegers;
    }
}

#[test]
fn flattened_fields_round_trip() {
    round_trips! {
        All: Deep, FlatValue, FlatMap, FlatAnything;
        Most: Container, OptionalContainer, AdjacentContainer, FlatHeld;
    }
}

#[test]
fn maps_and_tuples_round_trip() {
    round_trips! {
        All: HashMap<String, Tuple>, (u8, String), (bool,), Vec<(String, Vec<u8>)>;
        Most: Maps, NumberMaps;
    }
}

/// The types of tuples and of maps whose keys are written as text.
#[test]
fn tuples_and_maps_have_types() {
    fn text<T: GramType>() -> String {
        let text = Signature::new(Vec::new(), Returns::new(T::TYPE.clone())).to_string();
        text.trim_start_matches("()==>").to_owned()
    }
    for (found, expected) in [
        (
            text::<(u8, String)>(),
            r#"(::Array {items: ["Int", "Text"]})"#,
        ),
        (
            text::<(bool, (u8,), Option<f64>)>(),
            r#"(::Array {items: ["Bool", {type: "Array", items: ["Int"]}, {type: "Double", optional: true}]})"#,
        ),
        (
            text::<Tuple>(),
            r#"(::Array {items: ["Text", "Bool", {type: "Int", optional: true}]})"#,
        ),
        (
            text::<SkippingTuple>(),
            r#"(::Array {items: ["Text", "Int"]})"#,
        ),
        (text::<EmptyTuple>(), "(::Array {maxItems: 0})"),
        (
            text::<HashMap<u8, String>>(),
            r#"(::Object {valueType: "Text"})"#,
        ),
        (
            text::<BTreeMap<i128, Vec<u8>>>(),
            r#"(::Object {valueType: {type: "Array", elementType: "Int"}})"#,
        ),
        (
            text::<BTreeMap<char, bool>>(),
            r#"(::Object {valueType: "Bool"})"#,
        ),
        (
            text::<BTreeMap<Id, bool>>(),
            r#"(::Object {valueType: "Bool"})"#,
        ),
        (
            text::<BTreeMap<Units, (u8,)>>(),
            r#"(::Object {valueType: {type: "Array", items: ["Int"]}})"#,
        ),
        (
            text::<FlatMap>(),
            r#"(::Object {fields: [{name: "flag", type: "Bool"}], valueType: "Int"})"#,
        ),
        (
            text::<Renaming>(),
            concat!(
                r#"(::Any {anyOf: [{type: "Object", fields: [{name: "struct_variant", type: "Object", fields: [{name: "FIELD", type: "Text"}]}]}, "#,
                r#"{type: "Object", fields: [{name: "custom name", type: "Object", fields: [{name: "custom field", type: "Text"}]}]}]})"#,
            ),
        ),
        (
            text::<Either<i32, String>>(),
            r#"(::Any {anyOf: ["Int", "Text"]})"#,
        ),
        (text::<Either<i32, i64>>(), "(::Int)"),
        (text::<Signs>(), "(::Int)"),
        (
            text::<IntegerTail>(),
            r#"(::Any {anyOf: [{type: "Text", enum: ["Unit"]}, "Int"]})"#,
        ),
        (text::<Numbered>(), "(::Int {enum: [0, 1, 3]})"),
        (
            text::<OfItem<std::vec::IntoIter<i32>>>(),
            r#"(::Object {fields: [{name: "item", type: "Int"}]})"#,
        ),
        (
            text::<OfItems<std::vec::IntoIter<i32>, std::env::Args>>(),
            concat!(
                r#"(::Object {fields: [{name: "_all", type: "Array", elementType: "Int"}, "#,
                r#"{name: "_either", type: "Object", valueType: {type: "Array", items: [{type: "Text", optional: true}, "Int"]}}]})"#,
            ),
        ),
    ] {
        assert_eq!(found, expected);
    }
}

/// Validates a value against the type of `T` as the arguments of a call, with `spec` as the type that the
/// document has, and returns what serde writes of it.
fn read_and_write<T>(spec: &Type, value: &Value) -> Result<Value, String>
where
    T: GramType + Serialize + DeserializeOwned,
{
    let signature = |ty: &Type| {
        let param = Field::new("value", ty.clone());
        Signature::new(vec![param], Returns::new(ty.clone()))
    };
    let text = serde_json::json!({ "value": value }).to_string();
    let arguments = signature(spec)
        .check_arguments(&text, Some(&signature(T::TYPE)))
        .map_err(|violations| violations.to_string())?;
    let value = &arguments.into_value()["value"];
    let read: T = serde_json::from_str(&value.to_string()).map_err(|error| error.to_string())?;
    serde_json::to_value(&read).map_err(|error| error.to_string())
}

/// The type as a document states it, which has no properties of the implementation.
fn as_in_a_document<T: GramType>() -> Type {
    let text = Signature::new(Vec::new(), Returns::new(T::TYPE.clone())).to_string();
    let signature = agent_runtime::spec::parse_signature(&text).expect("it was written");
    signature.returns().ty().clone()
}

fn comes_back<T: GramType + Serialize + DeserializeOwned>(values: &[Value]) {
    for spec in [T::TYPE.clone(), as_in_a_document::<T>()] {
        for value in values {
            let found = read_and_write::<T>(&spec, value);
            assert_eq!(found.as_ref(), Ok(value), "{value}");
        }
    }
}

#[test]
fn untagged_variants_of_different_integers_are_all_read() {
    use serde_json::json;
    comes_back::<Signs>(&[json!(-5), json!(5), json!(i64::MIN), json!(u64::MAX)]);
    comes_back::<Either<u64, i64>>(&[json!(-5), json!(u64::MAX)]);
    comes_back::<Widths>(&[json!(255), json!(-300), json!(i64::MIN), json!(u64::MAX)]);
    comes_back::<IntegerTail>(&[json!("Unit"), json!(-5), json!(70_000)]);
    comes_back::<IntegerRecords>(&[json!({"x": -5, "t": true}), json!({"x": 70_000, "t": "a"})]);
    comes_back::<OfIntegers>(&[
        json!({"one": -5, "all": [u64::MAX, -1], "by_name": {"a": -128}, "x": -5, "t": true}),
        json!({"one": u64::MAX, "all": [], "by_name": {"a": 300}, "x": 300, "t": "a"}),
    ]);
}

#[test]
fn integers_of_no_untagged_variant_are_refused_with_the_whole_range() {
    use serde_json::json;
    for (value, range) in [
        (json!(-129), "Int from -128 to 4294967295"),
        (json!(u64::MAX), "Int from -128 to 4294967295"),
    ] {
        let spec = <Either<i8, u32> as GramType>::TYPE;
        let error = read_and_write::<Either<i8, u32>>(spec, &value).expect_err("it fits none");
        assert!(error.contains(range), "{error}");
    }
}

#[test]
fn null_is_kept_where_a_variant_or_a_flattened_struct_holds_any_value() {
    use serde_json::json;
    comes_back::<AdjacentValue>(&[
        json!({"t": "V", "c": null}),
        json!({"t": "V", "c": [null]}),
        json!({"t": "Unit"}),
    ]);
    comes_back::<InternalValue>(&[
        json!({"t": "V", "value": null}),
        json!({"t": "Number", "value": null}),
        json!({"t": "Unit"}),
    ]);
    comes_back::<AdjacentUnion>(&[json!({"t": "V", "c": null}), json!({"t": "Unit"})]);
    comes_back::<HoldsTagged>(&[
        json!({"First": {"held": {"t": "V", "c": null}}}),
        json!({"Second": {"held": 1}}),
        json!({"Several": [[{"t": "V", "c": null}], {"a": {"t": "V", "value": null}}]}),
    ]);
    comes_back::<FlatHeld>(&[
        json!({"f": true, "v": null, "t": "V", "c": null}),
        json!({"f": true, "v": null}),
        json!({"f": true}),
    ]);
    let held = serde_json::from_value(json!({"f": true, "v": null}));
    let held: FlatHeld = held.expect("it is read");
    assert!(held.held.is_some());
}

#[test]
fn null_counts_as_missing_where_no_variant_reads_it() {
    use serde_json::json;
    for (value, expected) in [
        (json!({"v": null}), json!({"v": null})),
        (json!({}), json!({"v": null})),
    ] {
        let found = read_and_write::<OptionalValue>(OptionalValue::TYPE, &value);
        assert_eq!(found, Ok(expected));
    }
    let param = Field::new("value", OptionalValue::TYPE.clone());
    let signature = Signature::new(vec![param], Returns::new(OptionalValue::TYPE.clone()));
    let arguments = signature.check_arguments(r#"{"value": {"v": null}}"#, None);
    assert_eq!(arguments.expect("it fits").text(), r#"{"value":{}}"#);
}
