//! Models and settings that a person tries.

use super::{ask, get, good, post, say, studio};
use agent_runtime::model::ModelReply;
use serde_json::{Value, json};

const AGENT: &str = "/studio/agents/greeter";
const CHECK: &str = "/studio/agents/greeter/check";

async fn agent(router: &axum::Router) -> Value {
    get(router, "/studio/state").await.json()["agents"][0].clone()
}

#[tokio::test]
async fn a_check_has_findings_and_changes_nothing() {
    let studio = studio([]).read_only(true);
    let router = studio.router();
    for (trial, code) in [
        (json!({"model": "Scripted/other"}), None),
        (
            json!({"model": "Scripted/other", "settings": {"temperature": 0.5}}),
            None,
        ),
        (
            json!({"model": "Scripted/other", "settings": {"temperature": null}}),
            None,
        ),
        (
            json!({"model": "Scripted/other", "settings": {"temperature": 5}}),
            Some("agent::bad-value"),
        ),
        (json!({"model": "nothing"}), Some("agent::bad-model")),
        (
            json!({"model": "Nobody/any"}),
            Some("agent::unknown-provider"),
        ),
    ] {
        let found = post(&router, CHECK, trial.clone()).await;
        assert_eq!(found.status.as_u16(), 200, "{trial}: {}", found.text);
        let found = found.json();
        assert_eq!(
            found["findings"][0]["code"].as_str(),
            code,
            "{trial}: {found}"
        );
    }
    let state = agent(&router).await;
    assert_eq!(
        (&state["model"], &state["changed"]),
        (&json!("Scripted/any"), &json!(false))
    );
    assert_eq!(
        ask(&router, "PUT", AGENT, json!({"model": "Scripted/other"}))
            .await
            .status
            .as_u16(),
        403
    );
}

#[tokio::test]
async fn a_trial_runs_until_it_ends_or_its_agent_is_gone() {
    let studio = studio(["One", "Two"].map(ModelReply::text));
    let router = studio.router();
    let trial = json!({"model": "Scripted/other", "settings": {"temperature": 0.5}});
    assert_eq!(
        ask(&router, "PUT", AGENT, trial.clone()).await.json(),
        json!({"findings": []})
    );
    let state = agent(&router).await;
    assert_eq!(state["model"], "Scripted/other");
    assert_eq!(state["settings"], json!({"temperature": 0.5}));
    assert_eq!(state["changed"], true);
    let run = say(&router, "greeting", "Hello").await;
    // Documents that are read again keep the trial.
    studio.update(good());
    assert_eq!(agent(&router).await["changed"], true);
    // The recorded run had the model of the trial.
    let path = format!("/studio/runs/{run}/replay");
    assert_eq!(get(&router, &path).await.json()["same"], true);
    assert_eq!(
        ask(&router, "DELETE", AGENT, json!(null))
            .await
            .status
            .as_u16(),
        204
    );
    let state = agent(&router).await;
    assert_eq!(
        (&state["model"], &state["changed"]),
        (&json!("Scripted/any"), &json!(false))
    );
    assert_eq!(
        get(&router, &path).await.json()["difference"]["part"],
        "model"
    );
    // A trial of an agent that no document has ends.
    ask(&router, "PUT", AGENT, trial).await;
    let mut documents = good();
    documents.agents = Some(Vec::new());
    studio.update(documents);
    studio.update(good());
    assert_eq!(agent(&router).await["changed"], false);
}

#[tokio::test]
async fn what_cannot_be_tried_is_refused() {
    let router = studio([]).router();
    for (wrong, word) in [
        (
            json!({"model": "Scripted/other", "settings": {"temperature": 5}}),
            "temperature",
        ),
        (
            json!({"model": "Scripted/other", "settings": {"grants": {}}}),
            "grants",
        ),
        (
            json!({"model": "Scripted/other", "settings": {"instruction": "Lie."}}),
            "instruction",
        ),
        (json!({"settings": {}}), "model"),
        (json!({"model": "Scripted/other", "tools": []}), "tools"),
    ] {
        let refused = ask(&router, "PUT", AGENT, wrong.clone()).await;
        assert_eq!(refused.status.as_u16(), 400, "{wrong}");
        assert!(refused.text.contains(word), "{}", refused.text);
    }
    let unknown = ask(
        &router,
        "PUT",
        "/studio/agents/nobody",
        json!({"model": "Scripted/x"}),
    )
    .await;
    assert_eq!(unknown.status.as_u16(), 404);
    let unknown = ask(&router, "DELETE", "/studio/agents/nobody", json!(null)).await;
    assert_eq!(unknown.status.as_u16(), 404);
    assert_eq!(agent(&router).await["changed"], false);
}

#[tokio::test]
async fn each_setting_has_a_schema_that_the_checker_agrees_with() {
    let router = studio([]).router();
    let found = get(&router, "/studio/models").await.json();
    let model = &found["models"][0];
    assert!(
        model["id"].as_str().is_some_and(|id| id.contains('/')),
        "{model}"
    );
    let properties = found["settings"]["properties"]
        .as_object()
        .expect("properties");
    for (name, schema) in properties {
        assert!(schema["description"].is_string(), "{name}: {schema}");
        let value = match (&schema["enum"][0], schema["type"].as_str()) {
            (Value::String(word), _) => json!(word),
            (_, Some("number" | "integer")) => json!(1),
            (_, Some("boolean")) => json!(true),
            (_, Some("array")) => json!(["stop"]),
            _ => json!("auto"),
        };
        let trial = json!({"model": "Scripted/other", "settings": {name: value}});
        let checked = post(&router, CHECK, trial).await;
        assert_eq!(checked.status.as_u16(), 200, "{}", checked.text);
        assert_eq!(checked.json(), json!({"findings": []}), "{name}");
    }
}
