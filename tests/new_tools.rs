//! Skeletons that `agent new-tools` prints, compiled and fed back. That the command prints exactly
//! these files, the command's own tests show.

#[expect(
    unreachable_pub,
    reason = "it is printed for a module of somebody's program"
)]
mod hello;
#[expect(
    unreachable_pub,
    reason = "it is printed for a module of somebody's program"
)]
mod shop;
#[expect(
    unreachable_pub,
    reason = "it is printed for a module of somebody's program"
)]
mod translate;

use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::spec::binding::{Mismatch, Policy, mismatches};
use agent_runtime::{Agent, Runtime, ToolContext, ToolError, ToolLibrary, agent, tools};

/// Compiling is the test: `agent!` checks each function against the file.
static CLERK: Agent = agent! {
    tools: [
        shop::find_products,
        shop::place_order,
        shop::stock_level,
        shop::cancel_order,
        shop::r#match,
        shop::std_2,
        shop::mode,
        shop::look_up,
        shop::draw_label,
    ],
    file: "new_tools/shop.gram"
};

static GREETER: Agent = agent! {
    tools: [hello::say_hello],
    file: "../examples/agents/hello.gram"
};

fn library() -> ToolLibrary {
    tools![
        shop::find_products,
        shop::place_order,
        shop::stock_level,
        shop::cancel_order,
        shop::r#match,
        shop::std_2,
        shop::mode,
        shop::look_up,
        shop::draw_label,
    ]
}

/// The functions say all that the file says, descriptions of parameters and constraints included,
/// but for what attributes cannot say.
#[test]
fn generated_functions_cover_every_tool() {
    let library = library();
    for spec in CLERK.tools() {
        let tool = library.lookup(spec.name()).expect("it is there");
        let tool = tool.descriptor();
        let found = mismatches(
            (spec.description(), spec.signature()),
            (tool.description(), tool.signature().expect("it has one")),
            Policy::Exact,
        );
        let lost: Vec<&str> = found
            .iter()
            .map(|mismatch| match mismatch {
                Mismatch::Param {
                    spec: at,
                    difference,
                    ..
                } if difference.keyword().name() == "default" => {
                    spec.signature().params()[*at].name()
                }
                Mismatch::Returns { .. } => "the result",
                other => panic!("`{}`: {other:?}", spec.name()),
            })
            .collect();
        let expected: &[&str] = match spec.name() {
            // Its default is a record.
            "place-order" => &["notes"],
            // Any value at all is `Any`, though the file allows two only.
            "MODE" => &["the result"],
            _ => &[],
        };
        assert_eq!(lost, expected, "{}", spec.name());
    }
}

#[tokio::test]
async fn an_unimplemented_function_is_an_error() {
    let library = library();
    let call = async |name: &str, text: &str| {
        let tool = library.lookup(name).expect("it is there");
        tool.call(text, &ToolContext::detached()).await
    };
    let order = r##"{
        "customer": {"name": "Ada", "homeAddress": {"street": "Long Row 1", "zip-code": "12345"}},
        "lines": [{"productId": "p1"}],
        "due": "2026-01-31",
        "extra": {"any": [1]},
        "sizes": [38]
    }"##;
    for (name, arguments) in [
        ("findProducts", r#"{"query": "tea", "order": "newest"}"#),
        ("place-order", order),
        ("match", "{}"),
        ("std", r#"{"from": 1}"#),
        ("lookUp", r#"{"key": null, "deep": [[[{"a": [null]}]]]}"#),
    ] {
        let expected = format!("`{name}` is not written yet");
        assert_eq!(
            call(name, arguments).await,
            Err(ToolError::Execution(expected)),
            "{name}"
        );
    }
    let greeting = tools![hello::say_hello];
    let hello = greeting.lookup("sayHello").expect("it is there");
    assert!(hello.call("{}", &ToolContext::detached()).await.is_err());
    for (name, arguments, place) in [
        (
            "findProducts",
            r#"{"query": "tea", "order": "oldest"}"#,
            "$.order",
        ),
        ("findProducts", r#"{"query": "t"}"#, "$.query"),
        ("place-order", &order.replace("12345", "123"), "zip-code"),
        ("place-order", &order.replace("38", "61"), "$.sizes[0]"),
    ] {
        let Err(ToolError::Validation(message)) = call(name, arguments).await else {
            panic!("{arguments} is refused");
        };
        assert!(message.contains(place), "{message}");
    }
}

#[tokio::test]
async fn the_function_of_an_agent_calls_it() {
    let model = Scripted::new([ModelReply::text("Bonjour")]);
    let runtime = Runtime::with_model(model.clone());
    let answer = translate::translate(&runtime, "Guten Tag", translate::Language::Fr).await;
    assert_eq!(answer.expect("an answer"), "Bonjour");
    let request = &model.requests()[0];
    assert_eq!(
        request.instruction,
        "Translate into fr. Keep names as they are."
    );
    assert_eq!(request.messages[0].content(), "Guten Tag");
}

#[test]
fn agents_equal_those_of_the_files() {
    assert_eq!(CLERK.tools().len(), 9);
    assert_eq!(GREETER.tools().len(), 1);
}

/// Cargo builds a program again after a change to a file that rustc lists among its sources, so that a type that is
/// changed in an agent file is compared with its function.
#[test]
fn agent_files_are_sources_of_the_program() {
    let program = std::env::current_exe().expect("a program has a path");
    let sources = std::fs::read_to_string(program.with_extension("d")).expect("rustc's list");
    for file in ["new_tools/shop.gram", "examples/agents/hello.gram"] {
        assert!(sources.contains(file), "{file} is not in {sources}");
    }
}
