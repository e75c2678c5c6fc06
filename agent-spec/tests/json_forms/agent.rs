//! Agents in their JSON form.

use crate::json_forms::tool::say_hello;
use agent_gram::value::{Decimal, Measurement, Record, Text};
use agent_gram::{Value, parse_patterns};
use agent_spec::__private::AgentFunction;
use agent_spec::json::agent_pattern_from_json;
use agent_spec::{
    Agent, Grants, Model, PromptCache, ReasoningEffort, Settings, ToolChoice, ToolSpec,
};
use serde_json::json;
use std::time::Duration;

fn agent(settings: Settings, extra: Record) -> Agent {
    let tools: &'static [ToolSpec] = vec![say_hello()].leak();
    let model = Model::from_static("OpenAI", "gpt-6-luna");
    Agent::from_static(
        "greeter",
        Some("Greets"),
        "Greet.",
        model,
        settings,
        tools,
        &[],
        extra,
        AgentFunction::from_static(
            None,
            Some("{{message}}"),
            Some(const { &[Text::from_static("today")] }),
            Some(Duration::from_mins(1)),
            true,
        ),
        &[],
    )
}

fn settings() -> Settings {
    let decimal = |value| Some(Decimal::new(value).expect("finite"));
    let mut settings = Settings::NONE;
    settings.temperature = decimal(1.0);
    settings.top_p = decimal(0.5);
    settings.seed = Some(-7);
    settings.max_tokens = Some(100);
    settings.stop = vec!["END".into()].into();
    settings.reasoning_effort = Some(ReasoningEffort::High);
    settings.thinking = Some(true);
    settings.thinking_budget = Some(4096);
    settings.cache = Some(PromptCache::OneHour);
    settings.tool_choice = Some(ToolChoice::Required);
    settings.tool_search = Some(true);
    settings.max_iterations = Some(5);
    settings.max_depth = Some(3);
    settings.compact_above = Some(60_000.into());
    settings.tool_timeout = Some(Duration::from_secs(10));
    settings.base_url = Some("http://localhost:8080/v1".into());
    settings.fallback = vec![Model::from_static("Ollama", "a/b")].into();
    settings.grants = Some(Grants::new().read("docs").network("a.example"));
    settings.untrusted = vec!["message".into()].into();
    settings.when_tainted = Some(agent_spec::WhenTainted::Approve);
    let inner = Record::from_entries([
        ("type".into(), Value::String("map".into())),
        ("b".into(), Value::Integer(1)),
    ]);
    let inner = Value::Map(inner.expect("flat"));
    settings.extra = Record::from_entries([("z".into(), inner)]).expect("not deep");
    settings
}

#[test]
fn writes_members_of_agents_in_order() {
    let tool = serde_json::to_string(&say_hello()).expect("JSON");
    let extra = Record::from_entries([("owner".into(), Value::String("a".into()))]);
    let agent = agent(settings(), extra.expect("flat"));
    let text = serde_json::to_string(&agent).expect("JSON");
    assert_eq!(
        text,
        [
            r#"{"name":"greeter","description":"Greets","model":"OpenAI/gpt-6-luna","#,
            r#""instruction":"Greet.","prompt":"{{message}}","variables":["today"],"tools":["#,
            &tool,
            r#"],"temperature":1.0,"topP":0.5,"seed":-7,"maxTokens":100,"stop":["END"],"#,
            r#""reasoningEffort":"high","thinking":true,"thinkingBudget":4096,"cache":"1h","toolChoice":"required","#,
            r#""toolSearch":true,"maxIterations":5,"maxDepth":3,"compactAbove":60000,"toolTimeout":"10s","baseUrl":"http://localhost:8080/v1","#,
            r#""fallback":["Ollama/a/b"],"#,
            r#""grants":{"read":["docs"],"network":["a.example"]},"#,
            r#""untrusted":["message"],"whenTainted":"approve","#,
            // A word that means something in JSON is told apart from one that is meant as it stands.
            r#""extra":{"z":{"type":"map","entries":{"type":"map","b":1}}},"timeout":"60s","requiresApproval":true,"#,
            r#""owner":"a"}"#,
        ]
        .concat()
    );
    let parsed: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(agent.to_json(), parsed);
}

