use super::*;
use agent_tool::Grants;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The address that is granted.
const GRANTED: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
/// The address that must never be contacted.
const CANARY: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 1);

/// A server that sends the same response to every request and counts the requests.
struct Server {
    port: u16,
    requests: Arc<AtomicUsize>,
}

impl Server {
    fn start(address: Ipv4Addr, port: u16, response: &'static str) -> Self {
        let listener = TcpListener::bind((address, port)).expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let requests = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming() {
                count.fetch_add(1, Ordering::SeqCst);
                let Ok(mut stream) = stream else { return };
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(response.as_bytes());
            }
        });
        Self { port, requests }
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

/// Starts the granted server, and the canary at the same port.
fn servers(response: &'static str) -> (Server, Server) {
    loop {
        let granted = Server::start(GRANTED, 0, response);
        if TcpListener::bind((CANARY, granted.port)).is_ok() {
            let canary = Server::start(CANARY, granted.port, response);
            return (granted, canary);
        }
    }
}

/// A resolver that returns these answers one after the other, then the last one again. Also returns the list
/// of the names that it was asked for.
fn rebinding(answers: Vec<Vec<IpAddr>>) -> (Resolver, Arc<Mutex<Vec<String>>>) {
    let names: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&names);
    let resolver = Resolver::Given(Arc::new(move |name| {
        let mut seen = seen.lock().expect("no test panicked");
        let answer = answers.get(seen.len()).or(answers.last());
        seen.push(name.to_owned());
        Ok(answer.cloned().unwrap_or_default())
    }));
    (resolver, names)
}

async fn get(url: &str, resolver: Resolver, grants: &Grants) -> Result<WebResponse, ToolError> {
    get_with(url, resolver, grants, |_, _| Ok(())).await
}

async fn get_with(
    url: &str,
    resolver: Resolver,
    grants: &Grants,
    check_head: fn(u16, Option<&str>) -> Result<(), ToolError>,
) -> Result<WebResponse, ToolError> {
    let client = WebClient {
        resolver,
        ..WebClient::new(&Environment::empty())
    };
    let request = WebRequest {
        url: Url::parse(url).expect("a URL"),
        user_agent: "test".into(),
        headers: Vec::new(),
        accept: "*/*",
        max_length: 1000,
        max_redirects: MAX_REDIRECTS,
        check_head,
        permissions: Permissions::new(grants).expect("grants"),
    };
    client.get(request).await
}

const HELLO: &str = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello";

#[tokio::test]
async fn connects_to_the_address_that_was_checked() {
    let (granted, canary) = servers(HELLO);
    // The address of the name changes after the first query.
    let (resolver, names) = rebinding(vec![vec![GRANTED.into()], vec![CANARY.into()]]);
    let grants = Grants::new()
        .network("rebinding.example")
        .network("127.0.0.2");
    let url = format!("http://rebinding.example:{}/", granted.port);
    let answer = get(&url, resolver.clone(), &grants).await.expect("a page");
    assert_eq!(answer.body, b"hello");
    assert_eq!(*names.lock().expect("no panic"), ["rebinding.example"]);
    // The next request resolves the name again, and is refused.
    let error = get(&url, resolver, &grants).await.expect_err("refused");
    assert_eq!(
        error.to_string(),
        format!(
            "not allowed: contacting `rebinding.example:{}` at 127.0.0.1, an address that is not \
             public; granted for the network: `rebinding.example`, `127.0.0.2`",
            granted.port
        )
    );
    assert_eq!((granted.requests(), canary.requests()), (1, 0));
}

#[tokio::test]
async fn connects_only_to_permitted_addresses_of_a_name() {
    let (granted, canary) = servers(HELLO);
    let (resolver, _) = rebinding(vec![vec![CANARY.into(), GRANTED.into(), CANARY.into()]]);
    let grants = Grants::new().network("*").network("127.0.0.2");
    let url = format!("http://both.example:{}/", granted.port);
    get(&url, resolver, &grants).await.expect("a page");
    assert_eq!((granted.requests(), canary.requests()), (1, 0));
}

