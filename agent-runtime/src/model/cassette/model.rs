//! A cassette as a model.

use super::exchange::{Exchange, Failed};
use super::{Cassette, Turn};
use crate::error::Error;
use crate::model::{ChatFuture, ChatModel, ModelReply, ModelRequest, ReplyPart, ReplySink};

/// A model with a [`Cassette`] around it. What it answers while the cassette records is the model's
/// own answer; a request that is given up, because the run is dropped or takes too long, is not
/// recorded.
#[derive(Clone, Debug)]
pub struct CassetteModel<M> {
    cassette: Cassette,
    model: M,
}

impl<M> CassetteModel<M> {
    pub(super) fn new(cassette: Cassette, model: M) -> Self {
        Self { cassette, model }
    }
}

impl<M: ChatModel> ChatModel for CassetteModel<M> {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            let place = match self.cassette.turn(request)? {
                Turn::Replay(exchange) => return exchange.into_answer(),
                Turn::Record(place) => place,
            };
            let answer = self.model.chat(request).await;
            self.cassette
                .keep(place, recorded(request, Vec::new(), &answer))?;
            answer
        })
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        Box::pin(async move {
            let place = match self.cassette.turn(request)? {
                Turn::Replay(exchange) => return replay(*exchange, sink).await,
                Turn::Record(place) => place,
            };
            let mut parts = Vec::new();
            let answer = {
                let (take, has_room, sent) = sink.pieces();
                let mut note = |part: ReplyPart| {
                    parts.push(part.clone());
                    *sent = true;
                    take(part);
                };
                let mut overheard = ReplySink::with_room(&mut note, has_room);
                self.model.stream(request, &mut overheard).await
            };
            self.cassette
                .keep(place, recorded(request, parts, &answer))?;
            answer
        })
    }

    fn trace_name(&self) -> &'static str {
        self.model.trace_name()
    }
}

/// A cassette that replays needs no model. One that records does: see [`Cassette::around`].
impl ChatModel for Cassette {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move { self.replayed(request)?.into_answer() })
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        Box::pin(async move { replay(self.replayed(request)?, sink).await })
    }

    /// That of the provider that was recorded, if it is one that comes with the crate.
    fn trace_name(&self) -> &'static str {
        let recorded = self.recorded_provider();
        recorded.unwrap_or("cassette")
    }
}

/// A cassette that replays what a provider answered, of which the runtime knows the name in traces.
pub(crate) struct Replayed {
    pub(crate) cassette: Cassette,
    pub(crate) trace_name: Option<&'static str>,
}

impl ChatModel for Replayed {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        self.cassette.chat(request)
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        self.cassette.stream(request, sink)
    }

    fn trace_name(&self) -> &'static str {
        self.trace_name
            .unwrap_or_else(|| self.cassette.trace_name())
    }
}

impl Cassette {
    fn replayed(&self, request: &ModelRequest) -> Result<Exchange, Error> {
        match self.turn(request)? {
            Turn::Replay(exchange) => Ok(*exchange),
            Turn::Record(_) => Err(Error::configuration(format!(
                "the cassette `{}` records, so it needs a model to ask: give it to \
                 `RuntimeBuilder::cassette`, or put it around one with `Cassette::around`",
                self.path().display()
            ))),
        }
    }
}

fn recorded(
    request: &ModelRequest,
    parts: Vec<ReplyPart>,
    answer: &Result<ModelReply, Error>,
) -> Exchange {
    Exchange {
        request: super::request::to_json(request),
        parts,
        outcome: match answer {
            Ok(reply) => Ok(reply.clone()),
            Err(error) => Err(Failed::of(error)),
        },
    }
}

/// Gives a recorded answer in the parts in which it came, or in one when it came as a whole.
async fn replay(exchange: Exchange, sink: &mut ReplySink<'_>) -> Result<ModelReply, Error> {
    if exchange.parts.is_empty() {
        if let Ok(reply) = &exchange.outcome {
            sink.send_reply(reply).await;
        }
    } else {
        for part in &exchange.parts {
            sink.send(part.clone()).await;
        }
    }
    exchange.into_answer()
}
