//! Odd answers that real servers give, each in a file of its own: `oddities/PROVIDER/NAME`, plain and streamed.

use crate::providers::exchange::{ANTHROPIC, Dialect, GOOGLE, OLLAMA, OPENAI, RESPONSES};
use crate::support::check_unanswered;
use crate::support::server::{Answer, status, streamed};
use agent_runtime::{AgentResponse, Conversation, Error};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const DIALECTS: [Dialect; 5] = [OPENAI, RESPONSES, ANTHROPIC, GOOGLE, OLLAMA];

/// The expected outcome of a run.
enum Outcome {
    /// The answer "Hello, Ada!", after one request, without calls.
    Hello,
    /// Calls of the tool with these arguments, and then the answer of the file of good replies.
    Calls(&'static [&'static str]),
    /// The answer, with this usage.
    Usage(fn() -> Value),
    /// An answer without text if a tool gave a result before. Otherwise the model is asked once more.
    Silence,
    /// The beginning of an answer, which is sent back, so that the model goes on.
    Paused,
    /// An error with this text, after one request.
    Error(&'static str),
    /// An error with this text after two requests, for which `is_refused` is true.
    Refused(&'static str),
}

use Outcome::{Calls, Error as Failed, Hello, Paused, Refused, Silence, Usage};

/// The oddities. The folder of a provider has a file for each that it can send.
const ODDITIES: &[(&str, Outcome)] = &[
    ("empty_reason_then_dropped", Failed("broke its answer off")),
    ("empty_reason", Hello),
    (
        "unspecified_reason_then_dropped",
        Failed("broke its answer off"),
    ),
    ("other_words_for_stop", Hello),
    ("empty_function_call", Hello),
    ("empty_calls", Hello),
    (
        "empty_call_beside_a_call",
        Calls(&[r#"{"personName":"Ada"}"#]),
    ),
    ("silent_stop", Silence),
    (
        "cut_off_in_thought",
        Failed("limit of tokens before it wrote any text; the finish reason is `length`"),
    ),
    ("held_back", Refused("held back twice by its provider")),
    (
        "final_usage",
        Usage(|| json!({"inputTokens": 64, "outputTokens": 9, "requests": 1, "cachedTokens": 64})),
    ),
    (
        "iterations",
        Usage(|| {
            json!({"inputTokens": 204_200, "outputTokens": 4500, "requests": 1,
                   "cachedTokens": 1200})
        }),
    ),
    ("pause_turn", Paused),
    (
        "second_message",
        Failed("begins a second message within the first"),
    ),
    ("steered", Paused),
    ("arguments_in_pieces", Calls(&[r#"{"personName":"Ada"}"#])),
    (
        "arguments_in_pieces_of_a_list",
        Calls(&[
            r#"{"personName":"Ada","tags":["a",{"n":1}]}"#,
            r#"{"personName":"Bob"}"#,
        ]),
    ),
    (
        "arguments_in_pieces_without_an_end",
        Calls(&[r#"{"personName":"Ada"}"#]),
    ),
];

fn folder(dialect: &Dialect) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/providers/oddities")
        .join(dialect.folder)
}

/// The outcome of one run.
struct Played {
    response: Result<AgentResponse, Error>,
    conversation: Conversation,
    requests: Vec<Value>,
}

async fn play(dialect: &Dialect, is_streamed: bool, answers: Vec<Answer>) -> Played {
    if is_streamed {
        let streamed = dialect.stream(answers).await;
        let response = match streamed.error {
            Some(error) => Err(error),
            None => {
                let response = streamed.response().clone();
                assert_eq!(streamed.fold.response(), &response);
                Ok(response)
            }
        };
        return Played {
            response,
            conversation: streamed.conversation,
            requests: streamed.requests,
        };
    }
    let (response, conversation, server) = dialect.execute(answers).await;
    let requests = server.requests();
    Played {
        response,
        conversation,
        requests: requests.iter().map(|request| request.json()).collect(),
    }
}

/// An oddity of one provider, plain or streamed.
struct Case {
    dialect: Dialect,
    name: String,
    is_streamed: bool,
    body: String,
}

impl Case {
    fn odd(&self) -> Answer {
        match self.is_streamed {
            true => streamed(self.dialect.stream.0, self.body.as_str()),
            false => status(200, &self.body),
        }
    }

    /// A good reply in the same form.
    fn good(&self, name: &str) -> Answer {
        let ending = match self.is_streamed {
            true => self.dialect.stream.1,
            false => ".json",
        };
        self.dialect.answer(&format!("{name}{ending}"))
    }

    async fn play(&self, answers: Vec<Answer>) -> Played {
        play(&self.dialect, self.is_streamed, answers).await
    }

    async fn check(&self, outcome: &Outcome) {
        let what = format!("{} {} {}", self.dialect.folder, self.name, self.is_streamed);
        match outcome {
            Hello | Usage(_) => {
                let played = self.play(vec![self.odd()]).await;
                let response = played
                    .response
                    .unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_eq!(response.content, "Hello, Ada!", "{what}");
                assert_eq!(response.finish_reason.as_str(), "stop", "{what}");
                assert_eq!(response.tools_used, [], "{what}");
                let expected = match outcome {
                    Usage(expected) => expected(),
                    _ => json!({"inputTokens": 20, "outputTokens": 5, "requests": 1}),
                };
                assert_eq!(response.usage.to_json(), expected, "{what}");
                assert_eq!(played.conversation.len(), 2, "{what}");
            }
            Calls(expected) => {
                let played = self.play(vec![self.odd(), self.good("hello")]).await;
                played
                    .response
                    .unwrap_or_else(|error| panic!("{what}: {error}"));
                let calls = played.conversation.messages()[1].tool_calls();
                let arguments: Vec<&str> = calls.iter().map(|call| call.args_text()).collect();
                assert_eq!(&arguments, expected, "{what}");
                assert!(calls.iter().all(|call| call.tool() == "sayHello"), "{what}");
            }
            Paused => {
                let played = self.play(vec![self.odd(), self.good("hello")]).await;
                let response = played
                    .response
                    .unwrap_or_else(|error| panic!("{what}: {error}"));
                assert!(response.content.starts_with("I look that up."), "{what}");
                assert!(response.content.contains("Ada"), "{what}");
                if self.dialect.folder == "responses" {
                    let text = json!({"type": "output_text", "annotations": [],
                                      "text": "I look that up."});
                    let begun = json!({"type": "message", "id": "msg_1", "role": "assistant",
                                       "status": "completed", "phase": "commentary",
                                       "content": [text]});
                    assert_eq!(played.requests[1]["input"][1], begun, "{what}");
                    return;
                }
                let messages = played.requests[1]["messages"].as_array();
                let mut last = messages.expect(&what).last().cloned().expect(&what);
                // The mark for the cache.
                for block in last["content"].as_array_mut().expect(&what) {
                    block.as_object_mut().expect(&what).remove("cache_control");
                }
                let search = json!({"type": "server_tool_use", "id": "srvtoolu_1",
                                    "name": "web_search", "input": {"query": "Ada"}});
                let text = json!({"type": "text", "text": "I look that up."});
                let begun = json!({"role": "assistant", "content": [text, search]});
                assert_eq!(last, begun, "{what}");
            }
            Silence => {
                let played = self.play(vec![self.good("calls"), self.odd()]).await;
                let response = played
                    .response
                    .unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_eq!(response.content, "", "{what}");
                assert_eq!(played.requests.len(), 2, "{what}");
                assert!(!response.tools_used.is_empty(), "{what}");
                // Before a result of a tool.
                let played = self.play(vec![self.odd(), self.good("hello")]).await;
                let response = played
                    .response
                    .unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_eq!(response.content, "Grüß dich, Ada 👋!", "{what}");
                assert_eq!(played.requests.len(), 2, "{what}");
            }
            Failed(words) => {
                let played = self.play(vec![self.odd()]).await;
                let error = played.response.expect_err(&what);
                assert!(error.is_llm(), "{what}: {error:?}");
                assert!(error.to_string().contains(words), "{what}: {error}");
                assert_eq!(played.requests.len(), 1, "{what}");
                check_unanswered(&played.conversation);
            }
            Refused(words) => {
                let played = self.play(vec![self.odd(), self.odd()]).await;
                let error = played.response.expect_err(&what);
                assert!(error.is_llm() && error.is_refused(), "{what}: {error:?}");
                assert!(error.to_string().contains(words), "{what}: {error}");
                assert_eq!(played.requests.len(), 2, "{what}");
            }
        }
    }
}

/// Every file of the folders, in the order of their names.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for dialect in DIALECTS {
        for entry in std::fs::read_dir(folder(&dialect)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().and_then(|name| name.to_str());
            cases.push(Case {
                dialect,
                name: name.expect("a name").to_owned(),
                is_streamed: path.extension().is_none_or(|ending| ending != "json"),
                body: std::fs::read_to_string(&path).expect("a file"),
            });
        }
    }
    cases.sort_by(|a, b| (a.dialect.folder, &a.name).cmp(&(b.dialect.folder, &b.name)));
    cases
}

#[tokio::test]
async fn odd_answers_of_real_servers_are_handled() {
    let cases = cases();
    for case in &cases {
        let row = ODDITIES.iter().find(|(name, _)| *name == case.name);
        let (_, outcome) = row.unwrap_or_else(|| panic!("no row for {}", case.name));
        case.check(outcome).await;
    }
    for (name, _) in ODDITIES {
        assert!(cases.iter().any(|case| case.name == *name), "{name}");
    }
}

/// These can come from every provider.
#[test]
fn every_provider_has_the_common_oddities() {
    for name in [
        "empty_reason_then_dropped",
        "empty_reason",
        "empty_calls",
        "empty_call_beside_a_call",
        "silent_stop",
        "cut_off_in_thought",
    ] {
        let cases = cases();
        let with: BTreeSet<_> = cases
            .iter()
            .filter(|case| case.name == name)
            .map(|case| (case.dialect.folder, case.is_streamed))
            .collect();
        let forms = if name.ends_with("dropped") { 1 } else { 2 };
        assert_eq!(with.len(), DIALECTS.len() * forms, "{name}: {with:?}");
    }
}

/// A piece of a call keeps its signature, which the next request must have.
#[tokio::test]
async fn a_call_in_pieces_is_sent_back_whole() {
    let case = cases()
        .into_iter()
        .find(|case| case.name == "arguments_in_pieces")
        .expect("a case");
    let played = case.play(vec![case.odd(), case.good("hello")]).await;
    assert_eq!(
        played.requests[1]["contents"][1]["parts"],
        json!([{
            "functionCall": {"id": "f-1", "name": "sayHello", "args": {"personName": "Ada"}},
            "thoughtSignature": "c2lnbmVk",
        }])
    );
}
