// `Self` wherever a type can stand.

use agent_runtime::spec::{GramType, Type};
use agent_runtime::{ToolContext, toolbox, tools};
use serde::{Deserialize, Serialize};

trait Table {
    type Row;
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(transparent)]
struct Mark(String);

impl GramType for Mark {
    const TYPE: &'static Type = <str as GramType>::TYPE;
}

impl Table for Mark {
    type Row = u8;
}

#[toolbox]
impl Mark {
    /// Gives itself
    #[tool]
    async fn itself(&self) -> Self {
        self.clone()
    }

    /// Joins marks
    #[tool]
    fn join(&self, other: Self, #[tool(default = "!")] end: Self) -> Result<Vec<Self>, String> {
        Ok(vec![self.clone(), other, end])
    }

    /// Takes a type of its trait
    #[tool]
    fn row(&self, row: <Self as Table>::Row) -> Option<<Self as Table>::Row> {
        row.checked_add(1)
    }

    /// Takes several
    #[tool(inline)]
    fn count(marks: &[Self]) -> usize {
        marks.len()
    }
}

#[tokio::main]
pub(crate) async fn main() {
    let library = tools![..Mark("a".to_owned())];
    let context = ToolContext::detached();
    let call = async |name, text| library.lookup(name).expect("a tool").call(text, &context).await;
    assert_eq!(call("itself", "{}").await, Ok("a".into()));
    assert_eq!(call("join", r#"{"other":"b"}"#).await, Ok(vec!["a", "b", "!"].into()));
    assert_eq!(call("row", r#"{"row":1}"#).await, Ok(2.into()));
    assert_eq!(call("count", r#"{"marks":["a","b"]}"#).await, Ok(2.into()));
    let gram = library.to_gram();
    assert!(gram.contains("(other::Text)==>(end::Text {default: \"!\"})"), "{gram}");
}
