"""Holds the prompt tokens that a server took from its cache against those of the request before.

usage: cached.py TURNS < LOG

LOG is what `agent run --debug` writes: a line for each request, with the tokens that the server reported.
"""

import re
import sys

LEAST = 0.98

requests = []
turns = 0
for line in sys.stdin:
    if " close " not in line:
        continue
    sent = re.search(r"gen_ai\.usage\.input_tokens=(\d+)", line)
    if sent:
        cached = re.search(r"gen_ai\.usage\.cache_read\.input_tokens=(\d+)", line)
        requests.append((turns, int(sent[1]), int(cached[1]) if cached else 0))
    elif "agent_runtime.run.requests=" in line:
        turns += 1

assert turns == int(sys.argv[1]), f"{turns} turns"
assert {turn for turn, _, _ in requests} == set(range(turns)), requests
shares = []
for (_, before, _), (turn, sent, cached) in zip(requests, requests[1:]):
    assert sent > before, f"turn {turn + 1} sends {sent} tokens after {before}"
    shares.append(cached / before)
    assert cached >= LEAST * before, f"turn {turn + 1}: {cached} of {before} tokens are from the cache"
print(f"{len(requests)} requests in {turns} turns, at least {min(shares):.1%} from the cache")
