use agent_runtime::tool;

/// Finds a row
#[tool]
fn find(id: Identifer) -> Row {
    id.row()
}

/// Finds rows
#[tool]
async fn find_all(ids: Vec<Identifer>) -> Option<Row> {
    find(ids[0])
}

fn main() {}
