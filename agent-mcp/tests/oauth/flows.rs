//! Sign-ins as a host and a person see them.

use super::authority::{Answer, Authority, visit};
use crate::fixture::call;
use agent_mcp::{McpServer, McpTransport, MissingAuthorization, SignIn, TokenFolder, TokenStore};
use agent_runtime::serde_json::{self, Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

/// A folder that is removed at the end of a test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("agent-mcp-oauth-{}-{name}", std::process::id());
        Self(std::env::temp_dir().join(name).join("tokens"))
    }

    fn store(&self) -> TokenFolder {
        TokenFolder::new(&self.0)
    }

    /// Returns the names of the files of tokens.
    fn files(&self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(&self.0).into_iter().flatten().flatten();
        let files = files.map(|file| file.path());
        files
            .filter(|file| file.extension().is_some_and(|found| found == "json"))
            .collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.0.parent().expect("a folder"));
    }
}

/// A person with a browser who agrees at once.
pub(super) fn person() -> SignIn {
    SignIn::browser("http://127.0.0.1:1/callback", async |address| {
        visit(&address)
    })
}

/// Returns the advice about a sign-in that is missing.
fn login(missing: &MissingAuthorization) -> Option<String> {
    Some(match missing {
        MissingAuthorization::Scopes(scopes) => {
            format!("run `login docs` for {}", scopes.join(", "))
        }
        _ => "run `login docs`".to_owned(),
    })
}

pub(super) fn docs(authority: &Authority, sign_in: SignIn) -> McpServer {
    McpServer::http("docs", &*authority.url).sign_in(sign_in)
}

/// Signs a person in, whose tokens a store keeps.
pub(super) async fn signed_in(authority: &Authority, store: impl TokenStore + 'static) {
    let signed_in = docs(authority, person().store(store)).authorize().await;
    signed_in.expect("a sign-in");
}

async fn read(server: McpServer) -> Result<Value, String> {
    let server = server.connect().await.map_err(|error| error.to_string())?;
    let page = call(&server, "docs_read", &json!({"page": "1"})).await;
    page.map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_person_signs_in_when_the_server_asks_for_it() {
    let authority = Authority::start();
    let server = docs(&authority, person().client_name("tests")).header("x-key", "hush-hush-hush");
    assert_eq!(read(server).await, Ok(json!("the page")));
    let registered = authority.requests("/register");
    assert_eq!(registered.len(), 1);
    assert!(
        registered[0].body.contains(r#""client_name":"tests""#),
        "{registered:?}"
    );
    let asked = authority.requests("/authorize");
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].query["scope"], "read");
    for request in &authority.state().requests {
        let has_token =
            request.head.contains("access-hush") || request.body.contains("access-hush");
        assert!(!has_token || request.path == "/mcp", "{request:?}");
        assert!(
            request.is_for_mcp || request.header("x-key").is_none(),
            "{request:?}"
        );
    }
}

#[tokio::test]
async fn tokens_of_a_folder_are_for_the_user_alone_and_serve_the_next_program() {
    let authority = Authority::start();
    let folder = Folder::new("kept");
    signed_in(&authority, folder.store()).await;
    let [file] = &folder.files()[..] else {
        panic!("{:?}", folder.files());
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| path.metadata().expect("it is there").permissions().mode() & 0o777;
        assert_eq!((mode(file), mode(&folder.0)), (0o600, 0o700));
    }
    let _: &Path = file;
    let asked = authority.requests("/authorize").len();
    assert_eq!(
        read(docs(&authority, SignIn::stored(folder.store()))).await,
        Ok(json!("the page"))
    );
    assert_eq!(authority.requests("/authorize").len(), asked);
    let removed = docs(&authority, SignIn::stored(folder.store()))
        .sign_out()
        .await;
    assert!(removed.expect("a store"));
    assert!(folder.files().is_empty());
    let removed = docs(&authority, SignIn::stored(folder.store()))
        .sign_out()
        .await;
    assert!(!removed.expect("a store"));
}

