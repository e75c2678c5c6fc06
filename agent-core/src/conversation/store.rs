//! Stores of conversations: the trait, its types and the store in memory.

use super::{Conversation, Invalid, Message};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::error::Error as StdError;
use std::fmt;
use std::ops::Range;
use std::pin::Pin;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// The future that the methods of a [`ConversationStore`] return.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Keeps conversations by name: [`MemoryStore`], `SqliteStore` and `PostgresStore` of the crate `agent-store`, or your own.
///
/// Several threads and processes may write at the same time, and no turn is lost:
///
/// * [`append`](Self::append) adds all messages or none after those that are stored, so that the turns of
///   two writers never mix. It never conflicts. Turns are stored in the order in which they were appended.
/// * [`save`](Self::save) replaces the conversation that was loaded, for example with a truncated one.
///   When another writer came first, `save` fails with a [conflict](StoreError::is_conflict) and changes
///   nothing; load the conversation again and repeat the change.
///
/// A store refuses messages that a model would not accept. So every stored conversation can be sent,
/// wherever a program stopped between two writes.
///
/// Dropping a future does not undo its write, which may still take place.
///
/// `testing::check_store` checks that a store of your own keeps these promises.
///
/// ```
/// # use agent_runtime::conversation::{ConversationName, ConversationStore, MemoryStore};
/// # use agent_runtime::{Conversation, agent};
/// # use agent_runtime::{Runtime, ToolLibrary};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = agent! { [guide:Agent {instruction: "Help.", model: "Offline/any"}] };
/// let (runtime, library) = (Runtime::offline(), ToolLibrary::new());
/// let store = MemoryStore::new();
/// let name = ConversationName::new("ada")?;
/// for question in ["Where am I?", "And who am I?"] {
///     let mut conversation = match store.load(&name).await? {
///         Some(stored) => stored.conversation,
///         None => Conversation::new(),
///     };
///     let known = conversation.len();
///     let ended = runtime.execute(&agent, question, &mut conversation, &library).await;
///     // After an error, too, store the messages that were added.
///     store.append(&name, &conversation.messages()[known..]).await?;
///     println!("{}", ended?.content);
/// }
/// assert_eq!(store.load(&name).await?.expect("it is there").conversation.turns().count(), 2);
/// # Ok(())
/// # }
/// ```
pub trait ConversationStore: Send + Sync + 'static {
    /// Loads the conversation of a name, if there is one.
    ///
    /// # Errors
    /// When the conversation cannot be read.
    fn load<'a>(
        &'a self,
        name: &'a ConversationName,
    ) -> StoreFuture<'a, Option<StoredConversation>>;

    /// Adds messages at the end, unchanged. Creates the conversation if there is none. Appending no messages
    /// does nothing.
    ///
    /// # Errors
    /// When a model would not accept the messages by themselves, for example a call without its result,
    /// or when they cannot be written. No message is added then.
    fn append<'a>(
        &'a self,
        name: &'a ConversationName,
        messages: &'a [Message],
    ) -> StoreFuture<'a, ()>;

    /// Adds the messages of a run at the end, as [`append`](Self::append) does, unless messages of this run were added
    /// to the conversation before. So a run that is recovered can repeat the write.
    ///
    /// # Errors
    /// As those of [`append`](Self::append).
    fn append_run<'a>(
        &'a self,
        name: &'a ConversationName,
        run: &'a str,
        messages: &'a [Message],
    ) -> StoreFuture<'a, ()>;

    /// Replaces the conversation that [`load`](Self::load) returned with this revision. `None` means that
    /// `load` found no conversation.
    ///
    /// # Errors
    /// A [conflict](StoreError::is_conflict) when the stored revision is not `expected`. Also when a model
    /// would not accept the conversation, or when it cannot be written. Nothing changes then.
    fn save<'a>(
        &'a self,
        name: &'a ConversationName,
        conversation: &'a Conversation,
        expected: Option<Revision>,
    ) -> StoreFuture<'a, Revision>;

    /// Lists the conversations of an [owner](ConversationName::of_owner), or with `None` all conversations, ordered by the
    /// bytes of their names.
    ///
    /// # Errors
    /// When the list cannot be read.
    fn list<'a>(&'a self, owner: Option<&'a str>) -> StoreFuture<'a, Vec<ConversationInfo>>;

    /// Deletes a conversation. Returns `false` if there was none.
    ///
    /// # Errors
    /// When the conversation cannot be deleted.
    fn delete<'a>(&'a self, name: &'a ConversationName) -> StoreFuture<'a, bool>;
}

