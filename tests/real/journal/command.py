"""The command `agent` in the folder of a case, where its writes fail and its journal may be locked."""

import collections
import fcntl
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
import time

from judge import Left, part_of, run_of

HERE = os.path.dirname(os.path.abspath(__file__))
AGENT, LIBRARY, SCRATCH = (os.environ[name] for name in ("JOURNAL_AGENT", "JOURNAL_FAULTS", "JOURNAL_SCRATCH"))

# What a write that is due does, and whether all later ones do so, too.
FAULTS = {
    "ENOSPC once": ("ENOSPC", False),
    "ENOSPC for good": ("ENOSPC", True),
    "EIO once": ("EIO", False),
    "EIO for good": ("EIO", True),
    "killed before": ("KILL", False),
    "killed after": ("KILL-AFTER", False),
}
# Longer than the ten seconds for which a write waits for a lock.
LOCK_SECONDS = 12
# No case takes so long, even on a slow machine. A chat waits for a lock once for each message.
TIMEOUT = 120

Ended = collections.namedtuple("Ended", "code out")


class Place:
    """The folder of a case, with the command that works there."""

    def __init__(self, name, model, file, hook=None, template=None):
        self.folder = os.path.join(SCRATCH, name)
        self.file = os.path.join(self.folder, file)
        self.ledger = os.path.join(self.folder, "ledger")
        self.case, self.said, self.hangs, self.continued = model.begin(name, hook), [], [], set()
        # Whether the fault took place, and whether the program keeps a journal.
        self.is_hit, self.has_journal = False, True
        if template:
            shutil.copytree(template.folder, self.folder)
            self.case.events += template.case.events
        else:
            os.makedirs(os.path.dirname(self.file))
            open(self.ledger, "w").close()
        self.environment = {
            "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
            "HOME": self.folder,
            "XDG_DATA_HOME": self.folder,
            "OPENAI_API_KEY": "test",
            "LEDGER": self.ledger,
            "GATE": f"127.0.0.1/{model.port}/{name}",
        }
        self.model = ["--mcp", "pay.gram", "--base-url", f"{model.url(name)}/v1"]

    def start(self, arguments, faults):
        """Starts the command, whose errors are between its output as a person sees them."""
        environment = {**self.environment, **faults}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        self.process = subprocess.Popen([AGENT, *arguments], env=environment, cwd=HERE, text=True, **pipes)
        return self.process

    def agent(self, *arguments, input="", faults={}):
        process = self.start(arguments, faults)
        try:
            out, _ = process.communicate(input, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            self.hangs.append(f"`agent {' '.join(arguments[:2])}` did not end in {TIMEOUT} s")
            process.kill()
            out, _ = process.communicate()
        self.note(arguments, process.returncode, out)
        return Ended(process.returncode, out)

    def note(self, arguments, code, out):
        self.said.append(f"$ agent {' '.join(arguments)}\n{out}exit code {code}\n")
        self.await_bank()

    def runs(self, *arguments):
        return self.agent("runs", *arguments, "--journal", self.file)

    def list(self):
        listed = self.runs("list", "--format", "json")
        return json.loads(listed.out) if listed.code == 0 else []

    def payments(self):
        with open(self.ledger) as ledger:
            lines = [line.split(",") for line in ledger]
        return [(line[0], int(line[1])) for line in lines]

    def await_bank(self):
        """Waits until no bank is left that a program started and that may still pay."""
        with open(self.ledger) as ledger:
            for _ in range(1000):
                try:
                    return fcntl.flock(ledger, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    time.sleep(0.01)
        self.hangs.append("the MCP server of a program that is gone did not end in 10 s")

    def faults(self, fault, number):
        kind, lasts = FAULTS[fault]
        faults = {**self.counting(), "FAULT_KIND": kind, "FAULT_AT": str(number)}
        return {**faults, "FAULT_LASTS": "1"} if lasts else faults

    def counting(self):
        return {
            "LD_PRELOAD": LIBRARY,
            "FAULT_PATH": self.file,
            "FAULT_TRACE": os.path.join(self.folder, "trace"),
        }

    def writes(self):
        """Returns a line for each write of the command that was traced."""
        with open(os.path.join(self.folder, "trace")) as trace:
            return trace.read().splitlines()

    def unended(self):
        """Returns the runs that have not ended. A journal that was not made has none."""
        if not os.path.exists(self.file):
            return []
        return [run["run"] for run in self.list() if run["state"] in ("running", "waiting")]

    def repair(self):
        """Continues what was interrupted, as a person does who looks into the ledger before a decision."""
        left = self.unended()
        if not left:
            return
        self.continued |= set(left)
        self.runs("resume", "--all", *self.model)
        # A run has at most three calls that may be in doubt.
        for _ in range(12):
            left = self.unended()
            for run in left:
                resumed = self.runs("resume", run, *self.model)
                for call in re.findall(r"\(([a-z]+-[0-9]+)\)$", resumed.out, re.MULTILINE)[:1]:
                    self.runs(*self.decision(run, call))
            if not left:
                return

    def decision(self, run, call):
        order, part = part_of(call)
        if (order, part) in self.payments():
            return ["done", run, call, f"part {part} of {order} is paid", *self.model]
        return ["approve", run, call, *self.model]

    def left(self, succeeded, conversation):
        runs = []
        for info in self.list():
            shown = self.runs("show", info["run"], "--format", "json")
            runs.append(run_of(info, json.loads(shown.out)["records"]))
        messages = None
        if conversation:
            shown = self.agent("conversations", "show", conversation, "--format", "json", "--store", self.file)
            messages = json.loads(shown.out) if shown.code == 0 else []
        said, requests = "".join(self.said), self.case.requests()
        return Left(
            self.payments(), requests, runs, messages, succeeded, self.continued, self.has_journal, said, self.hangs
        )

    def remove(self):
        shutil.rmtree(self.folder)


class Lock:
    """Another program that locks the journal of a place for longer than a write waits: at the event with a number, or before
    all of them."""

    def __init__(self, number):
        self.number, self.events, self.place, self.held, self.guard = number, 0, None, None, threading.Lock()

    def __call__(self, _event):
        self.events += 1
        if self.events == self.number:
            self.take()

    def take(self):
        with self.guard:
            self.held = sqlite3.connect(self.place.file, isolation_level=None, check_same_thread=False, timeout=30)
            self.held.execute("BEGIN IMMEDIATE")
            self.place.is_hit = True
        timer = threading.Timer(LOCK_SECONDS, self.release)
        timer.daemon = True
        timer.start()

    def release(self):
        with self.guard:
            if self.held:
                self.held.rollback()
                self.held.close()
                self.held = None
