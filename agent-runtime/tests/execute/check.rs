//! `Runtime::check`: problems that are known before a run.

use crate::support::{GREETING, agent, greeter, hello_spec, hello_tool, library, spec, tool};
use agent_runtime::cost::Prices;
use agent_runtime::run::UsageLimits;
use agent_runtime::spec::{AgentPattern, Settings};
use agent_runtime::tool::{DynamicTool, ToolConfig};
use agent_runtime::{Environment, Model, Runtime, ToolLibrary};

/// A runtime in whose environment nothing is set.
fn without_keys() -> Runtime {
    let builder = Runtime::builder().environment(Environment::empty());
    builder.build().expect("a runtime")
}

fn hello_without_name() -> DynamicTool {
    let config = ToolConfig::with_signature("sayHello", GREETING, "(name::Int)==>(::String)");
    let built = config.build(|_| async { Ok("Hello!".into()) });
    built.expect("a tool")
}

#[tokio::test]
async fn accepts_an_agent_that_can_run() {
    let library = library([hello_tool()]);
    let checked = Runtime::offline().check(greeter(), &library);
    checked.expect("nothing is missing");
}

#[tokio::test]
async fn reports_all_problems_in_one_error() {
    let agent =
        agent([hello_spec(), spec("look")]).with_model(Model::from_static("OpneAI", "gpt-6-luna"));
    let limited = UsageLimits::new().requests(0).cost(0.5);
    let runtime = Runtime::builder()
        .environment(Environment::empty())
        .prices(Prices::new())
        .usage_limits(limited)
        .build()
        .expect("a runtime");
    let error = runtime
        .check(&agent, &library([hello_without_name()]))
        .expect_err("problems");
    assert!(error.is_tool(), "{error:?}");
    let text = error.to_string();
    for words in [
        "tool `sayHello`",
        "tool `look`: the library has no tool of this name",
        "there is no provider `OpneAI`",
        "a limit of no requests",
        "there is no price for `OpneAI/gpt-6-luna`",
    ] {
        assert!(text.contains(words), "{text}");
    }
}

#[tokio::test]
async fn keeps_kind_and_text_of_a_single_problem() {
    let other = greeter().with_model(Model::from_static("OpneAI", "gpt-6-luna"));
    let library = library([hello_tool()]);
    let error = without_keys()
        .check(&other, &library)
        .expect_err("a misspelling");
    assert!(error.is_configuration(), "{error:?}");
    assert_eq!(
        error.to_string(),
        "there is no provider `OpneAI`; did you mean `OpenAI`?"
    );
    let error = without_keys().check(AgentPattern::new("half"), &ToolLibrary::new());
    assert!(error.expect_err("no model").is_validation());
}

#[tokio::test]
async fn ignores_missing_variables_and_fallback_keys() {
    let mut settings = Settings::NONE;
    settings.fallback = vec![Model::from_static("OpenAI", "gpt-6-luna")].into();
    let agent = agent([spec("look")])
        .with_model(Model::from_static("Offline", "any"))
        .with_settings(settings)
        .expect("settings");
    let library = library([tool("look", |_| async { Ok(1.into()) })]);
    without_keys()
        .check(&agent, &library)
        .expect("a run can skip the fallback");
    let pattern = "[a:Agent {instruction: \"Help {{user}}.\", model: \"Offline/any\"}]";
    let pattern = AgentPattern::parse(pattern).expect("gram");
    let checked = without_keys().check(&pattern, &ToolLibrary::new());
    checked.expect("a run may set the variable");
}
