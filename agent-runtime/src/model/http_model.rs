//! Models over HTTP. Providers differ in their wire formats only.

use super::facts::{Facts, Learned};
use super::fit::fit;
use super::http::{
    Endpoint, EndpointConfig, HttpClient, HttpRequest, StreamReader, is_fetchable, read_body,
};
use super::refused_thoughts::RefusedThoughts;
use super::warnings::Warnings;
use super::wire_format::{Target, WireFormat};
use super::{ChatFuture, ChatModel, ModelReply, ModelRequest, ReplySink};
use crate::model::http::span::record_removed_reasoning;
use agent_catalog::{Catalog, Document, vendor};
use agent_core::cost::Price;
use agent_spec::PromptCache;
use agent_spec::vocabulary::Setting;
use agent_tool::__private::Refusal;
use agent_tool::Error;
use agent_tool::media::{Media, Part};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The facts of a runtime about models.
#[derive(Clone)]
pub(crate) struct Models {
    /// The catalogue, if it is another one than the built-in one.
    catalog: Option<Arc<Catalog>>,
    /// The catalogues with the documents of agents, by their texts. There are few.
    of_agents: Arc<Mutex<HashMap<&'static str, Arc<Catalog>>>>,
    learned: Arc<Learned>,
    /// Whether a refused request is corrected and sent once more.
    corrects: bool,
}

impl Models {
    pub(crate) fn new(catalog: Option<Arc<Catalog>>, corrects: bool) -> Self {
        Self {
            catalog,
            of_agents: Arc::default(),
            learned: Arc::default(),
            corrects,
        }
    }

    fn catalog(&self) -> &Catalog {
        match &self.catalog {
            Some(catalog) => catalog,
            None => Catalog::builtin(),
        }
    }

    /// Looks something up in the catalogue with the document of a request's agent.
    fn look_up<T>(&self, request: &ModelRequest, find: impl FnOnce(&Catalog) -> T) -> T {
        let Some(text) = request.catalog else {
            return find(self.catalog());
        };
        let mut known = self
            .of_agents
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let catalog = known.entry(text).or_insert_with(|| {
            // The document was checked with the agent, so it fails only against another catalogue of the runtime, which
            // is then used alone.
            let layered = self.catalog().with_beneath(&Document::read(text));
            Arc::new(layered.unwrap_or_else(|_| self.catalog().clone()))
        });
        let catalog = Arc::clone(catalog);
        drop(known);
        find(&catalog)
    }

    /// Returns the refusal that an error was recognised as, if refused requests are corrected.
    pub(super) fn refusal<'e>(&self, error: &'e Error) -> Option<&'e Refusal> {
        error.refusal().filter(|_| self.corrects)
    }

    /// Remembers a fact about the model of a request. Returns a warning with the row of a catalogue that has the fact.
    pub(super) fn learn(
        &self,
        refusal: &Refusal,
        request: &ModelRequest,
        endpoint: &Endpoint,
    ) -> String {
        let model = &request.model;
        let (provider, id) = (model.provider(), model.id());
        self.learned
            .add(Facts::of_refusal(refusal), endpoint.url.as_str(), id);
        let (property, vendor) = (&refusal.property, vendor(provider));
        let row = match refusal.is_of_server {
            true => format!("[{vendor}:Catalog {{{property}}}]"),
            false => {
                let name = agent_gram::print::writer::to_string(|writer| writer.identity(id));
                format!("[{vendor}:Catalog | [{name}:Model {{{property}}}]]")
            }
        };
        let text = format!(
            "{} refused a request to `{id}`, and it was corrected and sent once more; a row in a catalogue of your own \
             avoids that: {row}",
            endpoint.provider
        );
        tracing::warn!(provider, "{text}");
        text
    }
}

/// A model over HTTP.
pub(crate) struct HttpModel<F> {
    format: F,
    http: HttpClient,
    config: EndpointConfig,
    models: Models,
    /// The endpoint of the last request, for the next one with the same `baseUrl`.
    endpoint: Mutex<Option<CachedEndpoint>>,
    /// The facts of the last request, for the next one to the same model.
    facts: Mutex<Option<CachedFacts>>,
    refused: RefusedThoughts,
}

struct CachedEndpoint {
    base_url: Option<String>,
    endpoint: Arc<Endpoint>,
}

struct CachedFacts {
    endpoint: Arc<Endpoint>,
    model: agent_spec::Model,
    /// The document of the agent.
    catalog: Option<&'static str>,
    facts: Arc<Facts>,
}

