//! A granted folder with another folder beside it, and functions that call the tools.

use crate::with_timeout::{ENDLESS, WithTimeout};
use agent_builtin::{FileLimits, list_directory, read_file, write_file};
use agent_runtime::tool::invoke_tool;
use agent_runtime::{Grants, Permissions, Tool, ToolContext, ToolError};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The content of the file that must not be accessed.
pub(crate) const CANARY: &str = "the canary sings";

/// Temporary folders: `inside`, which is granted for reading and writing; and `outside`, with a canary.
pub(crate) struct Scene {
    name: String,
    pub(crate) context: ToolContext,
}

/// Returns the folder of all scenes, which becomes the current folder so that relative paths can be tested.
fn base() -> &'static Path {
    static BASE: OnceLock<PathBuf> = OnceLock::new();
    BASE.get_or_init(|| {
        let base = std::env::temp_dir().canonicalize().expect("a path");
        std::env::set_current_dir(&base).expect("a folder");
        base
    })
}

impl Scene {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("builtin-files-{}-{count}", std::process::id());
        let scene = Self {
            name,
            context: ToolContext::detached(),
        };
        fs::create_dir_all(scene.inside("")).expect("a folder");
        fs::create_dir(scene.outside("")).expect("a folder");
        fs::write(scene.outside("canary"), CANARY).expect("a file");
        let inside = scene.filled("{IN}");
        scene.with_grants(&Grants::new().read(inside.clone()).write(inside))
    }

    pub(crate) fn with_grants(mut self, grants: &Grants) -> Self {
        let granted = Permissions::new(grants).expect("grants");
        self.context = self.context.clone().with_permissions(granted);
        self
    }

    pub(crate) fn with_limits(mut self, limits: FileLimits) -> Self {
        self.context = self.context.clone().with_extension(limits);
        self
    }

    fn root(&self) -> PathBuf {
        base().join(&self.name)
    }

    pub(crate) fn inside(&self, path: &str) -> PathBuf {
        self.root().join("inside").join(path)
    }

    pub(crate) fn outside(&self, path: &str) -> PathBuf {
        self.root().join("outside").join(path)
    }

    /// Creates a file, and the folders around it.
    pub(crate) fn file(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.inside(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
        self
    }

    pub(crate) fn link(&self, path: &str, target: impl AsRef<Path>) -> &Self {
        symlink(target, self.inside(path)).expect("a link");
        self
    }

    pub(crate) fn content(&self, path: &str) -> String {
        fs::read_to_string(self.inside(path)).expect("a file of text")
    }

    /// Replaces the placeholders in a text: `{IN}` and `{OUT}` by absolute paths, `{HERE}` by the relative
    /// path of the granted folder, and `{NAME}` by the name of the scene.
    pub(crate) fn filled(&self, text: &str) -> String {
        let root = self.root().display().to_string();
        text.replace("{IN}", &format!("{root}/inside"))
            .replace("{OUT}", &format!("{root}/outside"))
            .replace("{HERE}", &format!("{}/inside", self.name))
            .replace("{NAME}", &self.name)
            .replace("{LONG}", &"n".repeat(300))
            .replace("{HUGE}", &"n/".repeat(4_000))
    }

    /// Calls a tool as in a run. The arguments may contain placeholders.
    pub(crate) fn call(
        &self,
        tool: &'static dyn Tool,
        arguments: &Value,
    ) -> Result<Value, ToolError> {
        let arguments = self.filled(&arguments.to_string());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime");
        let tool = WithTimeout::new(tool, ENDLESS);
        let result = runtime.block_on(invoke_tool(&tool, &arguments, &self.context));
        // A thread that waits for a pipe must not block the failing test.
        runtime.shutdown_background();
        result
    }

    pub(crate) fn read(&self, path: &str) -> Result<Value, ToolError> {
        self.call(&read_file {}, &json!({"path": path}))
    }

    pub(crate) fn write(&self, path: &str, content: &str) -> Result<Value, ToolError> {
        self.call(&write_file {}, &json!({"path": path, "content": content}))
    }

    pub(crate) fn list(&self, arguments: &Value) -> Value {
        self.call(&list_directory {}, arguments).expect("a listing")
    }

    /// Returns the names of the entries.
    pub(crate) fn names(&self, arguments: &Value) -> Vec<String> {
        let listing = self.list(arguments);
        let entries = listing["entries"].as_array().expect("entries");
        let name = |entry: &Value| entry["name"].as_str().expect("a name").to_owned();
        entries.iter().map(name).collect()
    }

    /// Checks that nothing outside of the granted folder has changed.
    pub(crate) fn assert_untouched(&self) {
        let canary = fs::read_to_string(self.outside("canary")).expect("the canary");
        assert_eq!(canary, CANARY);
        let names = fs::read_dir(self.outside("")).expect("a folder");
        assert_eq!(names.count(), 1, "something was made outside");
        let names = fs::read_dir(self.root()).expect("a folder");
        assert_eq!(names.count(), 2, "something was made beside");
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // Best effort: it is a temporary folder.
        let _ = fs::remove_dir_all(self.root());
    }
}

/// Formats an error with its kind.
pub(crate) fn format_error(error: &ToolError) -> String {
    let kind = match error {
        ToolError::Execution(_) => "execution",
        ToolError::Validation(_) => "validation",
        ToolError::Authorization(_) => "authorization",
        ToolError::Timeout => "timeout",
        _ => "another kind",
    };
    format!("{kind}: {error}")
}

/// Returns the error of a call, with placeholders for the paths of the scene.
pub(crate) fn error(scene: &Scene, result: Result<Value, ToolError>) -> String {
    let error = result.expect_err("it is refused");
    format_error(&error)
        .replace(&scene.filled("{IN}"), "{IN}")
        .replace(&scene.filled("{OUT}"), "{OUT}")
        .replace(&scene.filled("{HERE}"), "{HERE}")
}
