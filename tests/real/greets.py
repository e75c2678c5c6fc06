"""Holds what `agent run --format json` printed against what a greeting must be.

usage: greets.py NAME < DOCUMENT

Only the structure and the value that was passed on are looked at: what a model says in words is its
own.
"""

import json
import sys

document = json.load(sys.stdin)
(response,) = document["responses"]
(call,) = response["toolsUsed"]
assert call["tool"] == "sayHello", call
assert call["args"] == {"personName": sys.argv[1]}, call
assert call["result"] == f"Hello, {sys.argv[1]}! Nice to meet you.", call
assert response["content"].strip(), response
assert response["usage"]["requests"] == 2, response["usage"]
roles = [message["role"] for message in document["conversation"][-4:]]
assert roles == ["user", "assistant", "function", "assistant"], roles
print(response["content"])
