//! The stream of a run, which shows the streams of the agents that it calls.

use super::*;
use agent_runtime::Event;
use std::collections::BTreeMap;

/// The events by the path and the ids of the calls that lead to their run, in their order.
type Shown = BTreeMap<(String, String), Vec<String>>;

fn show(event: &Event, at: (&str, &str), shown: &mut Shown) {
    let text = match event {
        Event::Nested {
            path,
            call_id,
            event,
            ..
        } => return show(event, (path, call_id), shown),
        Event::ModelCalled { .. } => "asked".to_owned(),
        Event::TextDelta { text, .. } => format!("{text:?}"),
        Event::CallStarted { tool, .. } => format!("calls {tool}"),
        Event::ToolStarted { call, .. } => format!("{} begins ({})", call.path, call.id),
        Event::ToolFinished { invocation, .. } => {
            format!("{} ends ({})", invocation.tool, invocation.call_id)
        }
        Event::Finished { response, .. } => response.content.clone(),
        _ => return,
    };
    let (path, call_id) = (at.0.to_owned(), at.1.to_owned());
    shown.entry((path, call_id)).or_default().push(text);
}

#[tokio::test]
async fn a_stream_shows_the_parts_of_the_answers_of_agents_with_their_paths() {
    let server = both_look_up().serve();
    let runtime = runtime(&server);
    let (mut conversation, library) = (Conversation::new(), library());
    let run = runtime.run(&SUPPORT, "What did I order?").tools(&library);
    let mut stream = run.conversation(&mut conversation).stream();
    let mut shown = Shown::new();
    while let Some(event) = stream.next().await {
        show(&event.expect("no error"), ("support", ""), &mut shown);
    }
    drop(stream);
    let shown = |path: &str, call_id: &str| shown[&(path.to_owned(), call_id.to_owned())].clone();
    let own = shown("support", "");
    assert_eq!(own[..3], ["asked", "calls billing", "calls research"]);
    assert_eq!(
        own[3..5],
        ["support/billing begins (b)", "support/research begins (r)"]
    );
    let end = [
        "asked",
        "\"Ada \"",
        "\"ordered \"",
        "\"a \"",
        "\"lamp.\"",
        "Ada ordered a lamp.",
    ];
    assert_eq!(own[7..], end);
    assert_eq!(
        shown("support/billing", "b"),
        [
            "asked",
            "calls lookUp",
            "support/billing/lookUp begins (b/l)",
            "lookUp ends (b/l)",
            "asked",
            "\"It \"",
            "\"cost \"",
            "\"12 \"",
            "\"euros.\"",
        ]
    );
    assert_eq!(
        shown("support/research", "r"),
        [
            "asked",
            "calls lookUp",
            "support/research/lookUp begins (r/l)",
            "lookUp ends (r/l)",
            "asked",
            "\"A \"",
            "\"lamp \"",
            "\"it \"",
            "\"is.\"",
        ]
    );
    let streamed = server
        .requests()
        .iter()
        .all(|request| request.json()["stream"] == true);
    assert!(streamed, "every agent is asked for a stream");
    assert_eq!(server.requests().len(), 6);
    assert_goes_on(&runtime, &mut conversation).await;
}

#[tokio::test]
async fn a_stream_that_breaks_in_an_agent_is_the_failure_of_its_call() {
    let script = Script::default().agent(
        "support",
        [
            openai::call("b", "billing", QUESTION),
            openai::text("Billing is out."),
        ],
    );
    let server = Server::answering(move |request| match asking(request).as_str() {
        "billing" => {
            let Answer(status, body) = openai::streamed(&openai::text("It cost 12 euros."));
            let cut = body.find("euros").expect("the last word");
            Some(Answer(status, body[..cut].to_owned()))
        }
        _ => script.answer(request),
    });
    let runtime = builder(&server).max_attempts(1).build().expect("a runtime");
    let library = library();
    let response = runtime.run(&SUPPORT, "What did I order?").tools(&library);
    let response = response.streaming().await.expect("an answer");
    assert_eq!(response.content, "Billing is out.");
    let error = response.tools_used[0]
        .result
        .clone()
        .expect_err("a failure");
    assert!(
        error.to_string().contains("the agent `billing` failed"),
        "{error}"
    );
}
