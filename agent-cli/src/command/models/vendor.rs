//! A vendor's own list of its models.

use crate::outcome::CommandError;
use agent_catalog::{Date, WireFormat};
use agent_http::{
    CERTIFICATE_FILE, certificate_problem, rejecting_tls_config, tls_config, with_proxies,
};
use agent_runtime::Environment;
use agent_runtime::redact::Redactor;
use agent_spec::terminal;
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, Response, Url, redirect};
use serde::Deserialize;
use serde_json::Value;
use std::error::Error;
use std::time::{Duration, UNIX_EPOCH};
use tokio::time::timeout;

/// The time limit for all pages of a list.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum number of pages, because a broken server may name the same next page forever.
const MAX_PAGES: usize = 20;

/// The maximum size of a page in bytes, because a broken server may never end its answer.
const MAX_PAGE: usize = 8 << 20;

/// The maximum number of characters of a vendor's error, because a server can send any text.
const MAX_MESSAGE: usize = 300;

/// The header with the version of Anthropic's API, and its only value.
const ANTHROPIC_VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// Creates the client that asks the vendors. The client follows no redirect, because the key would be sent
/// along.
///
/// # Errors
/// Returns an error if a variable with a proxy or with certificates cannot be used.
pub(super) fn client(environment: &Environment) -> Result<Client, CommandError> {
    let file = environment.read(CERTIFICATE_FILE)?;
    let tls = tls_config(file.as_deref()).or_else(rejecting_tls_config);
    let tls =
        tls.map_err(|reason| CommandError::new(format!("cannot set up encryption: {reason}")))?;
    let builder = Client::builder()
        .tls_backend_preconfigured(tls)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .user_agent(concat!("agent/", env!("CARGO_PKG_VERSION")));
    let read = |name: &str| environment.read(name).map_err(CommandError::from);
    with_proxies(builder, read, CommandError::new)?
        .build()
        .map_err(|error| CommandError::new(format!("cannot set up HTTP: {error}")))
}

/// A vendor that can be asked for its models.
pub(super) struct Vendor {
    format: WireFormat,
    url: Url,
    header: HeaderName,
    key: HeaderValue,
    redactor: Redactor,
}

/// A model that a vendor has.
pub(super) struct VendorModel {
    pub(super) id: String,
    /// The day on which the model was released.
    pub(super) released: Option<String>,
    /// The day on which the model is switched off.
    pub(super) shutdown: Option<String>,
    /// Whether the model generates content. Only Google reports this property.
    pub(super) generates: bool,
}

impl Vendor {
    /// Creates a vendor with this base URL, whose key is the value of a variable. `None` if the URL cannot be used.
    pub(super) fn new(
        format: WireFormat,
        base_url: &str,
        variable: &str,
        key: &str,
    ) -> Option<Self> {
        let mut url = Url::parse(base_url).ok()?;
        let is_plain = url.username().is_empty() && url.password().is_none();
        if !matches!(url.scheme(), "http" | "https") || !is_plain {
            return None;
        }
        let version = match format {
            WireFormat::Anthropic => Some("v1"),
            WireFormat::Google => Some("v1beta"),
            _ => None,
        };
        // Base URLs are written with and without the version.
        let version = version.filter(|_| !ends_with_version(&url));
        let mut path = url.path_segments_mut().ok()?;
        path.pop_if_empty().extend(version).push("models");
        drop(path);
        let (header, value) = match format {
            WireFormat::Anthropic if variable != "ANTHROPIC_AUTH_TOKEN" => {
                ("x-api-key", key.to_owned())
            }
            WireFormat::Google => ("x-goog-api-key", key.to_owned()),
            _ => ("authorization", format!("Bearer {key}")),
        };
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        let redactor = Redactor::new();
        redactor.add(key);
        Some(Self {
            format,
            url,
            header: HeaderName::from_static(header),
            key: value,
            redactor,
        })
    }

    /// Returns the address of the list, without its query, which may have secrets.
    pub(super) fn address(&self) -> String {
        self.redactor.text(&format!(
            "{}{}",
            self.url.origin().ascii_serialization(),
            self.url.path()
        ))
    }

    /// Asks the vendor for its models.
    ///
    /// # Errors
    /// Returns a description of the failure, as the end of a sentence that begins with the vendor's address.
    pub(super) async fn models(&self, client: &Client) -> Result<Vec<VendorModel>, String> {
        let models = timeout(TIMEOUT, self.pages(client)).await;
        let models = models.unwrap_or_else(|_| {
            Err(format!(
                "gave no answer within {} seconds",
                TIMEOUT.as_secs()
            ))
        });
        models.map_err(|error| self.redactor.text(&error))
    }

    async fn pages(&self, client: &Client) -> Result<Vec<VendorModel>, String> {
        let mut models = Vec::new();
        let mut next = None;
        for _ in 0..MAX_PAGES {
            let page = self.page(client, next.as_deref()).await?;
            next = page.next(self.format);
            for listed in page.data {
                models.push(self.model(listed).ok_or(NO_LIST)?);
            }
            if next.is_none() {
                return Ok(models);
            }
        }
        Err(format!(
            "gave a list that does not end after {MAX_PAGES} pages"
        ))
    }

