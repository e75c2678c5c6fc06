//! Calls, items and thoughts in forms that are not those of the provider's own documentation of functions.

use crate::providers::exchange::{ANTHROPIC, Dialect, OPENAI, RESPONSES};
use crate::support::server::{Answer, Server, status, streamed};
use agent_runtime::catalog::{Catalog, Document};
use agent_runtime::conversation::{Part, Thinking};
use agent_runtime::cost::{Price, Prices};
use agent_runtime::model::FinishReason;
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::spec::{AgentPattern, Model};
use agent_runtime::{AgentResponse, Conversation, Error, Event};
use serde_json::{Value, json};

/// The outcome of a run.
struct Played {
    response: Result<AgentResponse, Error>,
    conversation: Conversation,
    requests: Vec<Value>,
    /// The calls that the events began, with their arguments.
    begun: Vec<(usize, String, String)>,
}

async fn play(dialect: &Dialect, is_streamed: bool, answers: Vec<Answer>) -> Played {
    if !is_streamed {
        let (response, conversation, server) = dialect.execute(answers).await;
        let requests = server.requests();
        return Played {
            response,
            conversation,
            requests: requests.iter().map(|request| request.json()).collect(),
            begun: Vec::new(),
        };
    }
    let streamed = dialect.stream(answers).await;
    let mut begun: Vec<(usize, String, String)> = Vec::new();
    for event in &streamed.events {
        match event {
            Event::CallStarted { index, tool, .. } => {
                begun.push((*index, tool.clone(), String::new()))
            }
            Event::ArgumentsDelta { index, text, .. } => {
                let mut calls = begun.iter_mut();
                calls
                    .find(|call| call.0 == *index)
                    .expect("a call")
                    .2
                    .push_str(text);
            }
            _ => {}
        }
    }
    Played {
        response: match &streamed.error {
            Some(error) => Err(Error::llm(error.to_string())),
            None => Ok(streamed.response().clone()),
        },
        conversation: streamed.conversation,
        requests: streamed.requests,
        begun,
    }
}

/// A streamed answer of these events.
fn events(events: &[Value]) -> Answer {
    let text: String = events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    streamed("text/event-stream", text)
}

fn hello(dialect: &Dialect, is_streamed: bool) -> Answer {
    dialect.answer(if is_streamed {
        "hello.sse"
    } else {
        "hello.json"
    })
}

/// An answer of chat completions, whole or as a piece of a stream with its end.
fn message(message: Value, reason: &str, is_streamed: bool) -> Answer {
    if is_streamed {
        let choice = json!({"index": 0, "delta": message});
        let end = json!({"index": 0, "delta": {}, "finish_reason": reason});
        return events(&[json!({"choices": [choice]}), json!({"choices": [end]})]);
    }
    let choice = json!({"index": 0, "message": message, "finish_reason": reason});
    status(200, &json!({"choices": [choice]}).to_string())
}

/// An answer of Responses, whole or as a stream of items that are done.
fn items(output: &[Value], status_word: &str, is_streamed: bool) -> Answer {
    let response = json!({"id": "r", "status": status_word, "output": output});
    if !is_streamed {
        return status(200, &response.to_string());
    }
    let mut all = Vec::new();
    for (at, item) in output.iter().enumerate() {
        all.push(json!({"type": "response.output_item.added", "output_index": at, "item": item}));
        all.push(json!({"type": "response.output_item.done", "output_index": at, "item": item}));
    }
    let mut end = response;
    end["output"] = json!([]);
    all.push(json!({"type": format!("response.{status_word}"), "response": end}));
    events(&all)
}

fn several(names: &[(&str, &str)]) -> String {
    let uses = names
        .iter()
        .map(|(tool, name)| json!({"recipient_name": tool, "parameters": {"personName": name}}));
    json!({"tool_uses": uses.collect::<Value>()}).to_string()
}

