//! What can be done with recorded runs.

use super::{get, post, say, studio};
use agent_runtime::conversation::ToolCall;
use agent_runtime::model::ModelReply;
use serde_json::json;

#[tokio::test]
async fn a_run_is_compared_and_asked_anew() {
    let call = || ToolCall::new("1", "sayHello", r#"{"personName": "Ada"}"#);
    let replies = [
        ModelReply::calls([call()]),
        ModelReply::text("I greeted her."),
        ModelReply::calls([call()]),
        ModelReply::text("Done."),
    ];
    let router = studio(replies).router();
    let run = say(&router, "greeting", "Greet Ada").await;
    let path = format!("/studio/runs/{run}/replay");
    let compared = get(&router, &path).await.json();
    assert_eq!(
        (&compared["requests"], &compared["same"]),
        (&json!(2), &json!(true))
    );
    let live = post(&router, &path, json!({})).await.json();
    assert_eq!(live["content"], "Done.");
    let sides: Vec<_> = live["steps"].as_array().into_iter().flatten().collect();
    let sides: Vec<_> = sides
        .iter()
        .filter_map(|step| step["side"].as_str())
        .collect();
    assert_eq!(sides, ["both", "recorded", "new"]);
    // The new run is only compared.
    let listed = get(&router, "/studio/runs").await.json();
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
    assert_eq!(listed[0]["driven"], false);
    assert_eq!(
        get(&router, "/studio/runs/unknown/replay")
            .await
            .status
            .as_u16(),
        404
    );
}

#[tokio::test]
async fn a_run_is_kept_as_a_cassette() {
    let router = studio([ModelReply::text("Hello; sk-very-secret.")]).router();
    let run = say(&router, "greeting", "Hello").await;
    let kept = get(&router, &format!("/studio/runs/{run}/cassette")).await;
    assert_eq!(
        kept.json()["exchanges"][0]["reply"]["content"],
        "Hello; [key]."
    );
    let unknown = get(&router, "/studio/runs/unknown/cassette").await;
    assert_eq!(unknown.status.as_u16(), 409, "{}", unknown.text);
}

#[tokio::test]
async fn a_run_that_has_ended_or_waits_cannot_be_resumed() {
    let call = ToolCall::new("1", "refund", r#"{"number": 7}"#);
    let router = studio([ModelReply::text("Hello"), ModelReply::calls([call])]).router();
    let run = say(&router, "greeting", "Hello").await;
    let refused = post(&router, &format!("/studio/runs/{run}/resume"), json!({})).await;
    assert_eq!(refused.status.as_u16(), 409);
    assert!(refused.text.contains("has ended"), "{}", refused.text);
    let begun = post(&router, "/api/greeter/runs", json!({"message": "Refund 7"})).await;
    let run = begun.headers["x-run-id"].to_str().expect("an id");
    let refused = post(&router, &format!("/studio/runs/{run}/resume"), json!({})).await;
    assert!(
        refused.text.contains("waits for a decision"),
        "{}",
        refused.text
    );
}

#[tokio::test]
async fn long_texts_are_cut_in_the_list_of_steps() {
    let text = "é".repeat(50_000);
    let router = studio([ModelReply::text(text.clone())]).router();
    let run = say(&router, "greeting", "Hello").await;
    let path = format!("/studio/runs/{run}");
    let shown = get(&router, &path).await.json();
    let step = &shown["steps"][1];
    assert_eq!(
        (&step["number"], &step["cut"]),
        (&json!(1), &json!(["text"]))
    );
    assert_eq!(step["text"].as_str().map(str::len), Some(16_000));
    let whole = get(&router, &format!("{path}/steps/1")).await.json();
    assert_eq!(whole["text"], text);
    assert_eq!(shown["steps"][0].get("cut"), None);
    let unchanged = format!("{path}?unless={}", shown["info"]["updated"]);
    assert_eq!(get(&router, &unchanged).await.status.as_u16(), 204);
    assert_eq!(
        get(&router, &format!("{path}?unless=1"))
            .await
            .status
            .as_u16(),
        200
    );
    assert_eq!(
        get(&router, &format!("{path}/steps/2"))
            .await
            .status
            .as_u16(),
        404
    );
}
