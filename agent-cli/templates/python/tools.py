"""The tools of the agent, as an MCP server. A docstring is the description that the model reads."""

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

ORDERS = {1042: "was sent on Monday", 1043: "is being packed"}

server = MCPServer("orders")


@server.tool()
def find_order(number: int) -> str:
    """Finds an order by its number"""
    if number not in ORDERS:
        raise ToolError(f"there is no order {number}; list_orders has their numbers")
    return f"Order {number} {ORDERS[number]}."


@server.tool()
def list_orders() -> list[int]:
    """Lists the numbers of all orders"""
    return list(ORDERS)


if __name__ == "__main__":
    server.run()
