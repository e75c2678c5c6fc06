use super::*;
use agent_spec::Grants;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const GOOD: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
const CANARY: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 1);

/// A server at an address, which answers all requests alike and counts them.
struct Server {
    port: u16,
    asked: Arc<AtomicUsize>,
}

impl Server {
    fn start(address: Ipv4Addr, port: u16, answer: &'static str) -> Self {
        let listener = TcpListener::bind((address, port)).expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming() {
                count.fetch_add(1, Ordering::SeqCst);
                let Ok(mut stream) = stream else { return };
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Self { port, asked }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

/// A good server and a canary at the same port of another address.
fn servers(answer: &'static str) -> (Server, Server) {
    loop {
        let good = Server::start(GOOD, 0, answer);
        if TcpListener::bind((CANARY, good.port)).is_ok() {
            let canary = Server::start(CANARY, good.port, answer);
            return (good, canary);
        }
    }
}

/// A resolver that gives these answers one after the other, and the last one from then on.
fn rebinding(answers: Vec<Vec<IpAddr>>) -> (Resolver, Arc<Mutex<Vec<String>>>) {
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&asked);
    let resolver = Resolver::Given(Arc::new(move |name| {
        let mut seen = seen.lock().expect("no test panicked");
        let answer = answers.get(seen.len()).or(answers.last());
        seen.push(name.to_owned());
        Ok(answer.cloned().unwrap_or_default())
    }));
    (resolver, asked)
}

async fn get(url: &str, resolver: Resolver, grants: &Grants) -> Result<Answer, ToolError> {
    let granted = Permissions::new(grants).expect("grants");
    let client = WebClient::new(&Environment::empty()).with_resolver(resolver);
    let request = Get {
        url: Url::parse(url).expect("a URL"),
        user_agent: "test".into(),
        headers: Vec::new(),
        accept: "*/*",
        most: 1000,
        redirects: MAX_REDIRECTS,
        check: |_, _| Ok(()),
        granted,
    };
    client.get(request).await
}

const HELLO: &str = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello";

#[tokio::test]
async fn the_connection_goes_to_the_address_that_was_checked() {
    let (good, canary) = servers(HELLO);
    // Whoever speaks for the name changes their mind after the first answer.
    let (resolver, asked) = rebinding(vec![vec![GOOD.into()], vec![CANARY.into()]]);
    let grants = Grants::new()
        .network("rebinding.example")
        .network("127.0.0.2");
    let url = format!("http://rebinding.example:{}/", good.port);
    let answer = get(&url, resolver.clone(), &grants).await.expect("a page");
    assert_eq!(answer.body, b"hello");
    assert_eq!(*asked.lock().expect("no panic"), ["rebinding.example"]);
    // The next request asks once more, and is refused.
    let error = get(&url, resolver, &grants).await.expect_err("refused");
    assert_eq!(
        error.to_string(),
        format!(
            "not allowed: contacting `rebinding.example:{}` at 127.0.0.1, an address that is not \
             public; granted for the network: `rebinding.example`, `127.0.0.2`",
            good.port
        )
    );
    assert_eq!((good.asked(), canary.asked()), (1, 0));
}

#[tokio::test]
async fn of_several_addresses_only_those_are_tried_that_may_be() {
    let (good, canary) = servers(HELLO);
    let (resolver, _) = rebinding(vec![vec![CANARY.into(), GOOD.into(), CANARY.into()]]);
    let grants = Grants::new().network("*").network("127.0.0.2");
    let url = format!("http://both.example:{}/", good.port);
    get(&url, resolver, &grants).await.expect("a page");
    assert_eq!((good.asked(), canary.asked()), (1, 0));
}

#[tokio::test]
async fn a_redirect_is_looked_up_and_checked_anew() {
    let (good, canary) =
        servers("HTTP/1.1 302 Found\r\nlocation: /again\r\nconnection: close\r\n\r\n");
    let (resolver, asked) = rebinding(vec![
        vec![GOOD.into()],
        vec![GOOD.into()],
        vec![CANARY.into()],
    ]);
    let grants = Grants::new().network("*").network("127.0.0.2");
    let url = format!("http://name.example:{}/", good.port);
    let error = get(&url, resolver, &grants).await.expect_err("refused");
    assert!(matches!(&error, ToolError::Authorization(text) if text.contains("127.0.0.1")));
    assert_eq!(asked.lock().expect("no panic").len(), 3);
    assert_eq!((good.asked(), canary.asked()), (2, 0));
}

#[tokio::test]
async fn spellings_of_one_name_are_looked_up_and_reached_as_one() {
    let (good, canary) = servers(HELLO);
    let grants = Grants::new().network("name.example").network("127.0.0.2");
    for host in [
        "name.example",
        "NAME.example",
        "name.example.",
        "ｎａｍｅ.example",
    ] {
        let (resolver, _) = rebinding(vec![vec![GOOD.into()], vec![CANARY.into()]]);
        let url = format!("http://{host}:{}/", good.port);
        get(&url, resolver, &grants).await.expect(host);
    }
    assert_eq!((good.asked(), canary.asked()), (4, 0));
}

#[tokio::test]
async fn a_name_never_leads_into_a_private_network() {
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
    assert_eq!(canary.asked(), 0);
}

#[tokio::test]
async fn a_name_without_addresses_is_not_found() {
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
