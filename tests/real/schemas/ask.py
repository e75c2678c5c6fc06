"""Asks MCP servers over stdio for their tools and prints one JSON line a tool: {"source", "name", "schema"}.

Takes the folders of node_modules and of a Python environment. The keys are dummies: listing tools needs none.
"""

import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import time

KEYS = """
    API_TOKEN BRAVE_API_KEY CLOUDFLARE_API_TOKEN EVERART_API_KEY EXA_API_KEY FIGMA_API_KEY FIRECRAWL_API_KEY
    GITHUB_PERSONAL_ACCESS_TOKEN GITLAB_PERSONAL_ACCESS_TOKEN GOOGLE_MAPS_API_KEY LINEAR_API_KEY NOTION_TOKEN
    OPENAI_API_KEY SENTRY_ACCESS_TOKEN SLACK_BOT_TOKEN SLACK_TEAM_ID TAVILY_API_KEY
""".split()

ARGUMENTS = {
    "@cloudflare/mcp-server-cloudflare": ["run", "account"],
    "@modelcontextprotocol/server-everything": ["stdio"],
    "@modelcontextprotocol/server-filesystem": ["."],
    "@modelcontextprotocol/server-postgres": ["postgresql://127.0.0.1/none"],
    "@sentry/mcp-server": ["--access-token=dummy"],
    "excel-mcp-server": ["stdio"],
    "figma-developer-mcp": ["--stdio"],
    "mcp-server-time": ["--local-timezone", "UTC"],
}


def servers(modules, python):
    """The name and the command of each server."""
    here = pathlib.Path(__file__).parent
    for name in json.loads((here / "package.json").read_text())["dependencies"]:
        folder = pathlib.Path(modules) / name
        commands = json.loads((folder / "package.json").read_text())["bin"]
        script = commands if isinstance(commands, str) else next(iter(commands.values()))
        yield name, ["node", str(folder / script)]
    for line in (here / "requirements.txt").read_text().splitlines():
        name = line.split("==")[0]
        if "mcp-server" in name:
            yield name, [str(pathlib.Path(python) / "bin" / name)]


def answers(process, until):
    """The messages of a server, until a time."""
    held = b""
    while time.monotonic() < until:
        ready, _, _ = select.select([process.stdout], [], [], 0.5)
        if not ready:
            continue
        piece = os.read(process.stdout.fileno(), 1 << 16)
        if not piece:
            return
        *lines, held = (held + piece).split(b"\n")
        for line in lines:
            # Some servers log to their standard output.
            if line.startswith(b"{"):
                yield json.loads(line)


def tools(command, folder):
    environment = {**os.environ, "HOME": folder, "CLOUDFLARE_ACCOUNT_ID": "account", **dict.fromkeys(KEYS, "dummy")}
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        cwd=folder,
    )

    def send(message):
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        process.stdin.flush()

    found = []
    try:
        client = {"name": "schemas", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        send({"id": 1, "method": "initialize", "params": hello})
        for message in answers(process, time.monotonic() + 120):
            if "method" in message:
                continue
            if message.get("id") == 1:
                send({"method": "notifications/initialized"})
                send({"id": 2, "method": "tools/list", "params": {}})
            elif message.get("id") == 2:
                found += message["result"]["tools"]
                cursor = message["result"].get("nextCursor")
                if not cursor:
                    return found
                send({"id": 2, "method": "tools/list", "params": {"cursor": cursor}})
    except BrokenPipeError:
        pass
    finally:
        process.kill()
        process.wait()
    return found


def main(modules, python):
    with tempfile.TemporaryDirectory() as folder:
        for name, command in servers(modules, python):
            found = tools(command + ARGUMENTS.get(name, []), folder)
            print(f"{len(found):4} tools of {name}", file=sys.stderr)
            for tool in found:
                print(json.dumps({"source": name, "name": tool["name"], "schema": tool["inputSchema"]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
