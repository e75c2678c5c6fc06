//! Tests that any reply is replayed unchanged.

use crate::testing::fresh;
use agent_runtime::conversation::{Part, ProviderPart, ToolCall};
use agent_runtime::model::{ChatModel, FinishReason, ModelReply, ModelRequest, Scripted, Usage};
use agent_runtime::testing::Cassette;
use agent_runtime::{Message, Model};
use proptest::prelude::*;
use serde_json::{Value, json};

fn provider_data() -> impl Strategy<Value = Option<Value>> {
    let leaf = prop_oneof![
        any::<String>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(Value::Null),
    ];
    prop::option::of(leaf.prop_map(|leaf| json!({"vendor": [leaf, {"deep": leaf}]})))
}

fn reply() -> impl Strategy<Value = ModelReply> {
    let call = (any::<String>(), any::<String>(), any::<String>())
        .prop_map(|(id, tool, args)| ToolCall::new(id, tool, args));
    let text = || prop::option::of(any::<String>());
    let reason = any::<String>().prop_map(|word| FinishReason::from_word(&word));
    let usage = (any::<u64>(), any::<u64>()).prop_map(|(sent, made)| Usage::of_request(sent, made));
    let calls = prop::collection::vec(call, 0..3);
    (
        text(),
        calls,
        reason,
        usage,
        text(),
        text(),
        provider_data(),
    )
        .prop_map(|(content, calls, reason, usage, id, model, data)| {
            let mut reply = ModelReply::calls(calls)
                .with_finish_reason(reason)
                .with_usage(usage);
            // An empty text is no part.
            let content = content.filter(|text| !text.is_empty());
            reply.parts.extend(content.map(Part::from));
            reply
                .parts
                .extend(data.map(|data| ProviderPart::new("Any", data).into()));
            (reply.id, reply.model) = (id, model);
            reply
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn replays_any_reply_unchanged(reply in reply(), said in ".{0,20}") {
        let path = fresh("any.json");
        let model = Model::parse("Any/model").expect("a model");
        let request = ModelRequest::new(model, "Greet.", vec![Message::user(said)]);
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        for cassette in [Cassette::record(&path), Cassette::replay(&path)] {
            let model = cassette.around(Scripted::new([reply.clone()]));
            let answer = runtime.block_on(model.chat(&request)).expect("a reply");
            prop_assert_eq!(&answer, &reply);
        }
    }
}
