//! `agent models`, and the models of `agent check`.

use crate::support::CommandOutput;
use crate::support::{Folder, agent, agent_with_tools, command};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// Runs the command with variables of the environment.
fn agent_in(args: &[&str], variables: &[(&str, &str)]) -> CommandOutput {
    let mut command = command(args);
    command.envs(variables.iter().copied());
    CommandOutput::of(command.output().expect("the command starts"))
}

fn writer(model: &str, settings: &str) -> String {
    format!("[writer:Agent {{instruction: \"Write.\", model: \"{model}\"{settings}}}]\n")
}

#[test]
fn lists_models_by_a_part_of_their_name() {
    let listed = agent(&["models", "GPT-6-L"]).expect(0);
    let lines: Vec<&str> = listed.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{}", listed.stdout);
    assert!(lines[0].starts_with("MODEL "), "{}", lines[0]);
    for word in [
        "OpenAI/gpt-6-luna",
        "1,050,000",
        "$0.1",
        "$0.5",
        "none to max",
    ] {
        assert!(lines[1].contains(word), "{}", lines[1]);
    }
    let json = agent(&["models", "gpt-6-luna", "--format", "json"])
        .expect(0)
        .json();
    assert_eq!(json[0]["model"], "OpenAI/gpt-6-luna");
    assert_eq!(json[0]["contextWindow"], 1_050_000);
    assert_eq!(json[0]["retires"], serde_json::Value::Null);
    assert!(agent(&["models"]).expect(0).stdout.lines().count() > 60);
    let none = agent(&["models", "gpt-77"]).expect(2);
    assert!(
        none.stderr
            .contains("no name of a model or a provider has the text \"gpt-77\""),
        "{}",
        none.stderr
    );
    // A provider without listed models is one all the same.
    let groq = agent(&["models", "groq"]).expect(0);
    assert_eq!(
        groq.stdout,
        "any model of these providers, of which nothing is known: Groq\n"
    );
}

#[test]
fn shows_what_is_known_of_a_model() {
    let shown = agent(&["models", "show", "OpenAI/gpt-6-luna-2026-09-22"]).expect(0);
    for line in [
        "  as `OpenAI/gpt-6-luna`",
        "  maxOutputTokens               128,000",
        "  made                          2026-11-28",
    ] {
        assert!(shown.stdout.contains(line), "{}", shown.stdout);
    }
    let assumed = agent(&["models", "show", "OpenAI/gpt-6.9-sol"]).expect(0);
    assert!(
        assumed.stdout.contains("of the same family"),
        "{}",
        assumed.stdout
    );
    let json = agent(&["models", "show", "OpenAI/gpt-6.9-sol", "--format", "json"])
        .expect(0)
        .json();
    assert_eq!(json["isAssumed"], true);
    for (model, expected) in [
        ("OpenAI/gpt_6-luna", "did you mean `OpenAI/gpt-6-luna`?"),
        ("Acme/any", "the catalogue of models has no `Acme/any`"),
        ("gpt-6-luna", "gpt-6-luna"),
    ] {
        let wrong = agent(&["models", "show", model]).expect(2);
        assert!(wrong.stderr.contains(expected), "{}", wrong.stderr);
    }
}

