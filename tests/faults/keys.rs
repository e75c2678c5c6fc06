//! The destinations of keys: a test for each rule, with every provider.

use crate::faults::ask::ask;
use crate::faults::dialect::{DIALECTS, Dialect, KEY};
use crate::faults::server::{Server, whole};
use agent_runtime::Agent;
use agent_runtime::runtime::RuntimeBuilder;

fn server(dialect: &Dialect, streamed: bool) -> Server {
    Server::start([dialect.reply("hello", streamed)])
}

/// The key that a server sees in the one request that it gets.
async fn key_seen(
    dialect: &Dialect,
    server: &Server,
    runtime: RuntimeBuilder,
    agent: &Agent,
    streamed: bool,
) -> Option<String> {
    let asked = ask(runtime, agent, streamed).await;
    asked.answer.expect("an answer");
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    if requests[0].header(dialect.key_header.0).is_none() {
        assert!(!requests[0].all().contains(KEY));
    }
    requests[0].header(dialect.key_header.0).map(str::to_owned)
}

#[tokio::test]
async fn sends_the_key_of_the_variable_to_the_callers_address() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let agent = dialect.agent();
            let there = server(&dialect, streamed);
            let runtime = dialect.runtime(&[]).base_url(dialect.base_url(there.port));
            let seen = key_seen(&dialect, &there, runtime, &agent, streamed).await;
            assert_eq!(seen, Some(dialect.key_sent()));

            let there = server(&dialect, streamed);
            let url = dialect.base_url(there.port);
            let runtime = dialect.runtime(&[(dialect.base_url_variable, &url)]);
            let seen = key_seen(&dialect, &there, runtime, &agent, streamed).await;
            assert_eq!(seen, Some(dialect.key_sent()));
        }
    }
}

#[tokio::test]
async fn looks_up_a_key_at_the_first_request() {
    for dialect in DIALECTS {
        let vendor = (dialect.base_url_variable, dialect.vendor);
        let runtime = dialect.without_key([vendor]);
        runtime.build().expect("no key is needed yet");
        let offline = dialect.without_key([vendor]).offline();
        let asked = ask(offline, &dialect.agent(), false).await;
        asked.answer.expect("an answer");
        // A fallback that is not reached needs none either.
        for other in DIALECTS {
            let gram = format!(
                "[a:Agent {{instruction: \"x\", model: \"Offline/m\", fallback: [\"{}/m\"]}}]",
                other.provider
            );
            let agent = agent_runtime::spec::AgentPattern::parse(&gram).expect("an agent");
            let agent = agent.to_agent().expect("an agent");
            let asked = ask(dialect.without_key([vendor]), &agent, false).await;
            asked.answer.expect("an answer");
        }
    }
}

#[tokio::test]
async fn a_missing_key_is_an_error_with_advice() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let runtime = dialect.without_key([(dialect.base_url_variable, dialect.vendor)]);
            let asked = ask(runtime, &dialect.agent(), streamed).await;
            let error = asked.answer.expect_err("no key");
            assert!(error.is_configuration(), "{error:?}");
            let text = error.to_string();
            let vendor = agent_runtime::catalog::vendor(dialect.provider);
            for part in [vendor, dialect.key_variable, "--offline"] {
                assert!(text.contains(part), "{text}");
            }
            assert!(asked.conversation.is_empty());
        }
    }
}

#[tokio::test]
async fn prefers_the_callers_address_to_the_files() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let (mine, files) = (server(&dialect, streamed), server(&dialect, streamed));
            let agent = dialect.agent_at(&dialect.base_url(files.port));
            let runtime = dialect.runtime(&[]).base_url(dialect.base_url(mine.port));
            key_seen(&dialect, &mine, runtime, &agent, streamed).await;
            let (mine, url) = {
                let mine = server(&dialect, streamed);
                let url = dialect.base_url(mine.port);
                (mine, url)
            };
            let runtime = dialect.runtime(&[(dialect.base_url_variable, &url)]);
            key_seen(&dialect, &mine, runtime, &agent, streamed).await;
            assert!(files.requests().is_empty());
        }
    }
}

