//! The JSON of mail, as both journals keep it.

use agent_core::conversation::StoreError;
use agent_core::journal::{Mail, ReceivedMail};
use agent_tool::serde_json;

/// Returns the JSON text of mail.
///
/// # Errors
/// When the text could not be read back, for example because a message is nested too deep. The holder of the
/// run could then read no later mail either.
pub(crate) fn to_text(mail: &Mail) -> Result<String, StoreError> {
    let text = mail.to_json().to_string();
    parse(&text)
        .map_err(|problem| StoreError::invalid(format!("the mail cannot be stored: {problem}")))?;
    Ok(text)
}

/// Reads mail of a run in a place.
///
/// # Errors
/// When the text is not that of mail, because a fault or another program changed it.
pub(crate) fn from_text(
    number: u64,
    text: &str,
    run: &str,
    place: &str,
) -> Result<ReceivedMail, StoreError> {
    match parse(text) {
        Ok(mail) => Ok(ReceivedMail::new(number, mail)),
        Err(problem) => Err(StoreError::format(format!(
            "mail {number} of the run `{}` in `{place}` cannot be read: {problem}",
            run.escape_debug()
        ))),
    }
}

fn parse(text: &str) -> Result<Mail, String> {
    let json = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Mail::from_json(&json).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_core::Message;
    use agent_core::conversation::ProviderPart;

    #[test]
    fn mail_that_could_not_be_read_back_is_refused() {
        let nested = |levels: usize| {
            let data = (1..levels).fold(serde_json::json!([]), |inner, _| vec![inner].into());
            Mail::Say(Message::assistant_parts([
                ProviderPart::new("Acme", data).into()
            ]))
        };
        let text = to_text(&nested(100)).expect("not too deep");
        let read = from_text(1, &text, "run", "place").expect("mail");
        assert_eq!(read.mail, nested(100));
        let error = to_text(&nested(200)).expect_err("too deep");
        assert!(error.is_invalid(), "{error:?}");
    }
}
