//! The call of an agent by the function of `#[agent_fn]`.
//!
//! The function gives its arguments to an [`AgentCall`], which writes them as JSON, runs the agent and reads the
//! answer. Only the code that depends on the types of a function is compiled for each function.

use crate::runtime::{RunResponse, Runtime, Sealed};
use agent_core::__private::stated_output;
use agent_core::response::AgentResponse;
use agent_spec::{Agent, GramType, Kind, MediaKind, Param, Signature, ToolDescriptor, Type};
use agent_tool::__private::{
    ErrorAtPath, KeptMedia, MediaForm, Noting, ReadFn, Slot, SlotKind, part_to_json, read_json,
    read_media_result,
};
use agent_tool::Error;
use agent_tool::library::ToolLibrary;
use agent_tool::media::Media;
use agent_tool::tool::{AgentTool, StaticTool};
use serde_core::Serialize;
use serde_core::de::{DeserializeOwned, Error as _};
use serde_json::{Map, Value};
use std::any::type_name;
use std::fmt::Display;
use std::future::{Pending, pending};
use std::marker::PhantomData;

/// A type that an agent function can have as a parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no gram type",
    label = "gram cannot describe this type, or a type in it",
    note = "a type of your own: derive it, `#[derive(GramType)]`",
    note = "a map: its keys are written as text: `String`, an integer, `bool`, `char`, or an enum without data",
    note = "some types of `uuid`, `chrono`, `jiff`, `url` and `rust_decimal`: enable the feature of gramwork-runtime \
            that is named as the crate",
    note = "any other: state it, `#[agent_fn(type = \"{{id: Text}}\")]` on the parameter",
    note = "the runtime that runs the agent is `&Runtime`"
)]
pub trait AgentParameter {
    /// The kind of the parameter: an argument of the agent, or the runtime.
    const KIND: SlotKind;
}

// Rustc may recommend this implementation, because it then names the type without gram type, which may be nested in
// the type of the parameter.
impl<T: GramType + ?Sized> AgentParameter for T {
    const KIND: SlotKind = SlotKind::Argument(T::TYPE);
}

#[diagnostic::do_not_recommend]
impl AgentParameter for Runtime {
    const KIND: SlotKind = SlotKind::Host;
}

/// Creates a parameter of an agent function with the values of its attributes.
///
/// # Panics
/// When the type has media inside it, because media can only be a whole parameter.
#[must_use]
#[track_caller]
pub const fn agent_slot(
    kind: SlotKind,
    name: &'static str,
    default: Option<&'static agent_gram::Value>,
    description: Option<&'static str>,
) -> Slot {
    match kind {
        SlotKind::Argument(ty) => {
            let is_whole = match ty.kind() {
                Kind::Media(media) => !matches!(media, MediaKind::Part),
                _ => !ty.holds_media(),
            };
            if !is_whole {
                panic!(
                    "media are only a whole parameter of an agent: take `Image`, `Audio` or `Document`, or `Vec<Part>` \
                     for several of them and texts"
                );
            }
            Slot::Argument(Param::from_static(name, ty, default, description))
        }
        SlotKind::Host => Slot::Host,
    }
}

/// Gives a value to the call of an agent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written as JSON",
    label = "serde cannot write this type",
    note = "an argument of an agent is sent to its model: add `#[derive(serde::Serialize)]` to the type, beside \
            `GramType`"
)]
pub trait Give {
    /// Gives the value.
    fn give<'a>(&'a self, call: &mut AgentCall<'a>, name: &str);
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + ?Sized> Give for T {
    fn give<'a>(&'a self, call: &mut AgentCall<'a>, name: &str) {
        let noting = Noting::begin();
        let value = serde_json::to_value(self);
        call.add(name, value, noting.end());
    }
}

#[diagnostic::do_not_recommend]
impl Give for Runtime {
    fn give<'a>(&'a self, call: &mut AgentCall<'a>, _: &str) {
        call.runtime = Some(self);
    }
}

/// A parameter that is passed on. For a type without gram type rustc finds [`FallbackPassed`] in place of the inherent
/// function, so that the type is reported once, where the signature is made.
#[derive(Debug)]
pub struct Passed<'a, T: ?Sized>(pub &'a T);

impl<'a, T: AgentParameter + ?Sized> Passed<'a, T> {
    /// Gives the value to a call.
    pub fn to(self, call: &mut AgentCall<'a>, name: &str)
    where
        T: Give,
    {
        self.0.give(call, name);
    }
}

/// The fallback for a type without gram type. Code that uses it does not compile.
pub trait FallbackPassed: Sized {
    /// Gives nothing.
    fn to(self, _: &mut AgentCall<'_>, _: &str) {}
}

impl<T: ?Sized> FallbackPassed for Passed<'_, T> {}

/// The result of a function that calls an agent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of an agent function",
    label = "not a `Result`",
    note = "a run of an agent can fail: return `Result<{Self}, agent_runtime::Error>`, or a `Result` with an error of \
            your own that implements `From<agent_runtime::Error>`"
)]
pub trait AgentResult {
    /// The type of the answer.
    type Answer;
    /// The type of the error.
    type Error;