/// The refusals after which a request is corrected and sent once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Corrected {
    /// All refusals for which this format has another form.
    All,
    /// All refusals but those of requests that another interface of the server answers.
    AllButInterface,
    /// No refusals, because the request was corrected already.
    None,
}

impl<F: WireFormat> HttpModel<F> {
    pub(crate) fn new(format: F, http: HttpClient, config: EndpointConfig, models: Models) -> Self {
        Self {
            format,
            http,
            config,
            models,
            endpoint: Mutex::default(),
            facts: Mutex::default(),
            refused: RefusedThoughts::default(),
        }
    }

    /// Returns the request with the media that the provider accepts.
    async fn sendable<'r>(
        &self,
        request: &'r ModelRequest,
    ) -> Result<Cow<'r, ModelRequest>, Error> {
        let (rules, permissions) = (F::MEDIA, &request.permissions.0);
        let urls = rules.urls_left_to_caller(request);
        let fetched = match urls.is_empty() {
            true => Default::default(),
            // Boxed, because few requests need so much room.
            false => {
                let media = self
                    .http
                    .fetch_media(urls, permissions, rules.count, rules.total);
                Box::pin(media).await
            }
        };
        rules.sendable(request, &fetched)
    }

    /// Returns the request without the thoughts that the provider refuses, to send it once more; `None` for an error
    /// of another cause.
    fn without_refused(&self, request: &ModelRequest, error: &Error) -> Option<ModelRequest> {
        if !error.is_thoughts_refused() {
            return None;
        }
        let changed = self.refused.refuse(request, F::KEPT)?;
        record_removed_reasoning("refused");
        Some(changed)
    }

    /// Writes a request in the form that its model accepts, and returns the warnings about it.
    async fn write<'e>(
        &self,
        request: &ModelRequest,
        target: Target<'e>,
        streamed: bool,
    ) -> Result<(HttpRequest<'e>, Warnings), Error> {
        let mut warnings = Warnings::default();
        let fitting = fit::<F>(request, target.facts, &mut warnings);
        self.format.check(&fitting)?;
        let sendable = self.sendable(&fitting).await?;
        let written = self
            .format
            .request(&sendable, target, streamed, &mut warnings)?;
        Ok((written, warnings))
    }

    /// Sends a request. It is sent again if its answer breaks off, but not after a part of a streamed answer went to the
    /// sink. `has_begun` is set to whether a part of a streamed answer arrived before an error.
    async fn send(
        &self,
        request: &HttpRequest<'_>,
        mut sink: Option<&mut ReplySink<'_>>,
        has_begun: &mut bool,
    ) -> Result<ModelReply, Error> {
        let failure = request.failure();
        let mut attempts = self.http.attempts(request);
        let reader = loop {
            let mut reader = F::Reader::default();
            let read = match &mut sink {
                None => match self.http.post(&mut attempts).await {
                    Ok(answer) => read_body(&mut reader, &answer, &failure),
                    Err(error) => Err(error),
                },
                Some(sink) => {
                    let streamed = self
                        .http
                        .stream(&mut attempts, F::FRAMING, &mut reader, sink)
                        .await;
                    *has_begun = !reader.builder().is_untouched();
                    streamed
                }
            };
            match read {
                Ok(()) => break reader,
                Err(error) if sink.as_ref().is_some_and(|sink| sink.has_sent()) => {
                    return Err(error);
                }
                Err(error) => attempts.pause_after_answer(error).await?,
            }
        };
        let reply = failure.redacted_reply(reader.finish(&failure)?);
        if let Some(conversation) = request.conversation {
            self.format.answered(conversation, &reply);
        }
        Ok(reply)
    }

    /// Answers a request, streamed if there is a sink. A request that is refused for a known reason is corrected and sent
    /// once more, unless a part of its answer arrived.
    pub(super) async fn answer(
        &self,
        request: &ModelRequest,
        mut sink: Option<&mut ReplySink<'_>>,
        corrected: Corrected,
    ) -> Result<ModelReply, Error> {
        let known = self.refused.without_known(request, F::KEPT).map(Box::new);
        let request = known.as_deref().unwrap_or(request);
        let endpoint = self.endpoint(request)?;
        let facts = self.facts(request, &endpoint);
        let target = Target {
            endpoint: &endpoint,
            facts: &facts,
        };
        let (written, warnings) = self.write(request, target, sink.is_some()).await?;
        let warnings = warnings.reported(request.model.provider());
        let mut has_begun = false;
        let error = match self
            .send(&written, sink.as_deref_mut(), &mut has_begun)
            .await
        {
            Ok(reply) => return Ok(self.priced(reply, request, target, warnings)),
            Err(error) => error,
        };
        if has_begun || corrected == Corrected::None {
            return Err(error);
        }
        // Boxed, because few requests need so much room.
        Box::pin(async move {
            if let Some(request) = self.without_refused(request, &error) {
                return self.answer(&request, sink, Corrected::None).await;
            }
            self.correct(request, target, &written, error, sink, corrected)
                .await
        })
        .await
    }

    /// Sends a refused request once more, corrected by the property that the refusal names.
    ///
    /// # Errors
    /// The error of the refusal, if it was not recognised or the request stays the same.
    async fn correct(
        &self,
        request: &ModelRequest,
        target: Target<'_>,
        refused: &HttpRequest<'_>,
        error: Error,
        sink: Option<&mut ReplySink<'_>>,
        corrected: Corrected,
    ) -> Result<ModelReply, Error> {
        let Some(refusal) = self.models.refusal(&error) else {
            return Err(error);
        };
        if corrected == Corrected::AllButInterface && refusal.model.api.is_some() {
            return Err(error);
        }
        // The text of another refusal may name a setting that was not sent, such as a setting that the user's
        // message names.
        let is_set = |setting: Setting| request.settings.get(setting).is_some();
        if refusal.setting.is_some_and(|setting| !is_set(setting)) {
            return Err(error);
        }
        let mut facts = Facts::of_refusal(refusal);
        facts.fill_from(target.facts);
        let endpoint = target.endpoint;
        let target = Target {
            endpoint,
            facts: &facts,
        };
        let (written, warnings) = self.write(request, target, sink.is_some()).await?;
        if written.has_body_of(refused) {
            return Err(error);
        }
        let reply = match self.send(&written, sink, &mut false).await {
            Ok(reply) => reply,
            Err(again) => {
                let first = format!(
                    "; it was sent once more, corrected by `{}`, after this refusal: {error}",
                    refusal.property
                );
                return Err(again.and(&first));
            }
        };
        // The fact is remembered only after success, because the setting that a refusal names may not be its
        // reason.
        let mut texts = vec![self.models.learn(refusal, request, endpoint)];
        texts.extend(warnings.reported(request.model.provider()));
        Ok(self.priced(reply, request, target, texts))
    }

    /// Sets the cost of a reply whose tokens are known, and adds the warnings about its request.
    fn priced(
        &self,
        mut reply: ModelReply,
        request: &ModelRequest,
        target: Target<'_>,
        warnings: Vec<String>,
    ) -> ModelReply {
        let usage = reply.counted();
        let own = price(request, target.facts);
        for part in &mut reply.usage_parts {
            let id = part.model.as_deref();
            let price = match id.filter(|id| *id != request.model.id()) {
                None => own,
                Some(id) => self.models.look_up(request, |catalog| {
                    let address = target.endpoint.url.as_str();
                    price(
                        request,
                        &Facts::of(catalog, request.model.provider(), id, address),
                    )
                }),
            };
            part.cost = price.map(|price| price.cost(&part.usage));
        }
        reply.cost = match reply.usage_parts.as_slice() {
            _ if !usage.is_counted() => None,
            [] => own.map(|price| price.cost(&usage)),
            parts => parts.iter().map(|part| part.cost).sum(),
        };
        reply.warnings.extend(warnings);
        reply
    }

    /// Returns the facts about the model of a request and the server that it goes to.
    pub(super) fn facts(&self, request: &ModelRequest, endpoint: &Arc<Endpoint>) -> Arc<Facts> {
        let (model, address) = (&request.model, endpoint.url.as_str());
        let mut cached = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        let known = cached
            .as_ref()
            .filter(|known| Arc::ptr_eq(&known.endpoint, endpoint) && known.model == *model)
            .filter(|known| known.catalog == request.catalog);
        let facts = match known {
            Some(known) => Arc::clone(&known.facts),
            None => {
                let facts = self.models.look_up(request, |catalog| {
                    Facts::of(catalog, model.provider(), model.id(), address)
                });
                let facts = Arc::new(facts);
                *cached = Some(CachedFacts {
                    endpoint: Arc::clone(endpoint),
                    model: model.clone(),
                    catalog: request.catalog,
                    facts: Arc::clone(&facts),
                });
                facts
            }
        };
        self.models.learned.on_top_of(facts, address, model.id())
    }

    /// Returns the endpoint of a request. The last one is kept, because resolving it takes a quarter of the time that a
    /// request needs here.
    pub(super) fn endpoint(&self, request: &ModelRequest) -> Result<Arc<Endpoint>, Error> {
        let base_url = request.settings.base_url.as_deref();
        let mut cached = self.endpoint.lock().unwrap_or_else(PoisonError::into_inner);
        match &*cached {
            Some(cached) if cached.base_url.as_deref() == base_url => {
                return Ok(Arc::clone(&cached.endpoint));
            }
            _ => {}
        }
        let endpoint = Arc::new(Endpoint::resolve(&F::VENDOR, &self.config, base_url)?);
        *cached = Some(CachedEndpoint {
            base_url: base_url.map(str::to_owned),
            endpoint: Arc::clone(&endpoint),
        });
        Ok(endpoint)
    }
}

