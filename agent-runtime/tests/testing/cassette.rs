//! Tests of recording and replaying.

use crate::support::{agent, greeter, hello_tool, library};
use crate::testing::{bare, fresh, greet, greets, read, record};
use agent_runtime::model::{
    ChatFuture, ChatModel, ModelReply, ModelRequest, ReplyPart, ReplySink, Scripted,
};
use agent_runtime::spec::{AgentPattern, Settings};
use agent_runtime::testing::Cassette;
use agent_runtime::{
    Conversation, Environment, Error, Event, Message, Model, Runtime, ToolLibrary,
};
use serde_json::Value;
use std::time::Duration;

#[tokio::test]
async fn replays_without_provider_and_key() {
    let path = fresh("replay.json");
    let recorded = record(&path, "Hello, I'm Ada", greets()).await;
    let cassette = Cassette::replay(&path);
    let runtime = bare(&cassette).build().expect("a runtime");
    let replayed = greet(&runtime, "Hello, I'm Ada").await.expect("an answer");
    assert_eq!(replayed, recorded);
    assert_eq!(replayed.content, "Done.");
    cassette.assert_complete();
}

/// Requests that are recorded are sent, so that the address of a called agent needs consent. Replayed ones are not.
#[tokio::test]
async fn an_address_of_a_called_agent_needs_consent_for_a_recording_alone() {
    let path = fresh("consent.json");
    record(&path, "Hello, I'm Ada", greets()).await;
    let agent = AgentPattern::parse(
        "[first:Agent {instruction: \"x\", model: \"OpenAI/m\"} | [last:Agent {description: \"d\", \
         instruction: \"x\", model: \"OpenAI/m\", baseUrl: \"https://evil.example/v1\"}]]",
    );
    let agent = agent.expect("an agent");
    for (cassette, is_fine) in [
        (Cassette::replay(&path), true),
        (Cassette::record(fresh("consent-2.json")), false),
    ] {
        let runtime = bare(&cassette).build().expect("a runtime");
        let started = runtime.run(&agent, "Hi").start();
        match is_fine {
            true => assert!(started.is_ok(), "{started:?}"),
            false => {
                let error = started.expect_err("no consent").to_string();
                assert!(error.contains("--allow-base-url evil.example"), "{error}");
            }
        }
    }
}

/// While a cassette replays, names of providers are not resolved.
#[tokio::test]
async fn replays_for_an_unknown_provider() {
    let path = fresh("unknown.json");
    let model = Model::parse("Acme/one").expect("a model");
    let agent = greeter().with_model(model);
    let library = library([hello_tool()]);
    for (cassette, model) in [
        (Cassette::record(&path), Some(greets())),
        (Cassette::replay(&path), None),
    ] {
        let builder = bare(&cassette);
        let builder = match model {
            Some(model) => builder.provider("Acme", model),
            None => builder,
        };
        let runtime = builder.build().expect("a runtime");
        let mut conversation = Conversation::new();
        let response = runtime
            .execute(&agent, "Hello", &mut conversation, &library)
            .await;
        assert_eq!(response.expect("an answer").content, "Done.");
    }
}

#[tokio::test]
async fn replay_or_record_records_a_missing_file_and_replays_an_existing_one() {
    let path = fresh("either.json");
    let model = greets();
    for _ in 0..3 {
        let cassette = Cassette::replay_or_record(&path);
        let runtime = bare(&cassette).provider("OpenAI", model.clone());
        let runtime = runtime.build().expect("a runtime");
        let response = greet(&runtime, "Hello").await.expect("an answer");
        assert_eq!(response.content, "Done.");
        cassette.assert_complete();
    }
    assert_eq!(model.requests().len(), 2, "only the first run asked it");
}

#[tokio::test]
async fn recording_replaces_the_file_and_leaves_no_temporary_one() {
    let path = fresh("alone/replaced.json");
    record(&path, "Hello, I'm Ada", greets()).await;
    record(&path, "Hello, I'm Bob", greets()).await;
    let text = read(&path);
    assert!(
        text.contains("I'm Bob") && !text.contains("I'm Ada"),
        "{text}"
    );
    let folder = path.parent().expect("a folder");
    let files = std::fs::read_dir(folder).expect("a folder").count();
    assert_eq!(files, 1);
}

