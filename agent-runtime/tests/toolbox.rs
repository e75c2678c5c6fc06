//! Values whose methods are tools, in the hands of an agent.

use crate::support::{calls, results};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::tool::StaticTools;
use agent_runtime::{
    Agent, Conversation, Runtime, ToolContext, ToolError, ToolLibrary, agent, tool, toolbox, tools,
};
use std::collections::BTreeMap;
use std::future::pending;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Barrier;

/// Says hello
#[tool]
fn say_hello(name: String) -> String {
    format!("Hello, {name}!")
}

/// Rows, and what they are read from.
struct Db {
    name: &'static str,
    rows: Mutex<BTreeMap<u64, String>>,
    meeting: Barrier,
    dropped: AtomicU32,
    woken: AtomicBool,
}

impl Db {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            rows: Mutex::default(),
            meeting: Barrier::new(2),
            dropped: AtomicU32::new(0),
            woken: AtomicBool::new(false),
        }
    }
}

#[toolbox(export = "tests/gram", parts = [Trouble])]
impl Db {
    /// Finds a row
    #[tool]
    async fn find(
        &self,
        #[tool(description = "The number of the row")] id: u64,
        context: &ToolContext,
    ) -> Result<String, ToolError> {
        let row = self.rows.lock().expect("nobody panicked").get(&id).cloned();
        row.map(|row| format!("{row} ({} {})", self.name, context.call_id()))
            .ok_or_else(|| ToolError::Execution(format!("there is no row {id}")))
    }

    /// Puts a row
    #[tool(sequential)]
    fn put(&self, id: u64, text: String) -> usize {
        let mut rows = self.rows.lock().expect("nobody panicked");
        rows.insert(id, text);
        rows.len()
    }

    /// Waits until it is called twice
    #[tool]
    async fn meet(&self) -> bool {
        self.meeting.wait().await.is_leader()
    }
}

/// Counts the calls that were dropped before their end.
struct Dropped<'a>(&'a AtomicU32);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[toolbox(part = Trouble)]
impl Db {
    /// Never ends
    #[tool(timeout = "20ms")]
    async fn wait(&self) {
        let _dropped = Dropped(&self.dropped);
        pending().await
    }

    /// Sleeps until it is woken
    #[tool(timeout = "20ms")]
    fn sleep(&self) {
        while !self.woken.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Panics
    #[tool]
    fn panic_on_a_thread(&self) {
        panic!("no such {}", self.name);
    }

    /// Panics
    #[tool]
    async fn panic_on_the_task(self: Arc<Self>) {
        panic!("no such {}", self.name);
    }
}

/// A generic box.
struct Counter<T> {
    value: Mutex<T>,
}

#[toolbox]
impl<T: std::ops::AddAssign + Copy + From<u8> + Into<u64> + Send + 'static> Counter<T> {
    /// Counts on
    #[tool]
    fn count(&self, #[tool(default = 1)] by: u8) -> u64 {
        let mut value = self.value.lock().expect("nobody panicked");
        *value += T::from(by);
        (*value).into()
    }
}

static AGENT: Agent = agent! {
    tools: [say_hello, ..Db, Counter::<u32>::count],
    [keeper:Agent {instruction: "Keep rows.", model: "Scripted/test"} |
        sayHello, meet, wait, sleep, panicOnAThread, panicOnTheTask,
        [find:Tool {description: "Finds a row"} |
            (id::Int {description: "The number of the row"})==>(::String)
        ],
        [put:Tool {description: "Puts a row"} | (id::Int)==>(text::Text)==>(::Int)],
        [count:Tool {description: "Counts on"} | (by::Int {default: 1})==>(::Int)]
    ]
};

fn library(db: &Arc<Db>) -> ToolLibrary {
    tools![
        say_hello,
        ..Arc::clone(db),
        ..Counter {
            value: Mutex::new(40_u32)
        }
    ]
}

/// The results of the calls that a model makes in some turns.
async fn run(
    library: &ToolLibrary,
    turns: &[&[(&str, &str, &str)]],
) -> Vec<(String, String, bool)> {
    let replies = turns.iter().map(|turn| calls(turn));
    let model = Scripted::new(replies).then(ModelReply::text("Done."));
    let mut conversation = Conversation::new();
    Runtime::with_model(model.clone())
        .execute(&AGENT, "Go on.", &mut conversation, library)
        .await
        .expect("an answer");
    model.assert_complete();
    conversation.check().expect("a valid history");
    results(&conversation)
}

/// The asserted parts of a result: call id, content, whether it is an error.
fn told(id: &str, content: &str) -> (String, String, bool) {
    (id.to_owned(), content.to_owned(), false)
}

