"""Holds what `agent run --format json` printed of a run that failed after something had been done.

usage: cut_short.py < DOCUMENT

No message was answered, and every call that was made has its result, so that the conversation can go on.
"""

import json
import sys

document = json.load(sys.stdin)
assert document["responses"] == [], document["responses"]
messages = document["conversation"]
assert messages, "there is nothing in it, so it should not have been printed"
calls = [call["id"] for message in messages for call in message.get("toolCalls", [])]
results = [message["callId"] for message in messages if message["role"] == "function"]
assert results == calls, messages