#[tokio::test]
async fn writes_a_readable_file() {
    let path = fresh("readable.json");
    record(&path, "Hello, I'm Ada", greets()).await;
    let text = read(&path);
    for line in [
        "  \"format\": \"agent-cassette\",\n  \"version\": 1,\n",
        "        \"model\": \"OpenAI/gpt-6-luna\",\n        \"instruction\": \"Greet people.\",\n        \
         \"messages\": [{\"role\": \"user\", \"content\": \"Hello, I'm Ada\"}],\n",
        "\"typeSignature\": \"(personName::Text)==>(::String)\"\n",
        "\"toolCalls\": [{\"id\": \"c1\", \"tool\": \"sayHello\", \"argsText\": \"{ \\\"personName\\\": \
         \\\"Ada\\\" }\"}]",
    ] {
        assert!(text.contains(line), "{line}\nis not in\n{text}");
    }
}

/// Answers each input after the delay that the input contains.
struct Echo;

impl ChatModel for Echo {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            let said = request.messages.last().map_or("", Message::content);
            let pause = said.parse().unwrap_or(0);
            tokio::time::sleep(std::time::Duration::from_millis(pause)).await;
            Ok(ModelReply::text(format!("You said {said}.")))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn concurrent_runs_get_their_own_answers() {
    let path = fresh("concurrent.json");
    let agent = agent([]);
    let inputs = ["300", "100", "200", "100"];
    for cassette in [Cassette::record(&path), Cassette::replay(&path)] {
        let runtime = bare(&cassette).provider("OpenAI", Echo).build();
        let runtime = runtime.expect("a runtime");
        let mut runs = tokio::task::JoinSet::new();
        for input in inputs {
            let (runtime, agent) = (runtime.clone(), agent.clone());
            runs.spawn(async move {
                let mut conversation = Conversation::new();
                let answer = runtime.run(&agent, input).conversation(&mut conversation);
                (input, answer.await.expect("an answer").content)
            });
        }
        for (input, answer) in runs.join_all().await {
            assert_eq!(answer, format!("You said {input}."));
        }
        cassette.assert_complete();
    }
    let json: Value = serde_json::from_str(&read(&path)).expect("JSON");
    let recorded: Vec<&str> = json["exchanges"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|exchange| {
            exchange["request"]["messages"][0]["content"]
                .as_str()
                .expect("a text")
        })
        .collect();
    assert_eq!(recorded, inputs, "in the order in which they were asked");
}

#[tokio::test]
async fn replays_errors_with_their_kind() {
    let path = fresh("errors.json");
    let mut settings = Settings::NONE;
    settings.fallback = vec![
        Model::parse("Second/any").expect("a model"),
        Model::parse("Third/any").expect("a model"),
    ]
    .into();
    let agent = agent([]).with_settings(settings).expect("they are right");
    let library = ToolLibrary::new();
    for cassette in [Cassette::record(&path), Cassette::replay(&path)] {
        let runtime = bare(&cassette)
            .provider(
                "OpenAI",
                Scripted::default()
                    .then_error(Error::llm("it is down").into_unavailable())
                    .then_error(
                        Error::llm("it is broken")
                            .into_context_too_long()
                            .with_retry_after(Duration::from_millis(20)),
                    ),
            )
            .provider(
                "Second",
                Scripted::default().then_error(Error::configuration("it has no key")),
            )
            .provider("Third", Scripted::new([ModelReply::text("Here I am.")]))
            .build()
            .expect("a runtime");
        let mut conversation = Conversation::new();
        let first = runtime.execute(&agent, "Hello", &mut conversation, &library);
        assert_eq!(first.await.expect("an answer").content, "Here I am.");
        let second = runtime.execute(&agent, "And now?", &mut conversation, &library);
        let error = second.await.expect_err("an error");
        assert_eq!(error.to_string(), "it is broken");
        assert!(error.is_llm() && !error.is_unavailable());
        assert!(error.is_context_too_long(), "{error:?}");
        assert_eq!(error.retry_after(), Some(Duration::from_millis(20)));
        cassette.assert_complete();
    }
}

/// Otherwise the error of a run without a key would be replayed for ever.
#[tokio::test]
async fn does_not_record_configuration_errors() {
    let path = fresh("set_up.json");
    let cassette = Cassette::replay_or_record(&path);
    let refusal = Scripted::default().then_error(Error::configuration("the key was refused"));
    let runtime = bare(&cassette).provider("OpenAI", refusal).build();
    let error = greet(&runtime.expect("a runtime"), "Hello").await;
    assert!(error.expect_err("an error").is_configuration());
    assert!(!path.exists());
}

/// Calls the tool, and never answers the second request.
struct Hangs(Scripted);

impl ChatModel for Hangs {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            match self.0.remaining() {
                0 => std::future::pending().await,
                _ => self.0.chat(request).await,
            }
        })
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        Box::pin(async move {
            sink.send(ReplyPart::Text("Well".into())).await;
            self.chat(request).await
        })
    }
}