#[test]
fn compares_two_models_for_the_agents_of_a_document() {
    let folder = Folder::new();
    let file = folder.file("a.gram", writer("OpenAI/gpt-4o-mini", ", temperature: 0.7"));
    let compared = agent(&[
        "models",
        "compare",
        "OpenAI/gpt-4o-mini",
        "OpenAI/gpt-6-luna",
        &file,
    ])
    .expect(1);
    assert!(
        compared.stdout.contains("price.output"),
        "{}",
        compared.stdout
    );
    assert!(compared.stdout.contains("$0.6"), "{}", compared.stdout);
    assert!(
        compared.stderr.contains("agent::refused-setting"),
        "{}",
        compared.stderr
    );
    let back = agent(&[
        "models",
        "compare",
        "OpenAI/gpt-6-luna",
        "OpenAI/gpt-4.1",
        &file,
    ])
    .expect(0);
    assert!(
        back.stdout.contains("nothing changes with OpenAI/gpt-4.1"),
        "{}",
        back.stdout
    );
    let args = [
        "models",
        "compare",
        "OpenAI/gpt-4o-mini",
        "OpenAI/gpt-6-luna",
        &file,
        "--format",
        "json",
    ];
    let json = agent(&args).expect(1).json();
    assert_eq!(json["diagnostics"][0]["code"], "agent::refused-setting");
    assert_eq!(json["differences"][0]["property"], "released");
    let same = agent(&[
        "models",
        "compare",
        "OpenAI/gpt-6-luna",
        "OpenAI/gpt-6-luna",
    ])
    .expect(0);
    assert_eq!(same.stdout, "nothing differs between the two\n");
}

/// Each row has the arguments after the file, the variables, and what is said of `temperature` or the model.
#[test]
fn checks_the_settings_of_agents_against_their_models() {
    let folder = Folder::new();
    let file = folder.file("a.gram", writer("OpenAI/gpt-6-luna", ", temperature: 0.7"));
    let own = folder.file(
        "models.gram",
        "[OpenAI:Catalog | [gpt-6-luna:Model {temperature: \"always\"}]]",
    );
    let refused = "agent::refused-setting";
    for (more, variables, code, expected) in [
        (&[][..], &[][..], 1, refused),
        (
            &[],
            &[("OPENAI_BASE_URL", "https://api.openai.com/v1/")],
            1,
            refused,
        ),
        (&[], &[("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")], 0, ""),
        (&["--models", &own], &[], 0, ""),
        (&["--model", "OpenAI/gpt-4o-mini"], &[], 0, ""),
        (
            &["--model", "OpenAI/gpt-4o-mini"],
            &[("AGENT_TODAY", "2026-11-28")],
            0,
            "warning[agent::retiring-model]",
        ),
        (
            &["--model", "OpenAI/gpt-4o-mini", "--deny-warnings"],
            &[("AGENT_TODAY", "2026-11-28")],
            0,
            "warning[agent::retiring-model]",
        ),
        (
            &["--model", "OpenAI/o3-mini"],
            &[],
            1,
            "agent::retired-model",
        ),
        (
            &["--model", "OpenAI/gpt-6-lnua"],
            &[],
            0,
            "agent::unknown-model",
        ),
        (
            &["--model", "OpenAI/gpt-6-lnua", "--deny-warnings"],
            &[],
            1,
            "agent::unknown-model",
        ),
        (&["--model", "gpt-6-luna"], &[], 2, "gpt-6-luna"),
        (
            &[],
            &[("AGENT_TODAY", "tomorrow")],
            2,
            "write a day such as 2026-11-28",
        ),
        (&["--models", "nowhere.gram"], &[], 2, "nowhere.gram"),
        (&["--models", &file], &[], 1, "a.gram"),
    ] {
        let mut args = vec!["check", &file];
        args.extend(more);
        let checked = agent_in(&args, variables).expect(code);
        assert!(
            checked.stderr.contains(expected),
            "{args:?}: {}",
            checked.stderr
        );
        assert_eq!(
            checked.stderr.is_empty(),
            expected.is_empty(),
            "{args:?}: {}",
            checked.stderr
        );
    }
}

#[test]
fn an_agent_with_tools_needs_an_interface_that_its_model_has() {
    let folder = Folder::new();
    let tool = "[greet:Tool {description: \"Greets\"} | ()==>(::String)]";
    let chat = agent_with_tools(tool).replace("gpt-4o-mini", "gpt-6-luna");
    let file = folder.file("a.gram", chat.replace("OpenAI/", "OpenAIChat/"));
    let checked = agent(&["check", &file]).expect(1);
    assert!(
        checked.stderr.contains("refuses tools in chat completions"),
        "{}",
        checked.stderr
    );
    for provider in ["OpenAI/", "OpenAIResponses/"] {
        let file = folder.file("b.gram", chat.replace("OpenAI/", provider));
        agent(&["check", &file]).expect(0);
    }
}

