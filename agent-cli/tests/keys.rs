//! The servers that get a key, depending on the options.

use crate::support::server::OneAnswer;
use crate::support::{Folder, agent, command};

const KEY: &str = "sk-very-secret-0123456789";

/// Returns the request to a server whose address is given by these options and the document.
fn sent(
    options: impl Fn(&OneAnswer) -> Vec<String>,
    file: impl Fn(&OneAnswer) -> String,
) -> String {
    let server = OneAnswer::start("Hello.");
    let folder = Folder::new();
    let base_url = file(&server);
    let document = format!(
        "[a:Agent {{instruction: \"Help.\", model: \"OpenAI/m\", baseUrl: \"{base_url}\"}}]"
    );
    let document = folder.file("a.gram", document);
    let output = command(&["run", &document, "Hi"])
        .args(options(&server))
        .env("OPENAI_API_KEY", KEY)
        .output()
        .expect("the command starts");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("🤖 Hello."), "{output:?}");
    server.request()
}

fn flag(name: &str, value: String) -> Vec<String> {
    vec![name.to_owned(), value]
}

#[test]
fn base_url_overrides_the_document_and_gets_the_key() {
    let options = |server: &OneAnswer| flag("--base-url", server.base_url());
    let request = sent(options, |_| "http://127.0.0.1:1/v1".to_owned());
    assert!(request.contains(&format!("Bearer {KEY}")), "{request}");
}

#[test]
fn an_address_in_a_document_gets_no_key() {
    let request = sent(|_| Vec::new(), OneAnswer::base_url);
    assert!(!request.contains(KEY), "{request}");
    assert!(!request.contains("authorization:"), "{request}");
    let options = |_: &OneAnswer| flag("--allow-key-host", "127.0.0.1:1".to_owned());
    let request = sent(options, OneAnswer::base_url);
    assert!(!request.contains(KEY), "{request}");
}

#[test]
fn allow_key_host_sends_the_key_to_the_documents_address() {
    let options = |server: &OneAnswer| flag("--allow-key-host", server.host());
    let request = sent(options, OneAnswer::base_url);
    assert!(request.contains(&format!("Bearer {KEY}")), "{request}");
}

/// Returns an agent file and a catalogue that name the address of a stranger, and the arguments of commands with them.
fn of_a_stranger(folder: &Folder) -> Vec<Vec<String>> {
    let url = "http://models.stranger.example/v1";
    let agent = folder.file(
        "a.gram",
        format!("[a:Agent {{description: \"d\", instruction: \"Help.\", model: \"OpenAI/m\", baseUrl: \"{url}\"}}]"),
    );
    let acme = folder.file(
        "acme.gram",
        "[a:Agent {instruction: \"Help.\", model: \"Acme/m\"}]",
    );
    let models = folder.file(
        "models.gram",
        format!("[Acme:Catalog {{baseUrl: \"{url}\", key: \"OPENAI_API_KEY\"}}]"),
    );
    let lines = folder.file("lines.jsonl", "{\"id\": \"1\", \"input\": \"Hi\"}\n");
    let output = format!("{}/results.jsonl", folder.path());
    [
        &["run", &agent, "Hi"][..],
        &["run", &agent, "Hi", "--stream"],
        &["run", &agent, "Hi", "--model", "OpenAI/other"],
        &["run", &acme, "Hi", "--models", &models],
        &["run", &agent, "--batch", &lines, "--output", &output],
        &["chat", &agent],
    ]
    .map(|args| args.iter().map(|arg| (*arg).to_owned()).collect())
    .to_vec()
}

