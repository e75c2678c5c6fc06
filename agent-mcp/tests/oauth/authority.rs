//! An MCP server that asks for a sign-in, and its authorization server, on two ports of this machine. The command's tests
//! use it, too.

use agent_runtime::media::Sha256;
use agent_runtime::serde_json::{self, Value, json};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// A request to one of the two servers.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Whether it is to the MCP server.
    pub(crate) is_for_mcp: bool,
    pub(crate) path: String,
    pub(crate) query: HashMap<String, String>,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Request {
    /// Returns the fields of a form.
    pub(crate) fn form(&self) -> HashMap<String, String> {
        pairs(&self.body)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// An answer to a request.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: String,
    pub(crate) body: String,
    /// Whether the body never ends, or ends never to come.
    pub(crate) ending: Ending,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Ending {
    Usual,
    Endless,
    Silent,
}

impl Answer {
    pub(crate) fn json(body: &Value) -> Self {
        Self {
            status: 200,
            headers: "content-type: application/json\r\n".to_owned(),
            body: body.to_string(),
            ending: Ending::Usual,
        }
    }

    pub(crate) fn status(status: u16, headers: &str) -> Self {
        Self {
            status,
            headers: headers.to_owned(),
            body: String::new(),
            ending: Ending::Usual,
        }
    }

    pub(crate) fn ending(ending: Ending) -> Self {
        Self {
            ending,
            ..Self::json(&json!({}))
        }
    }
}

/// The state of the servers.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) requests: Vec<Request>,
    /// The scopes of each access token that is valid.
    pub(crate) access: HashMap<String, String>,
    /// The scopes of each refresh token that is valid.
    pub(crate) refresh: HashMap<String, String>,
    /// The refresh tokens that were used more than once.
    pub(crate) used: HashSet<String>,
    pub(crate) reused: bool,
    codes: HashMap<String, HashMap<String, String>>,
    issued: usize,
    /// The lifetime of access tokens.
    pub(crate) expires_in: Option<u64>,
    /// The scope that a call of the tool needs.
    pub(crate) call_scope: Option<String>,
    /// The secret that clients must have.
    pub(crate) secret: Option<String>,
}

type Rule = dyn Fn(&Request) -> Option<Answer> + Send + Sync;

/// The two servers.
#[derive(Clone)]
pub(crate) struct Authority {
    /// The address of the MCP server.
    pub(crate) url: String,
    pub(crate) issuer: String,
    state: Arc<Mutex<State>>,
    rule: Arc<Mutex<Arc<Rule>>>,
}

impl Authority {
    pub(crate) fn start() -> Self {
        let bind = || TcpListener::bind("127.0.0.1:0").expect("a port");
        let (mcp, own) = (bind(), bind());
        let port = |listener: &TcpListener| listener.local_addr().expect("an address").port();
        let authority = Self {
            url: format!("http://127.0.0.1:{}/mcp", port(&mcp)),
            issuer: format!("http://127.0.0.1:{}", port(&own)),
            state: Arc::default(),
            rule: Arc::new(Mutex::new(Arc::new(|_: &Request| None))),
        };
        for (listener, is_for_mcp) in [(mcp, true), (own, false)] {
            let authority = authority.clone();
            thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    let authority = authority.clone();
                    // A client may go away at any time.
                    thread::spawn(move || authority.serve(stream, is_for_mcp).is_ok());
                }
            });
        }
        authority
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets a function whose answers are sent in place of the usual ones.
    pub(crate) fn rule(&self, rule: impl Fn(&Request) -> Option<Answer> + Send + Sync + 'static) {
        *self.rule.lock().expect("a rule") = Arc::new(rule);
    }

    /// Returns the requests for a path.
    pub(crate) fn requests(&self, path: &str) -> Vec<Request> {
        let state = self.state();
        let requests = state.requests.iter().filter(|request| request.path == path);
        requests.cloned().collect()
    }

    fn origin(&self) -> &str {
        self.url.strip_suffix("/mcp").expect("its path")
    }

    /// The metadata of the MCP server.
    pub(crate) fn resource(&self) -> Value {
        json!({"resource": self.url, "authorization_servers": [self.issuer], "scopes_supported": ["read"]})
    }

    /// The metadata of the authorization server.
    pub(crate) fn metadata(&self) -> Value {
        let own = |path: &str| format!("{}{path}", self.issuer);
        json!({
            "issuer": self.issuer,
            "authorization_endpoint": own("/authorize"),
            "token_endpoint": own("/token"),
            "registration_endpoint": own("/register"),
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
            "token_endpoint_auth_methods_supported": ["client_secret_post", "none"]
        })
    }

    fn serve(&self, mut stream: TcpStream, is_for_mcp: bool) -> io::Result<()> {
        let request = read(&mut stream, is_for_mcp)?;
        let rule = Arc::clone(&self.rule.lock().expect("a rule"));
        self.state().requests.push(request.clone());
        let answer = rule(&request).unwrap_or_else(|| match is_for_mcp {
            true => self.mcp(&request),
            false => self.authorization(&request),
        });
        let (status, headers) = (answer.status, answer.headers);
        match answer.ending {
            Ending::Usual => {
                let length = answer.body.len();
                let head = format!(
                    "HTTP/1.1 {status} .\r\ncontent-length: {length}\r\nconnection: close\r\n"
                );
                stream.write_all(format!("{head}{headers}\r\n{}", answer.body).as_bytes())
            }
            Ending::Endless => {
                let head = format!("HTTP/1.1 {status} .\r\nconnection: close\r\n{headers}\r\n");
                stream.write_all(head.as_bytes())?;
                loop {
                    stream.write_all(&[b' '; 4096])?;
                }
            }
            // Until the client goes away.
            Ending::Silent => io::copy(&mut stream, &mut io::sink()).map(drop),
        }
    }

    fn mcp(&self, request: &Request) -> Answer {
        if request.path == "/.well-known/oauth-protected-resource/mcp" {
            return Answer::json(&self.resource());
        }
        if request.path != "/mcp" {
            return Answer::status(404, "");
        }
        let document = format!("{}/.well-known/oauth-protected-resource/mcp", self.origin());
        let token = request.header("authorization").unwrap_or_default();
        let token = token.strip_prefix("Bearer ").unwrap_or_default();
        let state = self.state();
        let Some(scopes) = state.access.get(token) else {
            return Answer::status(
                401,
                &format!("www-authenticate: Bearer resource_metadata=\"{document}\"\r\n"),
            );
        };
        let message: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let method = message["method"].as_str().unwrap_or_default();
        if let Some(needed) = state
            .call_scope
            .as_deref()
            .filter(|_| method == "tools/call")
            && !scopes.split(' ').any(|scope| scope == needed)
        {
            return Answer::status(
                403,
                &format!(
                    "www-authenticate: Bearer error=\"insufficient_scope\", scope=\"{needed}\", resource_metadata=\"{document}\"\r\n"
                ),
            );
        }
        let result = match method {
            "initialize" => json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "docs", "version": "1"}
            }),
            "tools/list" => json!({"tools": [{
                "name": "read",
                "description": "Reads",
                "inputSchema": {"type": "object", "properties": {"page": {"type": "string"}}}
            }]}),
            "tools/call" => json!({"content": [{"type": "text", "text": "the page"}]}),
            "server/discover" => {
                let error = json!({"code": -32601, "message": "unknown"});
                return Answer::json(
                    &json!({"jsonrpc": "2.0", "id": message["id"], "error": error}),
                );
            }
            "" => return Answer::status(405, ""),
            _ => return Answer::status(202, ""),
        };
        Answer::json(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
    }

    fn authorization(&self, request: &Request) -> Answer {
        match request.path.as_str() {
            "/.well-known/oauth-authorization-server" => Answer::json(&self.metadata()),
            "/register" => {
                let asked: Value = serde_json::from_str(&request.body).unwrap_or_default();
                let mut client = json!({
                    "client_id": "registered-client", "redirect_uris": asked["redirect_uris"]
                });
                if let Some(secret) = &self.state().secret {
                    client["client_secret"] = secret.as_str().into();
                }
                Answer {
                    status: 201,
                    ..Answer::json(&client)
                }
            }
            "/authorize" => self.authorize(request),
            "/token" => self.token(request),
            _ => Answer::status(404, ""),
        }
    }

    /// Agrees for the person, and sends the browser back.
    fn authorize(&self, request: &Request) -> Answer {
        let asked = &request.query;
        let is_right = asked["response_type"] == "code"
            && asked["code_challenge_method"] == "S256"
            && asked["resource"] == self.url;
        if !is_right {
            return Answer::status(400, "");
        }
        let mut state = self.state();
        state.issued += 1;
        let code = format!("code-hush-{}", state.issued);
        state.codes.insert(code.clone(), asked.clone());
        let issuer = escaped(&self.issuer);
        let (to, back) = (&asked["redirect_uri"], &asked["state"]);
        Answer::status(
            302,
            &format!("location: {to}?code={code}&state={back}&iss={issuer}\r\n"),
        )
    }

    fn token(&self, request: &Request) -> Answer {
        let form = request.form();
        let refuse = |error: &str| Answer {
            status: 400,
            ..Answer::json(&json!({"error": error}))
        };
        let given = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
        let mut state = self.state();
        if given("resource") != self.url {
            return refuse("invalid_target");
        }
        if state
            .secret
            .as_deref()
            .is_some_and(|secret| given("client_secret") != secret)
        {
            return refuse("invalid_client");
        }
        let scopes = match given("grant_type") {
            "authorization_code" => {
                let Some(asked) = state.codes.remove(given("code")) else {
                    return refuse("invalid_grant");
                };
                let is_same = |name: &str| asked.get(name).map(String::as_str) == Some(given(name));
                let is_right = is_same("redirect_uri")
                    && is_same("client_id")
                    && s256(given("code_verifier")) == asked["code_challenge"];
                if !is_right {
                    return refuse("invalid_grant");
                }
                asked.get("scope").cloned().unwrap_or_default()
            }
            "refresh_token" => {
                let token = given("refresh_token").to_owned();
                let Some(scopes) = state.refresh.remove(&token) else {
                    state.reused |= state.used.contains(&token);
                    return refuse("invalid_grant");
                };
                state.used.insert(token);
                scopes
            }
            "client_credentials" => given("scope").to_owned(),
            _ => return refuse("unsupported_grant_type"),
        };
        state.issued += 1;
        let (access, refresh) = (
            format!("access-hush-{}", state.issued),
            format!("refresh-hush-{}", state.issued),
        );
        state.access.insert(access.clone(), scopes.clone());
        let mut tokens = json!({
            "access_token": access, "token_type": "Bearer", "scope": scopes, "id_token": "id-hush-hush"
        });
        if given("grant_type") != "client_credentials" {
            tokens["refresh_token"] = refresh.as_str().into();
            state.refresh.insert(refresh, scopes);
        }
        if let Some(time) = state.expires_in {
            tokens["expires_in"] = time.into();
        }
        Answer::json(&tokens)
    }
}

