//! The model of the demonstration, which needs no key and no network.

use agent_runtime::model::{ChatFuture, ChatModel, ModelRequest, Offline, ReplyPart, ReplySink};
use std::time::Duration;

/// The offline model, which streams its words one after the other, so that there is something to see; slowly
/// if it is asked to.
pub(crate) struct DemoModel;

impl ChatModel for DemoModel {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Offline.chat(request)
    }

    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        sink: &'a mut ReplySink<'_>,
    ) -> ChatFuture<'a> {
        Box::pin(async move {
            let reply = self.chat(request).await?;
            let last = request.messages.last().map(|message| message.content());
            let is_slow = last.is_some_and(|text| text.contains("slowly"));
            let pause = Duration::from_millis(if is_slow { 200 } else { 30 });
            for word in reply.content().split_inclusive(' ') {
                tokio::time::sleep(pause).await;
                sink.send(ReplyPart::Text(word.to_owned())).await;
            }
            for (index, call) in reply.tool_calls.iter().enumerate() {
                sink.send(ReplyPart::call_with_id(index, call.tool(), call.id()))
                    .await;
                sink.send(ReplyPart::arguments(index, call.args_text()))
                    .await;
            }
            Ok(reply)
        })
    }
}