impl<S: ConversationStore + ?Sized> ConversationStore for Arc<S> {
    fn load<'a>(
        &'a self,
        name: &'a ConversationName,
    ) -> StoreFuture<'a, Option<StoredConversation>> {
        (**self).load(name)
    }

    fn append<'a>(
        &'a self,
        name: &'a ConversationName,
        messages: &'a [Message],
    ) -> StoreFuture<'a, ()> {
        (**self).append(name, messages)
    }

    fn append_run<'a>(
        &'a self,
        name: &'a ConversationName,
        run: &'a str,
        messages: &'a [Message],
    ) -> StoreFuture<'a, ()> {
        (**self).append_run(name, run, messages)
    }

    fn save<'a>(
        &'a self,
        name: &'a ConversationName,
        conversation: &'a Conversation,
        expected: Option<Revision>,
    ) -> StoreFuture<'a, Revision> {
        (**self).save(name, conversation, expected)
    }

    fn list<'a>(&'a self, owner: Option<&'a str>) -> StoreFuture<'a, Vec<ConversationInfo>> {
        (**self).list(owner)
    }

    fn delete<'a>(&'a self, name: &'a ConversationName) -> StoreFuture<'a, bool> {
        (**self).delete(name)
    }
}

/// A conversation that was loaded from a store.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StoredConversation {
    /// The conversation.
    pub conversation: Conversation,
    /// The revision that was loaded, for [`ConversationStore::save`].
    pub revision: Revision,
}

impl StoredConversation {
    /// Creates the result of [`ConversationStore::load`].
    #[must_use]
    pub fn new(conversation: Conversation, revision: Revision) -> Self {
        Self {
            conversation,
            revision,
        }
    }
}

/// The number of one write to a conversation. Every write has a greater revision than those before it, even
/// if the conversation was deleted in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(u64);

impl Revision {
    /// Creates the revision with a number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// An entry of [`ConversationStore::list`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConversationInfo {
    /// The name of the conversation.
    pub name: ConversationName,
    /// The number of its messages.
    pub messages: usize,
    /// The time of the last write.
    pub updated: SystemTime,
}

impl ConversationInfo {
    /// Creates an entry of [`ConversationStore::list`].
    #[must_use]
    pub fn new(name: ConversationName, messages: usize, updated: SystemTime) -> Self {
        Self {
            name,
            messages,
            updated,
        }
    }
}

/// The maximum number of characters of a name.
const LONGEST: usize = 100;

/// The maximum number of bytes of an encoded owner.
const LONGEST_OWNER: usize = 400;

/// The name of a stored conversation: at most 100 ASCII letters and digits, `-`, `_`, `.` and `@`, with a
/// letter or digit first. Such a name is safe as a file name, as a part of a URL and as an argument of a
/// command.
///
/// A conversation may belong to an [owner](Self::of_owner), such as the user of a web server. Each owner has
/// names of their own. As text, the name of an owner's conversation has the owner before a `/`.
///
/// ```
/// use agent_runtime::conversation::ConversationName;
///
/// assert!(ConversationName::new("ada@example.com").is_ok());
/// assert_eq!(
///     ConversationName::new("../ada").unwrap_err().to_string(),
///     "`../ada` is no name for a conversation: it begins with `.`; a name has letters (a to z, A to Z), \
///      digits, `-`, `_`, `.` and `@`, a letter or digit first, and at most 100 of them"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ConversationName {
    /// The encoded owner, `/` and the name; the name alone if there is no owner.
    text: String,
    /// The number of bytes before the name.
    start: usize,
}

impl ConversationName {
    /// Creates a name that has no owner.
    ///
    /// # Errors
    /// When the text is empty, too long, or has another character.
    pub fn new(name: impl Into<String>) -> Result<Self, InvalidName> {
        let text = name.into();
        match problem(&text) {
            None => Ok(Self { text, start: 0 }),
            Some(problem) => Err(InvalidName {
                name: text,
                problem,
            }),
        }
    }

