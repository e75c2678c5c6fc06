//! Fetching media for providers that fetch none, by the rules of the web tools: granted hosts only, at addresses
//! that are public or granted themselves, within bounds.

use super::base_url::display_url;
use super::client::{Deadline, HttpClient};
use super::failure::causes;
use super::large_answers::MAX_BODY;
use agent_http::{CERTIFICATE_FILE, rejecting_tls_config, tls_config};
use agent_tool::__private::{MAX_HOST, shortened};
use agent_tool::media::Media;
use agent_tool::permissions::Permissions;
use agent_tool::{Error, ToolError};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING, LOCATION};
use reqwest::{Client, Response, Url, redirect};
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// The maximum number of redirects that are followed, because a server can redirect in a circle.
const MAX_REDIRECTS: usize = 5;

/// The maximum number of bytes of a URL in errors, because a redirect of a server can have any length.
const MAX_SHOWN: usize = 500;

/// The time limit of connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The time limit of one URL, with its redirects.
const FETCH_TIMEOUT: Duration = Duration::from_secs(60);

/// The media of URLs, or for each URL the reason why they are missing.
pub(crate) type FetchedUrls<'r> = HashMap<&'r str, Result<Media, Unfetched>>;

/// The reason why the media of a URL are missing.
#[derive(Debug)]
pub(crate) enum Unfetched {
    /// A validation error, which says what went wrong.
    Failed(Error),
    /// The media of the URLs before this URL are as many as the provider accepts.
    TooMany,
}

/// Whether a URL is fetched: its host is granted, or the URL is invalid, so that the attempt returns the error.
pub(crate) fn is_fetchable(url: &str, permissions: &Permissions) -> bool {
    let Ok(url) = Url::parse(url) else {
        return true;
    };
    match host_and_port(&url) {
        Ok((host, port)) => permissions.check_host(host, port).is_ok(),
        Err(_) => true,
    }
}