#[tokio::test]
async fn a_server_that_repeats_its_token_gives_it_to_nobody() {
    let authority = Authority::start();
    authority.rule(|request| {
        let token = request.header("authorization")?;
        let message: Value = serde_json::from_str(&request.body).ok()?;
        let page = json!({"type": "string", "enum": [token, "1"], "description": token});
        let properties = json!({"page": page});
        let schema = json!({"type": "object", "properties": properties});
        let result = match message["method"].as_str()? {
            "tools/list" => json!({"tools": [
                {"name": "read", "description": token, "inputSchema": schema},
                {"name": token, "description": "b", "inputSchema": {"type": "object"}},
            ]}),
            "tools/call" => json!({"content": [{"type": "text", "text": token}]}),
            _ => return None,
        };
        Some(Answer::json(
            &json!({"jsonrpc": "2.0", "id": message["id"], "result": result}),
        ))
    });
    let folder = Folder::new("repeated");
    signed_in(&authority, folder.store()).await;
    let server = docs(&authority, SignIn::stored(folder.store()));
    let server = server.connect().await.expect("a server");
    let transport = McpTransport::Http {
        url: authority.url.clone().into(),
        headers: Vec::new(),
    };
    let imported = server.imported(transport);
    let text = format!(
        "{}{:?}{:?}",
        imported.lock.to_gram(),
        imported.refused,
        server.tools()
    );
    assert!(
        text.contains("[key]") && !text.contains("access-hush"),
        "{text}"
    );
    let result = call(&server, "docs_read", &json!({"page": "1"})).await;
    assert_eq!(result, Ok(json!("Bearer [key]")));
}

#[tokio::test]
async fn a_token_that_has_expired_or_is_refused_is_refreshed() {
    let authority = Authority::start();
    authority.state().secret = Some("secret-hush".to_owned());
    authority.state().expires_in = Some(1);
    let folder = Folder::new("refreshed");
    signed_in(&authority, folder.store()).await;
    tokio::time::sleep(std::time::Duration::from_millis(2100)).await;
    authority.state().expires_in = Some(3600);
    let server = docs(&authority, SignIn::stored(folder.store()))
        .connect()
        .await;
    let server = server.expect("a refresh");
    assert_eq!(authority.requests("/token").len(), 2);
    // The server forgets the token before it has expired.
    authority.state().access.clear();
    let page = call(&server, "docs_read", &json!({"page": "1"})).await;
    assert_eq!(page, Ok(json!("the page")));
    let requests = authority.requests("/token");
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[2].form()["grant_type"], "refresh_token");
    assert_eq!(authority.requests("/authorize").len(), 1);
    assert!(!authority.state().reused);
}

#[tokio::test]
async fn processes_with_the_same_tokens_do_not_lose_the_sign_in() {
    let authority = Authority::start();
    let folder = Folder::new("shared");
    signed_in(&authority, folder.store()).await;
    authority.state().access.clear();
    let reads = (0..6).map(|_| {
        let server = docs(&authority, SignIn::stored(folder.store()));
        tokio::spawn(read(server))
    });
    let reads: Vec<_> = reads.collect();
    for page in reads {
        assert_eq!(page.await.expect("no panic"), Ok(json!("the page")));
    }
    assert!(!authority.state().reused);
}

#[tokio::test]
async fn a_sign_in_that_has_ended_says_what_to_do() {
    let authority = Authority::start();
    let folder = Folder::new("ended");
    let stored = || SignIn::stored(folder.store()).advice(login);
    let error = docs(&authority, stored())
        .connect()
        .await
        .expect_err("no tokens");
    assert!(error.is_unauthorized());
    assert_eq!(
        error.to_string(),
        "the server `docs` asks for a sign-in; run `login docs`"
    );
    signed_in(&authority, folder.store()).await;
    let server = docs(&authority, stored()).connect().await.expect("tokens");
    authority.state().access.clear();
    authority.state().refresh.clear();
    let error = call(&server, "docs_read", &json!({"page": "1"})).await;
    let error = error.expect_err("revoked").to_string();
    assert!(
        error.contains("the tool `read` of the server `docs` cannot be called: it asks for a sign-in; run `login docs`"),
        "{error}"
    );
    let error = docs(&authority, stored())
        .connect()
        .await
        .expect_err("revoked");
    assert!(
        error
            .to_string()
            .ends_with("asks for a sign-in; run `login docs`"),
        "{error}"
    );
}

#[tokio::test]
async fn an_authorization_server_that_fails_is_not_taken_for_a_sign_in_that_has_ended() {
    let authority = Authority::start();
    let folder = Folder::new("failing");
    signed_in(&authority, folder.store()).await;
    authority.state().access.clear();
    authority.rule(|request| (request.path == "/token").then(|| Answer::status(503, "")));
    let error = read(docs(&authority, SignIn::stored(folder.store()))).await;
    let error = error.expect_err("no refresh");
    assert!(
        error.contains("`docs`") && error.contains("the sign-in cannot be used"),
        "{error}"
    );
    authority.rule(|_| None);
    assert_eq!(
        read(docs(&authority, SignIn::stored(folder.store()))).await,
        Ok(json!("the page"))
    );
}