    /// Returns the same name for the conversation of an owner: any text, such as the id of a user.
    ///
    /// ```
    /// # use agent_runtime::conversation::{ConversationName, InvalidName};
    /// # fn main() -> Result<(), InvalidName> {
    /// let name = ConversationName::new("holiday")?.of_owner("auth0|17")?;
    /// assert_eq!(name.as_str(), "auth0%7C17/holiday");
    /// assert_eq!((name.owner().as_deref(), name.name()), (Some("auth0|17"), "holiday"));
    /// assert_eq!(name.as_str().parse(), Ok(name));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the owner is empty, or has more than 400 bytes; each byte other than an ASCII letter, a digit or
    /// one of `-_.@` counts three times.
    pub fn of_owner(&self, owner: &str) -> Result<Self, InvalidName> {
        let mut text = encoded(owner);
        let problem = match text.len() {
            0 => Some("its owner is empty".to_owned()),
            1..=LONGEST_OWNER => None,
            bytes => Some(format!(
                "its owner has {bytes} bytes, and may have {LONGEST_OWNER}"
            )),
        };
        text.push('/');
        let start = text.len();
        text.push_str(self.name());
        match problem {
            None => Ok(Self { text, start }),
            Some(problem) => Err(InvalidName {
                name: text,
                problem,
            }),
        }
    }

    /// Returns the range that has the texts of all names of an owner and no other ones, for the `list` of a store of your
    /// own. Texts are compared by their bytes.
    ///
    /// ```
    /// # use agent_runtime::conversation::ConversationName;
    /// let range = ConversationName::range_of_owner("ada");
    /// assert_eq!(range, "ada/".to_owned().."ada0".to_owned());
    /// ```
    #[must_use]
    pub fn range_of_owner(owner: &str) -> Range<String> {
        let owner = encoded(owner);
        // The character `0` follows `/`.
        format!("{owner}/")..format!("{owner}0")
    }

    /// The name as text, with its owner before a `/`, if it has one. Characters of the owner other than letters, digits and
    /// `-_.@` are percent-encoded, and so is the first character unless it is a letter or a digit.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The name without its owner.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.text[self.start..]
    }

    /// The owner.
    #[must_use]
    pub fn owner(&self) -> Option<String> {
        decoded(&self.text[..self.start.checked_sub(1)?])
    }
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_.@".contains(c)
}

/// Returns an owner in the encoded form that names contain. The first character is not `.` or `-`, so that no
/// encoded owner is `..` or looks like an option of a command.
fn encoded(owner: &str) -> String {
    let mut text = String::with_capacity(owner.len());
    for byte in owner.bytes() {
        let c = char::from(byte);
        match is_plain(c) && (c.is_ascii_alphanumeric() || !text.is_empty()) {
            true => text.push(c),
            false => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// Returns the owner whose characters are [`encoded`]; `None` if the text has a `%` without two hexadecimal digits, or is
/// no UTF-8.
fn decoded(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((&first, after)) = rest.split_first() {
        let mut byte = first;
        rest = after;
        if first == b'%' {
            let (digits, after) = rest.split_at_checked(2)?;
            byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
            rest = after;
        }
        bytes.push(byte);
    }
    String::from_utf8(bytes).ok()
}

fn problem(name: &str) -> Option<String> {
    let Some(first) = name.chars().next() else {
        return Some("it is empty".to_owned());
    };
    if is_plain(first) && !first.is_ascii_alphanumeric() {
        return Some(format!("it begins with `{first}`"));
    }
    if let Some(other) = name.chars().find(|c| !is_plain(*c)) {
        return Some(format!("it has `{}`", other.escape_debug()));
    }
    (name.len() > LONGEST).then(|| format!("it has {} characters", name.len()))
}

impl fmt::Display for ConversationName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

/// Parses the text that [`ConversationName::as_str`] returns, and no other form of it, so that a conversation has one text.
impl FromStr for ConversationName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        let Some((owner, name)) = text.split_once('/') else {
            return Self::new(text);
        };
        let invalid = |problem: String| InvalidName {
            name: text.to_owned(),
            problem,
        };
        let name = match problem(name) {
            None => Self::new(name)?,
            Some(problem) => return Err(invalid(format!("after the `/` {problem}"))),
        };
        let Some(owner) = decoded(owner) else {
            return Err(invalid(
                "its owner, before the `/`, is not percent-encoded UTF-8".to_owned(),
            ));
        };
        let name = name.of_owner(&owner)?;
        match name.text == text {
            true => Ok(name),
            false => Err(invalid(format!(
                "with this owner, its text is `{}`",
                name.text
            ))),
        }
    }
}

impl From<ConversationName> for String {
    fn from(name: ConversationName) -> Self {
        name.text
    }
}

impl TryFrom<String> for ConversationName {
    type Error = InvalidName;

    fn try_from(text: String) -> Result<Self, InvalidName> {
        text.parse()
    }
}

/// The error for a text that is not a valid name of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidName {
    name: String,
    problem: String,
}

