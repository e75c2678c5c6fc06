//! The context of a call: the run it belongs to, its deadline and its permissions.

use crate::cancel::Cancellation;
use crate::extensions::{Extension, Extensions};
use crate::media::{KeptMedia, MediaForm, Part, ReadError, checked_part_from_json, part_to_json};
use crate::permissions::Permissions;
use serde_json::Value;
use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The context of a call: the run it belongs to, its deadline and its permissions. Cloning is cheap.
///
/// A tool function takes it as `&ToolContext`, anywhere among its parameters.
#[derive(Clone)]
pub struct ToolContext {
    shared: Arc<Shared>,
    // Not shared, because each call has its own values, and setting them should not copy the shared fields.
    deadline: Option<Instant>,
    cancellation: Cancellation,
    kept_media: KeptMedia,
    /// Whether the arguments of the call are valid for the tool's own contract.
    has_valid_arguments: bool,
}

#[derive(Clone)]
struct Shared {
    run_id: String,
    call_id: String,
    tool: String,
    progress: Option<Report>,
    extensions: Extensions,
    permissions: Permissions,
    /// The value by which the runtime of the call is found.
    host: Option<Arc<dyn Any + Send + Sync>>,
}

/// A function that receives progress reports.
pub(crate) type Report = Arc<dyn Fn(&str) + Send + Sync>;

impl ToolContext {
    /// Creates a context that belongs to no run, for tests: ids are empty, there is no deadline, it is never
    /// cancelled, reports are dropped, and nothing is permitted.
    #[must_use]
    pub fn detached() -> Self {
        Self::new(String::new(), String::new(), String::new())
    }

    #[doc(hidden)]
    pub fn new(run_id: String, call_id: String, tool: String) -> Self {
        Self {
            shared: Arc::new(Shared {
                run_id,
                call_id,
                tool,
                progress: None,
                extensions: Extensions::default(),
                permissions: Permissions::none(),
                host: None,
            }),
            deadline: None,
            cancellation: Cancellation::new(),
            kept_media: KeptMedia::default(),
            has_valid_arguments: false,
        }
    }

    fn changed(mut self, change: impl FnOnce(&mut Shared)) -> Self {
        change(Arc::make_mut(&mut self.shared));
        self
    }

    /// Sets the ids of the run and of the call, and the name of the tool, for a host that calls tools without a run.
    /// No two calls may have the same ids, because [`idempotency_key`](Self::idempotency_key) is made of them. The media
    /// that the context [keeps](Self::keep) are those of the new call alone.
    ///
    /// ```
    /// let context = agent_runtime::ToolContext::detached().with_call("request_7", "call_1", "greet");
    /// assert_eq!(context.tool(), "greet");
    /// assert_eq!(context.idempotency_key(), "request_7/call_1");
    ///
    /// context.keep_parts([]);
    /// let next = context.clone().with_call("request_8", "call_1", "greet");
    /// assert!(context.keeps_parts() && !next.keeps_parts());
    /// ```
    #[must_use]
    pub fn with_call(
        self,
        run_id: impl Into<String>,
        call_id: impl Into<String>,
        tool: impl Into<String>,
    ) -> Self {
        self.with_kept_media(KeptMedia::default())
            .changed(|shared| {
                shared.run_id = run_id.into();
                shared.call_id = call_id.into();
                shared.tool = tool.into();
            })
    }