#[tokio::test]
async fn several_calls_as_one_are_made_and_sent_back_as_several() {
    let arguments = several(&[("functions.sayHello", "Ada"), ("sayHello", "Bob")]);
    let call = |index: u64, name: &str, arguments: &str| {
        json!({"index": index, "id": format!("call_{index}"), "type": "function",
               "function": {"name": name, "arguments": arguments}})
    };
    for is_streamed in [false, true] {
        let calls = json!({"content": null, "tool_calls": [
            call(0, "functions.sayHello", r#"{"personName":"Eve"}"#),
            call(1, "multi_tool_use.parallel", &arguments),
            call(2, "sayHello", r#"{"personName":"Zoe"}"#),
        ]});
        let answers = vec![
            message(calls, "tool_calls", is_streamed),
            hello(&OPENAI, is_streamed),
        ];
        let played = play(&OPENAI, is_streamed, answers).await;
        let response = played.response.expect("an answer");
        let used = response.tools_used.iter();
        let used: Vec<_> = used
            .map(|call| (call.call_id.as_str(), call.result.clone()))
            .collect();
        let greeting = |name: &str| Ok(json!(format!("Hello, {name}! Nice to meet you.")));
        assert_eq!(
            used,
            [
                ("call_0", greeting("Eve")),
                ("call_1_1", greeting("Ada")),
                ("call_1_2", greeting("Bob")),
                ("call_2", greeting("Zoe")),
            ]
        );
        let sent = &played.requests[1]["messages"];
        let calls = sent[2]["tool_calls"].as_array().expect("calls").iter();
        let calls: Vec<_> = calls
            .map(|call| (&call["id"], &call["function"]["name"]))
            .collect();
        let tool = json!("sayHello");
        let ids = ["call_0", "call_1_1", "call_1_2", "call_2"].map(Value::from);
        assert_eq!(calls, ids.each_ref().map(|id| (id, &tool)));
        let results = sent.as_array().expect("messages")[3..].iter();
        let results: Vec<_> = results.map(|result| &result["tool_call_id"]).collect();
        assert_eq!(results, ids.each_ref());
        if is_streamed {
            let names: Vec<_> = played
                .begun
                .iter()
                .map(|(at, tool, _)| (*at, tool.as_str()))
                .collect();
            let of_namespace = "functions.sayHello";
            assert_eq!(
                names,
                [
                    (0, of_namespace),
                    (1, of_namespace),
                    (2, "sayHello"),
                    (3, "sayHello")
                ]
            );
            assert_eq!(played.begun[2].2, r#"{"personName":"Bob"}"#);
        }
    }
}

#[tokio::test]
async fn the_reasoning_before_several_calls_as_one_goes_back() {
    let reasoning =
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"});
    let arguments = several(&[("functions.sayHello", "Ada"), ("functions.sayHello", "Bob")]);
    let call = json!({"type": "function_call", "id": "fc_1", "call_id": "call_a", "status": "completed",
                      "name": "multi_tool_use.parallel", "arguments": arguments});
    for is_streamed in [false, true] {
        let output = [reasoning.clone(), call.clone()];
        let answers = vec![
            items(&output, "completed", is_streamed),
            hello(&RESPONSES, is_streamed),
        ];
        let played = play(&RESPONSES, is_streamed, answers).await;
        assert_eq!(played.response.expect("an answer").tools_used.len(), 2);
        let call = |id: &str, name: &str| {
            json!({"type": "function_call", "call_id": id, "name": "sayHello",
                   "arguments": format!("{{\"personName\":\"{name}\"}}")})
        };
        let result = |id: &str, name: &str| {
            json!({"type": "function_call_output", "call_id": id,
                   "output": format!("Hello, {name}! Nice to meet you.")})
        };
        let sent = played.requests[1]["input"].as_array().expect("items");
        assert_eq!(
            sent[1..],
            [
                reasoning.clone(),
                call("call_a_1", "Ada"),
                call("call_a_2", "Bob"),
                result("call_a_1", "Ada"),
                result("call_a_2", "Bob"),
            ]
        );
    }
}

/// The vendor's items by which the program is asked for something.
fn items_of_program() -> Vec<Value> {
    vec![
        json!({"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "grep", "input": "x"}),
        json!({"type": "mcp_approval_request", "id": "mcpr_1", "name": "roll", "server_label": "dice",
               "arguments": "{}"}),
        json!({"type": "shell_call", "id": "sh_1", "call_id": "call_1", "status": "completed",
               "action": {"commands": ["ls"]}}),
        json!({"type": "shell_call", "id": "sh_1", "call_id": "call_1", "status": "completed",
               "environment": {"type": "local"}, "action": {"commands": ["ls"]}}),
        json!({"type": "local_shell_call", "id": "lsh_1", "call_id": "call_1", "status": "completed",
               "action": {"type": "exec", "command": ["ls"], "env": {}}}),
        json!({"type": "computer_call", "id": "cu_1", "call_id": "call_1", "status": "completed",
               "pending_safety_checks": [], "action": {"type": "screenshot"}}),
        json!({"type": "apply_patch_call", "id": "apc_1", "call_id": "call_1", "status": "completed",
               "operation": {"type": "delete_file", "path": "a"}}),
        json!({"type": "tool_search_call", "id": "tsc_1", "call_id": "call_1", "execution": "client",
               "status": "completed", "arguments": {}}),
    ]
}

fn said(text: &str) -> Value {
    let part = json!({"type": "output_text", "text": text, "annotations": []});
    json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
           "content": [part]})
}

#[tokio::test]
async fn an_item_that_waits_for_the_program_is_an_error_that_names_it() {
    let function = json!({"type": "function_call", "call_id": "call_2", "name": "sayHello",
                          "arguments": "{\"personName\":\"Ada\"}"});
    for item in items_of_program() {
        let kind = item["type"].as_str().expect("a type");
        for (is_streamed, more) in [
            (false, None),
            (true, None),
            (false, Some(said("I look."))),
            (true, Some(function.clone())),
        ] {
            let output: Vec<_> = more.into_iter().chain([item.clone()]).collect();
            let answers = vec![
                items(&output, "completed", is_streamed),
                hello(&RESPONSES, is_streamed),
            ];
            let played = play(&RESPONSES, is_streamed, answers).await;
            let error = played.response.expect_err(kind);
            let text = error.to_string();
            assert!(text.contains(&format!("`{kind}`")), "{text}");
            if let Some(name) = item["name"].as_str() {
                assert!(text.contains(&format!("of `{name}`")), "{text}");
            }
            assert!(error.is_llm(), "{error:?}");
            assert_eq!(played.requests.len(), 1, "{text}");
            assert_eq!(played.conversation.len(), 0, "{text}");
        }
    }
}

/// Tools that the server runs itself: their outcomes are in the answer.
#[tokio::test]
async fn an_item_whose_outcome_is_there_waits_for_nobody() {
    let shell = json!({"type": "shell_call", "id": "sh_1", "call_id": "call_1", "status": "completed",
                       "action": {"commands": ["ls"]}});
    let mut in_container = shell.clone();
    in_container["environment"] = json!({"type": "container_reference", "container_id": "c"});
    let outcome =
        json!({"type": "shell_call_output", "id": "sho_1", "call_id": "call_1", "output": []});
    for items_before in [
        vec![in_container],
        vec![shell, outcome],
        vec![
            json!({"type": "mcp_call", "id": "mcp_1", "name": "roll", "server_label": "dice",
                    "arguments": "{}", "output": "4"}),
        ],
        vec![
            json!({"type": "tool_search_call", "id": "tsc_1", "call_id": null, "execution": "server",
                    "status": "completed", "arguments": {}}),
        ],
    ] {
        for is_streamed in [false, true] {
            let output: Vec<_> = items_before
                .iter()
                .cloned()
                .chain([said("Four.")])
                .collect();
            let answers = vec![items(&output, "completed", is_streamed)];
            let played = play(&RESPONSES, is_streamed, answers).await;
            assert_eq!(
                played.response.expect("an answer").content,
                "Four.",
                "{output:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_cancelled_response_is_an_error_after_one_request() {
    for output in [vec![], vec![said("Half a")]] {
        for is_streamed in [false, true] {
            let answers = vec![
                items(&output, "cancelled", is_streamed),
                hello(&RESPONSES, is_streamed),
            ];
            let played = play(&RESPONSES, is_streamed, answers).await;
            let text = played.response.expect_err("no answer").to_string();
            assert!(text.contains("its status is `cancelled`"), "{text}");
            assert_eq!(played.requests.len(), 1);
        }
    }
}

#[tokio::test]
async fn a_call_of_a_custom_tool_is_an_error_that_names_it() {
    for is_streamed in [false, true] {
        let call = json!({"index": 0, "id": "call_1", "type": "custom",
                          "custom": {"name": "grep", "input": "x"}});
        let calls = json!({"content": null, "tool_calls": [call]});
        let answers = vec![
            message(calls, "tool_calls", is_streamed),
            hello(&OPENAI, is_streamed),
        ];
        let played = play(&OPENAI, is_streamed, answers).await;
        let text = played.response.expect_err("no answer").to_string();
        assert!(text.contains("`custom` of `grep`"), "{text}");
        assert_eq!(played.requests.len(), 1);
    }
}

/// Mistral's thoughts are parts of the content.
#[tokio::test]
async fn thoughts_in_the_content_are_thoughts() {
    let thinking = |texts: &[&str]| {
        let texts = texts
            .iter()
            .map(|text| json!({"type": "text", "text": text}));
        json!({"type": "thinking", "thinking": texts.collect::<Value>(), "closed": true})
    };
    let text = |text: &str| json!({"type": "text", "text": text});
    let thought = |text: &str| Part::from(Thinking::new("OpenAI", text));
    for (content, expected) in [
        (
            json!([
                thinking(&["Ada ", "greets."]),
                text("Hello, "),
                text("Ada!")
            ]),
            vec![thought("Ada greets."), "Hello, Ada!".into()],
        ),
        (
            json!([text("Hm. "), thinking(&["Who?"]), text("Hello!")]),
            vec!["Hm. ".into(), thought("Who?"), "Hello!".into()],
        ),
        (
            json!([{"type": "thinking", "thinking": "Short."}, {"type": "reference", "reference_ids": [1]},
                   {"type": "thinking", "thinking": [{"type": "reference", "reference_ids": [1]}, 7]},
                   text("Hello!")]),
            vec![thought("Short."), "Hello!".into()],
        ),
        (
            json!([text("Hello!"), null, 7, {"text": 7}]),
            vec!["Hello!".into()],
        ),
    ] {
        let plain = message(json!({"content": content}), "stop", false);
        let played = play(&OPENAI, false, vec![plain]).await;
        let response = played.response.expect("an answer");
        assert_eq!(response.parts, expected, "{content}");
        let whole = message(json!({"content": content}), "stop", true);
        // In a stream each part comes alone, and a text may come as a text.
        let mut pieces: Vec<Value> = Vec::new();
        for part in content.as_array().expect("parts") {
            let content = match &part["text"] {
                text @ Value::String(_) => text.clone(),
                _ => json!([part]),
            };
            pieces.push(json!({"choices": [{"index": 0, "delta": {"content": content}}]}));
        }
        pieces.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
        for answer in [whole, events(&pieces)] {
            let streamed = OPENAI.stream(vec![answer]).await;
            assert_eq!(streamed.response().parts, expected, "{content}");
            let thoughts = expected.iter().filter_map(|part| match part {
                Part::Thinking(thought) => Some(thought.text()),
                _ => None,
            });
            assert_eq!(streamed.thoughts(), thoughts.collect::<String>());
        }
    }
}

/// A runtime with the prices of three models at the server's address.
fn priced(server: &Server) -> RuntimeBuilder {
    let rows = "[Anthropic:Catalog | \
        [claude-haiku-4-5:Model {price: {input: 1, output: 10, \
            longContext: {above: 5000000, input: 7, output: 7}}}], \
        [claude-other-1:Model {price: {input: 100, output: 1000}}]]";
    let document = Document::read(rows);
    assert!(document.mistakes().is_empty(), "{:?}", document.mistakes());
    let catalog = Catalog::builtin().with(&document).expect("no mistakes");
    ANTHROPIC.runtime(server).catalog(catalog)
}

#[tokio::test]
async fn tokens_of_another_model_cost_its_price() {
    let million = 1_000_000;
    let part = |kind: &str, model: Option<&str>| {
        let mut part = json!({"type": kind, "input_tokens": million, "output_tokens": million});
        if let Some(model) = model {
            part["model"] = json!(model);
        }
        part
    };
    let own = "claude-haiku-4-5-20251001";
    let other = "claude-other-1";
    for (iterations, cost) in [
        (vec![part("message", None)], Some(11.0)),
        (
            vec![part("message", Some(own)), part("message", Some(own))],
            Some(22.0),
        ),
        (
            vec![part("message", None), part("advisor_message", Some(other))],
            Some(1_111.0),
        ),
        (
            vec![part("compaction", None), part("message", Some(own))],
            Some(22.0),
        ),
        (
            vec![
                part("message", Some(own)),
                part("fallback_message", Some(other)),
            ],
            Some(1_111.0),
        ),
        (
            vec![
                part("message", None),
                part("advisor_message", Some("claude-unheard-of")),
            ],
            None,
        ),
        // Each request is below the price of long ones, although all together are above.
        (vec![part("message", None); 6], Some(66.0)),
    ] {
        for is_streamed in [false, true] {
            let tokens = iterations.len() as u64 * million;
            let usage = json!({"input_tokens": million, "output_tokens": million, "iterations": iterations});
            let answer = match is_streamed {
                false => status(
                    200,
                    &json!({
                    "id": "m", "model": own, "role": "assistant", "stop_reason": "end_turn",
                    "content": [{"type": "text", "text": "Hello."}], "usage": usage})
                    .to_string(),
                ),
                true => events(&[
                    json!({"type": "message_start", "message": {"id": "m", "model": own, "content": [],
                           "usage": {"input_tokens": 1, "output_tokens": 1}}}),
                    json!({"type": "content_block_start", "index": 0,
                           "content_block": {"type": "text", "text": "Hello."}}),
                    json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage}),
                    json!({"type": "message_stop"}),
                ]),
            };
            let server = Server::start(vec![answer]);
            let runtime = priced(&server).build().expect("a runtime");
            let gram = "[a:Agent {instruction: \"x\", model: \"Anthropic/claude-haiku-4-5\"}]";
            let agent = AgentPattern::parse(gram).expect("an agent");
            let run = runtime.run(&agent, "Hi");
            let run = if is_streamed { run.streaming() } else { run };
            let response = run.await.expect("an answer");
            assert_eq!(response.cost, cost, "{iterations:?}");
            assert_eq!(response.usage.input_tokens, tokens);
            assert_eq!(
                (response.usage.output_tokens, response.usage.requests),
                (tokens, 1)
            );
        }
    }
}

/// Prices of the program take precedence, for each model by itself.
#[tokio::test]
async fn prices_of_the_program_are_those_of_each_model() {
    let price = |dollars: f64| Price::per_million(dollars, 0.0).expect("a price");
    let model = |id: &'static str| Model::from_static("Anthropic", id);
    let (own, other) = (model("claude-haiku-4-5"), model("claude-other-1"));
    for (prices, cost) in [
        (Prices::new(), 101.0),
        (Prices::new().with(own.clone(), price(2.0)), 102.0),
        (Prices::new().with(other.clone(), price(3.0)), 4.0),
        (
            Prices::new().with(own, price(2.0)).with(other, price(3.0)),
            5.0,
        ),
    ] {
        let part =
            |kind: &str| json!({"type": kind, "input_tokens": 1_000_000, "output_tokens": 0});
        let mut advice = part("advisor_message");
        advice["model"] = json!("claude-other-1");
        let usage = json!({"input_tokens": 1_000_000, "output_tokens": 0,
                           "iterations": [part("message"), advice]});
        let answer = json!({"id": "m", "model": "claude-haiku-4-5", "stop_reason": "end_turn",
                            "content": [{"type": "text", "text": "Hello."}], "usage": usage});
        let server = Server::start(vec![status(200, &answer.to_string())]);
        let runtime = priced(&server).prices(prices).build().expect("a runtime");
        let gram = "[a:Agent {instruction: \"x\", model: \"Anthropic/claude-haiku-4-5\"}]";
        let agent = AgentPattern::parse(gram).expect("an agent");
        let response = runtime.run(&agent, "Hi").await.expect("an answer");
        assert_eq!(response.cost, Some(cost));
    }
}

#[tokio::test]
async fn a_refusal_of_the_whole_answer_says_so() {
    let refusal = |text: &str| json!({"type": "refusal", "refusal": text});
    let responses = |parts: Value| {
        let item = json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                          "content": parts});
        move |is_streamed: bool| items(std::slice::from_ref(&item), "completed", is_streamed)
    };
    let chat = |body: Value| move |is_streamed: bool| message(body.clone(), "stop", is_streamed);
    let anthropic = |text: &'static str| {
        move |is_streamed: bool| {
            let details = json!({"type": "refusal", "explanation": "No."});
            let mut content = Vec::new();
            if !text.is_empty() {
                content.push(json!({"type": "text", "text": text}));
            }
            match is_streamed {
                false => status(
                    200,
                    &json!({"id": "m", "content": content, "stop_reason": "refusal",
                                             "stop_details": details})
                    .to_string(),
                ),
                true => events(&[
                    json!({"type": "message_start", "message": {"id": "m", "content": content}}),
                    json!({"type": "message_delta",
                           "delta": {"stop_reason": "refusal", "stop_details": details}}),
                ]),
            }
        }
    };
    let text = json!({"type": "output_text", "text": "I begin. ", "annotations": []});
    type Write = Box<dyn Fn(bool) -> Answer>;
    let cases: [(Dialect, Write, bool); 6] = [
        (
            RESPONSES,
            Box::new(responses(json!([refusal("No.")]))),
            true,
        ),
        (
            RESPONSES,
            Box::new(responses(json!([text, refusal("No.")]))),
            false,
        ),
        (
            OPENAI,
            Box::new(chat(json!({"content": null, "refusal": "No."}))),
            true,
        ),
        (
            OPENAI,
            Box::new(chat(json!({"content": "I begin. ", "refusal": "No."}))),
            false,
        ),
        (ANTHROPIC, Box::new(anthropic("")), true),
        (ANTHROPIC, Box::new(anthropic("I begin.")), false),
    ];
    for (dialect, write, is_refused) in cases {
        for is_streamed in [false, true] {
            let played = play(&dialect, is_streamed, vec![write(is_streamed)]).await;
            let response = played.response.expect("an answer");
            assert_eq!(response.finish_reason, FinishReason::ContentFilter);
            assert_eq!(response.is_refused(), is_refused, "{response:?}");
            let read = AgentResponse::from_pattern(&response.to_pattern().expect("a pattern"));
            assert_eq!(read.expect("a response").is_refused(), is_refused);
        }
    }
}
