//! Types that gram has no words for: `Json<T>`, and types that are stated beside a Rust type.

use agent_runtime::__private::{NoSchema as _, StatedFor, stated};
use agent_runtime::library::bind_agent_tools;
use agent_runtime::run::{Run, Step};
use agent_runtime::schemars::JsonSchema;
use agent_runtime::serde::{Deserialize, Serialize};
use agent_runtime::serde_json::{Value, json};
use agent_runtime::spec::{Param, Returns, Type};
use agent_runtime::tool::{Contract, StaticTool, ToolDescriptor, ToolFuture, ToolSettings};
use agent_runtime::{
    Agent, Conversation, Json, Signature, Tool, ToolContext, ToolLibrary, ToolSpec, agent, tool,
    tools,
};

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(crate = "agent_runtime::serde", untagged)]
#[schemars(crate = "agent_runtime::schemars")]
enum Id {
    Number(u64),
    Name(String),
}

/// A tree
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(crate = "agent_runtime::serde")]
#[schemars(crate = "agent_runtime::schemars")]
struct Tree {
    children: Vec<Tree>,
}

mod other {
    use super::*;

    #[derive(Deserialize, Serialize, JsonSchema)]
    #[serde(crate = "agent_runtime::serde")]
    #[schemars(crate = "agent_runtime::schemars")]
    pub(super) struct Tree {
        pub(super) root: Option<Box<Tree>>,
    }
}

/// Finds things
#[tool]
fn find(
    /// Which one
    id: Json<Id>,
    others: Option<Vec<Json<Id>>>,
    tree: Json<Tree>,
    second: Vec<Option<Json<other::Tree>>>,
) -> String {
    let _ = (tree.0.children, second);
    match id.0 {
        Id::Number(number) => format!("number {number}"),
        Id::Name(name) => format!("{name} and {}", others.map_or(0, |others| others.len())),
    }
}

fn schema() -> Value {
    let id = json!({"anyOf": [
        {"type": "integer", "format": "uint64", "minimum": 0},
        {"type": "string"},
    ]});
    let mut described = id.clone();
    described["description"] = "Which one".into();
    // A recursive schema is inlined where it is used, and in `$defs` for its own reference.
    let tree = json!({
        "type": "object",
        "description": "A tree",
        "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
        "required": ["children"],
    });
    let second = json!({
        "type": "object",
        "properties": {"root": {"anyOf": [{"$ref": "#/$defs/Tree2"}, {"type": "null"}]}},
    });
    json!({
        "type": "object",
        "properties": {
            "id": described,
            "others": {"type": "array", "items": id},
            "tree": tree,
            "second": {"type": "array", "items": {"anyOf": [second, {"type": "null"}]}},
        },
        "required": ["id", "tree", "second"],
        "$defs": {"Tree": tree, "Tree2": second},
    })
}

#[test]
fn the_schema_of_a_json_type_reaches_the_json_of_a_tool() {
    assert_eq!(
        find::SIGNATURE,
        "(id::Any {description: \"Which one\"})==>(others::Array {optional: true})\
         ==>(tree::Any)==>(second::Array {elementType: \"Maybe Any\"})==>(::String)"
            .replace("\"Maybe Any\"", "{type: \"Any\", optional: true}")
    );
    let spec = ToolSpec::of(<find as StaticTool>::DESCRIPTOR);
    assert_eq!(spec.to_json()["schema"], schema());
}

#[test]
fn sends_the_schema_of_a_json_type_for_any() {
    let agent = agent! {
        tools: [find],
        [finder:Agent {instruction: "Find", model: "Offline/rules"} |
            [find:Tool {description: "Finds things"} |
                (id::Any {description: "Which one"})==>(others::Array {optional: true})==>(tree::Any)
                ==>(second::Array {elementType: {type: "Any", optional: true}})==>(::String)
            ]
        ]
    };
    let bound = bind_agent_tools(&agent, &tools![find]).expect("they agree");
    let variables = std::collections::BTreeMap::new();
    let mut run =
        Run::new(&agent, &bound, "Find", &Conversation::new(), &variables).expect("it starts");
    let Ok(Step::CallModel(request)) = run.next() else {
        panic!("the model is asked first");
    };
    assert_eq!(request.tools[0].schema().to_value(), schema());
    // The agent's own text knows nothing of it.
    assert_eq!(
        agent.tools()[0].signature().schema().to_value()["properties"]["tree"],
        json!({})
    );
}