#[tokio::test]
async fn a_call_that_needs_more_rights_asks_the_person_for_them() {
    let authority = Authority::start();
    authority.state().call_scope = Some("write".to_owned());
    assert_eq!(
        read(docs(&authority, person())).await,
        Ok(json!("the page"))
    );
    let asked = authority.requests("/authorize");
    let scopes: Vec<_> = asked
        .iter()
        .map(|request| &*request.query["scope"])
        .collect();
    assert_eq!(scopes, ["read", "read write"]);
    assert_eq!(authority.requests("/register").len(), 1);

    let folder = Folder::new("rights");
    authority.state().call_scope = None;
    signed_in(&authority, folder.store()).await;
    authority.state().call_scope = Some("admin".to_owned());
    let stored = SignIn::stored(folder.store()).advice(login);
    let error = read(docs(&authority, stored)).await.expect_err("no person");
    assert!(
        error.contains("the sign-in lacks the scope `admin`; run `login docs` for read, admin"),
        "{error}"
    );
}

#[tokio::test]
async fn a_server_that_never_has_enough_rights_is_not_asked_for_ever() {
    let authority = Authority::start();
    authority.rule(|request| {
        let challenge = "www-authenticate: Bearer error=\"insufficient_scope\", scope=\"more\"\r\n";
        request
            .body
            .contains("tools/call")
            .then(|| Answer::status(403, challenge))
    });
    let error = read(docs(&authority, person()))
        .await
        .expect_err("never enough");
    assert!(
        error.contains("the sign-in lacks the scope `more`"),
        "{error}"
    );
    assert_eq!(authority.requests("/authorize").len(), 4);
}