#[tokio::test(start_paused = true)]
async fn keeps_answers_from_before_a_run_was_dropped() {
    for streamed in [false, true] {
        let path = fresh(&format!("dropped_{streamed}.json"));
        let cassette = Cassette::record(&path);
        let script = Scripted::new([crate::support::calls(&[(
            "c1",
            "sayHello",
            r#"{"personName": "Ada"}"#,
        )])]);
        let runtime = bare(&cassette).provider("OpenAI", Hangs(script)).build();
        let runtime = runtime.expect("a runtime");
        let (agent, library) = (greeter(), library([hello_tool()]));
        let mut conversation = Conversation::new();
        let run = async {
            if streamed {
                let mut events = runtime
                    .run(&agent, "Hello")
                    .tools(&library)
                    .conversation(&mut conversation)
                    .stream();
                while events.next().await.is_some() {}
            } else {
                let run = runtime.execute(&agent, "Hello", &mut conversation, &library);
                run.await.expect("it hangs");
            }
        };
        let hour = std::time::Duration::from_secs(60);
        tokio::time::timeout(hour, run).await.expect_err("it hangs");
        let json: Value = serde_json::from_str(&read(&path)).expect("JSON");
        assert_eq!(
            json["exchanges"].as_array().map(Vec::len),
            Some(1),
            "{json}"
        );
    }
}

/// Returns the parts of a streamed answer.
async fn parts(cassette: &Cassette, model: Option<InParts>) -> Vec<String> {
    let mut builder = bare(cassette);
    if let Some(model) = model {
        builder = builder.provider("OpenAI", model);
    }
    let runtime = builder.build().expect("a runtime");
    let (agent, library) = (agent([]), ToolLibrary::new());
    let mut conversation = Conversation::new();
    let mut events = runtime
        .run(&agent, "Hello")
        .tools(&library)
        .conversation(&mut conversation)
        .stream();
    let mut parts = Vec::new();
    while let Some(event) = events.next().await {
        match event.expect("no error") {
            Event::TextDelta { text, .. } => parts.push(text),
            Event::ThoughtDelta { text, .. } => parts.push(format!("({text})")),
            _ => {}
        }
    }
    parts
}

/// Streams a thought and a text in two parts.
struct InParts;

impl ChatModel for InParts {
    fn chat<'a>(&'a self, _request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async { Ok(ModelReply::text("Hello, Ada.")) })
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        Box::pin(async move {
            sink.send(ReplyPart::Thought("Ada".into())).await;
            sink.send(ReplyPart::Text("Hello, ".into())).await;
            sink.send(ReplyPart::Text("Ada.".into())).await;
            self.chat(request).await
        })
    }
}

#[tokio::test]
async fn replays_a_streamed_answer_in_its_parts() {
    let path = fresh("parts.json");
    let in_parts = ["(Ada)", "Hello, ", "Ada."];
    assert_eq!(
        parts(&Cassette::record(&path), Some(InParts)).await,
        in_parts
    );
    assert_eq!(parts(&Cassette::replay(&path), None).await, in_parts);
    let runtime = bare(&Cassette::replay(&path)).build().expect("a runtime");
    let mut conversation = Conversation::new();
    let agent = agent([]);
    let plain = runtime.run(&agent, "Hello").conversation(&mut conversation);
    assert_eq!(plain.await.expect("an answer").content, "Hello, Ada.");
}

#[tokio::test]
async fn streams_a_whole_answer_in_one_part() {
    let path = fresh("whole.json");
    let runtime = bare(&Cassette::record(&path)).provider("OpenAI", InParts);
    let runtime = runtime.build().expect("a runtime");
    let mut conversation = Conversation::new();
    let agent = agent([]);
    let recorded = runtime.run(&agent, "Hello").conversation(&mut conversation);
    recorded.await.expect("an answer");
    assert_eq!(parts(&Cassette::replay(&path), None).await, ["Hello, Ada."]);
}

