//! `--provider`: names and servers of providers.

use crate::support::server::OneAnswer;
use crate::support::{Folder, agent, command};

const DOCUMENT: &str = "[a:Agent {instruction: \"x\", model: \"Acme Two/large\"}]";

#[test]
fn accepts_a_given_provider() {
    let folder = Folder::new();
    let document = folder.file("acme.gram", DOCUMENT);
    let ended = agent(&["check", &document]).expect(1);
    assert!(
        ended.stderr.contains("`Acme Two` is not a known provider"),
        "{}",
        ended.stderr
    );
    let ended = agent(&["check", &document, "--provider", "Acme Too"]).expect(1);
    assert!(
        ended.stderr.contains("did you mean `Acme Too/large`?"),
        "{}",
        ended.stderr
    );
    for given in ["Acme Two", "Acme Two=https://models.acme.example/v1"] {
        agent(&["check", &document, "--provider", given]).expect(0);
    }
    agent(&[
        "run",
        &document,
        "Hi",
        "--offline",
        "--provider",
        "Acme Two",
    ])
    .expect(0);
}

#[test]
fn rejects_invalid_providers() {
    let folder = Folder::new();
    let document = folder.file("acme.gram", DOCUMENT);
    for bad in ["", "Acme/large", "=http://h", "Acme="] {
        let ended = agent(&["check", &document, "--provider", bad]).expect(2);
        assert!(ended.stderr.contains("NAME=URL"), "{}", ended.stderr);
    }
}

/// `check` rejects it as `run` does, so that it is found before the agent runs.
#[test]
fn every_command_rejects_an_invalid_address() {
    let folder = Folder::new();
    let document = folder.file("acme.gram", DOCUMENT);
    for command in [
        &["check", &document][..],
        &["schema", &document],
        &["run", &document, "Hi"],
        &["run", &document, "Hi", "--offline"],
    ] {
        let ended = agent(&[command, &["--provider", "Acme Two=h.example/v1"]].concat()).expect(2);
        for words in [
            "the provider `Acme Two`, given with `--provider`",
            "is `h.example/v1`, which is no URL",
            "did you mean `https://h.example/v1`?",
        ] {
            assert!(ended.stderr.contains(words), "{}", ended.stderr);
        }
    }
}

