"""Cases of journals in PostgreSQL: a worker and its server, which are killed, and whose writes fail."""

import json
import os
import re
import shutil
import subprocess

from judge import Left, run_of
from model import ORDERS, PAID
from proxy import Proxy

SCRATCH, WORKER = (os.environ[name] for name in ("JOURNAL_SCRATCH", "JOURNAL_WORKER"))
# No worker takes so long, even on a slow machine.
TIMEOUT = 120
# The worker sends orders, or continues what another one left that was killed at an event.
PAID_BY, CONTINUED_BY = "postgres", "postgres repair"
KILLED_AT = 6

# What happens to the worker or its connection, at a packet.
ON_THE_WAY = ["worker killed before", "worker killed after", "packet lost", "answer lost"]
LOCKED = "locked"
# What happens at a packet to a server's files: its log, which ends all its processes as a crash does, or its tables, which
# fails a statement. A log that stays full ends the server until somebody starts it.
LOG_FULL = "log ENOSPC for good"
OF_THE_SERVER = {
    "log ENOSPC once": ("pg_wal", "ENOSPC"),
    # What was written may be there all the same.
    "log EIO once": ("pg_wal", "EIO at fdatasync"),
    LOG_FULL: ("pg_wal", "ENOSPC for good"),
    "tables ENOSPC once": ("base", "ENOSPC"),
    "tables EIO once": ("base", "EIO"),
    "tables ENOSPC for good": ("base", "ENOSPC for good"),
    "server killed": ("pg_wal", None),
}
# A server without faults for many cases at once, and those whose files of this folder fail.
SERVERS = ["sound", "pg_wal", "base"]


def server_for(fault):
    return OF_THE_SERVER[fault][0] if fault in OF_THE_SERVER else SERVERS[0]