#[test]
fn omits_unset_members() {
    let model = Model::from_static("Offline", "rules");
    let agent = Agent::from_parts("a".into(), "Do.".into(), model);
    assert_eq!(
        serde_json::to_string(&agent).expect("JSON"),
        r#"{"name":"a","model":"Offline/rules","instruction":"Do.","tools":[]}"#
    );
}

#[test]
fn reads_an_agent_as_its_pattern() {
    for (json, gram) in [
        (
            json!({"name": "a", "model": "Offline/rules", "instruction": "Do."}),
            r#"[a:Agent {instruction: "Do.", model: "Offline/rules"}]"#,
        ),
        (
            json!({
                "name": "a", "description": null, "model": "Offline/rules", "instruction": "Do.",
                "tools": [{
                    "name": "f", "description": "d", "typeSignature": "(a::Int)==>(::String)",
                }],
                "temperature": 1.0, "toolTimeout": "10s", "stop": ["END"], "owner": "x",
            }),
            r#"[a:Agent {instruction: "Do.", model: "Offline/rules", temperature: 1.0,
                stop: ["END"], toolTimeout: 10s, owner: "x"} |
                [f:Tool {description: "d"} | (a::Int)==>(::String)]]"#,
        ),
    ] {
        let expected = parse_patterns(gram).expect("gram");
        let pattern = agent_pattern_from_json(&json).expect("an agent");
        let keys = |pattern: &agent_gram::Pattern| -> Vec<String> {
            let properties = pattern.subject().properties.iter();
            properties.map(|(key, _)| key.to_owned()).collect()
        };
        assert_eq!(keys(&pattern).last(), keys(&expected[0]).last());
        assert_eq!([pattern], expected[..], "{gram}");
    }
}

#[test]
fn reads_what_it_writes() {
    let json = agent(settings(), Record::new()).to_json();
    for (name, setting) in settings().to_json().as_object().expect("an object") {
        assert_eq!(json.get(name), Some(setting), "{name}");
    }
    let pattern = agent_pattern_from_json(&json).expect("an agent");
    let properties = &pattern.subject().properties;
    let timeout = Measurement::new(10.0, "s").expect("a measurement");
    assert_eq!(properties.get("toolTimeout"), Some(&Value::from(timeout)));
    assert_eq!(properties.get("seed"), Some(&Value::Integer(-7)));
    assert_eq!(properties.get("name"), None);
    assert_eq!(pattern.elements().len(), 1);
}

#[test]
fn errors_name_the_path() {
    for (json, expected) in [
        (
            json!({"name": "a"}),
            "`$.model`: expected the model, such as \"OpenAI/gpt-6-luna\", found nothing",
        ),
        (
            json!({"name": "a", "model": "x/y", "instruction": "i", "tools": {}}),
            "`$.tools`: expected a list of tools, found the object {}",
        ),
        (
            json!({"name": "a", "model": "x/y", "instruction": "i", "tools": [{"name": 1}]}),
            "`$.tools[0].name`: expected the tool's name, found the number 1",
        ),
    ] {
        assert_eq!(
            agent_pattern_from_json(&json)
                .expect_err("wrong")
                .to_string(),
            expected
        );
    }
}

#[test]
fn called_agents_may_be_of_any_provider() {
    let source = "[outer:Agent {instruction: \"i\", model: \"Offline/any\"} |
        [inner:Agent {description: \"d\", instruction: \"i\", model: \"Acme/large\"}]]";
    let options = agent_spec::check::Options {
        providers: &["Acme"],
        ..Default::default()
    };
    let agent = Agent::parse(source, Some("outer"), options).expect("an agent");
    assert_eq!(Agent::from_json(&agent.to_json()).as_ref(), Ok(&agent));
    assert_eq!(
        Agent::from_pattern(agent.to_pattern().as_pattern()).as_ref(),
        Ok(&agent)
    );
}
