//! The tools of the agent. A doc comment is the description that the model reads.

use agent_runtime::tool;

const ORDERS: [(u32, &str); 2] = [(1042, "was sent on Monday"), (1043, "is being packed")];

/// Finds an order by its number
#[tool]
pub(crate) fn find_order(number: u32) -> Result<String, String> {
    let order = ORDERS.iter().find(|(known, _)| *known == number);
    // The model reads the error, and may correct the call.
    let missing = || format!("there is no order {number}; `listOrders` has their numbers");
    order
        .map(|(number, state)| format!("Order {number} {state}."))
        .ok_or_else(missing)
}

/// Lists the numbers of all orders
#[tool]
pub(crate) fn list_orders() -> Vec<u32> {
    ORDERS.iter().map(|(number, _)| *number).collect()
}