impl fmt::Display for InvalidName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name: String = self.name.chars().take(LONGEST).collect();
        write!(
            out,
            "`{}` is no name for a conversation: {}; a name has letters (a to z, A to Z), digits, \
             `-`, `_`, `.` and `@`, a letter or digit first, and at most {LONGEST} of them",
            name.escape_debug(),
            self.problem
        )
    }
}

impl std::error::Error for InvalidName {}

/// The error of a [`ConversationStore`](super::ConversationStore). The `is_*` methods report the kind of the
/// error; its text is for people and may change.
pub struct StoreError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: Kind,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Conflict,
    LeaseLost,
    Invalid,
    Busy,
    Format,
    Unavailable,
    /// The id of the run that has the conversation.
    BusyConversation(String),
}

impl StoreError {
    fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            source: None,
        }))
    }

    /// Returns the error of a [`save`](super::ConversationStore::save) with a revision that another
    /// writer replaced.
    #[must_use]
    pub fn conflict(name: &ConversationName) -> Self {
        let message = format!("`{name}` was written by somebody else meanwhile");
        Self::new(Kind::Conflict, message)
    }

    /// Returns the error of a [journal](crate::journal::Journal) for a run that another process took over or that was
    /// deleted.
    #[must_use]
    pub fn lease_lost(run: &str) -> Self {
        let message = format!("the run `{run}` was taken over by another process, or deleted");
        Self::new(Kind::LeaseLost, message)
    }

    /// Returns the error of a [journal](crate::journal::Journal) for an exclusive run whose conversation has
    /// another exclusive run that is running or waiting.
    #[must_use]
    pub fn busy_conversation(name: &ConversationName, run: &str) -> Self {
        let message = format!("the run `{run}` of the conversation `{name}` has not ended");
        Self::new(Kind::BusyConversation(run.to_owned()), message)
    }

    /// Returns the error of a write whose messages a store does not accept. For messages that no model
    /// accepts, convert the [`Invalid`] of [`Conversation::check`](crate::Conversation::check).
    #[must_use]
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, message)
    }

    /// Returns the error of a store that other programs keep locked.
    #[must_use]
    pub fn busy(message: impl Into<String>) -> Self {
        Self::new(Kind::Busy, message)
    }

    /// Returns the error of a place that holds something other than a store, a store of a newer
    /// version, or a damaged one.
    #[must_use]
    pub fn format(message: impl Into<String>) -> Self {
        Self::new(Kind::Format, message)
    }

    /// Returns the error of a store that cannot be reached, read or written.
    #[must_use]
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(Kind::Unavailable, message)
    }

    /// Returns the error with its cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Whether another writer replaced the revision. Load the conversation again, and repeat the change.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        self.0.kind == Kind::Conflict
    }

    /// Whether another process took over the run, or deleted it: this process must not continue it.
    #[must_use]
    pub fn is_lease_lost(&self) -> bool {
        self.0.kind == Kind::LeaseLost
    }

    /// The id of the run that has the conversation, if the error is that of another exclusive run.
    #[must_use]
    pub fn busy_run(&self) -> Option<&str> {
        match &self.0.kind {
            Kind::BusyConversation(run) => Some(run),
            _ => None,
        }
    }

    /// Whether no model accepts the messages, or the store could not read them back.
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        self.0.kind == Kind::Invalid
    }

    /// Whether other programs keep the store locked: a later attempt may succeed.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.0.kind == Kind::Busy
    }

    /// Whether the place holds something other than a store, a store of a newer version, or a damaged
    /// one.
    #[must_use]
    pub fn is_format(&self) -> bool {
        self.0.kind == Kind::Format
    }
}

impl From<Invalid> for StoreError {
    fn from(invalid: Invalid) -> Self {
        Self::invalid("only what can be sent to a model is stored").with_source(invalid)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0.message)
    }
}

impl fmt::Debug for StoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = out.debug_struct("StoreError");
        out.field("kind", &self.0.kind)
            .field("message", &self.0.message);
        if let Some(source) = &self.0.source {
            out.field("source", source);
        }
        out.finish()
    }
}

