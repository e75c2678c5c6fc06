//! The tools of an agent with `toolSearch` in the requests to each provider.
//!
//! With `WIRE_REQUESTS`, which names a folder, the requests to the vendors are files there, for `tests/wire/run` to
//! validate with the vendors' own types.

use super::{ModelRequest, ToolDefinition, WIRE_BODIES};
use agent_core::conversation::{Message, Part, ProviderPart, ToolCall};
use agent_spec::{Model, PromptCache, SEARCH_TOOLS, Settings, ToolChoice, ToolSpec};
use serde_json::{Value, json};
use std::path::Path;

const SERVER: Option<&str> = Some("http://127.0.0.1:9");

fn definition(name: &str) -> ToolDefinition {
    let signature = "(city::Text)==>(unit::Text {optional: true})==>(::String)";
    let spec = ToolSpec::new(name.to_owned(), format!("Does {name}"), signature);
    ToolDefinition::new(&spec.expect("a spec"))
}

/// A request as a run makes it: with one tool that is not searched, the tools of the search, and two that are searched.
fn request(model: &str, messages: Vec<Message>) -> ModelRequest {
    let mut settings = Settings::NONE;
    settings.tool_search = Some(true);
    let model = Model::parse(model).expect("a model");
    let tools = ["always", SEARCH_TOOLS[0], SEARCH_TOOLS[1]].map(definition);
    ModelRequest::new(model, "Help.", messages)
        .with_settings(settings)
        .with_tools(tools)
        .with_deferred(["weather", "forecast"].map(definition))
}

fn body(request: &ModelRequest, base_url: Option<&str>) -> Value {
    let provider = request.model.provider();
    let (_, write) = WIRE_BODIES
        .iter()
        .find(|(name, _)| *name == provider)
        .expect("a provider");
    write(request, base_url)
}

fn hi() -> Vec<Message> {
    vec![Message::user("Hi")]
}

/// The tools of a body: their names or, without one, their types, and whether they are deferred.
fn tools(body: &Value) -> Vec<(&str, bool)> {
    let list = match body["tools"][0].get("functionDeclarations") {
        Some(declarations) => declarations,
        None => &body["tools"],
    };
    let tools = list.as_array().expect("tools").iter();
    let named = tools.map(|tool| {
        let of_function = &tool["function"]["name"];
        let name = of_function.as_str().or(tool["name"].as_str());
        let name = name.or(tool["type"].as_str()).expect("a name");
        (name, tool["defer_loading"] == true)
    });
    named.collect()
}

const ALL: [(&str, bool); 3] = [
    ("always", false),
    ("searchTools", false),
    ("callTool", false),
];

#[test]
fn anthropic_searches_deferred_tools_itself() {
    let body = body(&request("Anthropic/claude-haiku-4-5", hi()), None);
    let search = json!({"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"});
    assert_eq!(body["tools"][0], search);
    assert_eq!(
        tools(&body)[1..],
        [("always", false), ("weather", true), ("forecast", true)]
    );
    assert_eq!(
        body["tools"][2]["input_schema"]["required"],
        json!(["city"])
    );
    assert_eq!(body.get("betas"), None);
}

#[test]
fn openai_searches_deferred_tools_itself_by_responses() {
    let body = body(&request("OpenAIResponses/gpt-5.4", hi()), None);
    assert_eq!(
        tools(&body),
        [
            ("tool_search", false),
            ("always", false),
            ("weather", true),
            ("forecast", true)
        ]
    );
    assert_eq!(body["tools"][0], json!({"type": "tool_search"}));
    assert_eq!(body["tools"][2]["parameters"]["required"], json!(["city"]));
}

