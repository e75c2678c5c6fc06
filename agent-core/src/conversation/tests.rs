//! Properties of every conversation.

use super::any_conversation::any_conversation;
use super::*;
use agent_gram::{format_source, parse_patterns, print};
use agent_spec::Model;
use agent_tool::__private::nests_deeper;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

fn any_policy() -> impl Strategy<Value = Retention> {
    (option::of(0..6_usize), option::of(0..200_usize)).prop_map(|(turns, budget)| {
        let policy = Retention::new();
        let policy = turns.into_iter().fold(policy, Retention::last_turns);
        budget.into_iter().fold(policy, Retention::token_budget)
    })
}

#[test]
fn repair_renames_the_result_of_another_tool() {
    let call = Message::assistant("").with_tool_calls([ToolCall::new("a", "pay", "{}")]);
    let result = Message::function("refund", "a", "done");
    let mut conversation: Conversation = [Message::user("Hi"), call, result].into_iter().collect();
    let invalid = conversation.check().expect_err("another tool");
    assert_eq!(
        invalid.to_string(),
        "message 3 of the conversation has the name `refund` and is the result of the call `a`, \
         which is one of `pay`"
    );
    let repairs: Vec<String> = conversation
        .repair()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        repairs,
        ["message 3, a result of `refund`, is one of `pay`, the tool of its call"]
    );
    assert_eq!(conversation.messages()[2].name(), Some("pay"));
}

/// The messages of the user and the model, which no repair may change.
fn said(conversation: &Conversation) -> Vec<(Role, String)> {
    let messages = conversation.messages().iter();
    let said = messages.filter(|message| message.role() != Role::Function);
    said.map(|message| (message.role(), message.content().to_owned()))
        .collect()
}