#[tokio::test]
async fn tools_of_several_boxes_work_on_their_state() {
    let db = Arc::new(Db::new("main"));
    let library = library(&db);
    let results = run(
        &library,
        &[
            &[
                ("a", "put", r#"{"id":1,"text":"one"}"#),
                ("b", "put", r#"{"id":2,"text":"two"}"#),
                ("c", "find", r#"{"id":2}"#),
                ("d", "count", "{}"),
            ],
            &[
                ("e", "count", r#"{"by":2}"#),
                ("f", "sayHello", r#"{"name":"Ada"}"#),
            ],
        ],
    )
    .await;
    assert_eq!(
        results,
        [
            told("a", "1"),
            told("b", "2"),
            told("c", "two (main c)"),
            told("d", "41"),
            told("e", "43"),
            told("f", "Hello, Ada!"),
        ]
    );
    assert_eq!(db.rows.lock().expect("nobody panicked").len(), 2);
}

#[tokio::test]
async fn one_agent_works_with_either_of_two_values() {
    let values = [Arc::new(Db::new("a")), Arc::new(Db::new("b"))];
    for db in &values {
        let results = run(
            &library(db),
            &[
                &[("1", "put", r#"{"id":1,"text":"row"}"#)],
                &[("2", "find", r#"{"id":1}"#), ("3", "find", r#"{"id":9}"#)],
            ],
        )
        .await;
        assert_eq!(results[1].1, format!("row ({} 2)", db.name));
        assert!(
            results[2].2 && results[2].1.contains("there is no row 9"),
            "{results:?}"
        );
    }
}

#[tokio::test]
async fn one_value_is_shared_by_two_libraries() {
    let db = Arc::new(Db::new("shared"));
    let (first, second) = (library(&db), library(&db));
    run(&first, &[&[("a", "put", r#"{"id":1,"text":"seen"}"#)]]).await;
    let results = run(&second, &[&[("b", "find", r#"{"id":1}"#)]]).await;
    assert_eq!(results, [told("b", "seen (shared b)")]);
    drop((first, second));
    assert_eq!(Arc::strong_count(&db), 1);
}

#[tokio::test]
async fn methods_of_one_value_run_concurrently() {
    let library = library(&Arc::new(Db::new("main")));
    let meet = run(&library, &[&[("a", "meet", "{}"), ("b", "meet", "{}")]]);
    let results = tokio::time::timeout(Duration::from_secs(60), meet).await;
    let mut leaders: Vec<String> = results
        .expect("each waits for the other")
        .into_iter()
        .map(|(_, content, _)| content)
        .collect();
    leaders.sort();
    assert_eq!(leaders, ["false", "true"]);
}

#[tokio::test]
async fn timeouts_and_panics_end_a_call_and_not_the_toolbox() {
    let db = Arc::new(Db::new("main"));
    let results = run(
        &library(&db),
        &[
            &[
                ("a", "wait", "{}"),
                ("b", "sleep", "{}"),
                ("c", "panicOnAThread", "{}"),
                ("d", "panicOnTheTask", "{}"),
                ("e", "find", r#"{"id":"x"}"#),
            ],
            &[("f", "put", r#"{"id":1,"text":"one"}"#)],
        ],
    )
    .await;
    // The thread of a call that is given up runs on.
    db.woken.store(true, Ordering::SeqCst);
    assert!(
        results[..5].iter().all(|(_, _, is_error)| *is_error),
        "{results:?}"
    );
    for (at, text) in [
        (0, "took too long"),
        (1, "took too long"),
        (2, "no such main"),
        (3, "no such main"),
        (4, "$.id"),
    ] {
        let said = results[at].1.to_lowercase();
        assert!(said.contains(text), "{at}: {said}");
    }
    assert_eq!(results[5], told("f", "1"));
    assert_eq!(db.dropped.load(Ordering::SeqCst), 1);
}

struct Files;

#[toolbox]
impl Files {
    /// Finds a file
    #[tool]
    fn find(&self, name: String) -> String {
        name
    }
}

#[test]
fn two_boxes_with_one_name_are_refused_naming_tools_and_boxes() {
    let mut library = ToolLibrary::new();
    library.register_all(Db::new("main")).expect("no duplicate");
    let names: Vec<String> = library.names().map(str::to_owned).collect();
    let error = library.register_all(Files).expect_err("two of one name");
    let text = error.to_string();
    for part in ["`find`", "Finds a row", "::Db`", "Finds a file", "::Files`"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Nothing was replaced or added.
    assert_eq!(library.names().collect::<Vec<_>>(), names);
    let again = library.register_all(Db::new("other"));
    assert!(again.is_err(), "a second value of the type");
}

#[test]
#[should_panic(expected = "of the toolbox `it::toolbox::Files`")]
fn a_list_of_tools_refuses_them_too() {
    let _ = tools![..Db::new("main"), ..Files];
}

#[test]
fn the_texts_are_those_of_a_library() {
    let library = tools![..Db::new("main")];
    assert_eq!(<Db as StaticTools>::GRAM, library.to_gram());
    assert_eq!(<Db as StaticTools>::TOOLS.len(), library.len());
    // `export` adds a test that writes this file.
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gram/Db.gram");
    if let Ok(written) = std::fs::read_to_string(file) {
        assert_eq!(written.replace("\r\n", "\n"), library.to_gram());
    }
}
