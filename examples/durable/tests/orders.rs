//! The example in process: the approval is given to a later process.

use std::process::Command;

fn orders(file: &std::path::Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_durable-orders"))
        .args(arguments)
        .env("ORDERS_DB", file)
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn each_order_is_charged_once_after_it_was_approved() {
    let folder = std::env::temp_dir().join(format!("durable-orders-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("orders.db");
    for order in ["17", "18"] {
        let first = orders(&file, &[order]);
        assert!(first.contains("waits for your approval"), "{first}");
        assert!(!first.contains("💶"), "{first}");
    }
    for order in ["18", "17"] {
        let second = orders(&file, &[order, "--approve"]);
        assert_eq!(second.matches("💶").count(), 1, "{second}");
        let processed = format!("🤖 The order {order} is processed.");
        assert!(second.contains(&processed), "{second}");
    }
    let again = orders(&file, &["17", "--approve"]);
    assert!(again.contains("No charge of the order 17 waits"), "{again}");
    assert!(!again.contains("💶"), "{again}");
    std::fs::remove_dir_all(&folder).expect("the folder");
}
