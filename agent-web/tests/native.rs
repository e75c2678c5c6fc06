//! Our own events.

use crate::support::{Place, Service, built, call, library, support, user};
use agent_runtime::model::ModelReply;
use agent_runtime::{Agent, agent};
use agent_web::OwnerLimits;
use axum::http::StatusCode;
use serde_json::json;

#[tokio::test]
async fn a_run_is_streamed_and_followed_again_after_each_event() {
    let place = Place::default();
    let service = place.process([call("1", "findOrder"), ModelReply::text("It was sent.")]);
    let begun = service
        .post("ada", "/support/runs", json!({"message": "Where is 7?"}))
        .await;
    assert_eq!(begun.headers["content-type"], "text/event-stream");
    assert_eq!(begun.headers["cache-control"], "no-store");
    let events = begun.events();
    assert_eq!(
        events.last().expect("an event").1["response"]["content"],
        "It was sent."
    );
    let path = format!("/runs/{}/events", begun.run());
    // Another process, after the run.
    let other = place.process([]);
    for (id, _) in &events {
        let request = axum::http::Request::get(format!("/agents{path}")).header("x-user", "ada");
        let request = request
            .header("last-event-id", id)
            .body(axum::body::Body::empty());
        let rest = other.send(request.expect("a request")).await.events();
        let last = rest.last().map(|(_, event)| event["type"].clone());
        assert!(
            last.is_none() || last == Some(json!("finished")),
            "{last:?}"
        );
    }
    let whole = other.get("ada", &path).await.types();
    let expected = [
        "modelCalled",
        "modelReplied",
        "toolStarted",
        "toolFinished",
        "modelCalled",
        "modelReplied",
        "finished",
    ];
    assert_eq!(whole, expected);
}

#[tokio::test]
async fn a_call_waits_for_its_decision_and_the_run_goes_on() {
    let place = Place::default();
    let service = place.process([call("1", "refund")]);
    let body = json!({"message": "Refund 7", "conversation": "orders"});
    let asked = service.post("ada", "/support/runs", body.clone()).await;
    assert_eq!(asked.types().last().map(String::as_str), Some("waiting"));
    let run = asked.run();
    // The reloaded page.
    let shown = service.get("ada", "/conversations/orders").await.json();
    assert_eq!(shown["messages"][0]["content"], "Refund 7");
    assert_eq!(
        shown["run"],
        json!({"run": run, "agent": "support", "state": "waiting"})
    );
    assert_eq!(shown["waiting"][0]["args"], json!({"number": 7}));
    let listed = service.get("ada", "/conversations").await.json();
    assert_eq!(
        (&listed[0]["name"], &listed[0]["run"]["state"]),
        (&json!("orders"), &json!("waiting"))
    );
    assert_eq!(
        service.get("ada", "/waiting").await.json()[0]["run"],
        json!(run)
    );
    // Another message has to wait for the decision.
    let busy = service.post("ada", "/support/runs", body).await;
    busy.check(409, "has not ended");
    assert_eq!(busy.json()["run"], json!(run));

    // After a restart.
    let other = place.process([ModelReply::text("Done.")]);
    let path = format!("/runs/{run}/decisions");
    let decision = json!({"decisions": {"1": {"type": "approve"}}});
    let going_on = other.post("ada", &path, decision.clone()).await;
    let types = going_on.types();
    assert_eq!(
        types.last().map(String::as_str),
        Some("finished"),
        "{types:?}"
    );
    let finished = going_on
        .events()
        .into_iter()
        .find(|(_, event)| event["type"] == "toolFinished");
    assert_eq!(
        finished.expect("the call").1["invocation"]["result"]["value"],
        "Order 7 is refunded."
    );
    other
        .post("ada", &path, decision)
        .await
        .check(409, "does not wait");
    let shown = other.get("ada", "/conversations/orders").await.json();
    assert_eq!(
        (&shown["run"], shown["messages"].as_array().map(Vec::len)),
        (&json!(null), Some(4))
    );
}

#[tokio::test]
async fn a_clerk_decides_for_others_and_sees_nothing_else() {
    let place = Place::default();
    let clerk = |replies: Vec<ModelReply>| {
        let web = agent_web::router(&place.runtime(replies), [support()], library()).owner(user);
        Service::of(
            web.may_decide(|user, _, _| user == "cleo")
                .build()
                .expect("the routes"),
        )
    };
    let service = clerk(vec![call("1", "refund"), ModelReply::text("Done.")]);
    let asked = service
        .post("ada", "/support/runs", json!({"message": "Refund 7"}))
        .await;
    let run = asked.run();
    let decision = json!({"decisions": {"1": {"type": "approve"}}});
    let path = format!("/runs/{run}/decisions");
    service
        .post("ada", &path, decision.clone())
        .await
        .check(403, "may not decide");
    service
        .post("bob", &path, decision.clone())
        .await
        .check(404, "no run");
    assert_eq!(service.get("ada", "/waiting").await.json(), json!([]));
    let waiting = service.get("cleo", "/waiting").await.json();
    assert_eq!(
        (&waiting[0]["run"], &waiting[0]["owner"]),
        (&json!(run), &json!("ada"))
    );
    service
        .get("cleo", &format!("/runs/{run}/events"))
        .await
        .check(404, "no run");
    let decided = service.post("cleo", &path, decision).await;
    assert_eq!(
        (decided.status, decided.text.as_str()),
        (StatusCode::ACCEPTED, "")
    );
    let whole = service.get("ada", &format!("/runs/{run}/events")).await;
    assert_eq!(whole.types().last().map(String::as_str), Some("finished"));
}

