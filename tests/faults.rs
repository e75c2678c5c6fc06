//! Faults between the runtime and a provider: for every provider, plain and streamed, on real sockets.

mod ask;
pub(crate) mod certificate;
mod connections;
mod dialect;
mod fault;
mod http_date;
mod keys;
mod play;
mod proxies;
mod retries;
pub(crate) mod server;
mod tls;
mod vendor;
