//! Signing in at MCP servers.

#[path = "../../agent-mcp/tests/oauth/authority.rs"]
#[allow(dead_code, reason = "some of it is for the tests of agent-mcp")]
mod authority;

use crate::support::{CommandOutput, Folder, agent_with_tools, command};
use authority::{Answer, Authority, pairs, visit};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

/// A person with a folder of data, and a server that asks for a sign-in.
struct Person {
    folder: Folder,
    authority: Authority,
}

/// A sign-in that waits for the browser.
struct Login {
    child: Child,
    stdout: BufReader<ChildStdout>,
    address: String,
}

impl Person {
    fn new() -> Self {
        let (folder, authority) = (Folder::new(), Authority::start());
        Self { folder, authority }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = command(args);
        command
            .env("XDG_DATA_HOME", format!("{}/data", self.folder.path()))
            .env("SECRET", "secret-hush-hush")
            .current_dir(self.folder.path());
        command
    }

    fn run(&self, args: &[&str]) -> CommandOutput {
        let mut command = self.command(args);
        CommandOutput::of(command.stdin(Stdio::null()).output().expect("it starts"))
    }

    /// Begins to sign in, up to where the browser is needed.
    fn login(&self, args: &[&str]) -> Login {
        let all = [&["mcp", "login", "docs", "--no-browser"], args].concat();
        let mut child = self
            .command(&all)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        while !line.starts_with("  http") {
            line.clear();
            if stdout.read_line(&mut line).expect("a line") == 0 {
                let ended = child.wait_with_output().expect("it ends");
                panic!("{}", String::from_utf8_lossy(&ended.stderr));
            }
        }
        let address = line.trim().to_owned();
        Login {
            child,
            stdout,
            address,
        }
    }

    fn sign_in(&self) {
        let url = self.authority.url.clone();
        let login = self.login(&["--url", &url]);
        let redirected = visit(&login.address).expect("a redirect");
        assert!(get(&redirected).starts_with("HTTP/1.1 200 OK"));
        let ended = login.end().expect(0);
        assert!(ended.stdout.ends_with("signed in\n"), "{}", ended.stdout);
    }

    /// Imports the server's tools, and returns the path of their document.
    fn import(&self) -> &'static str {
        let url = self.authority.url.clone();
        let ended = self
            .run(&["mcp", "import", "docs", "--url", &url])
            .expect(0);
        assert_eq!(ended.stdout, "mcp/docs.gram: 1 tool\n");
        "mcp/docs.gram"
    }

    /// Returns the files of tokens.
    fn tokens(&self) -> Vec<PathBuf> {
        let folder = PathBuf::from(self.folder.path()).join("data/agent/mcp-tokens");
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let files = files.map(|file| file.path());
        files
            .filter(|file| file.extension().is_some_and(|found| found == "json"))
            .collect()
    }
}

impl Login {
    /// Waits until the command ends.
    fn end(mut self) -> CommandOutput {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).expect("UTF-8");
        let mut output = self.child.wait_with_output().expect("it ends");
        output.stdout = rest.into_bytes();
        CommandOutput::of(output)
    }
}

/// Opens an address as a browser, and returns the response.
fn get(address: &str) -> String {
    let rest = address.strip_prefix("http://").expect("http");
    let (host, path) = rest.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host).expect("somebody listens");
    write!(stream, "GET /{path} HTTP/1.1\r\nhost: {host}\r\n\r\n").expect("it is sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response");
    response
}

