use agent_runtime::tool;

/// Takes something
#[tool]
fn of_a_text(#[tool(exclusive_minimum = 5)] x: String) {
    let _ = x;
}

/// Takes something
#[tool]
fn of_a_list(#[tool(multiple_of = 5)] x: Vec<u8>) {
    let _ = x;
}

/// Takes something
#[tool]
fn text_as_bound(#[tool(exclusive_maximum = "five")] x: u8) {
    let _ = x;
}

/// Takes something
#[tool]
fn nothing_between(#[tool(exclusive_minimum = 5, maximum = 5)] x: u8) {
    let _ = x;
}

/// Takes something
#[tool]
fn no_step(#[tool(multiple_of = 0)] x: u8) {
    let _ = x;
}

/// Takes something
#[tool]
fn beyond_the_type(#[tool(exclusive_maximum = 257)] x: u8) {
    let _ = x;
}

/// Takes something
#[tool]
fn above_the_type(#[tool(exclusive_minimum = 255)] x: u8) {
    let _ = x;
}

/// Takes something
#[tool]
fn at_the_ends(#[tool(exclusive_minimum = -1, exclusive_maximum = 256)] x: u8) {
    let _ = x;
}

fn main() {}