#[tokio::test]
async fn resolves_and_checks_the_target_of_a_redirect() {
    let (granted, canary) =
        servers("HTTP/1.1 302 Found\r\nlocation: /again\r\nconnection: close\r\n\r\n");
    let (resolver, names) = rebinding(vec![
        vec![GRANTED.into()],
        vec![GRANTED.into()],
        vec![CANARY.into()],
    ]);
    let grants = Grants::new().network("*").network("127.0.0.2");
    let url = format!("http://name.example:{}/", granted.port);
    let error = get(&url, resolver, &grants).await.expect_err("refused");
    assert!(matches!(&error, ToolError::Authorization(text) if text.contains("127.0.0.1")));
    assert_eq!(names.lock().expect("no panic").len(), 3);
    assert_eq!((granted.requests(), canary.requests()), (2, 0));
}

#[tokio::test]
async fn accepts_every_spelling_of_a_granted_name() {
    let (granted, canary) = servers(HELLO);
    let grants = Grants::new().network("name.example").network("127.0.0.2");
    for host in [
        "name.example",
        "NAME.example",
        "name.example.",
        "ｎａｍｅ.example",
    ] {
        let (resolver, _) = rebinding(vec![vec![GRANTED.into()], vec![CANARY.into()]]);
        let url = format!("http://{host}:{}/", granted.port);
        get(&url, resolver, &grants).await.expect(host);
    }
    assert_eq!((granted.requests(), canary.requests()), (4, 0));
}

#[tokio::test]
async fn refuses_names_with_private_addresses() {
    let canary = Server::start(CANARY, 0, HELLO);
    let private = [
        "127.0.0.1",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "fe80::1",
        "fc00::1",
        "fd00:ec2::254",
        "ff02::1",
    ];
    for address in private {
        let address: IpAddr = address.parse().expect("an address");
        let (resolver, _) = rebinding(vec![vec![address]]);
        let grants = Grants::new().network("*").network("inner.example");
        let url = format!("http://inner.example:{}/", canary.port);
        let error = get(&url, resolver, &grants).await.expect_err("refused");
        assert!(
            matches!(&error, ToolError::Authorization(text) if text.contains(&address.to_string())),
            "{address}: {error}"
        );
    }
    assert_eq!(canary.requests(), 0);
}

#[tokio::test]
async fn reports_names_without_addresses() {
    let grants = Grants::new().network("*");
    let (resolver, _) = rebinding(vec![vec![]]);
    let error = get("http://a.example/", resolver, &grants).await;
    assert_eq!(
        error.expect_err("not found"),
        ToolError::Execution("the host `a.example` has no address".into())
    );
    let failing = Resolver::Given(Arc::new(|_| Err(std::io::Error::other("no such host"))));
    let error = get("http://a.example/", failing, &grants).await;
    assert_eq!(
        error.expect_err("not found"),
        ToolError::Execution("the host `a.example` was not found: no such host".into())
    );
}

/// On the caller's thread, a server that sends fast enough would block the other tasks of the program for
/// seconds.
#[tokio::test]
async fn sends_requests_on_a_thread_of_their_own() {
    static THREAD: Mutex<Option<thread::ThreadId>> = Mutex::new(None);
    let (granted, _) = servers(HELLO);
    let url = format!("http://127.0.0.2:{}/", granted.port);
    let grants = Grants::new().network("127.0.0.2");
    let page = get_with(&url, Resolver::default(), &grants, |_, _| {
        *THREAD.lock().expect("no panic") = Some(thread::current().id());
        Ok(())
    });
    page.await.expect("a page");
    let thread = THREAD.lock().expect("no panic").expect("a response");
    assert_ne!(thread, thread::current().id());
}