/// Runs a command with a message on standard input, and with a proxy, which gets what is sent to a stranger.
fn through_proxy(args: &[String], more: &[&str], port: u16) -> std::process::Output {
    let args: Vec<&str> = args
        .iter()
        .map(String::as_str)
        .chain(more.iter().copied())
        .collect();
    let mut child = command(&args)
        .env("OPENAI_API_KEY", KEY)
        .env("http_proxy", format!("http://127.0.0.1:{port}"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut input = child.stdin.take().expect("a pipe");
    // A command that reads no input may have ended.
    let _ = std::io::Write::write_all(&mut input, b"Hi\n");
    drop(input);
    child.wait_with_output().expect("the command ends")
}

#[test]
fn an_address_that_only_a_document_names_is_not_contacted_without_consent() {
    let folder = Folder::new();
    let proxy = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    proxy.set_nonblocking(true).expect("a listener");
    let port = proxy.local_addr().expect("an address").port();
    for args in of_a_stranger(&folder) {
        for more in [
            &[][..],
            &["--allow-base-url", "other.example"],
            &["--allow-key-host", "stranger.example"],
        ] {
            let output = through_proxy(&args, more, port);
            let shown = format!(
                "{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            assert!(!output.status.success(), "{args:?}: {shown}");
            assert!(
                shown.contains("use `--allow-base-url models.stranger.example`"),
                "{args:?}: {shown}"
            );
            assert!(proxy.accept().is_err(), "{args:?}");
        }
    }
}

#[test]
fn an_allowed_address_of_a_document_gets_requests_and_over_http_no_key() {
    let folder = Folder::new();
    for args in of_a_stranger(&folder) {
        for flag in ["--allow-base-url", "--allow-key-host"] {
            let proxy = OneAnswer::start("Hello.");
            let port = proxy.host().rsplit_once(':').expect("a port").1.parse();
            // The answer of the server is no stream.
            let more = [flag, "models.stranger.example", "--max-attempts", "1"];
            let output = through_proxy(&args, &more, port.expect("a port"));
            assert!(output.status.success(), "{args:?}: {output:?}");
            let request = proxy.request();
            assert!(
                request.starts_with("POST http://models.stranger.example/v1/chat/completions "),
                "{request}"
            );
            assert!(!request.contains(KEY), "{request}");
            let _ = std::fs::remove_file(format!("{}/results.jsonl", folder.path()));
        }
    }
}

#[test]
fn a_whole_endpoint_is_an_error_with_the_base_url() {
    let ended = agent(&[
        "run",
        "agents/hello.gram",
        "Hi",
        "--base-url",
        "http://127.0.0.1:1/v1/chat/completions",
    ]);
    let ended = ended.expect(2);
    for words in [
        "`--base-url`",
        "requests add `/chat/completions` by themselves, so write `http://127.0.0.1:1/v1`",
    ] {
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
}

#[test]
fn rejects_an_invalid_key_host() {
    for (host, words) in [
        ("http://127.0.0.1:9400", "did you mean `127.0.0.1:9400`?"),
        ("127.0.0.1:9400/", "did you mean `127.0.0.1:9400`?"),
        ("*", "write HOST or HOST:PORT"),
        ("ex ample", "`--allow-key-host`"),
    ] {
        for flag in ["--allow-key-host", "--allow-base-url"] {
            let ended = agent(&["run", "agents/hello.gram", "Hi", flag, host]).expect(2);
            let words = words.replace("--allow-key-host", flag);
            assert!(ended.stderr.contains(&words), "{}", ended.stderr);
        }
    }
}

/// Otherwise requests would be sent to the default address, as if the variable were not set.
#[cfg(unix)]
#[test]
fn rejects_a_variable_that_is_not_unicode() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Folder::new();
    let acme = "[a:Agent {instruction: \"x\", model: \"Acme/m\"}]";
    let acme = folder.file("acme.gram", acme);
    let hello = "agents/hello.gram";
    let provider = ["--provider", "Acme=http://127.0.0.1:1"];
    let at = ["--base-url", "http://127.0.0.1:1"];
    for (file, options, variable) in [
        (hello, &[][..], "OPENAI_API_KEY"),
        (hello, &[], "OPENAI_BASE_URL"),
        (hello, &at, "OPENAI_ORG_ID"),
        (hello, &at, "http_proxy"),
        (hello, &at, "HTTPS_PROXY"),
        (hello, &at, "no_proxy"),
        (hello, &at, "SSL_CERT_FILE"),
        (&acme, &provider, "ACME_API_KEY"),
    ] {
        let mut command = command(&["run", file, "Hi"]);
        command.args(options).env("OPENAI_API_KEY", KEY);
        let value = std::ffi::OsStr::from_bytes(b"http://very-secret\xff");
        let output = command.env(variable, value).output();
        let output = output.expect("the command starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{variable}: {stderr}");
        let words = format!("the variable `{variable}` holds bytes that are not Unicode");
        assert!(stderr.contains(&words), "{stderr}");
        assert!(!stderr.contains("very-secret"), "{stderr}");
    }
}

#[test]
fn names_the_origin_of_an_invalid_base_url() {
    let hello = ["run", "agents/hello.gram", "Hi"];
    let ended = agent(&[&hello[..], &["--base-url", "localhost:8080/v1"]].concat()).expect(2);
    for words in ["`--base-url`", "did you mean `http://localhost:8080/v1`?"] {
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
    let output = command(&hello)
        .env("OPENAI_BASE_URL", "nowhere")
        .output()
        .expect("the command starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    for words in [
        "the base URL in the variable `OPENAI_BASE_URL` is `nowhere`",
        "write one such as `https://api.openai.com/v1`",
    ] {
        assert!(stderr.contains(words), "{stderr}");
    }
}
