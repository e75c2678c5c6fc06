//! One meaning of a call: a run, whose agent has a signature written in gram, and `invoke_tool` read the same arguments in
//! the same way.

use super::{generate, tools, types};
use crate::support::{agent, calls};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::schemars::JsonSchema;
use agent_runtime::serde::{Deserialize, Serialize};
use agent_runtime::serde_json::{Map, Value, json};
use agent_runtime::spec::types::{Shape, fields_of};
use agent_runtime::spec::{Kind, Type};
use agent_runtime::tool::{StaticTool, invoke_tool, validate_tool_input};
use agent_runtime::{
    Conversation, GramType, Json, Runtime, ToolContext, ToolError, ToolLibrary, ToolSpec, tool,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// The result of a call in a run, and that of `invoke_tool`.
fn both<T: StaticTool>(arguments: &str) -> [Result<Value, ToolError>; 2] {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().build().expect("it starts");
    runtime.block_on(async {
        let descriptor = T::DESCRIPTOR;
        let signature = descriptor.signature().expect("a signature").to_string();
        let (name, description) = (descriptor.name(), descriptor.description());
        let spec = ToolSpec::new(name.to_owned(), description.to_owned(), &signature);
        let agent = agent([spec.expect("a spec")]);
        let mut library = ToolLibrary::new();
        library.add(T::TOOL).expect("a new name");
        let model = Scripted::new([calls(&[("a", name, arguments)]), ModelReply::text("Done.")]);
        let mut conversation = Conversation::new();
        let response = Runtime::with_model(model);
        let response = response.execute(&agent, "Go", &mut conversation, &library);
        let response = response.await.expect("an answer");
        let in_a_run = response.tools_used[0].result.clone();
        let invoked = invoke_tool(&T::TOOL, arguments, &ToolContext::detached()).await;
        [in_a_run, invoked]
    })
}

/// Calls a tool in both ways, which must have one result.
fn call<T: StaticTool>(arguments: &str) -> Result<Value, String> {
    let [in_a_run, invoked] = both::<T>(arguments);
    assert_eq!(in_a_run, invoked, "{arguments}");
    if let Ok(arguments) = agent_runtime::serde_json::from_str(arguments) {
        let is_valid = validate_tool_input(&T::TOOL, &arguments).is_ok();
        assert!(is_valid || invoked.is_err(), "{arguments}");
    }
    invoked.map_err(|error| error.to_string())
}

fn check_ways<T: StaticTool>() {
    let signature = T::DESCRIPTOR.signature().expect("it has a signature");
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(50)
    });
    let drawn = (generate::arguments(signature), any::<u64>());
    let result = runner.run(&drawn, |(arguments, choices)| {
        let plain = call::<T>(&arguments.to_string());
        let mut choices = Choices(choices);
        let mut disguised = arguments.clone();
        if let Value::Object(members) = &mut disguised {
            for param in signature.params() {
                if let Some(value) = members.get_mut(param.name()) {
                    disguise(param.ty(), value, &mut choices);
                }
            }
        }
        let disguised = disguised.to_string();
        let found = call::<T>(&disguised);
        if plain.is_ok() {
            prop_assert_eq!(found, plain, "{} as {}", arguments, disguised);
        } else {
            prop_assert!(found.is_err(), "{} as {}", arguments, disguised);
        }
        Ok(())
    });
    assert!(result.is_ok(), "{}: {result:?}", T::DESCRIPTOR.name());
}

/// Choices that a seed makes.
struct Choices(u64);

impl Choices {
    /// Whether one of `count` cases occurs.
    fn one_in(&mut self, count: u64) -> bool {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33).is_multiple_of(count)
    }
}

