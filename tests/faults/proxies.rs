//! Proxies from the environment.

use crate::faults::ask::{all_texts, ask};
use crate::faults::dialect::{DIALECTS, HELLO, KEY};
use crate::faults::server::{Server, whole};

/// A host that only a proxy could find.
const FAR: &str = "http://models.invalid:8080";

fn at(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

#[tokio::test]
async fn uses_a_proxy_from_the_environment() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            for variable in ["http_proxy", "all_proxy", "ALL_PROXY"] {
                let proxy = Server::start([dialect.reply("hello", streamed)]);
                let address = at(proxy.port);
                let runtime = dialect.runtime(&[(variable, &address)]);
                let runtime = runtime.base_url(format!("{FAR}{}", dialect.base));
                let asked = ask(runtime, &dialect.agent(), streamed).await;
                assert_eq!(asked.answer.expect(variable).content, HELLO);
                let line = &proxy.requests()[0].line;
                let path = dialect.path(streamed);
                assert_eq!(*line, format!("POST {FAR}{path} HTTP/1.1"));
            }
        }
    }
}

#[tokio::test]
async fn honours_no_proxy() {
    for dialect in DIALECTS {
        for (name, value) in [
            ("no_proxy", "127.0.0.1"),
            ("NO_PROXY", "*"),
            ("no_proxy", "models.example, 127.0.0.1:PORT"),
            ("NO_PROXY", "*.example,127.0.0.0/8"),
        ] {
            let (proxy, server) = (
                Server::start([]),
                Server::start([dialect.reply("hello", false)]),
            );
            let (address, value) = (
                at(proxy.port),
                value.replace("PORT", &server.port.to_string()),
            );
            let value = value.as_str();
            let runtime = dialect.runtime(&[("http_proxy", &address), (name, value)]);
            let runtime = runtime.base_url(dialect.base_url(server.port));
            let asked = ask(runtime, &dialect.agent(), false).await;
            assert_eq!(asked.answer.expect(name).content, HELLO);
            assert!(proxy.requests().is_empty());
        }
    }
}

#[tokio::test]
async fn an_entry_of_no_proxy_with_another_port_is_of_another_server() {
    for dialect in DIALECTS {
        for value in ["127.0.0.1:1", "*.models.invalid", "models.invalid:80"] {
            let proxy = Server::start([dialect.reply("hello", false)]);
            let address = at(proxy.port);
            let runtime = dialect.runtime(&[("http_proxy", &address), ("no_proxy", value)]);
            let runtime = runtime.base_url(format!("{FAR}{}", dialect.base));
            let asked = ask(runtime, &dialect.agent(), false).await;
            assert_eq!(asked.answer.expect(value).content, HELLO);
            assert_eq!(proxy.requests().len(), 1);
        }
    }
}

/// `HTTP_PROXY` is what a CGI script gets from a header of whoever asks it.
#[tokio::test]
async fn ignores_http_proxy_in_a_cgi_environment() {
    for dialect in DIALECTS {
        let (proxy, server) = (
            Server::start([]),
            Server::start([dialect.reply("hello", false)]),
        );
        let address = at(proxy.port);
        let runtime = dialect.runtime(&[("HTTP_PROXY", &address)]);
        let runtime = runtime.base_url(dialect.base_url(server.port));
        let asked = ask(runtime, &dialect.agent(), false).await;
        asked.answer.expect("an answer");
        assert!(proxy.requests().is_empty());
    }
}

