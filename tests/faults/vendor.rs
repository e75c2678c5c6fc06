//! The vendors' own hosts, which a proxy stands for: they get the key, and hosts that only look like
//! them do not.

use crate::faults::ask::ask;
use crate::faults::certificate::{Certificate, FILE};
use crate::faults::dialect::{DIALECTS, Dialect, HELLO, KEY};
use crate::faults::server::Request;
use agent_runtime::Agent;

/// The request that a host gets from an agent, over a proxy with a certificate for it.
async fn request(
    dialect: &Dialect,
    agent: &Agent,
    variables: &[(&str, &str)],
    certificate: &Certificate,
    streamed: bool,
) -> Request {
    let proxy = certificate.proxy([dialect.reply("hello", streamed)]);
    let address = format!("http://127.0.0.1:{}", proxy.port);
    let settings = [
        ("https_proxy", address.as_str()),
        (FILE, certificate.path()),
    ];
    let mut runtime = dialect.runtime(&[&settings, variables].concat());
    if let Some(address) = &agent.settings().base_url {
        runtime = runtime.allow_base_url(authority(address));
    }
    let asked = ask(runtime, agent, streamed).await;
    assert_eq!(asked.answer.expect("an answer").content, HELLO);
    let mut requests = proxy.requests();
    assert_eq!(requests.len(), 1);
    requests.remove(0)
}

fn host(address: &str) -> &str {
    authority(address).split(':').next().expect("a host")
}

/// The host of an address, with its port if it has one.
fn authority(address: &str) -> &str {
    let address = address.trim_start_matches("https://");
    address.split('/').next().expect("a host")
}

#[tokio::test]
async fn sends_a_key_to_the_vendors_host() {
    for dialect in DIALECTS {
        let certificate = Certificate::of(&[host(dialect.vendor)], |_| {});
        for streamed in [false, true] {
            // An agent file may name it, too.
            let mut agents = vec![dialect.agent_at(dialect.vendor)];
            if dialect.provider != "Ollama" {
                // Ollama's default address is on this machine.
                agents.push(dialect.agent());
            }
            for agent in agents {
                let request = request(&dialect, &agent, &[], &certificate, streamed).await;
                assert_eq!(request.header("host"), Some(host(dialect.vendor)));
                let key = request.header(dialect.key_header.0);
                assert_eq!(key, Some(dialect.key_sent().as_str()));
            }
        }
    }
}

#[tokio::test]
async fn sends_no_key_to_a_similar_host() {
    for dialect in DIALECTS {
        let vendor = host(dialect.vendor);
        let longer = format!("{vendor}.evil.example");
        let before = format!("evil-{vendor}");
        let certificate = Certificate::of(&[vendor, &longer, &before, "evil.example"], |_| {});
        for address in [
            format!("https://{longer}"),
            format!("https://{before}"),
            format!("https://{vendor}:8443"),
            format!("https://evil.example/{vendor}"),
        ] {
            let agent = dialect.agent_at(&format!("{address}{}", dialect.base));
            let request = request(&dialect, &agent, &[], &certificate, false).await;
            assert_eq!(request.header(dialect.key_header.0), None, "{address}");
            assert!(!request.all().contains(KEY), "{address}");
        }
    }
}

#[tokio::test]
async fn sends_no_key_without_tls_for_an_address_in_a_file() {
    for dialect in DIALECTS {
        let proxy = crate::faults::server::Server::start([dialect.reply("hello", false)]);
        let address = format!("http://127.0.0.1:{}", proxy.port);
        let runtime = dialect.runtime(&[("http_proxy", &address)]);
        let runtime = runtime.allow_base_url(host(dialect.vendor));
        let agent = dialect.agent_at(&format!("http://{}{}", host(dialect.vendor), dialect.base));
        let asked = ask(runtime, &agent, false).await;
        assert_eq!(asked.answer.expect("an answer").content, HELLO);
        let requests = proxy.requests();
        assert!(requests[0].line.contains(host(dialect.vendor)));
        assert!(!requests[0].all().contains(KEY));
    }
}

#[tokio::test]
async fn sends_the_organisation_with_the_key() {
    let dialect = DIALECTS[0];
    let variables = [("OPENAI_ORG_ID", "org-1"), ("OPENAI_PROJECT_ID", "p-1")];
    let certificate = Certificate::of(&["api.openai.com", "evil.example"], |_| {});
    for streamed in [false, true] {
        let agent = dialect.agent();
        let seen = request(&dialect, &agent, &variables, &certificate, streamed).await;
        assert_eq!(seen.header("openai-organization"), Some("org-1"));
        assert_eq!(seen.header("openai-project"), Some("p-1"));
        let agent = dialect.agent_at("https://evil.example/v1");
        let seen = request(&dialect, &agent, &variables, &certificate, streamed).await;
        assert_eq!(seen.header("openai-organization"), None);
        assert_eq!(seen.header("openai-project"), None);
    }
}
