//! Faults between the runtime and a provider: for every provider, plain and streamed, on real sockets.

mod ask;
mod certificate;
mod connections;
mod dialect;
mod fault;
mod http_date;
mod keys;
mod play;
mod proxies;
mod retries;
mod server;
mod tls;
mod vendor;
