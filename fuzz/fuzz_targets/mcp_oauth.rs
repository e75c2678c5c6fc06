//! The answers of an authorization server, its metadata, a challenge, and stored tokens: signing in ends in time, with a
//! connected server or an error, and no error has the secret.
//!
//! The input is answers as those of `mcp_client`, whose first word may be a path, such as `/token`. `$base` is the address
//! of the server. An answer to `STORED` is the text of the stored tokens.

#![no_main]

use agent_fuzz::block_on;
use agent_fuzz::mcp::{Answers, MCP};
use agent_mcp::{McpServer, SignIn, TokenFuture, TokenStore};
use libfuzzer_sys::fuzz_target;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SECRET: &str = "hush-hush-hush-1234";
const BACK: &str = "http://127.0.0.1:1/callback";

/// A store in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Option<String>>>);

impl TokenStore for Memory {
    fn load<'a>(&'a self, _server: &'a str) -> TokenFuture<'a, Option<String>> {
        Box::pin(async { Ok(self.0.lock().expect("no panic").clone()) })
    }

    fn save<'a>(&'a self, _server: &'a str, tokens: String) -> TokenFuture<'a, ()> {
        Box::pin(async move {
            *self.0.lock().expect("no panic") = Some(tokens);
            Ok(())
        })
    }

    fn remove<'a>(&'a self, _server: &'a str) -> TokenFuture<'a, bool> {
        Box::pin(async { Ok(self.0.lock().expect("no panic").take().is_some()) })
    }
}

fuzz_target!(|input: &[u8]| {
    // The metadata may name other hosts, which no input may reach.
    assert!(
        std::env::var_os("https_proxy").is_some(),
        "start this target with `fuzz/run`, which lets no request leave this machine"
    );
    let answers = Answers::read(input);
    let stored = answers.text("STORED");
    let is_program = input.len().is_multiple_of(2);
    MCP.answer(answers);
    block_on(async {
        let store = Memory(Arc::new(Mutex::new(stored)));
        let sign_in = match is_program {
            true => SignIn::client_secret("program", SECRET),
            false => SignIn::browser(BACK, |address| async move { back(&address) }),
        };
        let server = McpServer::http("web", MCP.url())
            .connect_timeout(Duration::from_secs(2))
            .sign_in(sign_in.store(store.clone()));
        let connected = server.clone().connect().await;
        match connected {
            Ok(connected) => connected.close().await,
            Err(error) => {
                let text = format!("{error} {error:?}");
                assert!(!text.contains(SECRET), "{text}");
                assert!(!error.is_timeout(), "{text}");
            }
        }
        let _ = server.sign_out().await;
    });
});

/// Agrees for a person, and returns the address to which a browser is sent back.
fn back(address: &str) -> Result<String, String> {
    let (_, query) = address.split_once('?').ok_or("no query")?;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let state = pairs
        .find(|(name, _)| *name == "state")
        .ok_or("no state")?
        .1;
    Ok(format!("{BACK}?code=code-1&state={state}"))
}
