"""Calls the one tool of a server with the Python SDK, and prints its names and its answer. Takes the server's command."""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main():
    parameters = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with stdio_client(parameters) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            tools = await session.list_tools()
            print([tool.name for tool in tools.tools])
            result = await session.call_tool("hello_world_agent", {"message": "Hello, I'm Ada"})
            print(result.content[0].text)


asyncio.run(main())
