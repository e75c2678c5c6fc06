//! OpenAI, and servers like it. They have two interfaces; a request uses the interface that its model needs
//! and the server has.

mod chat;
mod responses;

use super::http::{EndpointConfig, HttpClient, KeyForm, KeyVariable, Vendor};
use super::http_model::{Corrected, HttpModel, Models};
use super::{ChatFuture, ChatModel, ModelReply, ModelRequest, ReplySink};
use agent_catalog::Api;
use agent_core::cost::Price;
use agent_tool::Error;
pub(crate) use chat::ChatCompletions;
pub(crate) use responses::Responses;

/// The vendor.
const VENDOR: Vendor = Vendor {
    provider: "OpenAI",
    base_url: "https://api.openai.com/v1",
    endpoint: "/chat/completions",
    hosts: &["api.openai.com"],
    keys: &[KeyVariable {
        name: "OPENAI_API_KEY",
        form: KeyForm::Bearer,
    }],
    base_url_variable: "OPENAI_BASE_URL",
    read_base_url: str::to_owned,
    headers: &[],
    header_variables: &[
        ("openai-organization", "OPENAI_ORG_ID"),
        ("openai-project", "OPENAI_PROJECT_ID"),
    ],
};

/// OpenAI or a server like it.
pub(crate) struct OpenAi {
    chat: HttpModel<ChatCompletions>,
    responses: HttpModel<Responses>,
    models: Models,
}

impl OpenAi {
    pub(crate) fn new(
        chat: ChatCompletions,
        http: HttpClient,
        config: EndpointConfig,
        models: Models,
    ) -> Self {
        Self {
            chat: HttpModel::new(chat, http.clone(), config.clone(), models.clone()),
            responses: HttpModel::new(Responses, http, config, models.clone()),
            models,
        }
    }

    /// Returns the interface for a request.
    fn api(&self, request: &ModelRequest) -> Result<Api, Error> {
        let endpoint = self.chat.endpoint(request)?;
        let facts = self.chat.facts(request, &endpoint);
        Ok(facts.server.api_for(&facts.model))
    }

    async fn answer(
        &self,
        request: &ModelRequest,
        mut sink: Option<&mut ReplySink<'_>>,
    ) -> Result<ModelReply, Error> {
        if self.api(request)? == Api::Responses {
            return self.responses.answer(request, sink, Corrected::All).await;
        }
        let chat = self
            .chat
            .answer(request, sink.as_deref_mut(), Corrected::AllButInterface);
        let error = match chat.await {
            Err(error) => error,
            reply => return reply,
        };
        let refusal = self.models.refusal(&error);
        let Some(refusal) = refusal.filter(|refusal| refusal.model.api.is_some()) else {
            return Err(error);
        };
        let endpoint = self.chat.endpoint(request)?;
        // Boxed, because few requests need so much room.
        let again = self.responses.answer(request, sink, Corrected::None);
        match Box::pin(again).await {
            Ok(mut reply) => {
                let warning = self.models.learn(refusal, request, &endpoint);
                reply.warnings.insert(0, warning);
                Ok(reply)
            }
            // The first error is returned, because it has the reason for the second request.
            Err(again) => {
                let text = format!("; Responses did not answer it either: {again}");
                Err(error.and(&text))
            }
        }
    }
}

impl ChatModel for OpenAi {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(self.answer(request, None))
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        Box::pin(self.answer(request, Some(sink)))
    }

    fn check(&self, request: &ModelRequest) -> Result<(), Error> {
        match self.api(request)? {
            Api::Responses => self.responses.check(request),
            _ => self.chat.check(request),
        }
    }

    fn price(&self, request: &ModelRequest) -> Option<Price> {
        self.chat.price(request)
    }

    fn context_window(&self, request: &ModelRequest) -> Option<u64> {
        self.chat.context_window(request)
    }

    fn trace_name(&self) -> &'static str {
        self.chat.trace_name()
    }
}