    /// Adds a value that tools get by its type.
    #[must_use]
    pub fn with_extension<T: Send + Sync + 'static>(self, value: T) -> Self {
        self.changed(|shared| shared.extensions.insert(value))
    }

    /// Sets the cancellation signal.
    #[must_use]
    pub fn with_cancellation(mut self, cancellation: Cancellation) -> Self {
        self.cancellation = cancellation;
        self
    }

    /// Sets the time at which the call is stopped.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets the callback for progress reports.
    #[must_use]
    pub fn with_progress(self, report: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.changed(|shared| shared.progress = Some(Arc::new(report)))
    }

    /// Sets the permissions.
    #[must_use]
    pub fn with_permissions(self, permissions: Permissions) -> Self {
        self.changed(|shared| shared.permissions = permissions)
    }

    #[doc(hidden)]
    #[must_use]
    pub fn with_host(self, host: Arc<dyn Any + Send + Sync>) -> Self {
        self.changed(|shared| shared.host = Some(host))
    }

    #[doc(hidden)]
    pub fn host<T: 'static>(&self) -> Option<&T> {
        self.shared.host.as_deref()?.downcast_ref()
    }

    #[doc(hidden)]
    #[must_use]
    pub fn with_kept_media(mut self, kept: KeptMedia) -> Self {
        self.kept_media = kept;
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub fn with_extensions(self, extensions: Extensions) -> Self {
        self.changed(|shared| shared.extensions = extensions)
    }

    /// The id of the run, which no other run has.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.shared.run_id
    }

    /// The id of the call, which no other call of the conversation has.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.shared.call_id
    }

    /// A text that no other call has, and that stays the same when the call is repeated after a crash. Give it to a
    /// service that accepts such a key, so that a repeated call acts once.
    ///
    /// The key stays the same for a run that a journal keeps. When a tool that itself runs agents is
    /// repeated, it begins new runs, whose calls have other keys.
    #[must_use]
    pub fn idempotency_key(&self) -> String {
        let Shared {
            run_id, call_id, ..
        } = &*self.shared;
        // The id of a nested run ends with the ids of the calls that lead to it. The ids of its own calls
        // begin with the same ids.
        let above = call_id.rsplit_once('/').map_or("", |(above, _)| above);
        let first = run_id.strip_suffix(above).unwrap_or(run_id);
        format!("{}/{call_id}", first.trim_end_matches('/'))
    }

    /// The name under which the tool was called.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.shared.tool
    }

    /// The time at which the call is stopped, if there is one.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The time that is left until the deadline, if there is one.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// The signal that the call was cancelled: it timed out, or the run was dropped or cancelled. An async
    /// tool is stopped anyway. Code on another thread should check the signal.
    #[must_use]
    pub fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }

    /// Whether the call was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }

    /// Reports progress to the observer of the run. The model does not see it.
    pub fn report(&self, text: &str) {
        if let Some(report) = &self.shared.progress {
            report(text);
        }
    }

    /// The permissions of the call. A tool that accesses files, hosts or environment variables must check
    /// them first.
    #[must_use]
    pub fn permissions(&self) -> &Permissions {
        &self.shared.permissions
    }

    /// Returns the JSON of an image, a document, audio or a text for the result of the call. The JSON has the digest
    /// of the bytes, and the context keeps the bytes, so that they are not encoded.
    ///
    /// The tools of `#[tool]` return media by their types and do not need this method. It is for closures and
    /// for types that implement [`Tool`](crate::Tool).
    ///
    /// ```
    /// use agent_runtime::media::{Image, Part};
    /// use agent_runtime::tool::{ToolConfig, invoke_tool};
    /// use agent_runtime::ToolContext;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let photo = ToolConfig::with_signature("photo", "Takes a photo", "()==>(::Image)")
    ///     .build_with_context(async |_args, context| Ok(context.keep(Image::new(*b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01"))))?;
    ///
    /// let context = ToolContext::detached();
    /// let result = invoke_tool(&photo, "{}", &context).await?;
    /// assert_eq!(result["mediaType"], "image/png");
    /// let Part::Image(image) = context.part(&result)? else { panic!("an image") };
    /// assert_eq!(image.bytes(), Some(&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01"[..]));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn keep(&self, part: impl Into<Part>) -> Value {
        let part = part.into();
        self.kept_media.keep(part.media().cloned());
        part_to_json(&part, MediaForm::Digest)
    }

    /// Returns the JSON of several parts for the result of a call, as [`keep`](Self::keep) does for one. The
    /// model reads the parts even if the return type of the tool is `Any`. Use this method in a tool that
    /// only knows after the call whether its result is media.
    ///
    /// ```
    /// use agent_runtime::media::Part;
    /// use agent_runtime::ToolContext;
    ///
    /// let context = ToolContext::detached();
    /// let result = context.keep_parts([Part::from("page 1"), Part::from("page 2")]);
    /// assert_eq!(result[1]["text"], "page 2");
    /// ```
    #[must_use]
    pub fn keep_parts(&self, parts: impl IntoIterator<Item = Part>) -> Value {
        self.kept_media.mark_parts();
        parts.into_iter().map(|part| self.keep(part)).collect()
    }

    /// Whether the result of the call is a list of parts that [`keep_parts`](Self::keep_parts) returned.
    #[must_use]
    pub fn keeps_parts(&self) -> bool {
        self.kept_media.is_of_parts()
    }

    /// Adds parts that the model reads after the result of the call, such as an image beside a record. The result itself
    /// stays as it is, and so does its type.
    ///
    /// ```
    /// use agent_runtime::ToolContext;
    /// use agent_runtime::media::Part;
    ///
    /// let context = ToolContext::detached();
    /// context.keep_beside([Part::from("The count is that of yesterday.")]);
    /// ```
    pub fn keep_beside(&self, parts: impl IntoIterator<Item = Part>) {
        self.kept_media.keep_beside(parts);
    }

    /// Returns the part for the JSON of a tool's result, or for one element of a result of the type `Parts`.
    /// The bytes are those that the context keeps.
    ///
    /// # Errors
    /// When the JSON is not the JSON of a part.
    pub fn part(&self, json: &Value) -> Result<Part, ReadError> {
        Ok(self.kept_media.filled(checked_part_from_json(json)?))
    }

    /// Sets whether the arguments of the call are valid for the tool's own contract, so that the tool need not
    /// validate them. A context that is passed on must not have this set, because its next call has other arguments.
    pub(crate) fn with_valid_arguments(mut self, are_valid: bool) -> Self {
        self.has_valid_arguments = are_valid;
        self
    }

    pub(crate) fn has_valid_arguments(&self) -> bool {
        self.has_valid_arguments
    }

    #[doc(hidden)]
    pub fn kept_media(&self) -> &KeptMedia {
        &self.kept_media
    }

    /// The value of a type that the host gave the runtime or the run, such as a connection pool.
    #[must_use]
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.shared.extensions.get()
    }

    pub(crate) fn shared_extension<T: Send + Sync + 'static>(&self) -> Option<Extension<T>> {
        self.shared.extensions.shared().map(Extension::shared)
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ToolContext")
            .field("run_id", &self.shared.run_id)
            .field("call_id", &self.shared.call_id)
            .field("tool", &self.shared.tool)
            .finish_non_exhaustive()
    }
}