impl HttpClient {
    /// Fetches different URLs in their order, at most `count`, and stops when their media have more than `total`
    /// bytes together. A URL whose host is not granted is left out, and the check of the request's media rejects it.
    pub(crate) async fn fetch_media<'r>(
        &self,
        urls: Vec<&'r str>,
        permissions: &Permissions,
        count: usize,
        total: usize,
    ) -> FetchedUrls<'r> {
        let mut fetched = FetchedUrls::new();
        let deadline = Deadline::after(self.settings.timeout);
        let (mut attempts, mut bytes) = (0, 0);
        let granted = urls
            .into_iter()
            .filter(|url| is_fetchable(url, permissions));
        for url in granted {
            if attempts == count || bytes > total {
                fetched.insert(url, Err(Unfetched::TooMany));
                continue;
            }
            attempts += 1;
            let limit = FETCH_TIMEOUT.min(deadline.remaining());
            let media = match self.fetch_granted(url, permissions, limit).await {
                Ok(None) => continue,
                Ok(Some(media)) => media,
                Err(error) => {
                    fetched.insert(url, Err(Unfetched::Failed(error)));
                    continue;
                }
            };
            bytes += media.bytes().map_or(0, <[u8]>::len);
            let is_within = bytes <= total;
            fetched.insert(url, is_within.then_some(media).ok_or(Unfetched::TooMany));
        }
        fetched
    }

    /// Returns the media of a URL; `None` when its host is not granted.
    async fn fetch_granted(
        &self,
        text: &str,
        permissions: &Permissions,
        limit: Duration,
    ) -> Result<Option<Media>, Error> {
        let wrong = |problem: &str| {
            Error::validation(format!(
                "the URL of an image, a document or audio {problem}"
            ))
        };
        let url = Url::parse(text).map_err(|error| wrong(&format!("is invalid: {error}")))?;
        let mut shown = url.clone();
        // A URL with a password is refused, and its error must not show it.
        let _ = shown
            .set_username("")
            .and_then(|()| shown.set_password(None));
        let shown = shortened(&display_url(&shown), MAX_SHOWN);
        let fail =
            |problem: String| Error::validation(format!("cannot fetch `{shown}`: {problem}"));
        let (host, port) = host_and_port(&url).map_err(fail)?;
        // The grants are checked before kept media are used, because another run may have other grants.
        if permissions.check_host(host, port).is_err() {
            return Ok(None);
        }
        if let Some(media) = self.fetched.get(text) {
            return Ok(Some(media));
        }
        let bytes = timeout(limit, self.fetch(url.clone(), permissions)).await;
        let bytes = bytes.unwrap_or_else(|_| Err("it took too long".to_owned()));
        let media = Media::of_bytes(bytes.map_err(fail)?);
        self.fetched.keep(text, &media);
        Ok(Some(media))
    }

    async fn fetch(&self, mut url: Url, permissions: &Permissions) -> Result<Vec<u8>, String> {
        for _ in 0..=MAX_REDIRECTS {
            let addresses = granted_addresses(&url, permissions).await?;
            let request = self.media_client(&url, addresses)?.get(url.clone());
            let response = request.header(ACCEPT_ENCODING, "identity").send().await;
            let response = response.map_err(|error| root_cause(&error))?;
            match response.status().as_u16() {
                200 => return read(response).await,
                301 | 302 | 303 | 307 | 308 => url = redirect_target(&url, &response)?,
                status => return Err(format!("the server answered with status {status}")),
            }
        }
        Err(format!("it redirects more than {MAX_REDIRECTS} times"))
    }

    /// Builds a client that connects only to these addresses. Each request has its own, so that no later request
    /// reuses a connection to an address that is not granted to it. It uses no proxy, because a proxy resolves names
    /// by itself, to addresses that cannot be checked.
    fn media_client(&self, url: &Url, addresses: Vec<SocketAddr>) -> Result<Client, String> {
        let file = self.environment.read(CERTIFICATE_FILE);
        let file = file.map_err(|error| error.to_string())?;
        let tls = match tls_config(file.as_deref()) {
            // Without TLS no certificate is needed.
            Err(reason) if url.scheme() == "http" => rejecting_tls_config(reason),
            tls => tls,
        };
        Client::builder()
            .tls_backend_preconfigured(tls?)
            .no_proxy()
            .redirect(redirect::Policy::none())
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_max_idle_per_host(0)
            .user_agent(concat!("agent-runtime/", env!("CARGO_PKG_VERSION")))
            // Compression is disabled, because another crate may enable these features, and the bound is on
            // the bytes that arrive.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .dns_resolver(FixedAddresses(addresses))
            .build()
            .map_err(|error| format!("cannot set up HTTP: {error}"))
    }
}

/// A resolver that returns the checked addresses for every name. A second query could be answered with another
/// address by whoever controls the name.
struct FixedAddresses(Vec<SocketAddr>);

impl Resolve for FixedAddresses {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(async { Ok(addresses) })
    }
}

/// Returns the host of a URL, an address of version 6 without brackets, and the port.
fn host_and_port(url: &Url) -> Result<(&str, u16), String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err("it is not an `http` or `https` URL".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it contains a user name or a password".to_owned());
    }
    match (url.host_str(), url.port_or_known_default()) {
        (Some(host), _) if host.len() > MAX_HOST => {
            Err(format!("it has a host of more than {MAX_HOST} bytes"))
        }
        (Some(host), Some(port)) if port != 0 => {
            Ok((host.trim_start_matches('[').trim_end_matches(']'), port))
        }
        _ => Err("it has no host".to_owned()),
    }
}

/// Returns the addresses of a URL's host that may be contacted; none, if the host is itself an address.
async fn granted_addresses(
    url: &Url,
    permissions: &Permissions,
) -> Result<Vec<SocketAddr>, String> {
    let refused = |error: ToolError| error.to_string();
    let (host, port) = host_and_port(url)?;
    permissions.check_host(host, port).map_err(refused)?;
    if let Ok(address) = host.parse::<IpAddr>() {
        permissions
            .check_address(host, address, port)
            .map_err(refused)?;
        return Ok(Vec::new());
    }
    let name = host.to_owned();
    let found = spawn_blocking(move || (name.as_str(), port).to_socket_addrs()).await;
    let found = match found {
        Ok(Ok(found)) => found,
        Ok(Err(error)) => return Err(format!("the host `{host}` was not found: {error}")),
        Err(_) => return Err(format!("the host `{host}` has no address")),
    };
    // A grant for `example.org` covers `example.org.`, too.
    let name = host.strip_suffix('.').unwrap_or(host);
    let mut permitted = Vec::new();
    let mut problem = format!("the host `{host}` has no address");
    for address in found {
        match permissions.check_address(name, address.ip(), port) {
            Ok(()) => permitted.push(address),
            Err(error) => problem = error.to_string(),
        }
    }
    match permitted.is_empty() {
        true => Err(problem),
        false => Ok(permitted),
    }
}