#[test]
fn other_providers_models_and_servers_get_the_tools_of_the_search() {
    for (model, base_url) in [
        ("OpenAI/gpt-5.4", None),
        ("Google/gemini-3-pro", None),
        ("Ollama/llama3.2", None),
        ("Anthropic/claude-instant-1", None),
        ("Anthropic/claude-haiku-4-5", SERVER),
        ("OpenAIResponses/gpt-5.4", SERVER),
        ("OpenAIResponses/gpt-5.4-nano", None),
    ] {
        assert_eq!(
            tools(&body(&request(model, hi()), base_url)),
            ALL,
            "{model}"
        );
    }
}

#[test]
fn openai_searches_for_the_models_of_which_it_says_so() {
    for (model, searches) in [
        ("gpt-5.4", true),
        ("gpt-5.4-mini-2026-03-17", true),
        ("gpt-5.10", true),
        ("gpt-6-astra", true),
        ("ft:gpt-5.5:acme::x", true),
        ("gpt-5.4-nano", false),
        ("gpt-5.3-codex", false),
        ("gpt-5", false),
        ("gpt-5-mini", false),
        ("gpt-4o", false),
        ("gpt-4.1", false),
        ("gpt-oss-120b", false),
        ("o3", false),
        ("chatgpt-4o-latest", false),
        ("ft:gpt-4o:acme::x", false),
    ] {
        let body = body(&request(&format!("OpenAIResponses/{model}"), hi()), None);
        assert_eq!(tools(&body)[0].0 == "tool_search", searches, "{model}");
    }
}

#[test]
fn no_mark_of_the_cache_is_on_a_deferred_tool() {
    let mut request = request("Anthropic/claude-haiku-4-5", hi());
    request.instruction = String::new();
    let marked = |request: &ModelRequest| -> Vec<usize> {
        let body = body(request, None);
        let tools = body["tools"].as_array().expect("tools").iter().enumerate();
        let marked = tools.filter(|(_, tool)| tool.get("cache_control").is_some());
        marked.map(|(at, _)| at).collect()
    };
    assert_eq!(marked(&request), [1]);
    // All tools of the agent are deferred.
    let own = SEARCH_TOOLS.map(definition);
    assert_eq!(marked(&request.with_tools(own)), [0]);
}

/// An answer of Anthropic with a search for tools and a call.
fn anthropic_answer() -> Message {
    let kept = json!([
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "tool_search_tool_bm25",
         "input": {"query": "weather"}},
        {"type": "tool_search_tool_result", "tool_use_id": "srvtoolu_1", "content": {
            "type": "tool_search_tool_search_result",
            "tool_references": [
                {"type": "tool_reference", "tool_name": "weather"},
                {"type": "tool_reference", "tool_name": "gone"},
            ]}},
        {"type": "text"},
        {"type": "tool_use"},
    ]);
    let parts: [Part; 2] = [
        "I look.".into(),
        ProviderPart::new("Anthropic", kept).into(),
    ];
    let call = ToolCall::new("toolu_1", "weather", r#"{"city": "Ulm"}"#);
    Message::assistant_parts(parts).with_tool_calls([call])
}