#[test]
fn rejects_names_of_built_in_providers() {
    let folder = Folder::new();
    let document = folder.file("acme.gram", DOCUMENT);
    for second in ["Acme Two", "Acme Two=https://models.acme.example/v1"] {
        let twice = ["--provider", "Acme Two", "--provider", second];
        let ended = agent(&[&["check", &document], &twice[..]].concat()).expect(2);
        let words = "`--provider` is given twice for `Acme Two`";
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
    // Both would use the same variable, so the key of one would be sent to the other.
    for second in ["acme-two", "Acme.Two=https://models.acme.example/v1"] {
        let both = ["--provider", "Acme Two", "--provider", second];
        let ended = agent(&[&["check", &document], &both[..]].concat()).expect(2);
        let name = second.split('=').next().unwrap_or_default();
        let words = format!(
            "the providers `Acme Two` and `{name}` would both get the key in `ACME_TWO_API_KEY`"
        );
        assert!(ended.stderr.contains(&words), "{}", ended.stderr);
    }
    for (name, words) in [
        ("OpenAI", "at another address use --base-url"),
        (
            "Ollama=http://127.0.0.1:1",
            "at another address use --base-url",
        ),
        ("openai=http://127.0.0.1:1", "did you mean `OpenAI`?"),
        ("OLLAMA", "to reach Ollama at another address"),
        ("Offline", "has no address"),
        ("Scripted=http://127.0.0.1:1", "has no address"),
    ] {
        let ended = agent(&["check", &document, "--provider", name]).expect(2);
        assert!(ended.stderr.contains("built-in"), "{}", ended.stderr);
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
    let ended = agent(&["check", &document, "--provider", "Ac\u{1b}me"]).expect(2);
    let words = "the name `Ac\\u{1b}me` contains control characters";
    assert!(ended.stderr.contains(words), "{}", ended.stderr);
}

#[test]
fn does_not_run_a_provider_without_an_address() {
    let folder = Folder::new();
    let document = folder.file("acme.gram", DOCUMENT);
    let fallback = DOCUMENT.replace(
        "Acme Two/large\"",
        "Offline/x\", fallback: [\"Acme Two/m\"]",
    );
    let fallback = folder.file("fallback.gram", fallback);
    for document in [&document, &fallback] {
        let ended = agent(&["run", document, "Hi", "--provider", "Acme Two"]).expect(2);
        for words in [
            "`--provider Acme Two` has no address",
            "Acme Two=https://models.acme-two.example/v1",
            "--offline",
        ] {
            assert!(ended.stderr.contains(words), "{}", ended.stderr);
        }
    }
    let ended = agent(&[
        "run",
        "agents/hello.gram",
        "Hi",
        "--model",
        "Acme Two/large",
    ])
    .expect(2);
    let words = "`--provider Acme Two=URL`";
    assert!(ended.stderr.contains(words), "{}", ended.stderr);
}

#[test]
fn sends_requests_to_the_given_address_with_its_own_key() {
    asked_at(|url| vec!["--provider".to_owned(), format!("Acme Two={url}")]);
}

#[test]
fn base_url_is_the_address_of_the_agents_provider() {
    asked_at(|url| {
        ["--provider", "Acme Two", "--base-url", url]
            .map(str::to_owned)
            .to_vec()
    });
}

#[test]
fn base_url_is_no_address_of_the_provider_of_a_fallback() {
    let folder = Folder::new();
    let fallback = DOCUMENT.replace(
        "Acme Two/large\"",
        "Offline/x\", fallback: [\"Acme Two/m\"]",
    );
    let document = folder.file("fallback.gram", fallback);
    let args = ["run", &document, "Hi", "--provider", "Acme Two"];
    let base_url = ["--base-url", "http://127.0.0.1:9/v1"];
    let ended = agent(&[&args[..], &base_url].concat()).expect(2);
    let words = "`--provider Acme Two` has no address";
    assert!(ended.stderr.contains(words), "{}", ended.stderr);
}

/// Runs an agent of the provider with these options for its address, and checks the request that the server
/// receives.
fn asked_at(options: impl Fn(&str) -> Vec<String>) {
    let server = OneAnswer::start("Hi from Acme.");
    let folder = Folder::new();
    let document = folder.file("acme.gram", DOCUMENT);
    let output = command(&["run", &document, "Hi"])
        .args(options(&server.base_url()))
        .env("ACME_TWO_API_KEY", "acme-key")
        .env("OPENAI_API_KEY", "another-key")
        .output()
        .expect("the command starts");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("Hi from Acme."), "{output:?}");
    let request = server.request();
    assert!(
        request.starts_with("POST /v1/chat/completions"),
        "{request}"
    );
    assert!(
        request.contains("authorization: Bearer acme-key"),
        "{request}"
    );
    assert!(!request.contains("another-key"), "{request}");
}

/// Its letters cannot be part of a variable, and a variable without them may belong to another provider.
#[test]
fn a_non_ascii_provider_has_no_key_variable() {
    let server = OneAnswer::start("Hi.");
    let folder = Folder::new();
    let document = folder.file("a.gram", DOCUMENT.replace("Acme Two", "日本"));
    let output = command(&["run", &document, "Hi", "--provider"])
        .arg(format!("日本={}", server.base_url()))
        .env("___API_KEY", "another-key")
        .output()
        .expect("the command starts");
    assert!(output.status.success(), "{output:?}");
    let request = server.request();
    assert!(!request.contains("another-key"), "{request}");
}
