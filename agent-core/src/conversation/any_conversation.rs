//! Conversations of any content, valid or not, for property tests.

use agent_core::conversation::{
    Document, Image, Part, ProviderPart, Role, SummaryScope, Thinking, ToolCall,
};
use agent_core::{Conversation, Message};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-z`\"'\\\\\n\r\t{}|/ ]{0,12}",
        "[a-z ]{110,130}",
        Just("\u{0}\u{feff}\u{2028}\u{202e}```\n---\n```".to_owned()),
    ]
}

fn args() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just("{}".to_owned()),
        1 => Just("{ \"b\": [1, null, 1.50, 1e400], \"a\": \"\\u00e9\", \"a\": 2 }".to_owned()),
        1 => Just("{\"n\":123456789012345678901}".to_owned()),
        1 => Just(format!("{}{}", "[".repeat(70), "]".repeat(70))),
        1 => text(),
        1 => text().prop_map(|text| json!({text.clone(): [null, {"deep": text}]}).to_string()),
    ]
}

fn any_part() -> impl Strategy<Value = Part> {
    let data = prop_oneof![
        Just(Value::Null),
        text().prop_map(|text| json!([{"type": "text", "text": text}])),
        (0..150_usize).prop_map(|levels| {
            (0..levels).fold(json!([]), |inner, _| Value::Array(vec![inner]))
        }),
    ];
    // Bytes are left out, because they are written as their digests.
    prop_oneof![
        text().prop_map(Part::Text),
        text().prop_map(|url| Image::from_url(url).with_media_type("image/png").into()),
        (text(), text()).prop_map(|(id, name)| {
            let file = Document::from_file_id("OpenAI", id);
            file.with_name(name).into()
        }),
        text().prop_map(|text| Thinking::new("Anthropic", text).into()),
        data.prop_map(|data| ProviderPart::new("Anthropic", data).into()),
    ]
}

/// Returns mostly ids of a small set, so that most of them repeat, and some unusual ids.
fn id() -> impl Strategy<Value = String> {
    prop_oneof![6 => "[abc]", 1 => Just("a-2".to_owned()), 1 => Just(String::new()), 1 => text()]
}

/// Mostly the same tool, so that results match their calls.
fn tool() -> impl Strategy<Value = String> {
    prop_oneof![8 => Just("t".to_owned()), 1 => "[a-z]{0,6}", 1 => text()]
}

/// Creates a message of the user or the model with a name, which only the JSON form can set.
fn named(role: Role, content: &str, name: Option<&str>) -> Message {
    let json = json!([{"role": role.as_str(), "content": content, "name": name}]);
    let conversation = Conversation::from_json(&json).expect("a message");
    conversation.messages()[0].clone()
}

fn any_message() -> impl Strategy<Value = Message> {
    let call = (id(), tool(), args()).prop_map(|(id, tool, args)| ToolCall::new(id, tool, args));
    let calls = prop_oneof![1 => Just(Vec::new()), 1 => vec(call, 1..4)];
    let parts = (
        0..3,
        text(),
        option::weighted(0.8, tool()),
        id(),
        calls,
        any::<bool>(),
    );
    let several = prop_oneof![4 => Just(Vec::new()), 1 => vec(any_part(), 1..4)];
    (parts, several).prop_map(|((role, content, name, id, calls, flag), several)| {
        let several = || several.iter().cloned();
        let id_length = id.len();
        let message = match role {
            0 if several().len() > 0 => Message::user_parts(several()),
            1 if several().len() > 0 => Message::assistant_parts(several()),
            0 => named(Role::User, &content, name.as_deref()),
            1 => named(Role::Assistant, &content, name.as_deref()),
            _ if several().len() > 0 => {
                Message::function_parts(name.unwrap_or_default(), id, several())
            }
            _ => Message::function(name.unwrap_or_default(), id, &content),
        };
        // Mostly calls that are valid, and sometimes calls of the user or of a tool.
        let message = match message.role() {
            Role::Assistant => message.with_tool_calls(calls),
            _ if flag && calls.len() > 2 => message.with_tool_calls(calls),
            _ => message,
        };
        match (&*content, message.role()) {
            (content, Role::User) if content.len() % 7 == 1 => {
                let scope = SummaryScope::new(content.len()).with_messages_of_turn(id_length % 5);
                Message::summary_of(content, scope)
            }
            (content, Role::User) if content.len() % 7 == 2 => Message::steering(content),
            _ if flag => message.into_error(),
            _ => message,
        }
    })
}

pub(crate) fn any_conversation() -> impl Strategy<Value = Conversation> {
    vec(any_message(), 0..14).prop_map(|messages| messages.into_iter().collect())
}