/// An answer of the Responses API with a search for tools and a call.
fn openai_answer() -> Message {
    let kept = json!([
        {"type": "tool_search_call", "id": "tsc_1", "execution": "server", "call_id": null,
         "status": "completed", "arguments": {"paths": ["weather"]}},
        {"type": "tool_search_output", "id": "tso_1", "execution": "server", "call_id": null,
         "status": "completed", "tools": [
            {"type": "function", "name": "weather", "description": "Does weather", "strict": false,
             "defer_loading": true, "parameters": {"type": "object", "properties": {}}}]},
        {"type": "function_call", "namespace": "weather"},
    ]);
    let call = ToolCall::new("call_1", "weather", r#"{"city": "Ulm"}"#);
    let part: Part = ProviderPart::new("OpenAIResponses", kept).into();
    Message::assistant_parts([part]).with_tool_calls([call])
}

fn with_answer(answer: Message) -> Vec<Message> {
    let id = answer.tool_calls()[0].id().to_owned();
    vec![
        Message::user("Hi"),
        answer,
        Message::function("weather", id, "Rain"),
    ]
}

fn types(list: &Value) -> Vec<&str> {
    let items = list.as_array().expect("items").iter();
    items
        .map(|item| item["type"].as_str().expect("a type"))
        .collect()
}

#[test]
fn searches_of_anthropic_are_sent_back_while_their_tools_are_there() {
    let messages = || with_answer(anthropic_answer());
    let searching = request("Anthropic/claude-haiku-4-5", messages());
    let sent = body(&searching, None);
    let blocks = &sent["messages"][1]["content"];
    assert_eq!(
        types(blocks),
        [
            "server_tool_use",
            "tool_search_tool_result",
            "text",
            "tool_use"
        ]
    );
    let found = json!([{"type": "tool_reference", "tool_name": "weather"}]);
    assert_eq!(blocks[1]["content"]["tool_references"], found);
    // A server, a model and an agent that search in another way, or not at all.
    let mut off = searching.clone();
    off.deferred = [].into();
    let older = request("Anthropic/claude-instant-1", messages());
    for (request, base_url) in [(&searching, SERVER), (&older, None), (&off, None)] {
        let sent = body(request, base_url);
        assert_eq!(types(&sent["messages"][1]["content"]), ["text", "tool_use"]);
    }
}

#[test]
fn searches_of_openai_are_sent_back_while_it_searches() {
    let messages = || with_answer(openai_answer());
    let searching = request("OpenAIResponses/gpt-5.4", messages());
    let sent = body(&searching, None);
    let all = [
        "message",
        "tool_search_call",
        "tool_search_output",
        "function_call",
        "function_call_output",
    ];
    assert_eq!(types(&sent["input"]), all);
    assert_eq!(sent["input"][3]["namespace"], "weather");
    assert_eq!(sent["input"][2]["tools"][0]["name"], "weather");
    let older = request("OpenAIResponses/gpt-5", messages());
    for (request, base_url) in [(&searching, SERVER), (&older, None)] {
        let sent = body(request, base_url);
        assert_eq!(
            types(&sent["input"]),
            ["message", "function_call", "function_call_output"]
        );
        assert_eq!(sent["input"][1].get("namespace"), None);
    }
}

/// OpenAI refuses a call of a deferred tool that names no namespace of its search.
#[test]
fn openai_gets_tools_whole_that_were_called_without_its_search() {
    let plain = |tool: &str| {
        let call = ToolCall::new(format!("c_{tool}"), tool, "{}");
        let result = Message::function(tool, format!("c_{tool}"), "Rain");
        [Message::assistant("").with_tool_calls([call]), result]
    };
    let bare = || {
        let mut answer = openai_answer();
        let kept = json!([{"type": "reasoning", "summary": [], "encrypted_content": "x"},
                          {"type": "function_call"}]);
        let calls = answer.tool_calls().to_vec();
        answer = Message::assistant_parts([ProviderPart::new("OpenAIResponses", kept).into()]);
        answer.with_tool_calls(calls)
    };
    let none: Vec<Message> = Vec::new();
    for (more, deferred, searches) in [
        (none.clone(), [true, true], true),
        (plain("always").to_vec(), [true, true], true),
        (plain("gone").to_vec(), [true, true], true),
        (plain("weather").to_vec(), [false, true], true),
        (with_answer(anthropic_answer()), [false, true], true),
        (with_answer(bare()), [false, true], true),
        (with_answer(openai_answer()), [true, true], true),
        (
            [with_answer(openai_answer()), plain("forecast").to_vec()].concat(),
            [true, false],
            true,
        ),
        // What its search found is called as any tool then.
        (
            [with_answer(openai_answer()), plain("weather").to_vec()].concat(),
            [false, true],
            true,
        ),
        (
            [plain("weather"), plain("forecast")].concat(),
            [false, false],
            false,
        ),
    ] {
        let messages = [hi(), more.clone()].concat();
        let sent = body(&request("OpenAIResponses/gpt-5.4", messages.clone()), None);
        let mut expected = vec![
            ("always", false),
            ("weather", deferred[0]),
            ("forecast", deferred[1]),
        ];
        if searches {
            expected.insert(0, ("tool_search", false));
        }
        assert_eq!(tools(&sent), expected, "{more:?}");
        for item in sent["input"].as_array().expect("items") {
            if item["type"] == "function_call" {
                let name = item["name"].as_str().expect("a name");
                let is_deferred = tools(&sent).contains(&(name, true));
                assert_eq!(item.get("namespace").is_some(), is_deferred, "{item}");
            }
        }
        // The tools of a request stay as they are while the conversation grows by answers of OpenAI.
        let longer = [messages, with_answer(openai_answer())].concat();
        let later = body(&request("OpenAIResponses/gpt-5.4", longer), None);
        assert_eq!(tools(&later), expected);
    }
}

/// The calls and results that another provider left are those of any tool.
#[test]
fn a_conversation_goes_on_with_another_provider() {
    let through = ToolCall::new(
        "c",
        "callTool",
        r#"{"name": "weather", "arguments": {"city": "Ulm"}}"#,
    );
    let found = ToolCall::new("s", "searchTools", r#"{"query": "weather"}"#);
    let messages = || {
        let mut messages = with_answer(anthropic_answer());
        messages.extend([
            Message::assistant("").with_tool_calls([found.clone()]),
            Message::function("searchTools", "s", "[]"),
            Message::assistant("").with_tool_calls([through.clone()]),
            Message::function("callTool", "c", "Rain"),
        ]);
        messages
    };
    for model in [
        "OpenAI/gpt-4o",
        "OpenAIResponses/gpt-5.4",
        "Anthropic/claude-haiku-4-5",
        "Google/gemini-3-pro",
        "Ollama/llama3.2",
    ] {
        let mut body = body(&request(model, messages()), None);
        // They have the names, too.
        body.as_object_mut().expect("an object").remove("tools");
        let text = body.to_string();
        for expected in ["callTool", "searchTools", "weather"] {
            assert!(text.contains(expected), "{model}: {text}");
        }
    }
}

#[test]
fn writes_the_requests_to_the_vendors() {
    let folder = std::env::var_os("WIRE_REQUESTS");
    let mut demanding = request("Anthropic/claude-haiku-4-5", hi());
    let mut settings = Settings::clone(&demanding.settings);
    settings.cache = Some(PromptCache::OneHour);
    settings.tool_choice = Some(ToolChoice::Tool("always".into()));
    demanding = demanding.with_settings(settings);
    for (provider, name, request) in [
        (
            "anthropic",
            "question",
            request("Anthropic/claude-haiku-4-5", hi()),
        ),
        ("anthropic", "demanded", demanding),
        (
            "anthropic",
            "search",
            request(
                "Anthropic/claude-haiku-4-5",
                with_answer(anthropic_answer()),
            ),
        ),
        (
            "responses",
            "question",
            request("OpenAIResponses/gpt-5.4", hi()),
        ),
        (
            "responses",
            "search",
            request("OpenAIResponses/gpt-5.4", with_answer(openai_answer())),
        ),
        (
            "responses",
            "foreign",
            request("OpenAIResponses/gpt-5.4", with_answer(anthropic_answer())),
        ),
        ("openai", "question", request("OpenAI/gpt-5.4", hi())),
        ("google", "question", request("Google/gemini-3-pro", hi())),
        ("ollama", "question", request("Ollama/llama3.2", hi())),
    ] {
        let body = body(&request, None);
        assert_eq!(body.get("toolSearch"), None, "{provider}: {body}");
        if let Some(folder) = &folder {
            let folder = Path::new(folder).join(provider);
            std::fs::create_dir_all(&folder).expect("a folder");
            let file = folder.join(format!("tool_search_{name}.plain.json"));
            std::fs::write(file, body.to_string()).expect("a file");
        }
    }
}