    /// Converts a `Result`.
    fn from_result(result: Result<Self::Answer, Self::Error>) -> Self;
}

impl<T, E> AgentResult for Result<T, E> {
    type Answer = T;
    type Error = E;

    fn from_result(result: Self) -> Self {
        result
    }
}

/// An answer that can be read.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from JSON",
    label = "serde cannot read this type",
    note = "the answer of an agent is read from what its model writes: add `#[derive(serde::Deserialize)]` to the \
            type, beside `GramType`"
)]
pub trait ReadAnswer: Sized {
    /// Reads an answer.
    ///
    /// # Errors
    /// When the text is not of the type.
    fn read(text: &str) -> serde_json::Result<Self>;
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> ReadAnswer for T {
    fn read(text: &str) -> serde_json::Result<Self> {
        read_json(text)
    }
}

/// The error of a function that calls an agent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of an agent function",
    label = "it cannot be made of an `agent_runtime::Error`",
    note = "a run of an agent ends with an `agent_runtime::Error`: return this error, or implement \
            `From<agent_runtime::Error>` for yours"
)]
pub trait AgentFailure {
    /// Converts the error of a run.
    fn from_error(error: Error) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: From<Error>> AgentFailure for E {
    fn from_error(error: Error) -> Self {
        error.into()
    }
}

/// Finds whether the error of a function can be displayed. Rustc prefers the inherent constant to that of
/// [`FallbackShown`].
#[derive(Debug)]
pub struct Shown<E>(PhantomData<E>);

impl<E: Display> Shown<E> {
    /// Whether the error can be displayed.
    pub const IS_SHOWN: bool = true;
}

/// The fallback for an error that cannot be displayed; see [`Shown`].
pub trait FallbackShown {
    /// Whether the error can be displayed.
    const IS_SHOWN: bool = false;
}

impl<E> FallbackShown for Shown<E> {}

/// Stops compilation at an agent function that is used as a tool, if the agent has no description.
///
/// # Panics
/// When the agent has no description.
#[track_caller]
pub const fn check_agent_described(has_description: bool) {
    if !has_description {
        panic!(
            "an agent that is used as a tool needs a description: it is how a model knows when to call it; write \
             `description: \"…\"` in its gram, or a doc comment on its function if it has no gram"
        );
    }
}

/// Stops compilation at an agent function that is used as a tool, if its error cannot be displayed.
///
/// # Panics
/// When the error cannot be displayed.
#[track_caller]
pub const fn check_agent_error(is_shown: bool) {
    if !is_shown {
        panic!(
            "the error of an agent function that is used as a tool is shown to the model; implement \
             `std::fmt::Display` for it"
        );
    }
}

/// Stops compilation at a function whose answer is nothing.
///
/// # Panics
/// When the type has the value `null` alone.
#[track_caller]
pub const fn check_answer(function: &ToolDescriptor) {
    let Some(signature) = function.signature() else {
        return;
    };
    let ty = signature.returns().ty();
    if matches!(ty.kind(), Kind::Null) {
        panic!(
            "an agent function returns what its model answers; write `Result<String, E>` for a text, or the type of \
             the answer"
        );
    }
    if ty.holds_media() {
        panic!("a model answers with text or data and not with media; return a text or a record");
    }
}

/// The type that `#[agent_fn]` generates beside a function.
pub trait AgentFn: StaticTool {
    /// The function: its name, description and signature.
    const FUNCTION: &'static ToolDescriptor;
}

/// Returns the signature of an agent function, which is also the signature of its agent.
#[must_use]
pub const fn signature_of(function: &'static ToolDescriptor) -> Signature {
    match function.signature() {
        Some(signature) => Signature::borrowed(signature),
        None => panic!("a function has a signature"),
    }
}

/// Returns the number of parameters that the host provides: in an agent function, those for the runtime.
#[must_use]
pub const fn count_host(slots: &[Slot]) -> usize {
    let mut count = 0;
    let mut at = 0;
    while at < slots.len() {
        if let Slot::Host = slots[at] {
            count += 1;
        }
        at += 1;
    }
    count
}

/// Creates the tool of an agent function. A program in which the agent cannot be a tool does not compile.
#[must_use]
pub fn agent_tool(agent: Agent, library: &ToolLibrary) -> Option<AgentTool> {
    AgentTool::new(agent, library).ok()
}

/// The arguments of an agent, and the runtime that runs it.
#[derive(Debug)]
pub struct AgentCall<'a> {
    slots: &'static [Slot],
    runtime: Option<&'a Runtime>,
    arguments: Map<String, Value>,
    error: Option<Error>,
}

impl<'a> AgentCall<'a> {
    /// Creates a call without arguments. `slots` are the parameters of the function.
    #[must_use]
    pub fn new(slots: &'static [Slot]) -> Self {
        Self {
            slots,
            runtime: None,
            arguments: Map::new(),
            error: None,
        }
    }

