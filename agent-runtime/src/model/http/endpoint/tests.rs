//! Tests of endpoints: which hosts get the key, and how URLs are joined.

use super::*;

const VENDOR: Vendor = Vendor {
    provider: "OpenAI",
    base_url: "https://api.openai.com/v1",
    endpoint: "/chat/completions",
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
        row_url: None,
        environment: Environment::from_pairs(pairs.iter().copied()),
        base_url: None,
        base_url_variable: None,
        key: None,
        key_header: None,
        headers: Vec::new(),
        url_hosts: Vec::new(),
        key_hosts: Vec::new(),
        withholds_key: false,
        redactor: Redactor::new(),
    }
}

const KEY: (&str, &str) = ("OPENAI_API_KEY", "sk-1");

/// Allows requests to all hosts that these tests name.
fn allowing_all(mut config: EndpointConfig) -> EndpointConfig {
    let hosts = [
        "evil.example",
        "api.openai.com.evil.example",
        "api.openai.com:8443",
        "api.openai.com.",
        "api.openai.com",
    ];
    config.url_hosts = hosts.map(str::to_owned).to_vec();
    config
}

#[test]
fn sends_the_key_to_the_vendor_and_to_configured_urls_only() {
    let has_key = |config: EndpointConfig, agent: Option<&str>| {
        let config = allowing_all(config);
        let endpoint = Endpoint::resolve(&VENDOR, &config, agent).expect("an endpoint");
        endpoint.has_key
    };
    assert!(has_key(config(&[KEY]), None));
    let base = ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1");
    assert!(has_key(config(&[KEY, base]), None));
    assert!(has_key(
        config(&[KEY, base]),
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
        assert!(!has_key(config(&[KEY]), Some(agent)), "{agent}");
    }
    assert!(has_key(config(&[KEY]), Some("https://API.openai.com/v1")));
}

/// An address that only a document names.
#[test]
fn contacts_an_address_of_a_document_only_if_it_is_safe_or_allowed() {
    let rows = |url: &str, is_builtin| RowUrl {
        url: url.to_owned(),
        is_builtin,
        keys: Vec::new(),
    };
    for (url, hosts, advised) in [
        ("https://api.openai.com/v1", &[][..], None),
        ("https://api.openai.com", &[], None),
        ("http://localhost:8080/v1", &[], None),
        ("http://127.9.9.9/v1", &[], None),
        ("https://[::1]:1/v1", &[], None),
        ("https://evil.example/v1", &[], Some("evil.example")),
        (
            "https://evil.example:8443/v1",
            &[],
            Some("evil.example:8443"),
        ),
        ("http://api.openai.com/v1", &[], Some("api.openai.com")),
        (
            "https://api.openai.com:8443/v1",
            &[],
            Some("api.openai.com:8443"),
        ),
        (
            "https://api.openai.com.evil.example/v1",
            &[],
            Some("api.openai.com.evil.example"),
        ),
        (
            "http://localhost.evil.example/v1",
            &[],
            Some("localhost.evil.example"),
        ),
        (
            "http://127.0.0.1.evil.example/v1",
            &[],
            Some("127.0.0.1.evil.example"),
        ),
        ("http://10.0.0.1/v1", &[], Some("10.0.0.1")),
        ("http://169.254.169.254/v1", &[], Some("169.254.169.254")),
        ("http://0.0.0.0/v1", &[], None),
        ("http://[::]:8080/v1", &[], None),
        ("http://localhost./v1", &[], None),
        ("http://127.1:8080/v1", &[], None),
        ("http://[::ffff:127.0.0.1]/v1", &[], None),
        ("http://[::ffff:10.0.0.1]/v1", &[], Some("[::ffff:a00:1]")),
        ("https://evil.example./v1", &["evil.example"], None),
        (
            "https://evil.example/v1",
            &["other.example", "evil.example:8443"],
            Some("evil.example"),
        ),
        (
            "https://evil.example:8443/v1",
            &["evil.example"],
            Some("evil.example:8443"),
        ),
        ("https://Evil.example/v1", &[" EVIL.example "], None),
        ("http://evil.example/v1", &["evil.example"], None),
        ("http://evil.example:8443/v1", &["evil.example:8443"], None),
    ] {
        let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
        // Of the vendor, of a provider of the catalogue, and of one that only the document's catalogue has.
        for (provider, row_url, agent) in [
            (None, None, Some(url)),
            (
                Some("Groq"),
                Some(rows("https://api.groq.com/openai/v1", true)),
                Some(url),
            ),
            (Some("Acme"), Some(rows(url, false)), None),
            (
                Some("Acme"),
                Some(rows("https://other.example/v1", false)),
                Some(url),
            ),
        ] {
            for allows_key in [false, true] {
                let mut config = config(&[KEY]);
                config.provider = provider.map(str::to_owned);
                config.row_url = row_url.clone();
                match allows_key {
                    true => config.key_hosts = hosts.clone(),
                    false => config.url_hosts = hosts.clone(),
                }
                match (Endpoint::resolve(&VENDOR, &config, agent), advised) {
                    (Ok(_), None) => {}
                    (Err(error), Some(host)) => {
                        assert!(error.is_configuration(), "{error:?}");
                        let words = format!(
                            "use `--allow-base-url {host}` (in code, `RuntimeBuilder::allow_base_url`)"
                        );
                        assert!(error.to_string().contains(&words), "{error}");
                    }
                    (found, _) => panic!("{url} {provider:?} {found:?}"),
                }
            }
        }
        // The program, its user and the environment need no consent.
        let mut given = config(&[KEY]);
        given.base_url = Some(url.to_owned());
        Endpoint::resolve(&VENDOR, &given, Some("https://evil.example/v1")).expect(url);
        let variable = config(&[KEY, ("OPENAI_BASE_URL", url)]);
        Endpoint::resolve(&VENDOR, &variable, Some("https://evil.example/v1")).expect(url);
    }
}

#[test]
fn an_error_about_an_address_shows_no_secret_of_it() {
    let found = Endpoint::resolve(
        &VENDOR,
        &config(&[KEY]),
        Some("https://h.example/v1?key=secret"),
    );
    let error = found.expect_err("it is not allowed").to_string();
    assert!(
        error.contains("the agent gives as `baseUrl` is `https://h.example/v1`"),
        "{error}"
    );
}

#[test]
fn the_address_of_a_catalogue_gives_way_and_gets_its_own_key() {
    let mut groq = config(&[]);
    groq.provider = Some("Groq".to_owned());
    groq.environment = Environment::empty();
    groq.row_url = Some(RowUrl {
        url: "https://api.groq.com/openai/v1".to_owned(),
        is_builtin: true,
        keys: vec!["GROQ_API_KEY".to_owned()],
    });
    let resolve = |config: &EndpointConfig, agent: Option<&str>| {
        let endpoint = Endpoint::resolve(&VENDOR, config, agent)?;
        Ok::<_, Error>((endpoint.url.to_string(), endpoint.has_key))
    };
    let missing = resolve(&groq, None).expect_err("no key").to_string();
    assert!(missing.contains("GROQ_API_KEY"), "{missing}");
    let local = "http://127.0.0.1:8080/v1";
    assert_eq!(
        resolve(&groq, Some(local)).ok(),
        Some((local.to_owned(), false))
    );
    groq.key = Some(Secret::new("gsk-1"));
    for (agent, url, has_key) in [
        (None, "https://api.groq.com/openai/v1", true),
        (
            Some("https://api.groq.com"),
            "https://api.groq.com/openai/v1",
            true,
        ),
        (Some(local), local, false),
    ] {
        let found = resolve(&groq, agent).expect("an endpoint");
        assert_eq!(found, (url.to_owned(), has_key));
    }
    groq.withholds_key = true;
    let found = resolve(&groq, None).expect("an endpoint");
    assert!(!found.1, "another provider's key");
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
        ("https://proxy.example/v1", Some(true)),
        ("https://proxy.example:443/v1", Some(true)),
        ("https://proxy.example:8443/v1", None),
        ("http://proxy.example/v1", Some(false)),
        ("http://proxy.example:443/v1", None),
        ("https://other.example:8443/v1", Some(true)),
        ("https://other.example/v1", None),
        ("http://other.example:8443/v1", Some(false)),
        ("http://plain.example/v1", Some(false)),
        ("http://localhost/v1", Some(true)),
        ("http://localhost:8080/v1", Some(false)),
        ("http://localhost.evil.example/v1", None),
        ("http://127.0.0.1:8080/v1", Some(true)),
        ("http://127.0.0.1/v1", Some(false)),
        ("http://[::1]:8080/v1", Some(true)),
    ] {
        let endpoint = Endpoint::resolve(&VENDOR, &allowing, Some(url)).ok();
        let found = endpoint.map(|endpoint| endpoint.has_key);
        assert_eq!(found, expected, "{url}");
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
        let mut config = config(&[]);
        config.base_url = Some(url.to_owned());
        let endpoint = Endpoint::resolve(&VENDOR, &config, None).expect(url);
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
    giving.url_hosts = vec!["evil.example".to_owned()];
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
        let mut config = config(&[]);
        config.base_url = Some(base.to_owned());
        let endpoint = Endpoint::resolve(&VENDOR, &config, None).expect("an endpoint");
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
