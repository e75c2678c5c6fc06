//! Mail for the holder of a run, from other tasks and processes.

use crate::conversation::{Exactness, Message, ReadError, message_from_json, message_to_json};
use agent_tool::__private::MediaForm;
use serde_json::{Value, json};

/// What another task or process wants of a run that goes on. Journals keep it as [JSON](Self::to_json).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Mail {
    /// The run is to end.
    Cancel,
    /// The model is to get this message of the user with the next request.
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