fn results(conversation: &Conversation) -> usize {
    let messages = conversation.messages().iter();
    messages
        .filter(|message| message.role() == Role::Function)
        .count()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn exact_json_is_read_back_as_an_equal_message(conversation in any_conversation()) {
        for message in &conversation {
            match message.to_exact_json() {
                Ok(text) => {
                    let read: Message = serde_json::from_str(&text).expect("a message");
                    prop_assert_eq!(&read, message);
                }
                Err(error) => {
                    prop_assert!(error.to_string().contains("nested too deep"), "{error}");
                    let is_deep = |part: &Part| match part {
                        Part::Provider(part) => nests_deeper(part.data(), 120),
                        _ => false,
                    };
                    prop_assert!(message.parts().iter().any(is_deep));
                }
            }
        }
    }

    #[test]
    fn any_repaired_conversation_is_valid(conversation in any_conversation()) {
        let mut repaired = conversation.clone();
        let repairs = repaired.repair();
        prop_assert_eq!(repaired.check(), Ok(()));
        prop_assert_eq!(repairs.is_empty(), conversation.is_valid_to_send());
        prop_assert_eq!(said(&repaired), said(&conversation));
        let count = |is: fn(&Repair) -> bool| repairs.iter().filter(|repair| is(repair)).count();
        let removed = count(|repair| matches!(repair, Repair::RemovedResult { .. }));
        let added = count(|repair| matches!(repair, Repair::AddedResult { .. }));
        prop_assert_eq!(results(&repaired) + removed, results(&conversation) + added);
        prop_assert_eq!(repaired.repair(), []);
        if repairs.is_empty() {
            prop_assert_eq!(repaired, conversation);
        }
    }

    #[test]
    fn any_truncated_conversation_is_valid(
        conversation in any_conversation(),
        policy in any_policy(),
    ) {
        let plain = conversation.messages.into_iter();
        let plain = plain.map(|message| message.with_scope(SummaryScope::default()));
        let conversation: Conversation = plain.collect();
        let mut whole = conversation.clone();
        whole.repair();
        let mut kept = conversation;
        let cut = kept.truncate(&policy);
        prop_assert_eq!(kept.check(), Ok(()));
        prop_assert_eq!(cut.removed.iter().cloned().collect::<Conversation>().check(), Ok(()));
        let head = summaries(whole.messages());
        let mut together = whole.messages()[..head].to_vec();
        together.extend(cut.removed.iter().cloned());
        together.extend(kept.messages()[head..].iter().cloned());
        prop_assert_eq!(together, whole.messages());
        if let (false, Some(first)) = (cut.removed.is_empty(), kept.messages().first()) {
            prop_assert_eq!(first.role(), Role::User);
        }
    }

    #[test]
    fn any_view_is_valid_and_has_the_last_turn(
        conversation in any_conversation(),
        policy in any_policy(),
        scopes in proptest::collection::vec((0..20_usize, 0..20_usize, 0..20_usize), 0..3),
    ) {
        let mut whole = conversation;
        whole.repair();
        for (at, messages, of_turn) in scopes {
            let scope = SummaryScope::new(messages).with_messages_of_turn(of_turn);
            whole.messages.insert(at.min(whole.len()), Message::summary_of("s", scope));
        }
        // A summary between a call and its result is moved behind the result.
        whole.repair();
        let view: Conversation = whole.view().into_iter().collect();
        prop_assert_eq!(view.check(), Ok(()));
        let first = policy.first_sent(whole.messages());
        let view: Conversation = View::new(whole.messages(), first).messages().into_iter().collect();
        prop_assert_eq!(view.check(), Ok(()));
        let mut truncated = whole.clone();
        truncated.truncate(&policy);
        if first > 0 {
            let texts = |conversation: &Conversation| -> Vec<String> {
                let messages = conversation.messages().iter();
                messages.map(|message| message.content().to_owned()).collect()
            };
            prop_assert_eq!(texts(&truncated), texts(&view));
        } else {
            prop_assert_eq!(&truncated, &whole);
        }
        prop_assert_eq!(truncated.check(), Ok(()));
    }

    /// The history may have earlier summaries with any scope.
    #[test]
    fn compactions_shorten_the_view_until_nothing_can_be_replaced(
        conversation in any_conversation(),
        above in 0..400_usize,
        overhead in 0..50_usize,
    ) {
        let mut history = conversation;
        history.repair();
        let start = history.len();
        history.push(Message::user("And now?"));
        let last = |history: &Conversation| history.view().last().cloned();
        let newest = last(&history);
        let options = Compaction::above(above).about_tokens(above / 16);
        let model = Model::from_static("Google", "gemini");
        let mut continues = false;
        let mut counts = TokenCounts::default();
        for round in 0.. {
            prop_assert!(round < 100, "it never ends");
            let before = View::new(history.messages(), 0);
            counts.extend(&model, history.messages());
            let tokens = before.messages();
            let tokens = tokens.iter().map(|message| estimate_tokens_for(&model, message));
            prop_assert_eq!(before.tokens(&model, &counts), tokens.sum::<usize>());
            let counted = (&model, &counts);
            let plan = CompactionPlan::new(&options, &before, counted, start, overhead, continues);
            let Some(plan) = plan else { break };
            let material: Conversation = material(&before, plan.scope).into_iter().collect();
            prop_assert!(material.len() > usize::from(before.messages()[0].summary_scope().is_some()));
            prop_assert_eq!(material.check(), Ok(()));
            let kept = before.behind(plan.scope).messages();
            prop_assert_eq!(material.len() + kept.len(), before.messages().len());
            let summary = written_summary("s", plan.scope);
            history.push(summary.clone());
            let after = View::new(history.messages(), 0).messages();
            prop_assert_eq!(&after[0], &summary);
            prop_assert_eq!(&after[1..], &kept[..]);
            prop_assert_eq!(after.iter().cloned().collect::<Conversation>().check(), Ok(()));
            prop_assert_eq!(last(&history), newest.clone());
            continues = plan.is_first_part;
        }
    }

    #[test]
    fn conversations_are_joined_unchanged(
        [mut first, mut second] in [any_conversation(), any_conversation()],
    ) {
        first.repair();
        second.repair();
        let mut joined = first.clone();
        prop_assert_eq!(joined.append(second.clone()), Ok(()));
        prop_assert_eq!(joined.check(), Ok(()));
        // Call ids, too, stay as they were sent.
        let all: Conversation = first.messages().iter().chain(&second).cloned().collect();
        prop_assert_eq!(joined, all);
    }

    #[test]
    fn a_conversation_comes_back_from_gram(conversation in any_conversation()) {
        let pattern = conversation.to_pattern().expect("not deep");
        let printed = print(std::slice::from_ref(&pattern));
        let read = parse_patterns(&printed);
        let read = read.unwrap_or_else(|errors| panic!("{printed}: {errors:#?}"));
        prop_assert_eq!(&read, &[pattern]);
        prop_assert_eq!(Conversation::from_pattern(&read[0]), Ok(conversation));
        prop_assert_eq!(format_source(&printed).expect("gram"), printed);
    }

    #[test]
    fn a_conversation_comes_back_from_json(conversation in any_conversation()) {
        let json = conversation.to_json();
        let read = Conversation::from_json(&json).expect("its own form");
        prop_assert_eq!(read.to_json(), json);
        // All but blanks and the order of members in the texts of arguments.
        let without = |conversation: &Conversation| -> Vec<Value> {
            let messages = conversation.messages().iter();
            let calls = messages.clone().flat_map(Message::tool_calls);
            let args = calls.map(ToolCall::args).collect();
            let bare = messages.map(|message| message.clone().with_tool_calls([]));
            let bare: Conversation = bare.collect();
            vec![bare.to_json(), Value::Array(args)]
        };
        prop_assert_eq!(without(&read), without(&conversation));
    }
}