impl StdError for StoreError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.0.source {
            Some(source) => Some(source.as_ref()),
            None => None,
        }
    }
}

/// Keeps conversations in memory, until its last clone is dropped. Clones share them.
#[derive(Clone, Default)]
pub struct MemoryStore(Arc<Mutex<Memory>>);

#[derive(Default)]
struct Memory {
    entries: BTreeMap<ConversationName, Entry>,
    /// The last revision of all conversations.
    last: u64,
}

struct Entry {
    stored: StoredConversation,
    updated: SystemTime,
    /// The runs whose messages were added.
    runs: HashSet<String>,
}

impl MemoryStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    fn write(&mut self, name: &ConversationName, conversation: Conversation) -> Revision {
        self.last += 1;
        let revision = Revision::new(self.last);
        let runs = self.entries.remove(name).map(|entry| entry.runs);
        let entry = Entry {
            stored: StoredConversation::new(conversation, revision),
            updated: SystemTime::now(),
            runs: runs.unwrap_or_default(),
        };
        self.entries.insert(name.clone(), entry);
        revision
    }

    fn append(&mut self, name: &ConversationName, messages: &[Message]) -> Result<(), StoreError> {
        let mut conversation = match self.entries.get(name) {
            Some(entry) => entry.stored.conversation.clone(),
            None => Conversation::new(),
        };
        conversation.append(messages.iter().cloned().collect())?;
        self.write(name, conversation);
        Ok(())
    }

    fn append_run(
        &mut self,
        name: &ConversationName,
        run: &str,
        messages: &[Message],
    ) -> Result<(), StoreError> {
        let entry = self.entries.get(name);
        if entry.is_some_and(|entry| entry.runs.contains(run)) {
            return Ok(());
        }
        self.append(name, messages)?;
        if let Some(entry) = self.entries.get_mut(name) {
            entry.runs.insert(run.to_owned());
        }
        Ok(())
    }

    fn save(
        &mut self,
        name: &ConversationName,
        conversation: &Conversation,
        expected: Option<Revision>,
    ) -> Result<Revision, StoreError> {
        conversation.check()?;
        let found = self.entries.get(name).map(|entry| entry.stored.revision);
        if found != expected {
            return Err(StoreError::conflict(name));
        }
        Ok(self.write(name, conversation.clone()))
    }
}