impl<F: WireFormat> ChatModel for HttpModel<F> {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(self.answer(request, None, Corrected::All))
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        Box::pin(self.answer(request, Some(sink), Corrected::All))
    }

    fn check(&self, request: &ModelRequest) -> Result<(), Error> {
        let is_fetched = |part: &Part| {
            let url = part.media().and_then(Media::url);
            F::MEDIA.leaves_url_to_caller(part)
                && url.is_some_and(|url| is_fetchable(url, &request.permissions.0))
        };
        F::MEDIA.check(request, &is_fetched)?;
        let endpoint = self.endpoint(request)?;
        let facts = self.facts(request, &endpoint);
        let fitting = fit::<F>(request, &facts, &mut Warnings::default());
        self.format.check(&fitting)
    }

    fn price(&self, request: &ModelRequest) -> Option<Price> {
        match self.endpoint(request) {
            Ok(endpoint) => price(request, &self.facts(request, &endpoint)),
            // A provider without a key is not asked and costs nothing, but the catalogue may have its price.
            Err(_) => {
                let (provider, id) = (request.model.provider(), request.model.id());
                self.models.look_up(request, |catalog| {
                    price_of(request, catalog.model(provider, id)?.row.price.as_ref())
                })
            }
        }
    }

    fn context_window(&self, request: &ModelRequest) -> Option<u64> {
        let endpoint = self.endpoint(request).ok()?;
        self.facts(request, &endpoint).model.context_window
    }

    fn trace_name(&self) -> &'static str {
        self.config.trace_name.unwrap_or(F::TRACE_NAME)
    }
}