#[tokio::test]
async fn several_calls_ask_a_person_once() {
    let authority = Authority::start();
    authority.state().call_scope = Some("write".to_owned());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let sign_in = SignIn::browser("http://127.0.0.1:1/callback", move |address| {
        count.fetch_add(1, Ordering::SeqCst);
        async move { visit(&address) }
    });
    let server = docs(&authority, sign_in)
        .connect()
        .await
        .expect("a sign-in");
    let calls = (0..4).map(|_| {
        let server = server.clone();
        tokio::spawn(async move { call(&server, "docs_read", &json!({})).await })
    });
    let calls: Vec<_> = calls.collect();
    for page in calls {
        assert_eq!(page.await.expect("no panic"), Ok(json!("the page")));
    }
    // Once to connect, and once for all calls.
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_person_who_refuses_is_asked_once_for_all_calls() {
    const CALLS: usize = 4;
    let authority = Authority::start();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let sign_in = SignIn::browser("http://127.0.0.1:1/callback", move |address| {
        let is_first = count.fetch_add(1, Ordering::SeqCst) == 0;
        async move {
            match is_first {
                true => visit(&address),
                false => Err(std::io::Error::other("the person refuses")),
            }
        }
    });
    let server = docs(&authority, sign_in).connect().await;
    let server = server.expect("a sign-in");
    authority.state().call_scope = Some("write".to_owned());
    // No call is answered before all are there.
    let arrived = Arc::new(Barrier::new(CALLS));
    authority.rule(move |request| {
        if request.body.contains("tools/call") {
            arrived.wait();
        }
        None
    });
    let calls = (0..CALLS).map(|_| {
        let server = server.clone();
        tokio::spawn(async move { call(&server, "docs_read", &json!({})).await })
    });
    let calls: Vec<_> = calls.collect();
    for refused in calls {
        let error = refused.await.expect("no panic").expect_err("no rights");
        assert!(error.to_string().contains("the person refuses"), "{error}");
    }
    // Once to connect, and once for all calls.
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_program_signs_in_with_its_secret() {
    let authority = Authority::start();
    authority.state().secret = Some("secret-hush".to_owned());
    let sign_in = SignIn::client_secret("worker", "secret-hush").issuer(&*authority.issuer);
    let server = docs(&authority, sign_in)
        .connect()
        .await
        .expect("a sign-in");
    authority.state().access.clear();
    let page = call(&server, "docs_read", &json!({"page": "1"})).await;
    assert_eq!(page, Ok(json!("the page")));
    let requests = authority.requests("/token");
    assert_eq!(requests.len(), 2);
    for request in requests {
        let form = request.form();
        assert_eq!(form["grant_type"], "client_credentials");
        assert_eq!((&*form["client_id"], &*form["scope"]), ("worker", "read"));
    }
    assert!(authority.requests("/authorize").is_empty());

    let wrong = docs(
        &authority,
        SignIn::client_secret("worker", "wrong-hush-hush"),
    )
    .connect()
    .await;
    let error = wrong.expect_err("a wrong secret");
    assert!(error.is_unauthorized(), "{error}");
    assert!(error.to_string().contains("invalid_client"), "{error}");
    assert!(!error.to_string().contains("hush"), "{error}");
}

#[tokio::test]
async fn a_client_that_was_given_an_id_does_not_register() {
    let authority = Authority::start();
    authority.state().secret = Some("secret-hush".to_owned());
    let sign_in = person()
        .client_with_secret("ours", "secret-hush")
        .issuer(&*authority.issuer)
        .scopes(["write", "admin"]);
    assert_eq!(read(docs(&authority, sign_in)).await, Ok(json!("the page")));
    assert!(authority.requests("/register").is_empty());
    let asked = &authority.requests("/authorize")[0].query;
    assert_eq!(
        (&*asked["client_id"], &*asked["scope"]),
        ("ours", "write admin")
    );
}

#[tokio::test]
async fn an_authorization_server_that_registers_no_clients_says_what_to_do() {
    let authority = Authority::start();
    let own = authority.clone();
    authority.rule(move |request| {
        let mut metadata = own.metadata();
        let members = metadata.as_object_mut().expect("an object");
        members.remove("registration_endpoint");
        let is_asked = request.path == "/.well-known/oauth-authorization-server";
        is_asked.then(|| Answer::json(&metadata))
    });
    let advised = person().advice(|missing| match missing {
        MissingAuthorization::Client => Some("register it".to_owned()),
        _ => None,
    });
    for (sign_in, advice) in [
        (advised, "; register it"),
        (
            person(),
            "; register a client by hand, and set its id with `SignIn::client`",
        ),
    ] {
        let error = docs(&authority, sign_in).authorize().await;
        let error = error.expect_err("no registration").to_string();
        assert!(error.ends_with(advice), "{error}");
    }
    let page = read(docs(&authority, person().client("ours"))).await;
    assert_eq!(page, Ok(json!("the page")));
}

#[tokio::test]
async fn no_token_of_one_server_reaches_another() {
    let (one, other) = (Authority::start(), Authority::start());
    let folder = Folder::new("two");
    signed_in(&one, folder.store()).await;
    let path = McpServer::http("docs", format!("{}?tenant=2", one.url));
    for server in [
        docs(&other, SignIn::stored(folder.store())),
        path.sign_in(SignIn::stored(folder.store())),
    ] {
        let error = server.connect().await.expect_err("no tokens");
        assert!(error.is_unauthorized(), "{error}");
    }
    // A file that was put in the place of another one's.
    signed_in(&other, folder.store()).await;
    let text = |file: &PathBuf| std::fs::read_to_string(file).expect("tokens");
    let files = folder.files();
    let (of_one, of_other): (Vec<_>, Vec<_>) =
        files.iter().partition(|file| text(file).contains(&one.url));
    std::fs::copy(of_one[0], of_other[0]).expect("a copy");
    let error = docs(&other, SignIn::stored(folder.store())).connect().await;
    assert!(error.expect_err("no tokens").is_unauthorized());
    for request in &other.state().requests {
        let own = request.path == "/token" || request.header("authorization").is_none();
        assert!(own, "{request:?}");
    }
}

#[tokio::test]
async fn stored_tokens_that_cannot_be_read_are_an_error_without_them() {
    let authority = Authority::start();
    let folder = Folder::new("damaged");
    signed_in(&authority, folder.store()).await;
    let [file] = &folder.files()[..] else {
        panic!("{:?}", folder.files());
    };
    let text = std::fs::read_to_string(file).expect("tokens");
    let is_number = text.replacen("\"access-hush-2\"", "7", 1);
    assert_ne!(is_number, text);
    for damaged in [&is_number, &text[..text.len() / 2]] {
        std::fs::write(file, damaged).expect("a file");
        let stored = SignIn::stored(folder.store()).advice(login);
        let error = read(docs(&authority, stored)).await.expect_err(damaged);
        assert!(
            error.contains("the stored tokens cannot be read; run `login docs`"),
            "{error}"
        );
        assert!(!error.contains("hush"), "{error}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_pipe_in_the_place_of_a_file_of_tokens_is_an_error() {
    let authority = Authority::start();
    let folder = Folder::new("pipe");
    signed_in(&authority, folder.store()).await;
    let [file] = &folder.files()[..] else {
        panic!("{:?}", folder.files());
    };
    for (path, words) in [
        (file.clone(), "it is a pipe"),
        (file.with_extension("lock"), "it is no ordinary file"),
    ] {
        std::fs::remove_file(&path).expect("a file");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo").success());
        let server = || docs(&authority, SignIn::stored(folder.store()));
        let error = match words {
            "it is a pipe" => read(server()).await.expect_err(words),
            _ => server().sign_out().await.expect_err(words).to_string(),
        };
        assert!(error.contains(words), "{error}");
        std::fs::remove_file(&path).expect("a pipe");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_of_tokens_to_which_others_have_access_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let authority = Authority::start();
    let folder = Folder::new("open");
    let sign_in = async || {
        let server = docs(&authority, person().store(folder.store()));
        server.authorize().await.map_err(|error| error.to_string())
    };
    sign_in().await.expect("a sign-in");
    for mode in [0o750, 0o707, 0o755] {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&folder.0, permissions).expect("a folder");
        let stored = read(docs(&authority, SignIn::stored(folder.store()))).await;
        let words = format!("(mode {mode:o}); run `chmod 700 '{}'`", folder.0.display());
        for error in [stored.map(drop), sign_in().await] {
            let error = error.expect_err("others have access");
            assert!(error.contains(&words), "{error}");
        }
    }
    let permissions = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(&folder.0, permissions).expect("a folder");
    let page = read(docs(&authority, SignIn::stored(folder.store()))).await;
    assert_eq!(page, Ok(json!("the page")));
}

#[tokio::test]
async fn a_sign_in_that_does_not_fit_the_server_is_a_configuration_error() {
    let stored = || SignIn::client_secret("a", "hush-hush-hush");
    let url = "https://a.example/mcp";
    for (server, words) in [
        (
            McpServer::stdio("s", "true", [""; 0]).sign_in(stored()),
            "`sign_in` is for servers that are reached by HTTP",
        ),
        (
            McpServer::http("docs", url)
                .sign_in(stored())
                .header("Authorization", "Bearer x"),
            "both the header `authorization` and a sign-in",
        ),
    ] {
        let shown = format!("{server:?}");
        let error = server.connect().await.expect_err(words);
        assert!(error.is_configuration(), "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(!shown.contains("hush"), "{shown}");
    }
    let shown = format!("{:?}", stored());
    assert!(
        shown.contains("client_secret") && !shown.contains("hush"),
        "{shown}"
    );
    let error = McpServer::http("docs", url)
        .authorize()
        .await
        .expect_err("no way");
    assert!(error.is_configuration(), "{error}");
}

#[tokio::test]
async fn a_refusal_without_a_challenge_keeps_its_cause_and_says_what_may_help() {
    let authority = Authority::start();
    authority.rule(|request| {
        let refused = Answer {
            status: 403,
            headers: "content-type: text/plain\r\n".to_owned(),
            body: "not for you".to_owned(),
            ..Answer::json(&json!(null))
        };
        (request.path == "/mcp").then_some(refused)
    });
    let folder = Folder::new("forbidden");
    let stored = SignIn::stored(folder.store()).advice(login);
    let url = &*authority.url;
    for (server, advice) in [
        (docs(&authority, stored), "run `login docs`"),
        (
            McpServer::http("docs", url),
            "give it a token in its header `authorization`, or a way to sign in",
        ),
        (
            McpServer::http("docs", url).header("authorization", "Bearer hush-hush"),
            "give it a valid token in its header `authorization`",
        ),
    ] {
        let error = read(server).await.expect_err("it is refused");
        let words =
            format!("the status 403 Forbidden: not for you; if it wants a sign-in, {advice}");
        assert!(error.contains(&words), "{error}");
    }
    authority.rule(|_| None);
    let error = read(McpServer::http("docs", url))
        .await
        .expect_err("no token");
    assert!(
        error.contains("asks for a sign-in; give it a token in its header"),
        "{error}"
    );
}
