"""Cases of journals in files: what the command `agent` does while its writes fail."""

import json
import threading

from command import TIMEOUT, Lock, Place
from model import ORDERS, PAID

LOCKED = "locked"


def answered(sections):
    """Returns the orders that were answered without an error, of the output for each message."""
    return {order for order, section in zip(PAID, sections) if PAID[order] in section and "error" not in section}


def run(place, faults, options):
    ended = place.agent("run", "payer.gram", *ORDERS, *options, *place.model, faults=faults)
    # A message is only sent once the one before it was answered.
    return set(PAID) if ended.code == 0 else answered(ended.out.split("💬 ")[1:-1])


def run_in_conversation(place, faults):
    return run(place, faults, ["--stream", "--conversation", "ada", "--store", place.file])


def run_with_journal(place, faults):
    return run(place, faults, ["--journal", place.file])


def chat(place, faults, options):
    # A command before and after each message, whose output says where that of the message ends.
    lines = "\n/attach\n".join(["", *ORDERS, ""])
    ended = place.agent("chat", "payer.gram", *options, *place.model, input=lines, faults=faults)
    before, *sections = ended.out.split("nothing is attached to the next message\n")
    # A chat that nobody asked to store goes on when its journal cannot be opened, and says so before the first message.
    place.has_journal = "runs are not kept in a journal" not in before
    return set(PAID) if ended.code == 0 else answered(sections[:-1])


def chat_in_conversation(place, faults):
    return chat(place, faults, ["--conversation", "ada", "--store", place.file])


def chat_alone(place, faults):
    return chat(place, faults, [])


def serve(place, faults):
    """An MCP client, which calls the agent for one order after another."""
    arguments = ["mcp", "serve", "payer.gram", "--journal", place.file, *place.model]
    server = place.start(arguments, faults)
    said, sections = [], []

    def stop():
        place.hangs.append(f"`agent mcp serve` did not answer in {TIMEOUT} s")
        server.kill()

    def ask(number, method, params):
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        for line in server.stdout:
            said.append(line)
            if line.startswith("{") and json.loads(line).get("id") == number:
                return json.loads(line)
        raise OSError("the server has ended")

    watchdog = threading.Timer(TIMEOUT, stop)
    watchdog.start()
    try:
        info = {"name": "client", "version": "1"}
        ask(0, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info})
        server.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        for number, order in enumerate(ORDERS, 1):
            answer = ask(number, "tools/call", {"name": "payer", "arguments": {"message": order}})
            is_error = "error" in answer or answer["result"].get("isError")
            sections.append("error" if is_error else answer["result"]["content"][0]["text"])
    except OSError:
        pass
    try:
        server.stdin.close()
    except OSError:
        # A line for it was not sent.
        pass
    rest = server.stdout.read()
    server.wait()
    watchdog.cancel()
    place.note(arguments, server.returncode, "".join(said) + rest)
    return answered(sections)


def resume(place, faults):
    """Continues what a program left that was killed after the first order."""
    ended = place.agent("runs", "resume", "--all", "--journal", place.file, *place.model, faults=faults)
    return {"a", "b"} if ended.code == 0 else {"a"}


def decide(place, faults):
    """Decides on the call in doubt that such a run waits for."""
    waiting = next(run["run"] for run in place.list() if run["state"] == "waiting")
    ended = place.agent("runs", *place.decision(waiting, "b-1"), "--journal", place.file, faults=faults)
    return {"a", "b"} if ended.code == 0 else {"a"}


class Scenario:
    """What a program does while its writes fail. `killed_at` is the event at which a program was killed before that."""

    def __init__(self, drive, file="runs.db", conversation=None, killed_at=None, prepare=None):
        self.drive, self.file, self.conversation = drive, file, conversation
        self.killed_at, self.prepare, self.template = killed_at, prepare, None


def resume_all(place):
    place.runs("resume", "--all", *place.model)


SCENARIOS = {
    "run --conversation": Scenario(run_in_conversation, conversation="ada"),
    "run --journal": Scenario(run_with_journal),
    "chat --conversation": Scenario(chat_in_conversation, conversation="ada"),
    "chat": Scenario(chat_alone, file="agent/conversations.db"),
    "mcp serve --journal": Scenario(serve),
    # Killed while the model is asked for the second time for the second order, and while the bank pays its first part.
    "runs resume": Scenario(resume, conversation="ada", killed_at=6),
    "runs done": Scenario(decide, conversation="ada", killed_at=5, prepare=resume_all),
}


class Kill:
    """Kills the program of a place at the event with a number. Counts the events."""

    def __init__(self, number=None):
        self.number, self.events, self.place = number, 0, None

    def __call__(self, _event):
        self.events += 1
        if self.events == self.number:
            self.place.process.kill()


def begin(label, scenario, model, hook):
    """Makes the place of a case, and tells the hook of it."""
    place = Place(label, model, scenario.file, hook, scenario.template)
    if hook:
        hook.place = place
    return place


def measure(name, model):
    """Runs a scenario without a fault. Returns the number of its writes and of its events."""
    scenario = SCENARIOS[name]
    label = name.replace(" ", "_")
    if scenario.killed_at:
        template = begin(f"{label}-before", scenario, model, Kill(scenario.killed_at))
        run_in_conversation(template, {})
        if scenario.prepare:
            scenario.prepare(template)
        scenario.template = template
    events = Kill()
    place = begin(f"{label}-sound", scenario, model, events)
    succeeded = scenario.drive(place, place.counting())
    if succeeded != ({"a", "b"} if scenario.template else set(PAID)):
        raise SystemExit(f"without a fault, {name} does not pay what is due:\n{''.join(place.said)}")
    return len(place.writes()), events.events


def case(name, label, fault, number, model):
    """Runs a case, and returns its place and what is left there."""
    scenario = SCENARIOS[name]
    if fault == LOCKED:
        lock = Lock(number)
        place = begin(label, scenario, model, lock)
        if number == 0:
            lock.take()
        succeeded = scenario.drive(place, {})
        lock.release()
    else:
        place = begin(label, scenario, model, None)
        succeeded = scenario.drive(place, place.faults(fault, number))
        place.is_hit = len(place.writes()) >= number
    place.repair()
    return place, place.left(succeeded, scenario.conversation)
