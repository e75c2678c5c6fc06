//! Structs: names, defaults, skipped and flattened fields, newtypes, generics, lifetimes.

#![allow(dead_code, reason = "only the derive reads some fields")]

use agent_runtime::{GramType, Tool, ToolContext, tool};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Not a description of anything in gram
#[derive(Deserialize, Serialize, GramType)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Person {
    /// Who it is,
    /// in full
    ///
    /// # Example
    /// Ada
    full_name: String,
    #[serde(rename = "years", alias = "age")]
    age_in_years: Option<u8>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[gram(description = "How tall", minimum = 0.5, maximum = 2.5)]
    height: f64,
    #[gram(default = "en", min_length = 2, max_length = 2)]
    language: String,
    #[serde(skip)]
    cache: std::cell::Cell<u8>,
    #[serde(skip_deserializing)]
    computed: u8,
    r#type: bool,
}

#[derive(Deserialize, GramType)]
struct Email(#[gram(format = "email")] String);

#[derive(Deserialize, GramType)]
#[gram(minimum = 1, maximum = 5)]
struct Stars(u8);

#[derive(Deserialize, GramType)]
#[serde(transparent)]
struct Maybe {
    value: Option<u8>,
    #[serde(skip)]
    _marker: std::marker::PhantomData<()>,
}

#[derive(Deserialize, GramType)]
struct Page<T> {
    items: Vec<T>,
    next: Option<u32>,
}

#[derive(Deserialize, GramType)]
struct Request<T> {
    id: Email,
    #[serde(flatten)]
    page: Page<T>,
    #[serde(flatten)]
    more: Option<More>,
}

#[derive(Deserialize, GramType)]
struct More {
    note: String,
}

#[derive(Deserialize, GramType)]
#[serde(default)]
#[derive(Default)]
struct Options {
    verbose: bool,
    #[gram(type = "Maybe [Int]")]
    levels: Option<Vec<u8>>,
    #[gram(opaque)]
    any: Vec<Options>,
}

#[derive(Deserialize, GramType)]
struct Tree {
    name: String,
    #[gram(opaque)]
    left: Option<Box<Tree>>,
    #[gram(opaque)]
    children: Vec<Tree>,
}

#[derive(Serialize, GramType)]
struct View<'a> {
    text: &'a str,
}

#[derive(Deserialize, GramType)]
struct Nothing {}

/// Takes them all
#[tool(inline)]
#[allow(clippy::too_many_arguments)]
fn take(
    person: Person,
    email: Email,
    stars: Stars,
    maybe: Maybe,
    request: Request<Stars>,
    options: Options,
    tree: Tree,
    nothing: HashMap<String, Nothing>,
) -> View<'static> {
    let _ = (person, email.0, maybe.value, options, tree, nothing);
    let _ = (request.id, request.page.items, request.page.next, request.more.map(|more| more.note));
    let _ = stars.0;
    View { text: "ok" }
}

/// Rates something
#[tool(inline)]
fn rate(stars: Stars) -> u8 {
    stars.0
}

fn text<T: GramType>() -> String {
    use agent_runtime::spec::{Returns, Signature};
    let text = Signature::new(Vec::new(), Returns::new(T::TYPE.clone())).to_string();
    text.trim_start_matches("()==>").to_owned()
}

#[tokio::main]
pub(crate) async fn main() {
    assert_eq!(
        text::<Person>(),
        "(::Object {fields: [{name: \"fullName\", type: \"Text\", description: \"Who it is, in full\"}, \
         {name: \"years\", type: \"Int\", optional: true}, \
         {name: \"tags\", type: \"Array\", optional: true, elementType: \"Text\"}, \
         {name: \"height\", type: \"Double\", description: \"How tall\", minimum: 0.5, maximum: 2.5}, \
         {name: \"language\", type: \"Text\", default: \"en\", minLength: 2, maxLength: 2}, \
         {name: \"type\", type: \"Bool\"}]})"
    );
    assert_eq!(text::<Email>(), "(::String {format: \"email\"})");
    assert_eq!(text::<Stars>(), "(::Int {minimum: 1, maximum: 5})");
    assert_eq!(text::<Maybe>(), "(::Int {optional: true})");
    assert_eq!(
        text::<Request<bool>>(),
        "(::Object {fields: [{name: \"id\", type: \"Text\", format: \"email\"}, \
         {name: \"items\", type: \"Array\", elementType: \"Bool\"}, \
         {name: \"next\", type: \"Int\", optional: true}, \
         {name: \"note\", type: \"Text\", optional: true}]})"
    );
    assert_eq!(
        text::<Options>(),
        "(::Object {fields: [{name: \"verbose\", type: \"Bool\", optional: true}, \
         {name: \"levels\", type: \"Array\", optional: true, elementType: \"Int\"}, \
         {name: \"any\", type: \"Any\", optional: true}]})"
    );
    assert_eq!(
        text::<Tree>(),
        "(::Object {fields: [{name: \"name\", type: \"Text\"}, {name: \"left\", type: \"Any\", optional: true}, \
         {name: \"children\", type: \"Any\"}]})"
    );
    assert_eq!(text::<View<'_>>(), "(::Object {fields: [{name: \"text\", type: \"Text\"}]})");
    assert_eq!(text::<Nothing>(), "(::Object {fields: []})");
    assert!(take::SIGNATURE.contains("(stars::Int {minimum: 1, maximum: 5})"));

    let context = ToolContext::detached();
    let call = |text: &'static str| {
        let context = context.clone();
        async move { rate {}.call(text, &context).await }
    };
    assert_eq!(call(r#"{"stars": 5}"#).await, Ok(5.into()));
    let error = call(r#"{"stars": 6}"#).await.expect_err("it is above the maximum");
    assert!(error.to_string().contains("at most 5"), "{error}");
}
