//! An MCP server and its authorization server on 127.0.0.1, whose answers an input replaces.

use crate::server::{self, Answer, Request, header};
use crate::{first_line, sections};
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock, Mutex};

/// The server of the process.
pub static MCP: LazyLock<Mcp> = LazyLock::new(Mcp::start);

/// The maximum number of answers of an input.
const MAX_ANSWERS: usize = 10;

/// A server whose answers can be replaced.
pub struct Mcp {
    base: String,
    answers: Arc<Mutex<Answers>>,
}

/// The answers of an input, each with the method or the path that it answers.
#[derive(Clone, Debug, Default)]
pub struct Answers(Vec<(String, Answer)>);

impl Answers {
    /// Reads the answers of an input, as the target `mcp_client` describes them.
    #[must_use]
    pub fn read(input: &[u8]) -> Self {
        let sections = sections(input).into_iter().take(MAX_ANSWERS);
        let answers = sections.map(|section| {
            let (line, body) = first_line(section);
            let mut words = line.splitn(3, ' ');
            let key = words.next().unwrap_or_default().to_owned();
            let (status, kind) = match words.next().unwrap_or_default() {
                "sse" => (200, "text/event-stream"),
                word => (word.parse().unwrap_or(200), "application/json"),
            };
            let answer = Answer {
                status: Some(status)
                    .filter(|status| (200..600).contains(status))
                    .unwrap_or(200),
                headers: header("content-type", kind)
                    + &header("www-authenticate", words.next().unwrap_or_default())
                    + &match key.as_str() {
                        "initialize" => header("mcp-session-id", "session-1"),
                        _ => String::new(),
                    },
                body: body.to_vec(),
                piece: None,
            };
            (key, answer)
        });
        Self(answers.collect())
    }

    /// Removes the answer for a key, and returns its body.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<String> {
        let (_, answer) = self.0.iter().find(|(found, _)| found == key)?;
        Some(String::from_utf8_lossy(&answer.body).into_owned())
    }

    /// Takes the first answer for a key. The last one stays, so that each further request gets it, too.
    fn take(&mut self, key: &str) -> Option<Answer> {
        let mut found = self.0.iter().enumerate().filter(|(_, (own, _))| own == key);
        let (first, _) = found.next()?;
        match found.next() {
            Some(_) => Some(self.0.remove(first).1),
            None => Some(self.0[first].1.clone()),
        }
    }
}

impl Mcp {
    fn start() -> Self {
        let answers: Arc<Mutex<Answers>> = Arc::default();
        let (shared, base) = (Arc::clone(&answers), Arc::new(Mutex::new(String::new())));
        let known = Arc::clone(&base);
        let port = server::start(move |request| {
            let base = known.lock().expect("no panic").clone();
            answer(request, &mut shared.lock().expect("no panic"), &base)
        });
        let address = format!("http://127.0.0.1:{port}");
        base.lock().expect("no panic").clone_from(&address);
        Self {
            base: address,
            answers,
        }
    }

    /// Returns the address of the MCP server.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/mcp", self.base)
    }

    /// Replaces the answers.
    ///
    /// # Panics
    /// When the server panicked.
    pub fn answer(&self, answers: Answers) {
        *self.answers.lock().expect("no panic") = answers;
    }
}

fn answer(request: &Request, answers: &mut Answers, base: &str) -> Answer {
    let message: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let method = message["method"].as_str().unwrap_or_default();
    let path = request.line.split(' ').nth(1).unwrap_or_default();
    let key = match path {
        "/mcp" => method,
        path => path,
    };
    let Some(mut found) = answers.take(key) else {
        return usual(key, &message["id"], base);
    };
    let text = String::from_utf8_lossy(&found.body);
    let text = text
        .replace("$id", &message["id"].to_string())
        .replace("$base", base);
    found.body = text.into_bytes();
    found.headers = found.headers.replace("$base", base);
    found
}

/// Returns the answer of a right server.
fn usual(key: &str, id: &Value, base: &str) -> Answer {
    let own = |path: &str| format!("{base}{path}");
    let document = match key {
        "/.well-known/oauth-protected-resource/mcp" => {
            json!({"resource": own("/mcp"), "authorization_servers": [base]})
        }
        "/.well-known/oauth-authorization-server" => json!({
            "issuer": base,
            "authorization_endpoint": own("/authorize"),
            "token_endpoint": own("/token"),
            "registration_endpoint": own("/register"),
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "none"],
        }),
        "/register" => json!({"client_id": "c", "redirect_uris": ["http://127.0.0.1:1/callback"]}),
        "/token" => json!({"access_token": "token-1", "token_type": "Bearer", "expires_in": 3600}),
        _ => Value::Null,
    };
    if !document.is_null() {
        return Answer::json(document.to_string());
    }
    let result = match key {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "web", "version": "1"},
        }),
        "tools/list" => json!({"tools": [{
            "name": "post",
            "inputSchema": {"type": "object", "properties": {"title": {}, "count": {"type": "integer"}}},
        }]}),
        "tools/call" => json!({"content": [{"type": "text", "text": "posted"}]}),
        "server/discover" => {
            let error = json!({"code": -32601, "message": "unknown"});
            return Answer::json(json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
        }
        key => {
            let mut answer = Answer::json("");
            answer.status = match key {
                "" => 405,
                key if key.starts_with('/') => 404,
                _ => 202,
            };
            return answer;
        }
    };
    Answer::json(json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string())
}