#[tokio::test]
async fn distinguishes_answers_of_a_proxy() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let answers = [
                whole(407, "proxy-authenticate: Basic\r\n", "who are you?"),
                whole(418, "", "never"),
            ];
            let proxy = Server::start(answers);
            let address = format!("http://user:proxy-secret@127.0.0.1:{}", proxy.port);
            let runtime = dialect.runtime(&[("http_proxy", &address)]);
            let runtime = runtime.base_url(format!("{FAR}{}", dialect.base));
            let asked = ask(runtime, &dialect.agent(), streamed).await;
            let error = asked.answer.expect_err("a proxy");
            let text = error.to_string();
            assert!(error.is_configuration(), "{error:?}");
            for part in ["407", "proxy", "http_proxy"] {
                assert!(text.contains(part), "{text}");
            }
            assert!(!all_texts(&error).contains("proxy-secret"), "{text}");
            assert_eq!(proxy.requests().len(), 1);
            assert!(asked.conversation.is_empty());

            let broken = || whole(502, "content-type: text/html\r\n", "<html>no route</html>");
            let proxy = Server::start([broken(), broken(), broken()]);
            let address = at(proxy.port);
            let runtime = dialect.runtime(&[("http_proxy", &address)]);
            let runtime = runtime.base_url(format!("{FAR}{}", dialect.base));
            let asked = ask(runtime, &dialect.agent(), streamed).await;
            let error = asked.answer.expect_err("a proxy");
            assert!(error.is_llm() && error.is_unavailable(), "{error:?}");
            assert!(error.to_string().contains("no route"), "{error}");
            assert_eq!(proxy.requests().len(), 3);
        }
    }
}

/// To a server with encryption the proxy only makes the connection, so it never sees the key.
#[tokio::test]
async fn a_refusing_proxy_sees_no_key() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            for status in [407, 502] {
                let proxy = Server::start(vec![whole(status, "", "no"); 3]);
                let address = format!("http://user:proxy-secret@127.0.0.1:{}", proxy.port);
                let runtime = dialect.runtime(&[("https_proxy", &address)]);
                let runtime = runtime.base_url(dialect.vendor);
                let asked = ask(runtime, &dialect.agent(), streamed).await;
                let error = asked.answer.expect_err("a proxy");
                assert!(error.is_llm() && error.is_unavailable(), "{error:?}");
                assert!(error.to_string().contains("cannot be reached"), "{error}");
                assert!(!all_texts(&error).contains("proxy-secret"), "{error}");
                let requests = proxy.requests();
                assert!(!requests.is_empty());
                for request in requests {
                    assert!(request.line.starts_with("CONNECT "), "{request:?}");
                    assert!(!request.all().contains(KEY), "{request:?}");
                }
            }
        }
    }
}

#[tokio::test]
async fn reports_an_invalid_proxy_with_its_variable_without_its_password() {
    for dialect in DIALECTS {
        for (variable, proxy, is_address) in [
            ("http_proxy", "http://user:proxy-secret@[bad", false),
            ("https_proxy", "http://user:proxy-secret@[bad", false),
            ("HTTPS_PROXY", "user:proxy-secret@ho st", false),
            ("ALL_PROXY", "http://user:proxy-secret@[bad", false),
            // The requests would go past these without a word.
            ("http_proxy", "ftp://user:proxy-secret@127.0.0.1:1", false),
            ("http_proxy", "htp://user:proxy-secret@127.0.0.1:1", false),
            ("all_proxy", "socks5://user:proxy-secret@127.0.0.1:1", false),
            (
                "HTTPS_PROXY",
                "socks5h://user:proxy-secret@127.0.0.1:1",
                false,
            ),
            // These can be used, as far as anybody can tell before trying.
            ("http_proxy", "http://user:proxy-secret@127.0.0.1:1", true),
            ("http_proxy", "user:proxy-secret@127.0.0.1:1", true),
        ] {
            let runtime = dialect.runtime(&[(variable, proxy)]);
            let runtime = runtime.base_url(format!("{FAR}{}", dialect.base));
            let asked = ask(runtime, &dialect.agent(), false).await;
            let error = asked.answer.expect_err(proxy);
            assert_eq!(error.is_configuration(), !is_address, "{error:?}");
            assert!(
                is_address || error.to_string().contains(variable),
                "{error}"
            );
            let says_what_is_right = error.to_string().contains("`http://proxy.example:3128`");
            assert_eq!(says_what_is_right, !is_address, "{error}");
            assert!(!all_texts(&error).contains("proxy-secret"), "{error:?}");
        }
    }
}
