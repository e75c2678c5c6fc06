//! TLS, proxies and hosts of the HTTP clients of agent-runtime and its companions: which certificates are
//! trusted, which cryptography is used, which of the usual variables name a proxy, and which hosts are this machine.
//!
//! Each crate builds a client of its own from these parts. The signatures have types of `reqwest` and
//! `rustls` on purpose, because every crate that uses this one uses them, too.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "proxies")]
mod host;
#[cfg(feature = "proxies")]
mod proxy;
mod tls;

#[cfg(feature = "proxies")]
pub use host::{host_of, is_at, is_this_machine};
#[cfg(feature = "proxies")]
pub use proxy::with_proxies;
pub use tls::{CERTIFICATE_FILE, certificate_problem, rejecting_tls_config, tls_config};
