//! Tests of endpoints: which hosts get the key, and how URLs are joined.

use super::*;

const VENDOR: Vendor = Vendor {
    provider: "OpenAI",
    base_url: "https://api.openai.com/v1",
    hosts: &["api.openai.com"],
    keys: &[KeyVariable {
        name: "OPENAI_API_KEY",
        form: KeyForm::Bearer,
    }],
    base_url_variable: "OPENAI_BASE_URL",
    read_base_url: str::to_owned,
    headers: &[],
    header_variables: &[("openai-project", "OPENAI_PROJECT_ID")],
};

fn config(pairs: &[(&str, &str)]) -> EndpointConfig {
    EndpointConfig {
        provider: None,
        trace_name: None,
        default_base_url: None,
        environment: Environment::from_pairs(pairs.iter().copied()),
        base_url: None,
        key: None,
        key_header: None,
        headers: Vec::new(),
        key_hosts: Vec::new(),
        redactor: Redactor::new(),
    }
}

const KEY: (&str, &str) = ("OPENAI_API_KEY", "sk-1");

#[test]
fn sends_the_key_to_the_vendor_and_to_configured_urls_only() {
    let has_key = |config: &EndpointConfig, agent: Option<&str>| {
        let endpoint = Endpoint::resolve(&VENDOR, config, agent).expect("an endpoint");
        endpoint.has_key
    };
    assert!(has_key(&config(&[KEY]), None));
    let base = ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1");
    assert!(has_key(&config(&[KEY, base]), None));
    assert!(has_key(
        &config(&[KEY, base]),
        Some("https://evil.example/v1")
    ));
    for agent in [
        "https://evil.example/v1",
        "https://api.openai.com.evil.example/v1",
        "https://api.openai.com:8443/v1",
        "https://api.openai.com./v1",
        "http://api.openai.com/v1",
        "https://evil.example/api.openai.com",
    ] {
        assert!(!has_key(&config(&[KEY]), Some(agent)), "{agent}");
    }
    assert!(has_key(&config(&[KEY]), Some("https://API.openai.com/v1")));
}

#[test]
fn sends_the_key_to_an_allowed_host_on_its_port_over_https_only() {
    let mut allowing = config(&[KEY]);
    allowing.key_hosts = [
        "proxy.example",
        "Other.example:8443",
        "plain.example:80",
        "localhost",
        "127.0.0.1:8080",
        "[::1]:8080",
    ]
    .map(str::to_owned)
    .to_vec();
    for (url, expected) in [
        ("https://proxy.example/v1", true),
        ("https://proxy.example:443/v1", true),
        ("https://proxy.example:8443/v1", false),
        ("http://proxy.example/v1", false),
        ("http://proxy.example:443/v1", false),
        ("https://other.example:8443/v1", true),
        ("https://other.example/v1", false),
        ("http://other.example:8443/v1", false),
        ("http://plain.example/v1", false),
        ("http://localhost/v1", true),
        ("http://localhost:8080/v1", false),
        ("http://localhost.evil.example/v1", false),
        ("http://127.0.0.1:8080/v1", true),
        ("http://127.0.0.1/v1", false),
        ("http://[::1]:8080/v1", true),
    ] {
        let endpoint = Endpoint::resolve(&VENDOR, &allowing, Some(url)).expect(url);
        assert_eq!(endpoint.has_key, expected, "{url}");
    }
}

#[test]
fn finds_a_version_at_the_end_of_the_base_url() {
    for (url, expected) in [
        ("http://localhost", false),
        ("http://localhost/v1", true),
        ("http://localhost/gemini/v1beta/", true),
        ("http://localhost/v1/proxy", false),
        ("http://localhost/vertex", false),
        ("http://v1", false),
    ] {
        let endpoint = Endpoint::resolve(&VENDOR, &config(&[]), Some(url)).expect(url);
        assert_eq!(endpoint.has_version(), expected, "{url}");
    }
}

#[test]
fn requires_a_key_for_the_vendor_only() {
    let error = Endpoint::resolve(&VENDOR, &config(&[]), None).expect_err("no key");
    assert!(error.is_configuration());
    let text = error.to_string();
    assert!(
        text.contains("OPENAI_API_KEY") && text.contains("--offline"),
        "{text}"
    );
    let local = Some("http://localhost:8080/v1");
    assert!(Endpoint::resolve(&VENDOR, &config(&[]), local).is_ok());
}

#[test]
fn no_configured_header_replaces_the_type_of_the_body() {
    let mut giving = config(&[KEY]);
    giving.headers = vec![("content-type".to_owned(), Secret::new("text/plain"))];
    let endpoint = Endpoint::resolve(&VENDOR, &giving, None).expect("an endpoint");
    let types: Vec<_> = endpoint.headers.get_all("content-type").iter().collect();
    assert_eq!(types, ["application/json"]);
}

#[test]
fn sends_configured_headers_where_the_key_is_sent() {
    let mut giving = config(&[KEY, ("OPENAI_PROJECT_ID", "p-1")]);
    giving.headers = vec![("x-team".to_owned(), Secret::new("t-1"))];
    giving.key_header = Some("api-key".to_owned());
    let names = |config: &EndpointConfig, url: &str| {
        let endpoint = Endpoint::resolve(&VENDOR, config, Some(url)).expect(url);
        let mut names: Vec<String> = endpoint.headers.keys().map(ToString::to_string).collect();
        names.sort();
        names
    };
    let vendor = "https://api.openai.com/v1";
    assert_eq!(
        names(&giving, vendor),
        ["api-key", "content-type", "openai-project", "x-team"]
    );
    assert_eq!(names(&giving, "https://evil.example/v1"), ["content-type"]);
    giving.headers = vec![("x-team".to_owned(), Secret::new("line\nend"))];
    let error = Endpoint::resolve(&VENDOR, &giving, None).expect_err("a bad header");
    assert!(
        error.is_configuration() && !error.to_string().contains("end"),
        "{error}"
    );
}

#[test]
fn joins_paths_and_rejects_bad_base_urls() {
    let join = |base: &str| {
        let config = config(&[]);
        let endpoint = Endpoint::resolve(&VENDOR, &config, Some(base)).expect("an endpoint");
        endpoint.join(&["chat", "completions"], &[]).to_string()
    };
    assert_eq!(join("http://h/v1"), "http://h/v1/chat/completions");
    assert_eq!(join("http://h/v1/"), "http://h/v1/chat/completions");
    assert_eq!(join("http://h"), "http://h/chat/completions");
    assert_eq!(join("http://h/a?v=1"), "http://h/a/chat/completions?v=1");
    for bad in ["", "h/v1", "file:///etc/passwd", "http://u:secret@h/v1"] {
        let error = Endpoint::resolve(&VENDOR, &config(&[]), Some(bad)).expect_err(bad);
        assert!(error.is_configuration() && !format!("{error:?}").contains("secret"));
    }
}