/// Writes some parts of a value as models do: a whole number with a fraction, a list or an object as its JSON text.
fn disguise(ty: &Type, value: &mut Value, choices: &mut Choices) {
    match (ty.kind(), &mut *value) {
        (Kind::Int, Value::Number(number)) => {
            if let Some(small) = number
                .as_i64()
                .filter(|number| number.unsigned_abs() < 1_000)
                && choices.one_in(2)
            {
                *value = json!(small as f64);
            }
            return;
        }
        (Kind::Array(element), Value::Array(items)) => {
            for item in items {
                disguise(element, item, choices);
            }
        }
        (Kind::Object(Shape::Fields(fields)), Value::Object(members)) => {
            for field in fields_of(fields) {
                if let Some(member) = members.get_mut(field.name()) {
                    disguise(field.ty(), member, choices);
                }
            }
        }
        (Kind::Object(Shape::Map(of)), Value::Object(members)) => {
            for member in members.values_mut() {
                disguise(of, member, choices);
            }
        }
        (Kind::Tuple(_), Value::Array(_)) => {}
        _ => return,
    }
    if choices.one_in(4) {
        *value = Value::String(value.to_string());
    }
}

#[test]
fn a_run_and_invoke_tool_read_the_same() {
    check_ways::<types::person>();
    check_ways::<types::page>();
    check_ways::<types::request>();
    check_ways::<types::options>();
    check_ways::<types::numbers>();
    check_ways::<types::lists>();
    check_ways::<types::plan>();
    check_ways::<types::pairs>();
    check_ways::<types::mode>();
    check_ways::<types::internal>();
    check_ways::<types::adjacent>();
    check_ways::<types::external>();
    check_ways::<types::mixed>();
    check_ways::<types::untagged>();
    check_ways::<types::tail>();
    check_ways::<types::sized>();
    check_ways::<tools::narrowed>();
    check_ways::<tools::borrowed>();
    check_ways::<tools::holders>();
    check_ways::<tools::anything>();
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", rename_all = "camelCase")]
struct User {
    #[serde(alias = "user", alias = "name")]
    user_name: String,
    #[serde(alias = "n")]
    count: Option<u8>,
    #[serde(default, alias = "labels")]
    tags: Vec<String>,
    #[serde(default, alias = "wide")]
    amount: i128,
    role: Role,
}

#[derive(Default, Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", rename_all = "lowercase")]
enum Role {
    #[serde(alias = "root", alias = "ADMIN")]
    Admin,
    #[default]
    Guest,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", tag = "kind")]
enum Internal {
    #[serde(alias = "round")]
    Circle {
        #[serde(alias = "r")]
        radius: f64,
    },
    Square {
        side: f64,
        #[serde(flatten)]
        page: Page,
    },
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde")]
struct Page {
    #[serde(alias = "lim")]
    limit: u32,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde")]
struct Search {
    text: String,
    #[serde(flatten)]
    page: Page,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", tag = "t", content = "c")]
enum Adjacent {
    #[serde(alias = "num")]
    Number(u64),
    Text(String),
    List(Vec<i8>),
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde")]
enum External {
    #[serde(alias = "nil")]
    Nothing,
    #[serde(alias = "plain")]
    Plain(u64),
    Both {
        #[serde(alias = "first")]
        a: u8,
    },
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", untagged)]
enum Untagged {
    Number {
        #[serde(alias = "v")]
        value: i64,
    },
    Named {
        #[serde(alias = "title")]
        name: String,
        role: Role,
    },
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(crate = "agent_runtime::serde")]
#[schemars(crate = "agent_runtime::schemars")]
struct Foreign {
    #[serde(alias = "c")]
    count: u64,
    share: f64,
}

/// Gives back its argument
#[tool(inline)]
fn user(value: User) -> Value {
    json!([
        value.user_name,
        value.count,
        value.tags,
        value.amount.to_string(),
        value.role,
    ])
}

macro_rules! given_back {
    ($($tool:ident: $ty:ty;)+) => {$(
        /// Gives back its argument
        #[tool(inline)]
        fn $tool(value: $ty) -> Value {
            json!(value)
        }
    )+};
}

given_back! {
    users: Vec<User>;
    internal: Internal;
    search: Search;
    adjacent: Adjacent;
    external: External;
    untagged: Untagged;
    foreign: Json<Foreign>;
    foreign_list: Vec<Json<Foreign>>;
    modes: Vec<Role>;
    shares: Vec<f64>;
}

/// Gives back its arguments
#[tool(inline)]
fn limited(value: String, limit: Option<u8>) -> Value {
    json!([value, limit])
}

/// Says nothing
#[tool(inline)]
fn nothing() -> String {
    "nothing".to_owned()
}

/// Calls a tool with texts that must mean the same as the first.
fn same<T: StaticTool>(texts: &[&str]) {
    let given = |text: &str| call::<T>(&format!("{{\"value\": {text}}}"));
    let first = given(texts[0]).unwrap_or_else(|error| panic!("{}: {error}", texts[0]));
    for text in &texts[1..] {
        assert_eq!(given(text).as_ref(), Ok(&first), "{text}");
    }
}

#[test]
fn aliases_are_accepted_in_both_ways() {
    same::<user>(&[
        r#"{"userName": "Ada", "count": 3, "tags": ["a"], "amount": 36893488147419103233, "role": "admin"}"#,
        r#"{"user": "Ada", "n": 3, "labels": ["a"], "wide": 36893488147419103233, "role": "root"}"#,
        r#"{"name": "Ada", "n": 3.0, "tags": ["a"], "wide": 36893488147419103233, "role": "ADMIN"}"#,
        r#"{"extra": 1, "user": "Ada", "count": 3, "labels": "[\"a\"]", "amount": 36893488147419103233.0, "role": "root"}"#,
    ]);
    same::<user>(&[
        r#"{"userName": "Ada", "role": "guest"}"#,
        r#"{"user": "Ada", "n": null, "role": "guest"}"#,
    ]);
    same::<modes>(&[
        r#"["admin", "admin", "guest"]"#,
        r#"["root", "ADMIN", "guest"]"#,
    ]);
    same::<internal>(&[
        r#"{"kind": "Circle", "radius": 2.0}"#,
        r#"{"kind": "round", "r": 2.0}"#,
        r#"{"r": 2, "kind": "Circle"}"#,
    ]);
    same::<internal>(&[
        r#"{"kind": "Square", "side": 1.5, "limit": 3}"#,
        r#"{"kind": "Square", "side": 1.5, "lim": 3.0}"#,
    ]);
    same::<search>(&[r#"{"text": "a", "limit": 3}"#, r#"{"text": "a", "lim": 3}"#]);
    same::<adjacent>(&[
        r#"{"t": "Number", "c": 7}"#,
        r#"{"t": "num", "c": 7}"#,
        r#"{"c": 7.0, "t": "num"}"#,
    ]);
    same::<external>(&[r#""Nothing""#, r#""nil""#]);
    same::<external>(&[r#"{"Plain": 3}"#, r#"{"plain": 3.0}"#]);
    same::<external>(&[r#"{"Both": {"a": 3}}"#, r#"{"Both": {"first": 3.0}}"#]);
    same::<untagged>(&[r#"{"value": 3}"#, r#"{"v": 3}"#]);
    same::<untagged>(&[
        r#"{"name": "a", "role": "admin"}"#,
        r#"{"title": "a", "role": "root"}"#,
    ]);
    same::<foreign>(&[r#"{"count": 1, "share": 2}"#, r#"{"c": 1, "share": 2}"#]);
}

#[test]
fn a_field_under_two_names_is_an_error_that_names_both() {
    let error = call::<user>(r#"{"value": {"user": "a", "userName": "b", "role": "guest"}}"#);
    assert_eq!(
        error.expect_err("which of the two?"),
        "the arguments are not right: `$.value.user`: expected the field `userName` once, found `userName` and `user`, \
         two names of it"
    );
    let error = call::<user>(r#"{"value": {"user": 5, "role": "guest"}}"#);
    let error = error.expect_err("no text");
    assert!(
        error.contains("`$.value.user`: expected Text, found the number 5"),
        "{error}"
    );
}

#[test]
fn whole_numbers_may_have_a_fraction_wherever_the_type_is_an_integer() {
    same::<adjacent>(&[
        r#"{"t": "Number", "c": 7}"#,
        r#"{"t": "Number", "c": 7.0}"#,
        r#"{"c": 7e0, "t": "Number"}"#,
    ]);
    same::<adjacent>(&[
        r#"{"t": "List", "c": [1, -2]}"#,
        r#"{"t": "List", "c": [1.0, -2.0]}"#,
    ]);
    same::<foreign>(&[
        r#"{"count": 1, "share": 2.5}"#,
        r#"{"count": 1.0, "share": 2.5}"#,
        r#"{"share": 25e-1, "count": 10e-1}"#,
    ]);
    same::<foreign_list>(&[
        r#"[{"count": 9007199254740993, "share": 2}]"#,
        r#"[{"count": 9007199254740993.0, "share": 2.0}]"#,
    ]);
    for text in [
        r#"{"t": "Number", "c": 7.5}"#,
        r#"{"t": "Number", "c": -1.0}"#,
    ] {
        let error = call::<adjacent>(&format!("{{\"value\": {text}}}"));
        let error = error.expect_err("no such integer");
        assert!(error.starts_with("`$.value.c`: "), "{error}");
    }
}

#[test]
fn content_before_its_tag_is_blamed_where_it_is() {
    for (text, place) in [
        (r#"{"t": "Number", "c": "x"}"#, "$.value.c"),
        (r#"{"c": "x", "t": "Number"}"#, "$.value.c"),
        (r#"{"c": [1, "x"], "t": "List"}"#, "$.value.c[1]"),
        (r#"{"c": [1, 300], "t": "List"}"#, "$.value.c[1]"),
        (r#"{ "c" : 1 , "t" : "Text" }"#, "$.value.c"),
        (r#"{"c": 1, "t": "Bogus"}"#, "$.value.t"),
    ] {
        let error = call::<adjacent>(&format!("{{\"value\": {text}}}"));
        let error = error.expect_err(text);
        assert!(error.contains(&format!("`{place}`: ")), "{text}: {error}");
    }
}

#[test]
fn what_only_serde_would_read_is_refused_in_both_ways() {
    for (error, expected) in [
        (
            call::<search>(r#"{"value": ["a", 3]}"#),
            "expected Object, found",
        ),
        (
            call::<user>(r#"{"value": ["Ada", 3, [], 0, "admin"]}"#),
            "expected Object, found",
        ),
        (
            call::<modes>(r#"{"value": [{"admin": null}]}"#),
            "`$.value[0]`: expected Text, found the object",
        ),
        (
            call::<external>(r#"{"value": {"Nothing": null}}"#),
            "write the text \"Nothing\"",
        ),
        (
            call::<internal>(r#"{"value": {"kind": 0, "radius": 1}}"#),
            "`$.value.kind`",
        ),
        (
            call::<limited>(r#"{"value": "a", "Limit": 5}"#),
            "did you mean `limit`?",
        ),
        (
            call::<limited>(r#"{"Limit": 5, "value": "a"}"#),
            "did you mean `limit`?",
        ),
        (
            call::<search>(r#"{"value": {"text": "a", "limit": 1, "x": 1, "x": 2}}"#),
            "expected the key once",
        ),
    ] {
        let error = error.expect_err(expected);
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn null_and_blank_arguments_are_none() {
    for text in ["null", " null\n", "", "  ", "{}"] {
        assert_eq!(call::<nothing>(text), Ok(json!("nothing")), "{text:?}");
        let error = call::<limited>(text).expect_err("a required argument");
        assert!(error.contains("`value` is required"), "{text:?}: {error}");
    }
    for text in ["[]", "0", "\"null\"", "nul"] {
        assert!(call::<nothing>(text).is_err(), "{text:?}");
    }
}

#[test]
fn the_json_text_of_a_list_or_an_object_is_read() {
    let users = r#"[{"userName": "Ada", "tags": ["a"], "role": "admin"}]"#;
    let inner = r#"{"userName": "Ada", "tags": "[\"a\"]", "role": "admin"}"#;
    let quoted = |text: &str| json!(text).to_string();
    same::<users>(&[
        users,
        &quoted(users),
        &format!("[{}]", quoted(inner)),
        &quoted(&format!("\n [{}]", quoted(inner))),
    ]);
    same::<search>(&[
        r#"{"text": "a", "limit": 3}"#,
        r#""{\"text\": \"a\", \"lim\": 3.0}""#,
    ]);
    same::<untagged>(&[r#"{"value": 3}"#, r#""{\"value\": 3}""#]);
    same::<shares>(&["[1e39, 2]", r#""[1e39, 2.0]""#]);
    assert_eq!(
        call::<limited>(r#""{\"value\": \"a\"}""#),
        Ok(json!(["a", null]))
    );
}

#[test]
fn a_text_stays_a_text_where_one_is_allowed() {
    for (found, expected) in [
        (call::<limited>(r#"{"value": "[1]"}"#), json!(["[1]", null])),
        (
            call::<adjacent>(r#"{"value": {"t": "Text", "c": "[1]"}}"#),
            json!({"t": "Text", "c": "[1]"}),
        ),
        (
            call::<tools::anything>(r#"{"any": "{}", "more": ["[]"]}"#),
            json!({"any": "{}", "more": ["[]"]}),
        ),
    ] {
        assert_eq!(found, Ok(expected));
    }
}

#[test]
fn a_json_text_that_does_not_fit_is_explained() {
    let list = "write the list itself, not its JSON text";
    let object = "write the object itself, not its JSON text";
    for (error, place, help) in [
        (
            call::<modes>(r#"{"value": "[\"nobody\"]"}"#),
            "$.value",
            list,
        ),
        (call::<modes>(r#"{"value": "[\"admin\""}"#), "$.value", list),
        (call::<modes>(r#"{"value": "['admin']"}"#), "$.value", list),
        (call::<modes>(r#"{"value": "{}"}"#), "$.value", list),
        (
            call::<search>(r#"{"value": "{\"text\": 1, \"limit\": 1}"}"#),
            "$.value",
            object,
        ),
        (
            call::<search>(r#"{"value": "{\"text\": \"a\", \"text\": \"b\", \"limit\": 1}"}"#),
            "$.value",
            object,
        ),
        (
            call::<users>(r#"{"value": ["{\"userName\": \"a\"}"]}"#),
            "$.value[0]",
            object,
        ),
        // A value in a text would round the integer.
        (
            call::<user>(r#"{"value": "{\"user\": \"a\", \"role\": \"root\", \"amount\": 1e30}"}"#),
            "$.value",
            object,
        ),
        (call::<limited>(r#""{\"value\": \"a\"""#), "$", object),
    ] {
        let error = error.expect_err(help);
        assert!(error.contains(&format!("`{place}`: ")), "{error}");
        assert!(error.ends_with(help), "{error}");
    }
    // A text that is no JSON is only of another type.
    let error = call::<modes>(r#"{"value": "admin, guest"}"#).expect_err("no list");
    assert!(
        error.ends_with(r#"expected Array, found the text "admin, guest""#),
        "{error}"
    );
}

#[test]
fn texts_with_too_many_values_are_not_read() {
    let list = format!("[{}0]", "0,".repeat(60_000));
    let lists = |count: usize| {
        let members = (0..count).map(|at| (at.to_string(), json!(list)));
        let members: Map<String, Value> = members.collect();
        json!({ "value": members }).to_string()
    };
    assert_eq!(call::<count>(&lists(3)), Ok(json!(180_003)));
    let error = call::<count>(&lists(4)).expect_err("too many");
    assert!(
        error.ends_with("write the list itself, not its JSON text"),
        "{error}"
    );
}

/// Counts numbers
#[tool(inline)]
fn count(value: std::collections::BTreeMap<String, Vec<u8>>) -> usize {
    value.values().map(Vec::len).sum()
}