/// Opens an address as the browser of a person does who agrees at once, and returns where it is sent back to.
pub(crate) fn visit(address: &str) -> io::Result<String> {
    let rest = address.strip_prefix("http://").expect("http");
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut stream = TcpStream::connect(host)?;
    write!(
        stream,
        "GET /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let location = answer
        .lines()
        .find_map(|line| line.strip_prefix("location: "));
    location
        .map(str::to_owned)
        .ok_or_else(|| io::Error::other(answer.clone()))
}

fn read(stream: &mut TcpStream, is_for_mcp: bool) -> io::Result<Request> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let mut words = head.split_whitespace();
        let target = words.nth(1).unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let request = Request {
            is_for_mcp,
            path: path.to_owned(),
            query: pairs(query),
            head: head.to_owned(),
            body: body.to_owned(),
        };
        let length = request
            .header("content-length")
            .and_then(|length| length.parse().ok());
        if body.len() >= length.unwrap_or(0) {
            return Ok(request);
        }
    }
}

/// Parses `a=b&c=d`.
pub(crate) fn pairs(text: &str) -> HashMap<String, String> {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(name, value)| (name.to_owned(), unescaped(value)))
        .collect()
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || {
                    (rest.next().unwrap_or(b'0') as char)
                        .to_digit(16)
                        .unwrap_or(0)
                };
                u8::try_from(digit() * 16 + digit()).expect("two digits")
            }
            byte => byte,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        write!(escaped, "%{byte:02X}").expect("a string");
    }
    escaped
}

/// Returns the challenge of a verifier, see RFC 7636.
fn s256(verifier: &str) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let hash = Sha256::of(verifier.as_bytes()).to_string();
    let bits = hash.chars().filter_map(|digit| digit.to_digit(16));
    let mut bits: String = bits.map(|digit| format!("{digit:04b}")).collect();
    bits.push_str("00");
    let sextets = (0..bits.len() / 6).map(|at| &bits[at * 6..at * 6 + 6]);
    let sextets = sextets.map(|bits| usize::from_str_radix(bits, 2).expect("bits"));
    sextets.map(|index| char::from(alphabet[index])).collect()
}