impl ConversationStore for MemoryStore {
    fn load<'a>(
        &'a self,
        name: &'a ConversationName,
    ) -> StoreFuture<'a, Option<StoredConversation>> {
        Box::pin(async move { Ok(self.memory().entries.get(name).map(|e| e.stored.clone())) })
    }

    fn append<'a>(
        &'a self,
        name: &'a ConversationName,
        messages: &'a [Message],
    ) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            if messages.is_empty() {
                return Ok(());
            }
            self.memory().append(name, messages)
        })
    }

    fn append_run<'a>(
        &'a self,
        name: &'a ConversationName,
        run: &'a str,
        messages: &'a [Message],
    ) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            if messages.is_empty() {
                return Ok(());
            }
            self.memory().append_run(name, run, messages)
        })
    }

    fn save<'a>(
        &'a self,
        name: &'a ConversationName,
        conversation: &'a Conversation,
        expected: Option<Revision>,
    ) -> StoreFuture<'a, Revision> {
        Box::pin(async move { self.memory().save(name, conversation, expected) })
    }

    fn list<'a>(&'a self, owner: Option<&'a str>) -> StoreFuture<'a, Vec<ConversationInfo>> {
        Box::pin(async move {
            let memory = self.memory();
            let entries = memory.entries.iter();
            let entries =
                entries.filter(|(name, _)| owner.is_none() || name.owner().as_deref() == owner);
            let infos = entries.map(|(name, entry)| {
                let messages = entry.stored.conversation.len();
                ConversationInfo::new(name.clone(), messages, entry.updated)
            });
            Ok(infos.collect())
        })
    }

    fn delete<'a>(&'a self, name: &'a ConversationName) -> StoreFuture<'a, bool> {
        Box::pin(async move { Ok(self.memory().entries.remove(name).is_some()) })
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let memory = self.memory();
        out.debug_struct("MemoryStore")
            .field("conversations", &memory.entries.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_only_safe_characters() {
        for good in ["a", "0", "Ada", "a.b-c_d@e", &"x".repeat(100)] {
            assert!(ConversationName::new(good).is_ok(), "{good}");
        }
        for (bad, words) in [
            ("", "it is empty"),
            ("-a", "begins with `-`"),
            ("..", "begins with `.`"),
            ("a/b", "it has `/`"),
            ("a b", "it has ` `"),
            ("é", "it has `é`"),
            ("a\u{1b}", "it has `\\u{1b}`"),
            (&"x".repeat(101), "it has 101 characters"),
        ] {
            let error = ConversationName::new(bad).expect_err(bad).to_string();
            assert!(error.contains(words), "{error}");
            assert!(!error.contains('\u{1b}'));
        }
    }

    #[test]
    fn names_with_owners_come_back() {
        for (owner, name, text) in [
            ("ada", "holiday", "ada/holiday"),
            ("ada@example.com", "a", "ada@example.com/a"),
            ("auth0|17", "a.b", "auth0%7C17/a.b"),
            ("a/b", "c", "a%2Fb/c"),
            ("a%2Fb", "c", "a%252Fb/c"),
            ("..", "c", "%2E./c"),
            ("-rf", "c", "%2Drf/c"),
            ("é\u{1b}\0 ", "c", "%C3%A9%1B%00%20/c"),
            (&"x".repeat(400), "c", &format!("{}/c", "x".repeat(400))),
        ] {
            let name = ConversationName::new(name).expect("a name");
            let owned = name.of_owner(owner).expect(text);
            assert_eq!(owned.as_str(), text);
            assert_eq!(owned.owner().as_deref(), Some(owner));
            assert_eq!(owned.name(), name.as_str());
            assert_eq!(text.parse(), Ok(owned.clone()));
            let json = serde_json::to_string(&owned).expect("JSON");
            assert_eq!(
                serde_json::from_str::<ConversationName>(&json).ok(),
                Some(owned.clone())
            );
            // A name has one owner.
            let other = owned.of_owner("bob").expect("an owner");
            assert_eq!(other.as_str(), format!("bob/{name}"));
        }
        assert_eq!(ConversationName::new("ada").expect("a name").owner(), None);
    }

    #[test]
    fn bad_owners_and_texts_are_refused() {
        let name = ConversationName::new("a").expect("a name");
        for (owner, words) in [
            ("", "its owner is empty"),
            (
                &"x".repeat(401),
                "its owner has 401 bytes, and may have 400",
            ),
            (&"é".repeat(67), "its owner has 402 bytes"),
        ] {
            let error = name.of_owner(owner).expect_err(owner).to_string();
            assert!(error.contains(words), "{error}");
        }
        for (text, words) in [
            ("/a", "its owner is empty"),
            ("ada/", "after the `/` it is empty"),
            ("ada/..", "after the `/` it begins with `.`"),
            ("ada/b/c", "after the `/` it has `/`"),
            ("../a", "its text is `%2E./a`"),
            ("-x/a", "its text is `%2Dx/a`"),
            ("a b/a", "its text is `a%20b/a`"),
            ("%61da/a", "its text is `ada/a`"),
            ("auth0%7c17/a", "its text is `auth0%7C17/a`"),
            ("%/a", "is not percent-encoded"),
            ("%4/a", "is not percent-encoded"),
            ("%+4/a", "its text is `%04/a`"),
            ("%é/a", "is not percent-encoded"),
            ("%FF/a", "is not percent-encoded"),
            (&format!("{}/a", "x".repeat(401)), "401 bytes"),
            (&format!("ada/{}", "x".repeat(101)), "101 characters"),
        ] {
            let error = text.parse::<ConversationName>().expect_err(text);
            assert!(error.to_string().contains(words), "{error}");
        }
    }

    #[test]
    fn the_range_of_an_owner_has_the_names_of_this_owner_alone() {
        let owners = [
            "ad", "ada", "ada-b", "ada.b", "ada0", "ada/b", "adab", "Ada", ".", "é",
        ];
        for owner in owners {
            let range = ConversationName::range_of_owner(owner);
            for other in owners {
                for name in ["0", "z", &"z".repeat(100)] {
                    let name = ConversationName::new(name).expect("a name");
                    assert!(!range.contains(&name.text), "{name}");
                    let name = name.of_owner(other).expect("an owner");
                    assert_eq!(range.contains(&name.text), other == owner, "{name}");
                }
            }
        }
    }
}
