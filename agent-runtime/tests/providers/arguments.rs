//! Tests of the arguments of calls in formats in which they are objects.

use crate::providers::exchange::{ANTHROPIC, Dialect, GOOGLE, OLLAMA};
use crate::support::server::{status, streamed};

/// An answer that calls the tool with these arguments, plain and streamed.
type Answers = fn(&str) -> (String, String);

const FORMS: [(Dialect, Answers); 4] = [
    (ANTHROPIC, |arguments| {
        let block = format!(
            "{{\"type\": \"tool_use\", \"id\": \"x\", \"name\": \"sayHello\", \"input\": {arguments}}}"
        );
        let start = "{\"type\": \"content_block_start\", \"index\": 0, \"content_block\": ";
        let end = "{\"type\": \"message_stop\"}";
        (
            format!("{{\"content\": [{block}], \"stop_reason\": \"tool_use\"}}"),
            format!("data: {start}{block}}}\n\ndata: {end}\n\n"),
        )
    }),
    (GOOGLE, |arguments| {
        let part =
            format!("{{\"functionCall\": {{\"name\": \"sayHello\", \"args\": {arguments}}}}}");
        google(&part)
    }),
    // A part that is kept unchanged because of its signature.
    (GOOGLE, |arguments| {
        let call = format!("{{\"name\": \"sayHello\", \"args\": {arguments}}}");
        google(&format!(
            "{{\"functionCall\": {call}, \"thoughtSignature\": \"c2ln\"}}"
        ))
    }),
    (OLLAMA, |arguments| {
        let function = format!("{{\"name\": \"sayHello\", \"arguments\": {arguments}}}");
        let message = format!("{{\"tool_calls\": [{{\"function\": {function}}}]}}");
        let body = format!("{{\"message\": {message}, \"done\": true}}");
        (body.clone(), format!("{body}\n"))
    }),
];

fn google(part: &str) -> (String, String) {
    let content = format!("{{\"content\": {{\"parts\": [{{\"text\": \"\"}}, {part}]}}");
    let body = format!("{{\"candidates\": [{content}, \"finishReason\": \"STOP\"}}]}}");
    let stream = format!("data: {body}\n\n");
    (body, stream)
}

#[tokio::test]
async fn keeps_order_and_digits_of_arguments() {
    let sent = "{ \"zoo\": [1,  2], \"personName\": \"A  b\", \"age\": 340282366920938463463 }";
    let kept = "{\"zoo\":[1,2],\"personName\":\"A  b\",\"age\":340282366920938463463}";
    for (dialect, answers) in FORMS {
        let (plain, stream) = answers(sent);
        let plain = vec![status(200, &plain), dialect.answer("hello.json")];
        let (response, conversation, server) = dialect.execute(plain).await;
        response.expect(dialect.folder);
        let call = &conversation.messages()[1].tool_calls()[0];
        assert_eq!(call.args_text(), kept, "{}", dialect.folder);
        // Sent back in the same order; numbers beyond 64 bits as the nearest `f64`.
        let body = &server.requests()[1].body;
        assert!(
            body.contains("{\"zoo\":[1,2],\"personName\":\"A  b\",\"age\":"),
            "{body}"
        );

        let (kind, ending) = dialect.stream;
        let last = dialect.answer(&format!("hello{ending}"));
        let streamed = dialect.stream(vec![streamed(kind, stream), last]).await;
        assert!(streamed.error.is_none(), "{:?}", streamed.error);
        let call = &streamed.conversation.messages()[1].tool_calls()[0];
        assert_eq!(call.args_text(), kept, "{}", dialect.folder);
    }
}