#[test]
fn a_person_signs_in_and_the_other_commands_use_the_tokens() {
    let person = Person::new();
    let url = person.authority.url.clone();
    let ended = person
        .run(&["mcp", "import", "docs", "--url", &url])
        .expect(2);
    let advice =
        format!("the server `docs` asks for a sign-in; run `agent mcp login docs --url {url}`");
    assert!(ended.stderr.contains(&advice), "{}", ended.stderr);
    person.sign_in();
    let [file] = &person.tokens()[..] else {
        panic!("{:?}", person.tokens());
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &std::path::Path| {
            path.metadata().expect("it is there").permissions().mode() & 0o777
        };
        assert_eq!(
            (mode(file), mode(file.parent().expect("a folder"))),
            (0o600, 0o700)
        );
    }
    let text = std::fs::read_to_string(file).expect("tokens");
    assert!(text.contains("refresh-hush"), "{text}");

    let lock = person.import();
    let document = std::fs::read_to_string(format!("{}/{lock}", person.folder.path()));
    assert!(!document.expect("a document").contains("hush"));
    person.run(&["mcp", "check", lock]).expect(0);
    let agent = person.folder.file("a.gram", agent_with_tools("docs_read"));
    let run = |debug: &[&str]| {
        let args = [
            "run",
            &agent,
            "read the page \"1\"",
            "--offline",
            "--mcp",
            lock,
        ];
        person.run(&[&args[..], debug].concat())
    };
    let ended = run(&[]).expect(0);
    assert!(
        ended.stdout.contains("docs_read {\"page\":\"1\"}"),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.contains("the page"), "{}", ended.stdout);

    // The tokens are refreshed when the server refuses them.
    person.authority.state().access.clear();
    let ended = run(&["--debug"]).expect(0);
    assert!(!ended.stderr.contains("hush"), "{}", ended.stderr);
    assert_eq!(person.authority.requests("/token").len(), 2);

    // Until the sign-in is taken back.
    person.authority.state().access.clear();
    person.authority.state().refresh.clear();
    for args in [
        &["mcp", "check", lock][..],
        &["mcp", "update", lock],
        &[
            "run",
            &agent,
            "read the page \"1\"",
            "--offline",
            "--mcp",
            lock,
        ],
    ] {
        let ended = person.run(args);
        assert_ne!(ended.code, 0, "{args:?}");
        let advice = "the server `docs` asks for a sign-in; run `agent mcp login docs`";
        assert!(ended.stderr.contains(advice), "{args:?}: {}", ended.stderr);
        assert!(!ended.stderr.contains("hush"), "{args:?}: {}", ended.stderr);
    }
    let login = person.login(&[]);
    get(&visit(&login.address).expect("a redirect"));
    login.end().expect(0);
    run(&[]).expect(0);

    let ended = person.run(&["mcp", "logout", "docs"]).expect(0);
    assert_eq!(ended.stdout, "signed out\n");
    assert!(person.tokens().is_empty());
    let ended = person.run(&["mcp", "logout", lock]).expect(0);
    assert_eq!(ended.stdout, "there were no tokens\n");
    assert!(run(&[]).stderr.contains("asks for a sign-in"));
}

#[test]
fn a_document_of_another_name_is_named_by_its_path() {
    let person = Person::new();
    person.sign_in();
    let url = person.authority.url.clone();
    let args = [
        "mcp",
        "import",
        "docs",
        "--url",
        &url,
        "--output",
        "other.gram",
    ];
    person.run(&args).expect(0);
    person.run(&["mcp", "logout", "other.gram"]).expect(0);
    let ended = person.run(&["mcp", "check", "other.gram"]);
    assert!(
        ended.stderr.contains("run `agent mcp login other.gram`"),
        "{}",
        ended.stderr
    );
}

#[test]
fn other_pages_cannot_end_a_sign_in() {
    let person = Person::new();
    let url = person.authority.url.clone();
    let login = person.login(&["--url", &url]);
    let redirected = visit(&login.address).expect("a redirect");
    let (start, query) = redirected.split_once('?').expect("a query");
    let state = &pairs(query)["state"];
    // One that is open and sends nothing, as browsers have them.
    let host = start
        .strip_prefix("http://")
        .and_then(|rest| rest.strip_suffix("/callback"));
    let _idle = TcpStream::connect(host.expect("a host")).expect("somebody listens");
    for (address, status) in [
        (format!("{start}?code=evil&state=another"), "400"),
        (format!("{start}?code=evil"), "400"),
        (format!("{start}/other?state={state}"), "404"),
        (start.replace("/callback", "/favicon.ico"), "404"),
    ] {
        let response = get(&address);
        assert!(
            response.starts_with(&format!("HTTP/1.1 {status}")),
            "{address}: {response}"
        );
        assert!(!response.contains("evil"), "{response}");
    }
    get(&redirected);
    login.end().expect(0);
    assert_eq!(person.authority.requests("/token").len(), 1);
}

#[test]
fn the_address_of_a_browser_on_another_machine_is_pasted() {
    let person = Person::new();
    let url = person.authority.url.clone();
    let mut login = person.login(&["--url", &url]);
    let redirected = visit(&login.address).expect("a redirect");
    let mut stdin = login.child.stdin.take().expect("a pipe");
    let cut = &redirected[..redirected.find("state=").expect("a state")];
    write!(stdin, "\nyes\n{cut}\n{redirected}#end\n").expect("it is read");
    let ended = login.end().expect(0);
    let hints = ended.stderr.matches("Paste the whole address:");
    assert_eq!(hints.count(), 2, "{}", ended.stderr);
    assert_eq!(person.tokens().len(), 1);
}

#[test]
fn a_sign_in_that_is_refused_is_an_error_with_the_reason() {
    let person = Person::new();
    let url = person.authority.url.clone();
    let login = person.login(&["--url", &url]);
    let redirected = visit(&login.address).expect("a redirect");
    let refused = redirected.replace(
        "code=",
        "error=access_denied&error_description=%1B%5B31mNo&was=",
    );
    get(&refused);
    let ended = login.end().expect(2);
    assert!(
        ended
            .stderr
            .contains("the authorization server refused it: "),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains("(access_denied)"), "{}", ended.stderr);
    assert!(!ended.stderr.contains('\u{1b}'), "{}", ended.stderr);
    assert!(person.tokens().is_empty());

    person
        .authority
        .rule(|request| (request.path == "/register").then(|| Answer::status(403, "")));
    let ended = person
        .run(&["mcp", "login", "docs", "--url", &url, "--no-browser"])
        .expect(2);
    for words in [
        "signing in at the server `docs` failed: ",
        "403",
        "and give `--client-id ID --port PORT`",
    ] {
        assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
    }
}