    /// Asks for the page after a cursor, or for the first one.
    async fn page(&self, client: &Client, after: Option<&str>) -> Result<Page, String> {
        let mut url = self.url.clone();
        let (size, cursor) = match self.format {
            WireFormat::Anthropic => (Some("limit"), "after_id"),
            WireFormat::Google => (Some("pageSize"), "pageToken"),
            _ => (None, ""),
        };
        if let Some(size) = size {
            let mut query = url.query_pairs_mut();
            query.append_pair(size, "1000");
            query.extend_pairs(after.map(|after| (cursor, after)));
        }
        let mut request = client.get(url).header(&self.header, &self.key);
        if self.format == WireFormat::Anthropic {
            let (name, version) = ANTHROPIC_VERSION;
            request = request.header(name, version);
        }
        let response = request.send().await.map_err(no_answer)?;
        let status = response.status();
        let kind = response.headers().get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok().map(str::to_owned));
        let body = body(response).await?;
        let json = serde_json::from_slice::<Value>(&body).ok();
        if !status.is_success() {
            // The vendors report here that a key is wrong, or which right the key lacks.
            let message = json
                .as_ref()
                .and_then(|json| json["error"]["message"].as_str());
            let message =
                message.map(|message| format!(": {}", terminal::line(message, MAX_MESSAGE)));
            return Err(format!(
                "answered with status {status}{}",
                message.unwrap_or_default()
            ));
        }
        let Some(json) = json else {
            let kind = kind.unwrap_or_else(|| "unknown".to_owned());
            return Err(format!("answered with no JSON; its content type is {kind}"));
        };
        let page = match self.format {
            WireFormat::Google => json.get("models"),
            _ => json.get("data"),
        };
        let data = page.map(Vec::<Listed>::deserialize);
        match (data, Cursor::deserialize(&json)) {
            (Some(Ok(data)), Ok(cursor)) => Ok(Page { data, cursor }),
            _ => Err(NO_LIST.to_owned()),
        }
    }

    /// Returns a model of a list; `None` if it has no name.
    fn model(&self, listed: Listed) -> Option<VendorModel> {
        let id = match self.format {
            WireFormat::Google => {
                let name = listed.name?;
                name.strip_prefix("models/").unwrap_or(&name).to_owned()
            }
            _ => listed.id?,
        };
        let released = day(listed.created.as_ref()).or_else(|| day(listed.created_at.as_ref()));
        let methods = listed.supported_generation_methods;
        let redacted = |text: String| self.redactor.text(&text);
        Some(VendorModel {
            id: redacted(id),
            released,
            shutdown: day(listed.shutdown_date.as_ref()),
            generates: methods
                .is_none_or(|methods| methods.iter().any(|method| method == "generateContent")),
        })
    }
}

/// The error of an answer that is JSON of another shape.
const NO_LIST: &str = "answered with JSON that is no list of models";

/// A page of a list.
struct Page {
    data: Vec<Listed>,
    cursor: Cursor,
}

impl Page {
    /// Returns the cursor of the next page, if there is one. Only Anthropic and Google have pages.
    fn next(&self, format: WireFormat) -> Option<String> {
        let cursor = &self.cursor;
        let next = match format {
            WireFormat::Anthropic if cursor.has_more == Some(true) => cursor.last_id.clone(),
            WireFormat::Google => cursor.next_page_token.clone(),
            _ => None,
        };
        next.filter(|next| !next.is_empty())
    }
}

/// The end of a page: Anthropic's members, and Google's.
#[derive(Deserialize)]
struct Cursor {
    has_more: Option<bool>,
    last_id: Option<String>,
    #[serde(rename = "nextPageToken")]
    next_page_token: Option<String>,
}

/// A model as vendors list it. A date that cannot be parsed counts as unknown, because the date is one of
/// many facts. `name` is Google's name of the model, and a title elsewhere.
#[derive(Deserialize)]
struct Listed {
    id: Option<String>,
    name: Option<String>,
    created: Option<Value>,
    created_at: Option<Value>,
    shutdown_date: Option<Value>,
    #[serde(rename = "supportedGenerationMethods")]
    supported_generation_methods: Option<Vec<String>>,
}

/// Returns the day of a date, which may have a time behind it, or of a number of seconds.
fn day(date: Option<&Value>) -> Option<String> {
    let day = match date? {
        Value::String(text) => text.split('T').next()?.parse::<Date>().ok()?,
        seconds => Date::of(UNIX_EPOCH.checked_add(Duration::from_secs(seconds.as_u64()?))?),
    };
    Some(day.to_string())
}

/// Whether the path of an address ends with a version, such as `v1` or `v1beta`.
fn ends_with_version(url: &Url) -> bool {
    let path = url.path().trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    let version = last.strip_prefix('v').unwrap_or_default();
    version.starts_with(|c: char| c.is_ascii_digit())
}

/// Reads the body of an answer.
async fn body(mut response: Response) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return Ok(body),
            Err(_) => return Err("broke its answer off".to_owned()),
        }
        if body.len() > MAX_PAGE {
            return Err(format!("answered with more than {} MiB", MAX_PAGE >> 20));
        }
    }
}

/// Describes a request without an answer by its first cause.
fn no_answer(error: reqwest::Error) -> String {
    if let Some(problem) = certificate_problem(&error) {
        return problem.into_owned();
    }
    // The URL in the error may have secrets in its query.
    let error = error.without_url();
    let mut cause: &dyn Error = &error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    format!("cannot be reached: {cause}")
}
