//! Workarounds for the crate rmcp: what it does otherwise than we need, with the issue there if we know of one.
//!
//! A function here can be removed when rmcp itself does what we need. The following workarounds are a part of a type that we
//! need in any case, and are beside it:
//!
//! | where | what rmcp does | what we need | issue |
//! | --- | --- | --- | --- |
//! | `client/stdio.rs` | drops a line that is too long or cannot be read, so that its call waits until its timeout | an error of the call | [1030](https://github.com/modelcontextprotocol/rust-sdk/issues/1030) and [938](https://github.com/modelcontextprotocol/rust-sdk/issues/938) made it so; that the call waits is not reported |
//! | `client/stdio.rs` | takes the late answer to its first request for an answer to `initialize`, and fails | servers of older revisions that take long to start | not reported |
//! | `client/http.rs` | parses bodies before anybody can count their values or see the order of their properties, and has the address in errors | messages in bounded memory; no keys of addresses in errors | [1162](https://github.com/modelcontextprotocol/rust-sdk/issues/1162) bounded the bytes; the rest is not reported |
//! | `client/handler.rs` | answers `roots/list` with an empty list | an error, because an empty list says that the client has no folders | not reported |
//! | `client/oauth/http.rs` | compares an issuer only with a document at an address of its own forms; leaves the reason of a failed request out of some errors | each document speaks for its host alone; the reason | not reported |
//! | `client/oauth/credentials.rs` | forgets the secret of a client that registered itself, and the address to which a token for a refresh goes | a refresh after the program was started again | not reported |
//! | `server/http/allowed.rs` | checks the first of two headers `Host` or `Origin` only, in the function that also needs the body | a check before a request is counted and read | not reported |
//! | `server/http/sessions.rs` | knows sessions by their ids only; keeps one of the answers to two requests with one id | sessions of callers; an error for the second request | not reported |
//! | `server/transport.rs` | ends at a first message that is no request | an error for the peer | not reported |
//! | `server/transport.rs` | ignores a line that is too long or cannot be read; loses one of the answers to two requests with one id | an error for the request | [938](https://github.com/modelcontextprotocol/rust-sdk/issues/938) made it so for lines; the rest is not reported |

#[cfg(feature = "client")]
pub(crate) mod content;
#[cfg(feature = "oauth")]
pub(crate) mod oauth;
#[cfg(feature = "client")]
pub(crate) mod tool_page;
#[cfg(feature = "server")]
pub(crate) mod wrong_params;
