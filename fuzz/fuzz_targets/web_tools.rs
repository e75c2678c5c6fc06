//! The answers of search engines, of Wikipedia and of pages: each call ends with a result of its type or an error, and no
//! error has the key.
//!
//! The first line of an input is the tool, the status and the value of `Content-Encoding`; the rest is the body.

#![no_main]

use agent_builtin::{SearchConfig, SearchEngine, WebScraper, WebSearch, Wikipedia};
use agent_fuzz::server::{self, Answer, header};
use agent_fuzz::{block_on, first_line};
use agent_runtime::library::IntoTools;
use agent_runtime::tool::invoke_tool;
use agent_runtime::{Environment, Grants, Permissions, Tool, ToolContext};
use libfuzzer_sys::fuzz_target;
use std::sync::{Arc, LazyLock, Mutex};

const KEY: &str = "hush-hush-hush-1234";

struct Web {
    answer: Arc<Mutex<Answer>>,
    /// The tools, each with its name in an input and its arguments.
    tools: Vec<(&'static str, Arc<dyn Tool>, String)>,
    context: ToolContext,
}

static WEB: LazyLock<Web> = LazyLock::new(|| {
    let answer = Arc::new(Mutex::new(Answer::json("")));
    let shared = Arc::clone(&answer);
    let port = server::start(move |_| shared.lock().expect("no panic").clone());
    let base = format!("http://127.0.0.1:{port}");
    let search = |engine| {
        let config = SearchConfig::new(engine, KEY)
            .base_url(&base)
            .expect("an address");
        WebSearch::new(config).into_tools().remove(0)
    };
    let query = r#"{"query": "q"}"#.to_owned();
    let environment = Environment::from_pairs([("SSL_CERT_FILE", "/dev/null")]);
    let wikipedia = Wikipedia::from_env(&environment)
        .base_url(&base)
        .expect("an address");
    let google = SearchEngine::GoogleCustomSearch {
        engine_id: "e".to_owned(),
    };
    let page = serde_json::json!({"url": format!("{base}/page")}).to_string();
    let tools = vec![
        ("serpapi", search(SearchEngine::SerpApi), query.clone()),
        ("google", search(google), query.clone()),
        ("bing", search(SearchEngine::BingSearch), query.clone()),
        ("brave", search(SearchEngine::Brave), query.clone()),
        ("searxng", search(SearchEngine::SearxNg), query.clone()),
        ("wikipedia", wikipedia.into_tools().remove(0), query),
        (
            "page",
            WebScraper::from_env(&environment).into_tools().remove(0),
            page,
        ),
    ];
    let grants = Grants::new().network(format!("127.0.0.1:{port}"));
    let permissions = Permissions::new(&grants).expect("grants");
    Web {
        answer,
        tools,
        context: ToolContext::detached().with_permissions(permissions),
    }
});

fuzz_target!(|input: &[u8]| {
    let (line, body) = first_line(input);
    let mut words = line.splitn(3, ' ');
    let name = words.next().unwrap_or_default();
    let status = words.next().and_then(|word| word.parse().ok());
    let kind = if name == "page" {
        "text/html"
    } else {
        "application/json"
    };
    *WEB.answer.lock().expect("no panic") = Answer {
        status: status
            .filter(|status| (200..600).contains(status))
            .unwrap_or(200),
        headers: header("content-type", kind)
            + &header("content-encoding", words.next().unwrap_or_default()),
        body: body.to_vec(),
        piece: None,
    };
    for (own, tool, arguments) in &WEB.tools {
        if *own != name {
            continue;
        }
        let call = || block_on(invoke_tool(&**tool, arguments, &WEB.context));
        let called = call();
        assert_eq!(
            called.as_ref().ok(),
            call().as_ref().ok(),
            "an answer is read in one way"
        );
        if let Err(error) = called {
            let text = error.to_string();
            assert!(!text.is_empty() && !text.contains(KEY), "{text}");
        }
    }
});