#[tokio::test]
async fn an_agent_file_cannot_redirect_a_key() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            for builder in [
                dialect.runtime(&[]),
                dialect.without_key([]).api_key(KEY),
                dialect.runtime(&[]).header("x-team", KEY),
                dialect.runtime(&[]).key_header("x-key"),
            ] {
                let thief = server(&dialect, streamed);
                let agent = dialect.agent_at(&dialect.base_url(thief.port));
                let seen = key_seen(&dialect, &thief, builder, &agent, streamed).await;
                assert_eq!(seen, None);
                assert!(!thief.requests()[0].all().contains(KEY));
            }
        }
    }
}

#[tokio::test]
async fn sends_the_key_to_a_file_address_that_the_caller_allows() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let there = server(&dialect, streamed);
            let agent = dialect.agent_at(&dialect.base_url(there.port));
            let allowing = dialect.runtime(&[]);
            let allowing = allowing.allow_key_host(format!("127.0.0.1:{}", there.port));
            let seen = key_seen(&dialect, &there, allowing, &agent, streamed).await;
            assert_eq!(seen, Some(dialect.key_sent()));
            let there = server(&dialect, streamed);
            let agent = dialect.agent_at(&dialect.base_url(there.port));
            let other = dialect.runtime(&[]).allow_key_host("127.0.0.1:1");
            let seen = key_seen(&dialect, &there, other, &agent, streamed).await;
            assert_eq!(seen, None);
        }
    }
}

#[tokio::test]
async fn other_hosts_need_no_key_and_get_no_header() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let there = server(&dialect, streamed);
            let runtime = dialect.without_key([]);
            let runtime = runtime.base_url(dialect.base_url(there.port));
            let seen = key_seen(&dialect, &there, runtime, &dialect.agent(), streamed).await;
            assert_eq!(seen, None);
        }
    }
}

#[tokio::test]
async fn redirects_do_not_carry_keys_to_other_hosts() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            for status in [301, 302, 303, 307, 308] {
                let thief = server(&dialect, streamed);
                let location = format!("location: http://localhost:{}/\r\n", thief.port);
                let there = Server::start([whole(status, &location, "")]);
                let runtime = dialect.runtime(&[]).base_url(dialect.base_url(there.port));
                let asked = ask(runtime, &dialect.agent(), streamed).await;
                let error = asked.answer.expect_err("a redirect");
                assert!(error.is_llm(), "{error:?}");
                assert!(error.to_string().contains("set the base URL"), "{error}");
                assert!(thief.requests().is_empty());
            }
        }
    }
}

#[tokio::test]
async fn a_refused_key_is_a_configuration_error_without_the_key() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            for status in [401, 403] {
                // Some servers quote the key that they refuse.
                let there = Server::start([whole(status, "", format!("bad key {KEY}"))]);
                let runtime = dialect.runtime(&[]).base_url(dialect.base_url(there.port));
                let asked = ask(runtime, &dialect.agent(), streamed).await;
                let error = asked.answer.expect_err("refused");
                assert!(error.is_configuration(), "{error:?}");
                for part in ["bad key [key]", "the key was refused", &status.to_string()] {
                    assert!(error.to_string().contains(part), "{error}");
                }
                assert_eq!(there.requests().len(), 1);
            }
        }
    }
}

