"""The support agent of a shop, with pydantic-ai: one tool reads, the other one needs approval."""

import asyncio
import sys

from pydantic_ai import (
    Agent,
    DeferredToolRequests,
    DeferredToolResults,
    ModelRetry,
    PartDeltaEvent,
    PartStartEvent,
    RunContext,
    TextPart,
    TextPartDelta,
    ToolDenied,
)
from pydantic_ai.capabilities import HandleDeferredToolCalls


async def ask(context: RunContext, requests: DeferredToolRequests) -> DeferredToolResults:
    """Asks the person at the terminal about each call that waits."""
    approvals: dict[str, bool | ToolDenied] = {}
    for call in requests.approvals:
        yes = input(f"{call.tool_name} {call.args} (yes/no)? ") == "yes"
        approvals[call.tool_call_id] = yes or ToolDenied("Not today.")
    return requests.build_results(approvals=approvals)


support = Agent(
    "openai:gpt-6-luna",
    instructions="Help the customer with orders.",
    capabilities=[HandleDeferredToolCalls(handler=ask)],
    defer_model_check=True,  # The key is needed when the agent runs, and not when this file is imported.
)


@support.tool_plain
def find_order(number: int) -> str:
    """Finds an order by its number"""
    if number != 17:
        raise ModelRetry(f"There is no order {number}.")
    return "Order 17 was sent on Monday."


@support.tool_plain(requires_approval=True)
def refund_order(number: int) -> str:
    """Refunds an order"""
    return f"Order {number} is refunded."


async def stream(question: str) -> None:
    """Prints the answer while it arrives."""
    async with support.run_stream_events(question) as events:
        async for event in events:
            match event:
                case PartStartEvent(part=TextPart(content=text)):
                    print(text, end="", flush=True)
                case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                    print(text, end="", flush=True)
    print()


if __name__ == "__main__":
    asyncio.run(stream(sys.argv[1]))