#[tokio::test]
async fn everything_of_another_owner_is_not_there() {
    let place = Place::default();
    let service = place.process([call("1", "refund")]);
    let body = json!({"message": "Refund 7", "conversation": "orders"});
    let run = service.post("ada", "/support/runs", body).await.run();
    for path in [
        format!("/runs/{run}/events"),
        "/conversations/orders".to_owned(),
    ] {
        service.get("bob", &path).await.check(404, "there is no");
    }
    let events = axum::http::Request::get(format!("/agents/runs/{run}/events"));
    let conversation = axum::http::Request::delete("/agents/conversations/orders");
    for request in [events.header("last-event-id", "0"), conversation] {
        let request = request.header("x-user", "bob");
        let request = request.body(axum::body::Body::empty()).expect("a request");
        service.send(request).await.check(404, "no ");
    }
    let history = service.get("bob", "/support/ui/orders").await;
    assert!(!history.text.contains("Refund"), "{}", history.text);
    let stream = service.get("bob", "/support/ui/orders/stream").await;
    assert_eq!(stream.status, StatusCode::NO_CONTENT, "{}", stream.text);
    for (path, body) in [
        (
            "decisions",
            json!({"decisions": {"1": {"type": "approve"}}}),
        ),
        ("stop", json!({})),
        ("say", json!({"message": "x"})),
    ] {
        let answer = service
            .post("bob", &format!("/runs/{run}/{path}"), body)
            .await;
        answer.check(404, "no run");
    }
    for path in ["/conversations", "/waiting"] {
        assert_eq!(service.get("bob", path).await.json(), json!([]));
    }
}

#[tokio::test]
async fn known_keys_are_replaced_in_streams_and_in_other_answers() {
    let place = Place::default();
    let runtime = place.runtime([ModelReply::text("The key is sk-0123456789abcdef.")]);
    runtime.redactor().add("sk-0123456789abcdef");
    let greet = agent! {
        [greet:Agent {description: "Uses sk-0123456789abcdef.", instruction: "Greet.", model: "Scripted/any"} | (who::Text)==>(::String)]
    };
    let web = agent_web::router(&runtime, [support(), greet], library()).owner(user);
    let service = Service::of(web.build().expect("the routes"));
    let answer = service
        .post("ada", "/support/runs", json!({"message": "Which key?"}))
        .await;
    assert!(!answer.text.contains("sk-0123"), "{}", answer.text);
    let events = answer.events();
    let (_, last) = events.last().expect("an event");
    assert_eq!(last["response"]["content"], "The key is [key].");
    let schema = service.get("ada", "/greet/schema").await.json();
    assert_eq!(schema["description"], "Uses [key].");
}

#[tokio::test]
async fn the_reason_of_a_failed_run_is_not_sent() {
    // The model has no answer, which is a failure of the server.
    let service = Place::default().process([]);
    let answer = service
        .post("ada", "/support/runs", json!({"message": "Hello"}))
        .await;
    let events = answer.events();
    let (_, last) = events.last().expect("an event");
    assert_eq!(last["type"], "failed");
    assert_eq!(
        last["message"],
        "the run failed; the log of the server says why"
    );
}

#[tokio::test]
async fn a_run_that_waits_is_stopped_and_its_conversation_deleted() {
    let place = Place::default();
    let service = place.process([call("1", "refund")]);
    let body = json!({"message": "Refund 7", "conversation": "orders"});
    let run = service.post("ada", "/support/runs", body).await.run();
    let delete = async || {
        let request = axum::http::Request::delete("/agents/conversations/orders");
        let request = request
            .header("x-user", "ada")
            .body(axum::body::Body::empty());
        service.send(request.expect("a request")).await
    };
    delete().await.check(409, "has not ended");
    let stop = format!("/runs/{run}/stop");
    assert_eq!(
        service.post("ada", &stop, json!({})).await.status,
        StatusCode::ACCEPTED
    );
    service
        .post("ada", &stop, json!({}))
        .await
        .check(409, "has ended");
    let types = service
        .get("ada", &format!("/runs/{run}/events"))
        .await
        .types();
    assert_eq!(types.last().map(String::as_str), Some("cancelled"));
    assert_eq!(delete().await.status, StatusCode::NO_CONTENT);
    delete().await.check(404, "no conversation");
}