#[tokio::test]
async fn a_json_type_is_read_by_serde() {
    let context = ToolContext::detached();
    let call = |text: &'static str| {
        let context = context.clone();
        async move { find {}.call(text, &context).await }
    };
    let name = r#"{"id": "x", "others": [1, "y"], "tree": {"children": [{"children": []}]}, "second": [null]}"#;
    assert_eq!(call(name).await, Ok("x and 2".into()));
    let error = call(r#"{"id": true, "tree": {"children": []}, "second": []}"#).await;
    assert!(
        error
            .expect_err("it is neither")
            .to_string()
            .contains("$.id")
    );
    // The signature says `Any`, so serde alone knows; it says which value in the argument.
    let tree =
        r#"{"id": 1, "tree": {"children": [{"children": []}, {"children": 5}]}, "second": []}"#;
    let error = call(tree).await.expect_err("a number is no list");
    let expected = "`$.tree.children[1].children`: invalid type: integer `5`, expected a sequence";
    assert_eq!(error.to_string(), expected);
}

/// A tool of a stated type, as the macro makes it.
struct Stated(ToolDescriptor);

impl Tool for Stated {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.0
    }

    fn call<'a>(&'a self, _: &'a str, _: &'a ToolContext) -> ToolFuture<'a> {
        Box::pin(async { Ok(Value::Null) })
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "agent_runtime::serde")]
#[schemars(crate = "agent_runtime::schemars")]
#[expect(dead_code, reason = "only the schema is asked for")]
struct Person {
    id: String,
    age: Option<u8>,
    place: Option<(f64, f64)>,
    tags: Vec<String>,
}

fn bind(expression: &str) -> Result<(), String> {
    let ty: &'static Type = Box::leak(Box::new(Type::from_expression(expression)?));
    let host = StatedFor::<Person>::HOST;
    assert!(host.is_some(), "the type has a schema");
    let param = Param::new("person", stated(ty, host));
    let signature = Signature::new(vec![param], Returns::new(Type::ANY.clone()));
    let spec = ToolSpec::new("greet", "Greets", &signature.to_string()).expect("it is a tool");
    let descriptor = ToolDescriptor::new(
        "greet".into(),
        "Greets".into(),
        Contract::Signature(signature),
        ToolSettings::DEFAULT,
    );
    let mut library = ToolLibrary::new();
    library
        .register("greet", Stated(descriptor))
        .expect("it has a name");
    let agent = Agent::new("greeter", "Offline/rules", "Greet")
        .and_then(|agent| agent.with_tool(spec))
        .expect("it is an agent");
    bind_agent_tools(&agent, &library)
        .map(drop)
        .map_err(|error| error.to_string())
}

#[test]
fn binding_compares_a_stated_type_with_the_schema() {
    for good in [
        "{id: Text, tags: [Text]}",
        "{id: Text, age: Maybe Int, tags: [Text]}",
        "{id: Text, place: Maybe (Int, Double), tags: [Text]}",
        "Any",
        "Object",
    ] {
        assert_eq!(bind(good), Ok(()), "{good}");
    }
    for (bad, gap) in [
        (
            "Text",
            "`person` is stated as `Text`, and the Rust type is `Object`",
        ),
        (
            "{id: Text}",
            "the field `person.tags` is missing, and the Rust type requires it",
        ),
        (
            "{ids: Text, tags: [Text]}",
            "the Rust type has no field `person.ids`; did you mean `id`?",
        ),
        (
            "{id: Maybe Text, tags: [Text]}",
            "`person.id` may be missing, and the Rust type requires it",
        ),
        (
            "{id: Text, tags: [Int]}",
            "`person.tags[]` is stated as `Int`, and the Rust type is `Text`",
        ),
        (
            "{id: Text, place: Maybe (Int, Text), tags: [Text]}",
            "`person.place[1]` is stated as `Text`, and the Rust type is `Double`",
        ),
        (
            "{id: Text, place: Maybe (Int, Int, Int), tags: [Text]}",
            "`person.place` is stated with 3 elements, and the Rust type has 2",
        ),
        (
            "Maybe {id: Text, tags: [Text]}",
            "`person` may be missing, and the Rust type requires it",
        ),
    ] {
        let error = bind(bad).expect_err(bad);
        assert!(
            error.contains("tool `greet`: the type that is stated for parameter `person` is not"),
            "{error}"
        );
        assert!(error.contains(gap), "{bad}: {error}");
    }
}

#[test]
fn accepts_the_stated_type_of_a_type_without_schema() {
    struct Plain;
    assert!(StatedFor::<Plain>::HOST.is_none());
}
