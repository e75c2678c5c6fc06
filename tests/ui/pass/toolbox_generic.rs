// Boxes with parameters, which are named with their types.

use agent_runtime::tool::StaticTools;
use agent_runtime::{ToolContext, agent, toolbox, tools};
use std::marker::PhantomData;

trait Store: Send + Sync {
    const NAME: &'static str;
    fn read(&self, id: u64) -> String;
}

struct Disk;
struct Memory(String);

impl Store for Disk {
    const NAME: &'static str = "disk";
    fn read(&self, id: u64) -> String {
        format!("disk {id}")
    }
}

impl Store for Memory {
    const NAME: &'static str = "memory";
    fn read(&self, id: u64) -> String {
        format!("{} {id}", self.0)
    }
}

struct Cache<T>(T);

#[toolbox(parts = [Names])]
impl<T: Store> Cache<T> {
    /// Reads an entry
    #[tool]
    async fn read(&self, #[tool(default = 1)] id: u64) -> String {
        self.0.read(id)
    }

    /// Reads an entry on another thread
    #[tool]
    fn read_elsewhere(&self, id: u64) -> String {
        self.0.read(id)
    }
}

#[toolbox(part = Names)]
impl<T> Cache<T>
where
    T: Store,
{
    /// Says where the entries are
    #[tool]
    fn place(&self) -> &'static str {
        T::NAME
    }
}

/// What a tool takes and gives depends on the type.
struct Pair<A, const N: usize>(PhantomData<A>);

#[toolbox]
impl<A, const N: usize> Pair<A, N>
where
    A: agent_runtime::spec::GramType + serde::Serialize + serde::de::DeserializeOwned + Clone + Send + Sync + 'static,
{
    /// Repeats a value
    #[tool]
    async fn repeat(&self, value: A) -> Vec<A> {
        vec![value; N]
    }
}

// Two boxes of one type, each for its own argument.
struct Only<T>(T);

#[toolbox]
impl Only<u8> {
    /// Shows the number
    #[tool]
    fn number(&self) -> u8 {
        self.0
    }
}

#[toolbox]
impl Only<&'static str> {
    /// Shows the text
    #[tool]
    fn text(&self) -> &'static str {
        self.0
    }
}

#[tokio::main]
pub(crate) async fn main() {
    let agent = agent! {
        tools: [..Cache<Disk>, Pair::<i64, 2>::repeat],
        [a:Agent {instruction: "i", model: "OpenAI/m"} | read, place,
            [repeat:Tool {description: "Repeats a value"} | (value::Int)==>(::Array {elementType: "Int"})]
        ]
    };
    assert_eq!(agent.tools().len(), 3);
    let context = ToolContext::detached();
    let disk = tools![..Cache(Disk), ..Pair::<i64, 2>(PhantomData)];
    let memory = tools![..Cache(Memory("here".to_owned())), ..Pair::<String, 3>(PhantomData)];
    for (library, read, place) in [(&disk, "disk 5", "disk"), (&memory, "here 5", "memory")] {
        let call = async |name, text| library.lookup(name).expect("a tool").call(text, &context).await;
        assert_eq!(call("read", r#"{"id":5}"#).await, Ok(read.into()));
        assert_eq!(call("readElsewhere", r#"{"id":5}"#).await, Ok(read.into()));
        assert_eq!(call("place", "{}").await, Ok(place.into()));
    }
    let repeated = memory.lookup("repeat").expect("a tool");
    let repeated = repeated.call(r#"{"value":"a"}"#, &context).await;
    assert_eq!(repeated, Ok(vec!["a"; 3].into()));
    assert!(<Pair<i64, 2>>::GRAM.contains("(value::Int)==>"));
    assert!(<Pair<String, 3>>::GRAM.contains("(value::Text)==>"));
    let only = tools![..Only(1), ..Only("a")];
    assert_eq!(only.names().collect::<Vec<_>>(), ["number", "text"]);
}