    /// Adds an argument. `media` are the media that the JSON of the argument names by their digests.
    fn add(&mut self, name: &str, value: serde_json::Result<Value>, media: Vec<Media>) {
        let mut value = match value {
            Ok(value) => value,
            Err(error) => {
                let message = format!("the argument `{name}` cannot be written as JSON");
                self.fail(Error::validation(message).with_source(error));
                return;
            }
        };
        let mut slots = self.slots.iter().filter_map(|slot| match slot {
            Slot::Argument(param) => Some(param),
            Slot::Host => None,
        });
        if let Some(param) = slots.find(|param| param.name() == name) {
            let ty = param.ty();
            if value.is_null() && ty.is_optional() && !ty.keeps_null() {
                return;
            }
            ty.convert_from_host(&mut value);
            if let Kind::Media(_) = ty.kind()
                && let Err(problem) = add_bytes(ty, &mut value, media)
            {
                self.fail(Error::validation(format!(
                    "the argument `{name}`: {problem}"
                )));
                return;
            }
        }
        self.arguments.insert(name.to_owned(), value);
    }

    /// Keeps the first error.
    fn fail(&mut self, error: Error) {
        self.error.get_or_insert(error);
    }

    async fn run<T: GramType + ReadAnswer>(
        self,
        agent: Agent,
        library: &ToolLibrary,
    ) -> Result<T, Error> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let Some(runtime) = self.runtime else {
            return Err(Error::configuration("the function got no runtime"));
        };
        let is_text = stated_output(&agent).is_none();
        let call = runtime.call(agent, self.arguments).tools(library);
        if is_text {
            let text = Value::String(call.await?.content).to_string();
            return read_answer(&text).map_err(|error| wrong_answer::<T>(&text, &error));
        }
        call.output_as::<Answer<T>>().await.map(|answer| answer.0)
    }
}

/// Writes the bytes of media into the JSON that names them by their digests.
fn add_bytes(ty: &Type, value: &mut Value, media: Vec<Media>) -> Result<(), String> {
    let kept = KeptMedia::default();
    kept.keep(media);
    let parts = read_media_result(ty, value, &kept)?;
    let mut parts = parts.iter().map(|part| part_to_json(part, MediaForm::Data));
    *value = match value {
        Value::Array(_) => parts.collect(),
        _ => parts.next().unwrap_or_default(),
    };
    Ok(())
}

/// Runs an agent for a function with this result. For a result without gram type rustc finds [`FallbackAnswer`] in
/// place of the inherent function, so that the type is reported once, where the signature is made.
#[derive(Debug)]
pub struct AnswerOf<R>(PhantomData<R>);

impl<R: AgentResult<Answer: GramType>> AnswerOf<R> {
    /// Runs the agent and reads its answer.
    ///
    /// # Errors
    /// The error of the run, converted to that of the function.
    pub async fn answer(call: AgentCall<'_>, agent: Agent, library: &ToolLibrary) -> R
    where
        R: AgentResult<Answer: ReadAnswer, Error: AgentFailure>,
    {
        let answer = call.run::<R::Answer>(agent, library).await;
        R::from_result(answer.map_err(R::Error::from_error))
    }
}

/// The fallback for a result without gram type. Code that uses it does not compile.
pub trait FallbackAnswer<R> {
    /// Never ends.
    fn answer(_: AgentCall<'_>, _: Agent, _: &ToolLibrary) -> Pending<R> {
        pending()
    }
}

impl<R> FallbackAnswer<R> for AnswerOf<R> {}

/// An answer in the type of a function.
struct Answer<T>(T);

impl<T> Sealed for Answer<T> {}

impl<T: GramType + ReadAnswer> RunResponse for Answer<T> {
    fn output() -> Option<(&'static Type, ReadFn)> {
        Some((T::TYPE, |text| read_answer::<T>(text).map(drop)))
    }

    fn from_response(response: AgentResponse) -> Result<Self, Error> {
        let text = &response.content;
        read_answer(text)
            .map(Self)
            .map_err(|error| wrong_answer::<T>(text, &error))
    }
}

fn wrong_answer<T: GramType + ReadAnswer>(text: &str, error: &serde_json::Error) -> Error {
    let error = ErrorAtPath::new("$", text, error, |text| read_answer::<T>(text).map(drop));
    let message = format!("the answer cannot be read as `{}`", type_name::<T>());
    Error::llm(message).with_source(error)
}

/// Parses the JSON of an answer. The agent has validated the answer against its own type; the further
/// constraints of the Rust type are validated here.
fn read_answer<T: GramType + ReadAnswer>(text: &str) -> serde_json::Result<T> {
    if !T::TYPE.is_checked() {
        return T::read(text);
    }
    let mut value: Value = serde_json::from_str(text)?;
    if let Err(violations) = T::TYPE.validate(&value) {
        return Err(serde_json::Error::custom(violations));
    }
    match T::TYPE.convert_to_host(&mut value) {
        true => T::read(&value.to_string()),
        false => T::read(text),
    }
}
