//! The configuration of `webSearch`.

use agent_builtin::{SearchConfig, SearchEngine, WebSearch, library_with};
use agent_runtime::model::Scripted;
use agent_runtime::{
    Agent, Conversation, Environment, Error, Runtime, Tool, ToolLibrary, agent, tools,
};
use serde_json::json;

const KEY: &str = "k3y+with/odd=signs";

#[test]
fn signature_has_the_configured_default() {
    let signature = |most| {
        let tool = WebSearch::new(SearchConfig::new(SearchEngine::Brave, KEY).max_results(most));
        let schema = tool.descriptor().signature().expect("a signature").schema();
        schema.to_value()["properties"]["num_results"].clone()
    };
    assert_eq!(signature(5), json!({"type": "integer", "default": 5}));
    assert_eq!(signature(12), json!({"type": "integer", "default": 12}));
}

fn from_env(pairs: &[(&str, &str)]) -> Result<SearchConfig, Error> {
    SearchConfig::from_env(&Environment::from_pairs(pairs.iter().copied()))
}

#[test]
fn chooses_the_engine_by_variables() {
    let google = SearchEngine::GoogleCustomSearch {
        engine_id: "cx".into(),
    };
    let all = [
        ("SERPAPI_KEY", KEY),
        ("GOOGLE_API_KEY", KEY),
        ("GOOGLE_CSE_ID", "cx"),
        ("BRAVE_API_KEY", KEY),
        ("SEARXNG_URL", "http://localhost:8888/"),
    ];
    for (from, engine) in [
        (0, SearchEngine::SerpApi),
        (1, google),
        // Without the engine's id, the key is that of a model.
        (3, SearchEngine::Brave),
        (4, SearchEngine::SearxNg),
    ] {
        let config = from_env(&all[from..]).expect("a configuration");
        assert_eq!(config.engine(), &engine);
        assert!(!format!("{config:?}").contains("k3y"));
    }
    assert_eq!(
        from_env(&[("GOOGLE_API_KEY", KEY), ("BRAVE_API_KEY", KEY)])
            .expect("one")
            .engine(),
        &SearchEngine::Brave
    );
    let missing = "no search engine is configured: set `SERPAPI_KEY`, `GOOGLE_API_KEY` and \
        `GOOGLE_CSE_ID`, `BRAVE_API_KEY`, or `SEARXNG_URL`";
    for (pairs, more) in [
        (&[][..], ""),
        (&[("SERPAPI_KEY", " ")], ""),
        (
            &[("GOOGLE_API_KEY", KEY)],
            "; `GOOGLE_CSE_ID` is missing beside `GOOGLE_API_KEY`",
        ),
        (
            &[("GOOGLE_CSE_ID", "cx")],
            "; `GOOGLE_API_KEY` is missing beside `GOOGLE_CSE_ID`",
        ),
        (
            &[("BING_SEARCH_KEY", KEY)],
            "; `BING_SEARCH_KEY` is not used: Microsoft ended the search API of Bing on 11 August 2025",
        ),
    ] {
        let error = from_env(pairs).expect_err("nothing is set");
        assert!(error.is_configuration());
        assert_eq!(error.to_string(), format!("{missing}{more}"));
    }
    for (name, value) in [
        ("SEARXNG_URL", "localhost:8888"),
        ("SEARXNG_URL", "ftp://a/"),
        ("SEARXNG_URL", "http://u:secret@a/"),
        ("SEARXNG_URL", "http://a/?secret"),
        ("BRAVE_API_KEY", "a\nsecret"),
    ] {
        let error = from_env(&[(name, value)]).expect_err(value).to_string();
        assert!(error.contains(name) && !error.contains("secret"), "{error}");
    }
}

static SEARCHER: Agent = agent! {
    tools: [..WebSearch],
    [searcher:Agent {instruction: "Search.", model: "Scripted/m"} | webSearch]
};

async fn error_of_a_run(library: &ToolLibrary) -> Error {
    let runtime = Runtime::builder()
        .model(Scripted::new([]))
        .environment(Environment::empty());
    let runtime = runtime.build().expect("a runtime");
    let mut conversation = Conversation::new();
    let run = runtime.execute(&SEARCHER, "Hi", &mut conversation, library);
    run.await.expect_err("the tool cannot work")
}

#[tokio::test]
async fn reports_a_missing_key_when_binding() {
    let error = error_of_a_run(&library_with(&Environment::empty())).await;
    assert!(error.is_configuration(), "{error:?}");
    for name in [
        "SERPAPI_KEY",
        "GOOGLE_CSE_ID",
        "BRAVE_API_KEY",
        "SEARXNG_URL",
    ] {
        assert!(error.to_string().contains(name), "{error}");
    }
    for config in [
        SearchConfig::new(SearchEngine::Brave, ""),
        SearchConfig::new(SearchEngine::Brave, "a\nb"),
        SearchConfig::new(SearchEngine::SearxNg, ""),
        SearchConfig::new(SearchEngine::BingSearch, KEY),
        SearchConfig::new(
            SearchEngine::GoogleCustomSearch {
                engine_id: String::new(),
            },
            KEY,
        ),
        SearchConfig::new(SearchEngine::Brave, KEY).max_results(0),
    ] {
        let tool = WebSearch::new(config.clone());
        assert!(tool.check_configuration().is_err(), "{config:?}");
    }
    let library = tools![(WebSearch::new(SearchConfig::new(SearchEngine::Brave, "")))];
    let error = error_of_a_run(&library).await;
    assert!(
        error.is_configuration() && error.to_string().contains("is empty"),
        "{error}"
    );
}
