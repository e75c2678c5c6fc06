"""The bank: an MCP server over stdio with one tool, `pay`, which acts each time it is called. Each payment is a line in the
file LEDGER. The server keeps that file locked for as long as it lives, so that a test can wait for its end."""

import fcntl
import json
import os
import socket
import sys
import time

TOOL = {
    "name": "pay",
    "description": "Pays a part of an order",
    "inputSchema": {
        "type": "object",
        "properties": {"order": {"type": "string"}, "part": {"type": "integer"}},
        "required": ["order", "part"],
    },
}


def pay(ledger, order, part):
    # One write to the end of the file, because others write, too.
    os.write(ledger, f"{order},{part},{time.time():.6f},{os.getpid()}\n".encode())
    tell(order, part)
    return f"part {part} of {order} is paid"


def tell(order, part):
    """Tells the test of a payment, before the program hears of it. GATE is a host, a port and the name of the case."""
    host, port, case = os.environ["GATE"].split("/")
    with socket.create_connection((host, int(port)), timeout=60) as gate:
        gate.sendall(f"GET /{case}/{order}/{part} HTTP/1.0\r\n\r\n".encode())
        while gate.recv(4096):
            pass


def answer(ledger, method, params):
    if method == "initialize":
        info = {"name": "pay", "version": "1"}
        return {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        text = pay(ledger, params["arguments"]["order"], params["arguments"]["part"])
        return {"content": [{"type": "text", "text": text}]}
    return {}


def main():
    ledger = os.open(os.environ["LEDGER"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    fcntl.flock(ledger, fcntl.LOCK_SH)
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        said = {"jsonrpc": "2.0", "id": request["id"]}
        if request["method"] in ("initialize", "tools/list", "tools/call", "ping"):
            said["result"] = answer(ledger, request["method"], request.get("params"))
        else:
            said["error"] = {"code": -32601, "message": "no such method"}
        print(json.dumps(said), flush=True)


main()