class Place:
    """A schema of the server, with a worker that keeps its journal there. `killed_at` is the event at which it is killed."""

    def __init__(self, name, model, server, killed_at=None):
        self.folder, self.schema, self.server = os.path.join(SCRATCH, name), name.replace("-", "_"), server
        self.ledger = os.path.join(self.folder, "ledger")
        os.makedirs(self.folder)
        open(self.ledger, "w").close()
        self.gate, self.case = f"127.0.0.1/{model.port}/{name}", model.begin(name, self.event)
        self.killed_at, self.events, self.is_hit = killed_at, 0, False
        self.said, self.hangs, self.continued, self.worker = [], [], set(), None

    def event(self, _event):
        self.events += 1
        if self.events == self.killed_at:
            self.worker.kill()

    def work(self, port, *arguments, patience=20):
        """Runs the worker, and returns what it printed. It waits so many seconds for a server that is away."""
        url = f"postgres://admin@127.0.0.1:{port}/agents?search_path={self.schema}&operation_timeout={patience}"
        environment = {"PATH": os.environ["PATH"], "DATABASE_URL": url, "LEDGER": self.ledger, "GATE": self.gate}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        self.worker = subprocess.Popen([WORKER, *arguments], env=environment, text=True, **pipes)
        try:
            out, _ = self.worker.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            self.hangs.append(f"`orders {arguments[0]}` did not end in {TIMEOUT} s")
            self.worker.kill()
            out, _ = self.worker.communicate()
        self.said.append(f"$ orders {' '.join(arguments)}\n{out}exit code {self.worker.returncode}\n")
        return out

    def before(self, fault):
        """Lets a fault take place before a packet is forwarded. Returns whether it is forwarded."""
        self.is_hit = True
        if fault == "worker killed before":
            self.worker.kill()
        elif fault == LOCKED:
            self.lock = self.server.hold_lock(f"{self.schema}.agent_run")
        elif fault == "server killed":
            self.server.kill()
            self.server.start()
        elif fault in OF_THE_SERVER:
            self.server.arm(OF_THE_SERVER[fault][1])
        return fault not in ("worker killed before", "packet lost")

    def after(self, fault):
        """Lets a fault take place when the server has answered a packet."""
        self.is_hit = True
        if fault == "worker killed after":
            self.worker.kill()

    def work_with(self, fault, number, *arguments):
        """Runs the worker, with a fault at the packet with a number. Returns what it printed, and the number of packets."""
        self.lock = None
        if fault in ("worker killed after", "answer lost"):
            proxy = Proxy(self.server.port, number, after=lambda: self.after(fault))
        else:
            proxy = Proxy(self.server.port, number, before=lambda: self.before(fault))
        # A server whose log stays full does not come back.
        out = self.work(proxy.port, *arguments, patience=2 if fault == LOG_FULL else 20)
        proxy.stop()
        if self.lock:
            self.lock.terminate()
            self.lock.wait()
        if fault in OF_THE_SERVER:
            is_left = self.server.mend()
            self.is_hit &= not is_left or "for good" in fault
        return out, proxy.packets

    def pay(self, fault=None, number=None):
        """Sends the orders. Returns those of which the worker said that they are paid, and the number of packets."""
        out, packets = self.work_with(fault, number, "pay", *ORDERS)
        sections = out.split("💬 ")[1:]
        return {order for order, section in zip(PAID, sections) if PAID[order] in section}, packets

    def continue_killed(self, fault=None, number=None):
        """Continues what a worker left that was killed at an event of the second order. Returns as `pay` does."""
        self.work(self.server.port, "pay", *ORDERS)
        self.end_leases()
        _, packets = self.work_with(fault, number, "repair")
        return {"a", "b"} if self.worker.returncode == 0 else {"a"}, packets

    def end_leases(self):
        """Lets the time pass after which the runs of a worker that is gone can be continued."""
        if self.server.sql(f"SELECT to_regclass('{self.schema}.agent_run') IS NOT NULL") == "t":
            self.server.sql(f"UPDATE {self.schema}.agent_run SET renewed = renewed - interval '31 seconds'")

    def repair(self):
        """Continues what the worker left."""
        self.end_leases()
        out = self.work(self.server.port, "repair")
        self.continued |= set(re.findall(r"^([0-9a-f]{32})  ", out, re.MULTILINE))

    def left(self, succeeded):
        shown = json.loads(self.work(self.server.port, "show").splitlines()[-1])
        runs = [run_of(run, run["records"]) for run in shown["runs"]]
        with open(self.ledger) as ledger:
            lines = [line.split(",") for line in ledger]
        payments = [(line[0], int(line[1])) for line in lines]
        said, requests = "".join(self.said), self.case.requests()
        return Left(
            payments, requests, runs, shown["conversation"], succeeded, self.continued, True, said, self.hangs
        )

    def remove(self):
        self.server.sql(f"DROP SCHEMA IF EXISTS {self.schema} CASCADE")
        shutil.rmtree(self.folder)


SCENARIOS = {PAID_BY: (Place.pay, None), CONTINUED_BY: (Place.continue_killed, KILLED_AT)}


def measure(name, model, server):
    """Runs a scenario without a fault. Returns the number of its packets, and of those before there are tables."""
    drive, killed_at = SCENARIOS[name]
    label = name.replace(" ", "_")
    place = Place(f"{label}_sound", model, server, killed_at)
    succeeded, packets = drive(place)
    if succeeded != ({"a", "b"} if killed_at else set(PAID)):
        raise SystemExit(f"without a fault, {name} does not pay what is due:\n{''.join(place.said)}")
    tables = 0
    if not killed_at:
        _, tables = Place(f"{label}_tables", model, server).work_with(None, None, "repair")
    return packets, tables


def case(name, label, fault, number, model, server):
    """Runs a case, and returns its place and what is left there."""
    drive, killed_at = SCENARIOS[name]
    place = Place(label, model, server, killed_at)
    succeeded, _ = drive(place, fault, number)
    place.repair()
    return place, place.left(succeeded)
