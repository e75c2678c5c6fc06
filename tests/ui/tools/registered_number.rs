use agent_runtime::{ToolLibrary};

fn main() {
    let mut library = ToolLibrary::new();
    let _ = library.register_all("get_time");
}
