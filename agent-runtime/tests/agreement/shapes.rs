//! The shapes of types that other projects derive: values are made for the gram type, validated, read by
//! serde, written and validated again. The shapes are those of the integration tests of schemars.

use super::generate;
use agent_runtime::GramType;
use agent_runtime::serde::de::DeserializeOwned;
use agent_runtime::serde::{Deserialize, Serialize};
use agent_runtime::serde_json::{self, Map, Value};
use agent_runtime::spec::{Field, Returns, Signature};
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
            NestedTuples, Generic<u8, String, 2>, Outer, Defaults, Narrowed, NarrowedTuple;
    }
}

#[test]
fn enums_with_named_variants_round_trip() {
    round_trips! {
        All: Units, External, Renaming, OneVariant, ClosedExternal, AdjacentTuples;
        Most: Internal, Adjacent;
    }
}

#[test]
fn enums_with_unnamed_variants_round_trip() {
    round_trips! {
        All: Untagged, ClosedUntagged, WithAnything, ExternalTail, Either<i32, String>,
            Either<Units, Tuple>;
        Most: AdjacentTail, InternalTail;
    }
}

#[test]
fn flattened_fields_round_trip() {
    round_trips! {
        All: Deep, FlatValue, FlatMap, FlatAnything;
        Most: Container, OptionalContainer, AdjacentContainer;
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
    ] {
        assert_eq!(found, expected);
    }
}