/// Each row has a list of models, and what is wrong with it.
#[test]
fn checks_lists_of_models() {
    let folder = Folder::new();
    for (list, expected) in [
        ("[OpenAI:Catalog | [a:Model {like: \"gpt-6-luna\"}]]", ""),
        (
            "[OpenAI:Catalog | [a:Model {contextWindw: 1}]]",
            "did you mean `contextWindow`?",
        ),
        (
            "[OpenAI:Catalog | [a:Model {like: \"b\"}], [b:Model {like: \"a\"}]]",
            "in a circle",
        ),
        (
            "[OpenAI:Catalog | [a:Model {like: \"nothing\"}]]",
            "there is no such row",
        ),
        (
            "[OpenAI:Catalog | [a:Model {price: {input: -1, output: 1}}]]",
            "agent::bad-value",
        ),
        (
            "[OpenAI:Catalog | [a:Model {retires: \"2027-02-30\"}]]",
            "agent::bad-value",
        ),
        ("[Ollama:Catalog | [qwen3:latest:Model]]", "`qwen3:latest`"),
        (
            "[OpenAI:Catalog | [a:Model], [a:Model]]",
            "agent::bad-catalog",
        ),
        ("[OpenAI:Catalog | [a:Model", "gram::"),
    ] {
        let file = folder.file("models.gram", list);
        let code = i32::from(!expected.is_empty());
        let checked = agent(&["check", &file]).expect(code);
        assert!(
            checked.stderr.contains(expected),
            "{list}: {}",
            checked.stderr
        );
        // The same file is refused where it is used.
        let used = agent(&["models", "--models", &file]).expect(2 * code);
        assert_eq!(
            used.stderr.is_empty(),
            expected.is_empty(),
            "{list}: {}",
            used.stderr
        );
    }
}

#[test]
fn the_project_of_the_working_folder_adds_rows() {
    let folder = Folder::new();
    folder.file("agent.gram", "{models: [\"own.gram\"]}\n");
    folder.file(
        "own.gram",
        "[OpenAI:Catalog | [gpt-9:Model {like: \"gpt-6-luna\", contextWindow: 77}]]\n",
    );
    let given = folder.file(
        "given.gram",
        "[OpenAI:Catalog | [gpt-9:Model {stop: true}]]\n",
    );
    let in_folder = |args: &[&str]| {
        let mut command = command(args);
        command.current_dir(folder.path());
        CommandOutput::of(command.output().expect("the command starts"))
    };
    let listed = in_folder(&["models", "gpt-9"]).expect(0);
    assert!(listed.stdout.contains("OpenAI/gpt-9 "), "{}", listed.stdout);
    let shown = in_folder(&[
        "models",
        "show",
        "OpenAI/gpt-9",
        "--models",
        &given,
        "--format",
        "json",
    ]);
    let shown = shown.expect(0).json();
    assert_eq!(shown["properties"]["contextWindow"], 77);
    let compared = in_folder(&["models", "compare", "OpenAI/gpt-6-luna", "OpenAI/gpt-9"]);
    assert!(
        compared.expect(0).stdout.contains("77"),
        "the context changes"
    );
    folder.file("own.gram", "[OpenAI:Catalog | [gpt-9:Model {stop: 1}]]\n");
    let wrong = in_folder(&["models"]).expect(2);
    assert!(wrong.stderr.contains("own.gram:1:"), "{}", wrong.stderr);
}

const KEY: &str = "sk-very-secret-0123456789";

/// The status of an answer, its content type and its body.
type Answer = (&'static str, &'static str, String);