fn redirect_target(url: &Url, response: &Response) -> Result<Url, String> {
    let location = response.headers().get(LOCATION);
    let location = location.and_then(|location| std::str::from_utf8(location.as_bytes()).ok());
    let target = location.and_then(|location| url.join(location).ok());
    target.ok_or_else(|| "it redirects to an invalid URL".to_owned())
}

/// Reads a body within the bound.
async fn read(mut response: Response) -> Result<Vec<u8>, String> {
    let encoding = response.headers().get(CONTENT_ENCODING);
    if encoding.is_some_and(|encoding| encoding != "identity") {
        return Err("the answer is compressed, which was not asked for".to_owned());
    }
    let too_long = || format!("it has more than {} MiB", MAX_BODY >> 20);
    let length = response.content_length().unwrap_or(0);
    if length > MAX_BODY as u64 {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| root_cause(&error))? {
        if bytes.len() + chunk.len() > MAX_BODY {
            return Err(too_long());
        }
        bytes.extend_from_slice(&chunk);
    }
    match bytes.is_empty() {
        true => Err("the answer is empty".to_owned()),
        false => Ok(bytes),
    }
}

fn root_cause(error: &reqwest::Error) -> String {
    match causes(error).last() {
        Some(cause) => cause.to_string(),
        None => "the server gave no answer".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::http::{HttpSettings, Retry};
    use agent_spec::Grants;
    use agent_tool::Environment;
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::sync::mpsc;

    /// Answers each request with eight bytes. Returns the port, and the paths of the requests.
    fn serve() -> (u16, mpsc::Receiver<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let (sender, receiver) = mpsc::channel();
        // The thread runs as long as the test program.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a client");
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    stream.read_exact(&mut byte).expect("a head");
                    head.push(byte[0]);
                }
                let head = String::from_utf8_lossy(&head).into_owned();
                let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                let _ = sender.send(path);
                let answer = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 8\r\n\r\n\x89PNG\r\n\x1a\n";
                let _ = stream.write_all(answer);
            }
        });
        (port, receiver)
    }

    #[tokio::test]
    async fn fetches_no_more_urls_and_bytes_than_the_provider_takes() {
        let (port, paths) = serve();
        let urls: Vec<String> = (0..9)
            .map(|at| format!("http://127.0.0.1:{port}/{at}.png"))
            .collect();
        let permissions = Permissions::new(&Grants::new().network("127.0.0.1"));
        let permissions = permissions.expect("a right grant");
        for (count, total, requests, fetched) in [
            (9, 100, 9, 9),
            (4, 100, 4, 4),
            (0, 100, 0, 0),
            // The third URL is the first whose bytes do not fit.
            (9, 20, 3, 2),
            (9, 0, 1, 0),
        ] {
            let settings = HttpSettings {
                retry: Retry {
                    attempts: 1,
                    first_pause: Duration::ZERO,
                },
                timeout: Duration::from_secs(60),
                idle: Duration::from_secs(60),
            };
            let client = HttpClient::new(Environment::from_pairs([("", "")]), settings);
            let all = urls.iter().map(String::as_str).collect();
            let found = client.fetch_media(all, &permissions, count, total).await;
            assert_eq!(paths.try_iter().count(), requests);
            let is_fetched = |url: &String| matches!(found.get(url.as_str()), Some(Ok(_)));
            let is_left =
                |url: &String| matches!(found.get(url.as_str()), Some(Err(Unfetched::TooMany)));
            assert!(urls[..fetched].iter().all(is_fetched), "{count} {total}");
            assert!(urls[fetched..].iter().all(is_left), "{count} {total}");
        }
    }
}