#[tokio::test]
async fn reports_a_withheld_key_with_advice() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let variable = format!("`{}`", dialect.key_variable);
            for (builder, key) in [
                (dialect.runtime(&[]), variable.as_str()),
                (dialect.without_key([]).api_key(KEY), "a key"),
                (dialect.without_key([]), ""),
            ] {
                let there = Server::start([whole(401, "", "who are you?")]);
                let agent = dialect.agent_at(&dialect.base_url(there.port));
                let asked = ask(builder, &agent, streamed).await;
                let error = asked.answer.expect_err("no key");
                assert!(error.is_configuration(), "{error:?}");
                let words = match key {
                    "" => "none is set".to_owned(),
                    key => format!(
                        "{key} is set, but only the document names this address; to send the \
                         key there, use `--allow-key-host 127.0.0.1:{}`",
                        there.port
                    ),
                };
                assert!(error.to_string().contains(&words), "{error}");
            }
        }
    }
}

#[tokio::test]
async fn reports_an_invalid_key_with_its_variable() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let broken = format!("{KEY}\n{KEY}");
            let runtime = dialect.without_key([(dialect.key_variable, broken.as_str())]);
            let runtime = runtime.base_url("http://127.0.0.1:1");
            let asked = ask(runtime, &dialect.agent(), streamed).await;
            let error = asked.answer.expect_err("no key");
            assert!(error.is_configuration(), "{error:?}");
            let words = format!("the variable `{}` holds characters", dialect.key_variable);
            assert!(error.to_string().contains(&words), "{error}");
        }
    }
}

#[test]
fn rejects_an_invalid_allowed_host() {
    for dialect in DIALECTS {
        for host in [
            "*",
            "http://127.0.0.1:9400",
            "127.0.0.1:9400/",
            "ex ample",
            "",
        ] {
            let runtime = dialect.runtime(&[]).allow_key_host(host);
            let error = runtime.build().expect_err(host);
            assert!(error.is_configuration(), "{error:?}");
            assert!(error.to_string().contains("HOST or HOST:PORT"), "{error}");
        }
    }
}

#[tokio::test]
async fn reports_an_invalid_address_with_its_source() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            // Ollama takes a bare host, too, so this is one that no provider takes.
            let bad = "http://user:pass-word@host:port";
            let variable = dialect.base_url_variable;
            let file = dialect.agent_at("http://127.0.0.1:1");
            let in_variable = dialect.runtime(&[(variable, bad)]);
            let in_file = dialect.runtime(&[]);
            let quoted = dialect.agent_at("http://host:port");
            for (runtime, agent, words) in [
                (
                    in_variable,
                    &file,
                    format!("variable `{variable}` is `http://…@host:port`"),
                ),
                (
                    in_file,
                    &quoted,
                    "`baseUrl` is `http://host:port`".to_owned(),
                ),
            ] {
                let asked = ask(runtime, agent, streamed).await;
                let error = asked.answer.expect_err("no address");
                assert!(error.is_configuration(), "{error:?}");
                assert!(error.to_string().contains(&words), "{error}");
                assert!(!error.to_string().contains("pass-word"), "{error}");
            }
            let given = dialect.runtime(&[]).base_url(bad);
            let error = given.build().expect_err("no address").to_string();
            assert!(
                error.contains("`--base-url`") && !error.contains("pass-word"),
                "{error}"
            );
        }
    }
}

#[tokio::test]
async fn redacts_a_key_in_an_answer() {
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let there = Server::start([whole(200, "", format!("your key is {KEY}"))]);
            let runtime = dialect.runtime(&[]).base_url(dialect.base_url(there.port));
            let asked = ask(runtime, &dialect.agent(), streamed).await;
            let error = asked.answer.expect_err("no answer");
            assert!(error.is_llm(), "{error:?}");
            assert!(error.to_string().contains("your key is [key]"), "{error}");
        }
    }
}

#[test]
fn debug_of_a_runtime_has_no_key() {
    for dialect in DIALECTS {
        let builder = dialect
            .runtime(&[])
            .api_key("sk-builder")
            .header("x-team", "t-secret");
        let printed = format!("{builder:?}");
        let runtime = builder.build().expect("a runtime");
        let printed = format!("{printed}{runtime:?}{runtime:#?}");
        for key in [KEY, "sk-builder", "t-secret"] {
            assert!(!printed.contains(key), "{printed}");
        }
    }
}