#[tokio::test]
async fn limits_are_sums_over_the_journal() {
    let place = Place::default();
    let mut reply = ModelReply::text("Hello.");
    reply.cost = Some(0.5);
    let limits = OwnerLimits::new().dollars_per_day(0.9);
    let web = agent_web::router(&place.runtime(vec![reply; 4]), [support()], library()).owner(user);
    let service = Service::of(web.per_owner(limits).build().expect("the routes"));
    let begin = async |user| {
        service
            .post(user, "/support/runs", json!({"message": "Hello"}))
            .await
    };
    for _ in 0..2 {
        assert_eq!(begin("ada").await.status, StatusCode::OK);
    }
    begin("ada")
        .await
        .check(429, "cost 1.00 dollars; the limit is 0.90");
    assert_eq!(begin("bob").await.status, StatusCode::OK);
}

#[tokio::test]
async fn names_that_are_taken_are_refused() {
    let place = Place::default();
    let named = |name: &'static str| Agent::new(name, "Scripted/any", "Help.").expect("an agent");
    for name in ["runs", "conversations", "waiting", "health", "ready"] {
        let built = built(agent_web::router(
            &place.runtime([]),
            [named(name)],
            library(),
        ));
        let error = built.err().expect("the name is taken").to_string();
        assert!(error.contains(&format!("`{name}`")), "{error}");
    }
    let twice = built(agent_web::router(
        &place.runtime([]),
        [named("a"), named("a")],
        library(),
    ));
    assert!(twice.is_err());
}

#[tokio::test]
async fn schemas_and_states_are_told() {
    let place = Place::default();
    let greet = agent! {
        [greet:Agent {description: "Greets.", instruction: "Greet {{who}}.", model: "Scripted/any"} |
            (who::Text)==>(::String)]
    };
    let service = Service::of(
        built(agent_web::router(&place.runtime([]), [greet], library())).expect("the routes"),
    );
    let schema = service.get("ada", "/greet/schema").await.json();
    assert_eq!(schema["typeSignature"], "(who::Text)==>(::String)");
    assert_eq!(schema["schema"]["required"], json!(["who"]));
    assert_eq!(schema["description"], "Greets.");
    for path in ["/health", "/ready"] {
        let request =
            axum::http::Request::get(format!("/agents{path}")).body(axum::body::Body::empty());
        assert_eq!(
            service.send(request.expect("a request")).await.status,
            StatusCode::OK
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_is_not_lost_while_a_decision_is_taken_over() {
    for _ in 0..20 {
        let place = Place::default();
        let service = place.process([call("1", "refund"), ModelReply::text("Done.")]);
        let begun = service
            .post("ada", "/support/runs", json!({"message": "Refund 7"}))
            .await;
        let run = begun.run();
        let approve = json!({"decisions": {"1": {"type": "approve"}}});
        let (decisions, stop) = (
            format!("/runs/{run}/decisions"),
            format!("/runs/{run}/stop"),
        );
        let (decided, stopped) = tokio::join!(
            service.post("ada", &decisions, approve),
            service.post("ada", &stop, json!({})),
        );
        // The run was stopped, or it had ended before the stop arrived.
        let events = service
            .get("ada", &format!("/runs/{run}/events"))
            .await
            .types();
        let last = events.last().map(String::as_str);
        match stopped.status {
            StatusCode::ACCEPTED => {
                assert!(matches!(last, Some("cancelled" | "finished")), "{last:?}")
            }
            _ => {
                stopped.check(409, "has ended");
                assert_eq!(last, Some("finished"));
            }
        }
        assert!(
            matches!(decided.status.as_u16(), 200 | 409),
            "{}",
            decided.text
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_many_decisions_is_taken_and_the_others_are_conflicts() {
    let place = Place::default();
    let service = place.process([call("1", "refund"), ModelReply::text("Done.")]);
    let begun = service
        .post("ada", "/support/runs", json!({"message": "Refund 7"}))
        .await;
    let path = format!("/runs/{}/decisions", begun.run());
    let approve = || {
        service.post(
            "ada",
            &path,
            json!({"decisions": {"1": {"type": "approve"}}}),
        )
    };
    let answers = futures_util::future::join_all((0..8).map(|_| approve())).await;
    let taken = answers
        .iter()
        .filter(|answer| answer.status == StatusCode::OK)
        .count();
    let conflicts = answers
        .iter()
        .filter(|answer| answer.status == StatusCode::CONFLICT)
        .count();
    assert_eq!((taken, conflicts), (1, 7));
}