/// A server that gives each path its answer, and keeps the requests. A path without an answer gets none for a long time.
struct Vendors {
    host: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Vendors {
    fn start(answers: Vec<(&'static str, Answer)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let received = Arc::clone(&requests);
        // The thread runs as long as the test program.
        std::thread::spawn(move || {
            let mut silent = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.expect("a client");
                let mut request = Vec::new();
                while !request.ends_with(b"\r\n\r\n") {
                    let mut bytes = [0; 4096];
                    let read = stream.read(&mut bytes).expect("a request");
                    request.extend_from_slice(&bytes[..read]);
                }
                let request = String::from_utf8(request).expect("a request is a text");
                let path = request.split(' ').nth(1).expect("a path").to_owned();
                received.lock().expect("requests").push(request);
                match answers.iter().find(|(known, _)| *known == path) {
                    Some((_, (status, kind, body))) => {
                        let length = body.len();
                        let answer = format!(
                            "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nconnection: close\r\n\
                             location: /elsewhere\r\ncontent-length: {length}\r\n\r\n{body}"
                        );
                        // A client that has read enough disconnects.
                        let _ = stream.write_all(answer.as_bytes());
                    }
                    None => silent.push(stream),
                }
            }
        });
        Self {
            host: format!("http://{address}"),
            requests,
        }
    }

    /// Checks the models of these providers, which are at paths of this server.
    fn check(&self, args: &[&str], vendors: &[(&str, &str)]) -> CommandOutput {
        let mut command = command(&[&["models", "check"], args].concat());
        for (vendor, path) in vendors {
            let (key, address) = match *vendor {
                "OpenAI" => ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
                "Anthropic" => ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
                _ => ("GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
            };
            command.env(key, KEY);
            command.env(address, format!("{}{path}", self.host));
        }
        let output = CommandOutput::of(command.output().expect("the command starts"));
        assert!(!output.stdout.contains(KEY), "{}", output.stdout);
        assert!(!output.stderr.contains(KEY), "{}", output.stderr);
        output
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("requests").clone()
    }
}

fn found(body: &Value) -> Answer {
    ("200 OK", "application/json", body.to_string())
}

/// Returns the models that the catalogue has of a provider and that are not retired.
fn models_of(provider: &str) -> Vec<String> {
    let listed = agent(&["models", "--format", "json"]).expect(0).json();
    let listed = listed.as_array().expect("a list").iter();
    let ids = listed.filter(|model| {
        let retires = model["retires"].as_str();
        retires.is_none_or(|day| day > "2026-09-01")
    });
    let ids = ids.filter_map(|model| {
        let name = model["model"].as_str()?;
        name.strip_prefix(&format!("{provider}/"))
            .map(str::to_owned)
    });
    ids.collect()
}

#[test]
fn compares_the_list_with_the_models_of_openai() {
    let mut models: Vec<Value> = models_of("OpenAI")
        .iter()
        .filter(|id| *id != "gpt-6-luna" && *id != "o3")
        .map(|id| json!({"id": id}))
        .collect();
    for more in [
        json!({"id": "gpt-6-luna-2026-09-22", "shutdown_date": null}),
        json!({"id": "gpt-7", "created": 1_790_000_000}),
        json!({"id": "gpt-4o-mini", "shutdown_date": "2027-02-03"}),
        json!({"id": "gpt-5", "shutdown_date": "2026-12-11"}),
        json!({"id": "ft:gpt-4.1:acme::1"}),
        json!({"id": "text-embedding-3-large"}),
        json!({"id": "gpt-4o-mini-tts"}),
    ] {
        models.push(more);
    }
    let count = models.len();
    let server = Vendors::start(vec![("/v1/models", found(&json!({"data": models})))]);
    let checked = server.check(&[], &[("OpenAI", "/v1")]).expect(1);
    let host = &server.host;
    assert_eq!(
        checked.stdout,
        format!(
            "Anthropic: not asked, because no key is set (ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN)\n\
             Google: not asked, because no key is set (GOOGLE_API_KEY, GEMINI_API_KEY)\n\
             OpenAI: {count} models at {host}/v1/models\n  \
               not in the catalogue  gpt-7, released on 2026-09-21\n  \
               not at the vendor     o3\n  \
               another last day      gpt-4o-mini, 2027-02-03 at the vendor, 2027-01-14 in the catalogue\n"
        )
    );
    let request = &server.requests()[0];
    assert!(
        request.contains(&format!("authorization: Bearer {KEY}\r\n")),
        "{request}"
    );
    let json = server.check(&["--format", "json"], &[("OpenAI", "/v1")]);
    let json = &json.expect(1).json()["vendors"][2];
    assert_eq!(json["models"], count);
    assert_eq!(
        json["missing"],
        json!([{"model": "gpt-7", "released": "2026-09-21"}])
    );
    assert_eq!(json["gone"], json!(["o3"]));
    assert_eq!(
        json["dates"],
        json!([{"model": "gpt-4o-mini", "vendorDate": "2027-02-03", "catalogDate": "2027-01-14"}])
    );
    // A row of one's own is a row.
    let folder = Folder::new();
    let own = folder.file(
        "models.gram",
        "[OpenAI:Catalog | [gpt-7:Model], [gpt-8:Model]]",
    );
    let checked = server
        .check(&["--models", &own], &[("OpenAI", "/v1")])
        .expect(1);
    assert!(!checked.stdout.contains("gpt-7"), "{}", checked.stdout);
    assert!(
        checked.stdout.contains("not at the vendor     gpt-8\n"),
        "{}",
        checked.stdout
    );
}

#[test]
fn reads_the_pages_of_anthropic_and_google() {
    let mut claudes: Vec<Value> = models_of("Anthropic")
        .iter()
        .map(|id| json!({"id": id, "created_at": "2026-09-01T00:00:00Z", "type": "model"}))
        .collect();
    let last = claudes.split_off(1);
    let mut geminis: Vec<Value> = models_of("Google")
        .iter()
        .map(|id| json!({"name": format!("models/{id}"), "supportedGenerationMethods": ["generateContent"]}))
        .collect();
    geminis.push(json!({"name": "models/veo-9", "supportedGenerationMethods": ["predict"]}));
    let rest = geminis.split_off(3);
    let server = Vendors::start(vec![
        (
            "/v1/models?limit=1000",
            found(&json!({"data": claudes, "has_more": true, "last_id": "a&b"})),
        ),
        (
            "/v1/models?limit=1000&after_id=a%26b",
            found(&json!({"data": last, "has_more": false, "last_id": "c"})),
        ),
        (
            "/v1beta/models?pageSize=1000",
            found(&json!({"models": geminis, "nextPageToken": "d"})),
        ),
        (
            "/v1beta/models?pageSize=1000&pageToken=d",
            found(&json!({"models": rest})),
        ),
    ]);
    // With and without the version.
    let checked = server
        .check(&[], &[("Anthropic", ""), ("Google", "/v1beta/")])
        .expect(0);
    let nothing = checked.stdout.matches(", nothing differs\n").count();
    assert_eq!(nothing, 2, "{}", checked.stdout);
    for (request, header) in
        server
            .requests()
            .iter()
            .zip(["x-api-key", "x-api-key", "x-goog-api-key"])
    {
        assert!(
            request.contains(&format!("{header}: {KEY}\r\n")),
            "{request}"
        );
    }
    assert!(server.requests()[0].contains("anthropic-version: 2023-06-01\r\n"));
}

/// Each row has the path of OpenAI's address, and the error about its answer.
#[test]
fn names_the_vendor_that_does_not_answer_with_its_models() {
    let claudes: Vec<Value> = models_of("Anthropic")
        .iter()
        .map(|id| json!({"id": id}))
        .collect();
    let wrong_key = json!({"error": {"message": format!("Wrong key:\n{KEY}")}}).to_string();
    let is_not_json = "<!doctype html>".to_owned();
    let shape = found(&json!({"models": []}));
    let server = Vendors::start(vec![
        (
            "/v1/models?limit=1000",
            found(&json!({"data": claudes, "has_more": false})),
        ),
        (
            "/v1beta/models?pageSize=1000",
            found(&json!({"models": [], "nextPageToken": "again"})),
        ),
        (
            "/v1beta/models?pageSize=1000&pageToken=again",
            found(&json!({"models": [], "nextPageToken": "again"})),
        ),
        ("/html/models", ("200 OK", "text/html", is_not_json)),
        (
            "/401/models",
            ("401 Unauthorized", "application/json", wrong_key),
        ),
        ("/500/models", ("500 Oops", "text/plain", "oops".to_owned())),
        ("/302/models", ("302 Found", "text/plain", String::new())),
        ("/shape/models", shape),
        (
            "/names/models",
            found(&json!({"data": [{"name": "gpt-7"}]})),
        ),
        (
            "/huge/models",
            ("200 OK", "application/json", " ".repeat(9 << 20)),
        ),
    ]);
    for (path, expected) in [
        (
            "/html",
            "answered with no JSON; its content type is text/html",
        ),
        (
            "/401",
            "answered with status 401 Unauthorized: Wrong key:\\n[key]",
        ),
        ("/500", "answered with status 500 Internal Server Error"),
        ("/302", "answered with status 302 Found"),
        ("/shape", "answered with JSON that is no list of models"),
        ("/names", "answered with JSON that is no list of models"),
        ("/huge", "answered with more than 8 MiB"),
        ("/silent", "gave no answer within 10 seconds"),
    ] {
        // A query may have secrets, so no error shows it. The server knows no path with this one.
        let query = if path == "/silent" { "?key=hush" } else { "" };
        let address = format!("{path}{query}");
        let checked = server
            .check(&[], &[("Anthropic", ""), ("OpenAI", &address)])
            .expect(2);
        let error = format!("error: OpenAI: {}{path}/models {expected}\n", server.host);
        assert_eq!(checked.stderr, error);
        assert!(
            checked.stdout.contains("nothing differs"),
            "{}",
            checked.stdout
        );
    }
    let endless = server
        .check(&["--format", "json"], &[("Google", "")])
        .expect(2);
    let error = endless.json()["vendors"][1]["error"].clone();
    let error = error.as_str().expect("an error");
    assert!(
        error.ends_with("a list that does not end after 20 pages"),
        "{error}"
    );
    let followed = |request: &String| request.contains("/elsewhere");
    assert!(!server.requests().iter().any(followed));
}

#[test]
fn checks_no_models_at_an_address_of_a_document_or_without_a_key() {
    let server = Vendors::start(Vec::new());
    let folder = Folder::new();
    let file = folder.file(
        "models.gram",
        format!(
            "[Groq:Catalog {{baseUrl: \"{0}/v1\"}} | [m:Model]]\n\
             [Acme:Catalog {{baseUrl: \"{0}/v1\", key: \"ACME_API_KEY\", format: \"OpenAI\"}} | [m:Model]]",
            server.host
        ),
    );
    let variables = [("GROQ_API_KEY", KEY), ("ACME_API_KEY", KEY)];
    let checked = agent_in(&["models", "check", "--models", &file], &variables).expect(2);
    for vendor in ["Groq", "Acme"] {
        let line =
            format!("{vendor}: not asked, because an address in a file of --models gets no key\n");
        assert!(checked.stdout.contains(&line), "{}", checked.stdout);
    }
    assert_eq!(
        checked.stderr,
        "error: no vendor was asked for its models\n"
    );
    assert!(server.requests().is_empty());
    for address in [
        "nowhere",
        "ftp://models.example",
        "http://user:hush@models.example",
    ] {
        let variables = [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", address)];
        let checked = agent_in(&["models", "check"], &variables).expect(2);
        assert_eq!(
            checked.stderr,
            "error: OpenAI: the variable OPENAI_BASE_URL has no address that can be used; write one such as \
             https://api.openai.com/v1\n"
        );
    }
}