#[test]
fn a_call_that_needs_more_scopes_names_the_command_that_asks_for_them() {
    let person = Person::new();
    person.sign_in();
    let lock = person.import();
    person.authority.state().call_scope = Some("write".to_owned());
    let agent = person.folder.file("a.gram", agent_with_tools("docs_read"));
    let message = "read the page \"1\"";
    let run = ["run", &agent, message, "--offline", "--mcp", lock];
    let ended = person.run(&run);
    let login = "agent mcp login docs --scope read --scope write";
    let advice = format!("the sign-in lacks the scope `write`; run `{login}`");
    let shown = format!("{}{}", ended.stdout, ended.stderr);
    assert!(shown.contains(&advice), "{shown}");
    let args = login.strip_prefix("agent mcp login docs ").expect("it");
    let args: Vec<&str> = args.split(' ').collect();
    let login = person.login(&args);
    get(&visit(&login.address).expect("a redirect"));
    login.end().expect(0);
    let ended = person.run(&run).expect(0);
    assert!(ended.stdout.contains("the page"), "{}", ended.stdout);
}

#[test]
fn a_server_without_a_folder_for_tokens_names_the_header() {
    let person = Person::new();
    let url = person.authority.url.clone();
    let homeless = command(&["mcp", "import", "docs", "--url", &url])
        .current_dir(person.folder.path())
        .output();
    let homeless = CommandOutput::of(homeless.expect("it starts")).expect(2);
    let words = "asks for a sign-in; give it a token in its header `authorization`";
    assert!(homeless.stderr.contains(words), "{}", homeless.stderr);
}

#[test]
fn a_client_that_was_registered_by_hand_has_its_id_its_secret_and_its_port() {
    let person = Person::new();
    person.authority.state().secret = Some("secret-hush-hush".to_owned());
    let (url, issuer) = (
        person.authority.url.clone(),
        person.authority.issuer.clone(),
    );
    let client = [
        "--url",
        &url,
        "--client-id",
        "ours",
        "--client-secret-env",
        "SECRET",
        "--scope",
        "write",
    ];
    let login = person.login(&[&client[..], &["--issuer", &issuer]].concat());
    let asked = pairs(login.address.split_once('?').expect("a query").1);
    assert_eq!((&*asked["client_id"], &*asked["scope"]), ("ours", "write"));
    get(&visit(&login.address).expect("a redirect"));
    login.end().expect(0);
    assert!(person.authority.requests("/register").is_empty());
    // A later program has the secret, too.
    person.authority.state().access.clear();
    person.import();

    let other = [
        &["mcp", "login", "docs", "--no-browser"],
        &client[..],
        &["--issuer", "https://auth.example"],
    ];
    let ended = person.run(&other.concat()).expect(2);
    assert!(
        ended.stderr.contains("`https://auth.example` is expected"),
        "{}",
        ended.stderr
    );
    let used = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = used.local_addr().expect("an address").port().to_string();
    let taken = [
        "mcp",
        "login",
        "docs",
        "--url",
        &url,
        "--no-browser",
        "--port",
        &port,
    ];
    let ended = person.run(&taken).expect(2);
    assert!(
        ended.stderr.contains("cannot wait for the browser"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_server_without_a_sign_in_is_an_error_that_says_what_would_be_right() {
    let person = Person::new();
    std::fs::create_dir(format!("{}/mcp", person.folder.path())).expect("a folder");
    person.folder.file(
        "mcp/files.gram",
        r#"[files:Mcp {command: ["files-server"]}]"#,
    );
    person.folder.file(
        "mcp/keyed.gram",
        r#"[keyed:Mcp {url: "https://a.example/mcp", headers: {authorization: "Bearer {{KEY}}"}}]"#,
    );
    for (args, words) in [
        (
            &["docs"][..],
            "there is no document `mcp/docs.gram`; `--url URL`",
        ),
        (&["files"], "the server `files` is started as a command"),
        (&["keyed"], "a header `authorization`"),
        (
            &["docs", "--url", "http://a.example/mcp"],
            "signing in at the server `docs` failed",
        ),
        (&["docs", "--url", "nonsense"], "is no URL"),
        (
            &[
                "docs",
                "--url",
                "https://a.example",
                "--client-id",
                "a",
                "--client-secret-env",
                "NONE",
            ],
            "`NONE`",
        ),
    ] {
        let ended = person.run(&[&["mcp", "login"], args].concat()).expect(2);
        assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
    }
    let homeless = command(&["mcp", "login", "docs", "--url", "https://a.example"]).output();
    let homeless = CommandOutput::of(homeless.expect("it starts")).expect(2);
    assert!(
        homeless.stderr.contains("set HOME, or XDG_DATA_HOME"),
        "{}",
        homeless.stderr
    );
}
