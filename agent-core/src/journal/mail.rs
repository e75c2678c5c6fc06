//! Mail for the holder of a run, from other tasks and processes.

use crate::conversation::{Exactness, Message, ReadError, message_from_json, message_to_json};
use agent_tool::__private::MediaForm;
use serde_json::{Value, json};

/// A request of another task or process to a run in progress. Journals keep it as [JSON](Self::to_json).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Mail {
    /// Cancels the run.
    Cancel,
    /// Sends this message of the user to the model with the next request.
    Say(Message),
}

/// Mail as [`Journal::mail`](super::Journal::mail) returns it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReceivedMail {
    /// The number of the mail. It grows with each mail to the run.
    pub number: u64,
    /// The mail.
    pub mail: Mail,
}

impl Mail {
    /// Returns the JSON that a journal keeps.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Cancel => json!({"kind": "cancel"}),
            Self::Say(message) => json!({
                "kind": "say",
                "message": message_to_json(message, Exactness::Exact, MediaForm::Data),
            }),
        }
    }

    /// Reads the JSON that a journal keeps.
    ///
    /// # Errors
    /// When the JSON is not that of mail.
    pub fn from_json(json: &Value) -> Result<Self, ReadError> {
        match json["kind"].as_str() {
            Some("cancel") => Ok(Self::Cancel),
            Some("say") => Ok(Self::Say(message_from_json(&json["message"])?)),
            _ => Err(ReadError::new("mail has a `kind` of `cancel` or `say`")),
        }
    }
}

impl ReceivedMail {
    /// Creates the result of [`Journal::mail`](super::Journal::mail), for a journal of your own.
    #[must_use]
    pub fn new(number: u64, mail: Mail) -> Self {
        Self { number, mail }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Image, Part};

    #[test]
    fn mail_comes_back_from_its_json() {
        let image = Part::from(Image::new(b"\x89PNG".to_vec()));
        for mail in [
            Mail::Cancel,
            Mail::Say(Message::user("")),
            Mail::Say(Message::steering("a\u{0}\u{1f600}")),
            Mail::Say(Message::user_parts(["Look.".into(), image])),
        ] {
            let text = mail.to_json().to_string();
            let json = serde_json::from_str(&text).expect("JSON");
            assert_eq!(Mail::from_json(&json), Ok(mail), "{text}");
        }
    }

    #[test]
    fn json_of_something_else_is_no_mail() {
        for json in [
            json!(null),
            json!("cancel"),
            json!({}),
            json!({"kind": "Cancel"}),
            json!({"kind": 1}),
            json!({"kind": "say"}),
            json!({"kind": "say", "message": "Hello"}),
            json!({"kind": "say", "message": {"role": "owner", "content": "Hello"}}),
        ] {
            assert!(Mail::from_json(&json).is_err(), "{json}");
        }
    }
}