#[test]
fn messages_in_front_of_the_first_answer_are_summarised_with_its_step() {
    let call = |id: &str| Message::assistant("").with_tool_calls([ToolCall::new(id, "t", "{}")]);
    let history = [
        Message::user("Read the pages."),
        Message::user("And this: ".to_owned() + &"long ".repeat(500)),
        call("a"),
        Message::function("t", "a", "one"),
        call("b"),
        Message::function("t", "b", "two"),
    ];
    let model = Model::from_static("Google", "gemini");
    let mut counts = TokenCounts::default();
    counts.extend(&model, &history);
    let options = Compaction::above(300).about_tokens(20);
    let view = View::new(&history, 0);
    let plan = CompactionPlan::new(&options, &view, (&model, &counts), 0, 0, false);
    // The second message alone is long enough, but no answer was given to it yet.
    let scope = SummaryScope::new(0).with_messages_of_turn(3);
    assert_eq!(plan.expect("it is too long").scope, scope);
}

#[test]
fn repair_reports_its_changes() {
    let calls = |ids: &[&str]| {
        Message::assistant("").with_tool_calls(ids.iter().map(|id| ToolCall::new(*id, "t", "{}")))
    };
    let result = |id: &str| Message::function("t", id, format!("result of {id}"));
    let user = Message::user("u").with_tool_calls([ToolCall::new("x", "t", "{}")]);
    let messages = [
        result("a"),
        user,
        calls(&["a", "a", "b"]),
        result("b"),
        result("a"),
        Message::user("v"),
        calls(&["b", "c"]),
        Message::user("w"),
        result("c"),
    ];
    let mut conversation: Conversation = messages.into_iter().collect();
    let repairs: Vec<String> = conversation
        .repair()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        repairs,
        [
            "message 1 was taken out: it is a result of `a`, which no call waits for",
            "message 2 lost its calls (1), since only the model makes calls",
            "the call `a` of message 3 is called `a-2`, since each call of a message has its own id",
            "the call `a-2` of message 3 got a result that says that there is none",
            "message 9 was moved to its call, `c`",
            "the call `b` of message 7 got a result that says that there is none",
        ]
    );
    let ids: Vec<_> = conversation
        .messages()
        .iter()
        .filter_map(Message::call_id)
        .collect();
    assert_eq!(ids, ["b", "a", "a-2", "c", "b"]);
}

#[test]
fn rejects_an_invalid_pattern_with_the_message() {
    for (text, message) in [
        ("(a)", "the pattern must have the label `Conversation`"),
        (
            "[:Conversation | (b)]",
            "message 1 of 1: the pattern must have the label `Message`",
        ),
        (
            "[:Conversation | (:Message {content: \"c\"})]",
            "message 1 of 1: `role` is missing",
        ),
        (
            "[:Conversation | (:Message {role: \"robot\", content: \"c\"})]",
            "message 1 of 1: `robot` is not a role; write `user`, `assistant` or `function`",
        ),
        (
            "[:Conversation | (:Message {role: \"user\", content: 5})]",
            "message 1 of 1: `content` is a text",
        ),
        (
            "[:Conversation | (:Message {role: \"function\", content: \"\", callId: \"a\"})]",
            "message 1 of 1: `name` is the name of a tool",
        ),
        (
            "[:Conversation | [:Message {role: \"assistant\", content: \"\"} | (:ToolCall {callId: \"a\"})]]",
            "message 1 of 1: a call has exactly one element, its tool; this one has 0",
        ),
    ] {
        let pattern = parse_patterns(text).expect(text).remove(0);
        let found = Conversation::from_pattern(&pattern).map_err(|error| error.to_string());
        assert_eq!(found, Err(message.to_owned()), "{text}");
    }
}

