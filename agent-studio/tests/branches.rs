//! Branches of conversations, and the media in them.

use super::{ask, get, get_bytes, post, say, studio};
use agent_runtime::conversation::ToolCall;
use agent_runtime::model::ModelReply;
use serde_json::json;

const BRANCHES: &str = "/studio/conversations/greeting/branches";

#[tokio::test]
async fn a_branch_has_the_messages_before_the_changed_one() {
    let router = studio(["One", "Two", "Three"].map(ModelReply::text)).router();
    say(&router, "greeting", "First").await;
    say(&router, "greeting", "Second").await;
    let made = post(&router, BRANCHES, json!({"messages": 2})).await;
    assert_eq!(
        (made.status.as_u16(), made.json()),
        (201, json!({"name": "greeting.2"}))
    );
    say(&router, "greeting.2", "Another second").await;
    let found = get(&router, "/studio/conversations/greeting.2/branches")
        .await
        .json();
    let found = found["branches"].as_array().expect("a list");
    let shown: Vec<_> = found
        .iter()
        .map(|branch| json!([branch["name"], branch["messages"], branch["shared"]]))
        .collect();
    assert_eq!(
        shown,
        [json!(["greeting", 4, 2]), json!(["greeting.2", 4, 4])]
    );
    let messages = get(&router, "/api/conversations/greeting.2").await.json();
    assert_eq!(messages["messages"][0]["content"], "First");
    assert_eq!(messages["messages"][2]["content"], "Another second");
}

#[tokio::test]
async fn a_branch_of_a_branch_has_the_next_number() {
    let router = studio(["One"].map(ModelReply::text)).router();
    say(&router, "greeting", "First").await;
    for name in ["greeting.2", "greeting.3"] {
        assert_eq!(
            post(&router, BRANCHES, json!({"messages": 2})).await.json()["name"],
            name
        );
    }
    let path = "/studio/conversations/greeting.3/branches";
    assert_eq!(
        post(&router, path, json!({"messages": 2})).await.json()["name"],
        "greeting.4"
    );
    // It exists once a run has begun in it.
    assert_eq!(
        post(&router, path, json!({"messages": 0})).await.json()["name"],
        "greeting.5"
    );
    assert_eq!(
        get(&router, "/api/conversations/greeting.5")
            .await
            .status
            .as_u16(),
        404
    );
}

#[tokio::test]
async fn a_branch_cannot_end_in_the_middle_of_a_turn_or_beside_a_run() {
    let call = ToolCall::new("1", "refund", r#"{"number": 7}"#);
    let router = studio([ModelReply::text("One"), ModelReply::calls([call])]).router();
    say(&router, "greeting", "First").await;
    for messages in [1, 3, 1000] {
        let refused = post(&router, BRANCHES, json!({"messages": messages})).await;
        assert_eq!(refused.status.as_u16(), 400, "{messages}: {}", refused.text);
    }
    for wrong in [
        json!({}),
        json!({"messages": -1}),
        json!({"messages": 2, "name": "mine"}),
    ] {
        assert_eq!(post(&router, BRANCHES, wrong).await.status.as_u16(), 400);
    }
    let waiting = json!({"message": "Refund 7", "conversation": "greeting"});
    post(&router, "/api/greeter/runs", waiting).await;
    assert_eq!(
        post(&router, BRANCHES, json!({"messages": 2}))
            .await
            .status
            .as_u16(),
        409
    );
    let wrong = ask(
        &router,
        "GET",
        "/studio/conversations/..%2Fx/branches",
        json!(null),
    )
    .await;
    assert_eq!(wrong.status.as_u16(), 400);
}

#[tokio::test]
async fn the_bytes_of_media_are_found_by_their_digest() {
    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n0000";
    let router = studio([ModelReply::text("A picture")]).router();
    let image = json!({"type": "image", "mediaType": "image/png", "data": "iVBORw0KGgowMDAw"});
    let body = json!({"message": "What is this?", "parts": [image], "conversation": "greeting"});
    post(&router, "/api/greeter/runs", body).await;
    let stored = get(&router, "/api/conversations/greeting").await.json();
    let sha256 = stored["messages"][0]["content"][1]["sha256"].as_str();
    let sha256 = sha256.expect("a digest");
    let path = |name: &str, sha256: &str| format!("/studio/conversations/{name}/media/{sha256}");
    let found = get_bytes(&router, &path("greeting", sha256)).await;
    assert_eq!(
        (found.0["content-type"].as_bytes(), &*found.1),
        (&b"application/octet-stream"[..], PNG)
    );
    for (name, sha256) in [("greeting", "00"), ("other", sha256)] {
        assert_eq!(get(&router, &path(name, sha256)).await.status.as_u16(), 404);
    }
}