/// Returns the price of a request by the facts about its model.
fn price(request: &ModelRequest, facts: &Facts) -> Option<Price> {
    price_of(request, facts.model.price.as_ref())
}

fn price_of(request: &ModelRequest, row: Option<&agent_catalog::Price>) -> Option<Price> {
    let for_longer = request.settings.cache == Some(PromptCache::OneHour);
    Price::of_row(row?, for_longer)
}

/// Returns the body of a request to the vendor, or to a compatible server at another address.
#[cfg(test)]
pub(crate) fn wire_body<F: WireFormat + Default>(
    request: &ModelRequest,
    base_url: Option<&str>,
) -> serde_json::Value {
    let keys = F::VENDOR.keys.iter().map(|key| (key.name, "a-key"));
    let config = EndpointConfig {
        provider: None,
        environment: agent_tool::Environment::from_pairs(keys),
        trace_name: None,
        row_url: None,
        base_url: base_url.map(str::to_owned),
        base_url_variable: None,
        key: None,
        key_header: None,
        headers: Vec::new(),
        url_hosts: Vec::new(),
        key_hosts: Vec::new(),
        withholds_key: false,
        redactor: agent_tool::redact::Redactor::new(),
    };
    let endpoint = Endpoint::resolve(&F::VENDOR, &config, None).expect("an endpoint");
    let (provider, id) = (request.model.provider(), request.model.id());
    let facts = Facts::of(Catalog::builtin(), provider, id, endpoint.url.as_str());
    let target = Target {
        endpoint: &endpoint,
        facts: &facts,
    };
    let mut warnings = Warnings::default();
    let fitting = fit::<F>(request, &facts, &mut warnings);
    let written = F::default().request(&fitting, target, false, &mut warnings);
    serde_json::from_slice(written.expect("a request").body()).expect("JSON")
}