/// Conversations from outside may be long, so repairing them must take linear time.
#[test]
fn repairs_a_long_conversation_in_linear_time() {
    let call = || Message::assistant("").with_tool_calls([ToolCall::new("a", "t", "{}")]);
    let result = || Message::function("t", "a", "r");
    let calls = (0..50_000).map(|_| call());
    let results = (0..50_000).map(|_| result());
    let mut conversation: Conversation = calls.chain(results).collect();
    let begun = std::time::Instant::now();
    // Each call but the last gets a result, and each result but the first is removed.
    assert_eq!(conversation.repair().len(), 2 * 49_999);
    assert_eq!(conversation.check(), Ok(()));
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

#[test]
fn a_turn_begins_with_a_message_of_the_user() {
    let [user, model] = [Message::user("u"), Message::assistant("m")];
    let check = |messages: &[&Message], expected: &[usize]| {
        let messages: Vec<Message> = messages.iter().copied().cloned().collect();
        assert_eq!(turn_starts(&messages), expected, "{messages:?}");
    };
    let summary = Message::summary("s");
    check(&[], &[]);
    check(&[&user, &model, &model, &user], &[0, 3]);
    check(&[&model, &user, &user], &[0, 1, 2]);
    check(&[&summary, &user, &model], &[1]);
    check(&[&summary, &model, &user], &[1, 2]);
    check(&[&summary], &[]);
    // In the middle it is something that was said.
    check(&[&user, &summary], &[0, 1]);
    let correction = Message::correction("c");
    check(&[&user, &model, &correction, &model, &user], &[0, 4]);
    let said = Message::steering("s");
    check(&[&user, &model, &said, &model, &user, &said], &[0, 4]);
    let summary = Message::summary_of("s", SummaryScope::new(2));
    check(&[&user, &model, &user, &summary, &model, &user], &[0, 2, 5]);
}

#[test]
fn a_fork_has_the_first_turns() {
    let texts = |conversation: Conversation| -> Vec<String> {
        let messages = conversation.messages.iter();
        messages.map(|m| m.content().to_owned()).collect()
    };
    let messages = [
        Message::summary("s"),
        Message::user("a"),
        Message::assistant("b"),
        Message::user("c"),
    ];
    let conversation: Conversation = messages.into_iter().collect();
    assert_eq!(texts(conversation.fork(0)), ["s"]);
    assert_eq!(texts(conversation.fork(1)), ["s", "a", "b"]);
    assert_eq!(texts(conversation.fork(9)), ["s", "a", "b", "c"]);
}

#[test]
fn media_with_one_digest_share_their_bytes() {
    let bytes = b"GIF89a".to_vec();
    let json = json!({"type": "image", "sha256": Sha256::of(&bytes).to_string()});
    let messages = json!([
        {"role": "user", "content": [json, json]},
        {"role": "assistant", "content": "Hm."},
        {"role": "user", "content": [json]},
    ]);
    let read = Conversation::from_json(&messages).expect("a conversation");
    let mut calls = 0;
    let filled = read.with_media(|_| {
        calls += 1;
        Ok::<_, ()>(Some(bytes.clone()))
    });
    let filled = filled.expect("no error");
    assert_eq!(calls, 1);
    let media = filled.messages().iter().flat_map(Message::media);
    let places: Vec<*const u8> = media
        .map(|media| media.bytes().expect("its bytes").as_ptr())
        .collect();
    assert_eq!(places, [places[0]; 3]);
}

#[test]
fn a_message_with_too_many_values_cannot_be_stored() {
    let data = |objects: usize| Value::from(vec![json!({"": 0}); objects]);
    let message = |objects: usize| {
        let kept = ProviderPart::new("Acme", data(objects));
        Message::assistant_parts(["m".into(), kept.into()])
    };
    assert!(message(99_000).to_exact_json().is_ok());
    let error = message(100_000).to_exact_json().expect_err("too many");
    let expected =
        "it has more than 1000000 JSON values, where a list counts as 2 and an object as 8";
    assert_eq!(error.to_string(), expected);
}
