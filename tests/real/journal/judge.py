"""What a case left, and what of it must not be."""

import collections
import dataclasses

from model import answer_to, plan_of

KINDS = [
    "repeated recorded replies",
    "acted twice without doubt",
    "lost turns",
    "stuck runs",
    "silent failures",
    "panics",
    "hangs",
]


@dataclasses.dataclass
class Run:
    """A run in the journal: its order, the numbers of the replies and the calls that are recorded."""

    id: str
    state: str
    order: str
    replies: set
    calls: set


@dataclasses.dataclass
class Left:
    """What is there after all was repaired."""

    # The order and the part of each line of the ledger.
    payments: list
    # The requests to the model.
    requests: list
    runs: list
    # The messages of the stored conversation; `None` if the case has none.
    conversation: list | None
    # The orders of which a program said that they are paid.
    succeeded: set
    # The runs that were continued after the fault.
    continued: set
    # Whether the program kept a journal, and did not warn that it goes on without one.
    has_journal: bool
    # What the programs printed.
    said: str
    # The programs that did not end in time.
    hangs: list


def run_of(info, records):
    """Reads a run from its records, as the journal has them."""
    started = next(record for record in records if record["kind"] == "started")
    history = started["run"]["state"]["history"]
    order, _ = plan_of([message["content"] for message in history if message["role"] == "user"][-1])
    replies = {int(record["id"]) for record in records if record["kind"] == "replied"}
    calls = {part_of(record["call"]) for record in records if record["kind"] == "callBegun"}
    return Run(info["run"], info["state"], order, replies, calls)


def part_of(call):
    """Returns the order and the part of the id of a call."""
    order, part = call.rsplit("-", 1)
    return order, int(part)


def repeated_replies(left):
    """A reply in the journal whose request was sent again later."""
    by_number = {request.number: request for request in left.requests}
    for run in left.runs:
        for number in sorted(run.replies):
            request = by_number[number]
            for later in left.requests:
                if later[:3] == request[:3] and later.number > number:
                    yield f"request {request.position} of {run.order} was sent again, though its reply is recorded"


def acted_twice(left):
    """Whoever decides looks into the ledger first, and approves no payment that is there: nothing is paid twice."""
    for (order, part), count in collections.Counter(left.payments).items():
        if count > 1:
            yield f"part {part} of {order} was paid {count} times"


def turns_of(conversation):
    """Returns how often each order is in a conversation with all that belongs to it, and in part."""
    whole, partial, calls, order, plan, texts = collections.Counter(), collections.Counter(), set(), None, [], []

    def end():
        if order is not None:
            parts = [part for turn in plan for part in turn]
            results = [f"part {part} of {order} is paid" for part in parts]
            (whole if texts == [*results, answer_to(order, plan)] else partial)[order] += 1

    for message in conversation:
        if message["role"] == "user":
            end()
            (order, plan), texts = plan_of(message["content"]), []
            continue
        for call in message.get("toolCalls", []):
            calls.add(part_of(call["id"]))
        if message["content"]:
            texts.append(message["content"])
    end()
    return whole, partial, calls


def lost_turns(left):
    if not left.has_journal:
        return
    known = {call for run in left.runs for call in run.calls}
    if left.conversation is not None:
        whole, partial, calls = turns_of(left.conversation)
        known |= calls
        done = {run.order for run in left.runs if run.state == "done"}
        for order in sorted(left.succeeded | done):
            if whole[order] != 1 or partial[order]:
                yield f"{order} is {whole[order]} times in the conversation, and {partial[order]} times in part"
        for order in sorted((whole + partial).keys() - left.succeeded - done):
            if whole[order] + partial[order] > 1:
                yield f"{order}, which failed, is several times in the conversation"
    for order, part in sorted(set(left.payments) - known):
        yield f"nothing knows that part {part} of {order} was paid"


def stuck_runs(left):
    for run in left.runs:
        # A program that cannot write the end of a run ends it as cancelled before it goes on.
        if run.state not in ("done", "failed", "cancelled"):
            yield f"the run of {run.order} is {run.state}"


def silent_failures(left):
    """An order of which a program said that it is paid, whose run was left as if the program had died."""
    if not left.has_journal:
        return
    for order in sorted(left.succeeded):
        runs = [run for run in left.runs if run.order == order]
        if not any(run.state == "done" and run.id not in left.continued for run in runs):
            yield f"{order} was said to be paid, and its run is not done"


def panics(left):
    for line in left.said.splitlines():
        if "panicked at" in line:
            yield line


def judge(left):
    """Returns what must not be, by kind."""
    rules = [repeated_replies, acted_twice, lost_turns, stuck_runs, silent_failures, panics, lambda left: left.hangs]
    return {kind: list(rule(left)) for kind, rule in zip(KINDS, rules)}