#[tokio::test]
async fn a_cassette_wraps_one_model() {
    let path = fresh("around.json");
    let model = Model::parse("Any/model").expect("a model");
    let request = ModelRequest::new(model, "Greet.", vec![Message::user("Hello")]);
    let script = Scripted::new([ModelReply::text("Hello, Ada.")]);
    for cassette in [Cassette::record(&path), Cassette::replay(&path)] {
        let model = cassette.around(script.clone());
        let reply = model.chat(&request).await.expect("a reply");
        assert_eq!(reply.content(), "Hello, Ada.");
    }
    script.assert_complete();
    let player = Cassette::replay(&path);
    assert!(
        player.chat(&request).await.is_ok(),
        "it needs no model at all"
    );
    let recorder = Cassette::record(&path);
    let error = recorder.chat(&request).await.expect_err("nobody to ask");
    assert!(error.to_string().contains("`Cassette::around`"), "{error}");
}

#[tokio::test]
async fn ignores_settings_that_do_not_change_answers() {
    let path = fresh("told.json");
    record(&path, "Hello", greets()).await;
    let mut settings = Settings::NONE;
    settings.base_url = Some("http://localhost:1/v1".into());
    settings.max_iterations = Some(3);
    let agent = greeter().with_settings(settings).expect("they are right");
    let runtime = bare(&Cassette::replay(&path)).build().expect("a runtime");
    let mut conversation = Conversation::new();
    let library = library([hello_tool()]);
    let response = runtime.execute(&agent, "Hello", &mut conversation, &library);
    assert_eq!(response.await.expect("an answer").content, "Done.");
}

#[tokio::test]
async fn compares_everything_that_the_model_gets() {
    let path = fresh("settings.json");
    record(&path, "Hello", greets()).await;
    let mut settings = Settings::NONE;
    settings.seed = Some(7);
    let agent = greeter().with_settings(settings).expect("they are right");
    let runtime = bare(&Cassette::replay(&path)).build().expect("a runtime");
    let mut conversation = Conversation::new();
    let library = library([hello_tool()]);
    let run = runtime.execute(&agent, "Hello", &mut conversation, &library);
    let told = run.await.expect_err("an error").to_string();
    let difference = "differs at `settings`: recorded nothing, now {\"seed\": 7}";
    assert!(told.contains(difference), "{told}");
}

#[test]
fn debug_shows_no_secret() {
    let environment = Environment::from_pairs([("ACME_API_KEY", "sk-acme-12345678")]);
    let cassette = Cassette::replay("a.json")
        .secret("pass")
        .secrets_of(&environment);
    let shown = format!(
        "{cassette:?} {:?}",
        Runtime::builder().cassette(cassette.clone())
    );
    assert!(!shown.contains("pass") && !shown.contains("sk-"), "{shown}");
}

/// Git on Windows writes CR and line feed, and editors there a byte order mark.
#[tokio::test]
async fn documents_and_cassettes_of_windows_are_those_of_other_systems() {
    let gram = "[a:Agent {instruction: ```md\nGreet.\n\n- Then stop.\n```, model: \"OpenAI/m\"}]\n";
    let of_windows = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
    for (recorded, replayed) in [
        (gram.to_owned(), of_windows(gram)),
        (of_windows(gram), gram.to_owned()),
    ] {
        let path = fresh("windows.json");
        for (text, is_recorded) in [(recorded, true), (replayed, false)] {
            let cassette = match is_recorded {
                true => Cassette::record(&path),
                false => Cassette::replay(&path),
            };
            let agent = AgentPattern::parse(&text).expect("an agent");
            let builder = bare(&cassette).provider("OpenAI", Echo);
            let runtime = builder.build().expect("a runtime");
            let answer = runtime.run(&agent, "0").await.expect("an answer");
            assert_eq!(answer.content, "You said 0.");
            let file = read(&path);
            assert!(!file.contains("\\r"), "{file}");
            assert!(file.contains("Greet.\\n\\n- Then stop."), "{file}");
            std::fs::write(&path, of_windows(&file)).expect("a file");
        }
    }
}
