// Every way in which a method can take its toolbox, and every way in which it can run.

use agent_runtime::{Extension, ToolContext, ToolError, ToolLibrary, toolbox, tools};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Db {
    rows: Mutex<BTreeMap<u64, String>>,
    name: String,
}

type Found<T> = Result<T, String>;

#[toolbox]
impl Db {
    const LIMIT: u64 = 10;

    /// Puts a row
    #[tool]
    fn put(&self, id: u64, text: String) {
        self.lock().insert(id, text);
    }

    /// Finds a row
    #[tool]
    async fn find(&self, id: u64, context: &ToolContext) -> Found<String> {
        tokio::task::yield_now().await;
        assert_eq!(context.call_id(), "");
        self.lock().get(&id).cloned().ok_or(format!("no row {id}"))
    }

    /// Counts the rows
    #[tool(inline)]
    fn count(self: &Self) -> usize {
        self.lock().len()
    }

    /// Shows the name, which is borrowed
    #[tool]
    fn name(&self) -> &str {
        &self.name
    }

    /// Keeps the toolbox in a task of its own
    #[tool]
    async fn put_later(self: Arc<Self>, id: u64) -> Result<usize, ToolError> {
        let task = tokio::spawn(async move {
            self.put(id, "later".to_owned());
            self.count()
        });
        task.await.map_err(ToolError::execution)
    }

    /// Clones the toolbox
    #[tool]
    fn owners(self: &Arc<Self>) -> bool {
        Arc::strong_count(&Arc::clone(self)) > 1
    }

    /// Needs no toolbox
    #[tool]
    fn limit(#[tool(default = 1)] times: u64) -> u64 {
        Self::LIMIT * times
    }

    /// Needs something of the host's
    #[tool]
    async fn greeting(&self, greeting: Extension<String>) -> String {
        format!("{} {}", *greeting, self.name)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, String>> {
        self.rows.lock().expect("nobody panicked")
    }
}

async fn call(library: &ToolLibrary, name: &str, arguments: Value) -> Result<Value, ToolError> {
    let tool = library.lookup(name).expect("a tool");
    tool.call(&arguments.to_string(), &ToolContext::detached()).await
}

#[tokio::main]
pub(crate) async fn main() {
    let db = Arc::new(Db {
        name: "main".to_owned(),
        ..Db::default()
    });
    let library = tools![..Arc::clone(&db)];
    let call = async |name, arguments| call(&library, name, arguments).await;
    assert_eq!(call("put", json!({"id": 1, "text": "one"})).await, Ok(Value::Null));
    assert_eq!(call("find", json!({"id": 1})).await, Ok("one".into()));
    let error = call("find", json!({"id": 2})).await;
    assert_eq!(error, Err(ToolError::Execution("no row 2".to_owned())));
    assert_eq!(call("count", json!({})).await, Ok(1.into()));
    assert_eq!(call("name", json!({})).await, Ok("main".into()));
    assert_eq!(call("putLater", json!({"id": 7})).await, Ok(2.into()));
    assert_eq!(call("owners", json!({})).await, Ok(true.into()));
    assert_eq!(call("limit", json!({"times": 3})).await, Ok(30.into()));
    assert_eq!(call("limit", json!({})).await, Ok(10.into()));
    assert!(matches!(call("greeting", json!({})).await, Err(ToolError::Execution(_))));
    assert!(matches!(call("find", json!({"id": "1"})).await, Err(ToolError::Validation(_))));
    // The value is the one that the caller has.
    assert_eq!(db.lock().len(), 2);
}
