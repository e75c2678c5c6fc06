"""Kills programs that keep a journal, and makes their writes fail, at each write in turn; then continues what they left, and
judges it. `crashes.py small` chooses some writes, `crashes.py full` takes all, and `crashes.py SCENARIO FAULT NUMBER` is one
case, with all that its programs said."""

import collections
import concurrent.futures
import os
import signal
import sys
import threading
import time

import command
import postgres
import sqlite
from judge import KINDS, judge
from model import Model
from server import Server

# A lock is awaited most of the time.
AT_ONCE, LOCKS_AT_ONCE = (os.cpu_count() or 1) + 1, 16
# How many of the writes, of the moments of a lock and of the packets of a worker are chosen for each fault.
SMALL = {"writes": 4, "locks": 2, "packets": 4, "crashes": 1}
# All of them, but for the crashes of a server, which take the longest and come one after another.
FULL = {"writes": 10_000, "locks": 10_000, "packets": 10_000, "crashes": 30}

Case = collections.namedtuple("Case", "scenario fault number")


def spread(first, last, count, offset):
    """Returns about so many numbers, evenly; others for another offset, which is from 0 to 1."""
    step = max(1, (last - first + 1) / count)
    numbers = {first + int(step * (at + offset)) for at in range(count)}
    return sorted(number for number in numbers if number <= last)


def cases_of(scenario, faults, first, last, count):
    """Chooses so many cases of each fault, each fault at other numbers."""
    for at, fault in enumerate(faults):
        for number in spread(first, last, count, at / len(faults)):
            yield Case(scenario, fault, number)


class Harness:
    """The model, and the servers of PostgreSQL."""

    def __init__(self):
        self.model, self.servers = Model(), {}

    def start_servers(self):
        for files in postgres.SERVERS:
            self.servers[files] = Server(files)

    def stop(self):
        for server in self.servers.values():
            server.stop()

    def run(self, case, label):
        """Runs a case. Returns its place, what is left there, and what is wrong with it by kind."""
        scenario, fault, number = case
        if scenario in postgres.SCENARIOS:
            server = self.servers[postgres.server_for(fault)]
            place, left = postgres.case(scenario, label, fault, number, self.model, server)
        else:
            place, left = sqlite.case(scenario, label, fault, number, self.model)
        return place, left, judge(left)

    def run_and_report(self, case, label, report):
        try:
            place, _, wrong = self.run(case, label)
            place.remove()
            report.add(case, wrong, place.is_hit)
        except Exception as error:
            report.add(case, {"stuck runs": [f"what is left cannot be read: {error!r}"]}, True)

    def choose(self, size):
        cases = []
        for scenario in sqlite.SCENARIOS:
            writes, events = sqlite.measure(scenario, self.model)
            print(f"{scenario}: {writes} writes, {events} moments for a lock", flush=True)
            cases += cases_of(scenario, [sqlite.LOCKED], 0, events, size["locks"])
            cases += cases_of(scenario, command.FAULTS, 1, writes, size["writes"])
        for scenario in postgres.SCENARIOS:
            packets, tables = postgres.measure(scenario, self.model, self.servers[postgres.SERVERS[0]])
            print(f"{scenario}: {packets} packets, of which {tables} make the tables", flush=True)
            cases += cases_of(scenario, postgres.ON_THE_WAY, 1, packets, size["packets"])
            cases += cases_of(scenario, postgres.OF_THE_SERVER, 1, packets, size["crashes"])
            cases += cases_of(scenario, [postgres.LOCKED], tables + 1, packets, size["crashes"])
        # What takes longest begins first.
        return sorted(cases, key=lambda case: not is_lock(case))

    def run_all(self, cases):
        report, runs = Report(len(cases)), []
        quick, locks = (concurrent.futures.ThreadPoolExecutor(count) for count in (AT_ONCE, LOCKS_AT_ONCE))
        # A server fails for all who use it.
        crashes = {files: concurrent.futures.ThreadPoolExecutor(1) for files in postgres.SERVERS}
        try:
            for at, case in enumerate(cases):
                if case.scenario in postgres.SCENARIOS and case.fault in postgres.OF_THE_SERVER:
                    pool = crashes[postgres.server_for(case.fault)]
                else:
                    pool = locks if is_lock(case) else quick
                runs.append(pool.submit(self.run_and_report, case, f"case-{at}", report))
            for run in runs:
                run.result()
        finally:
            for pool in (quick, locks, *crashes.values()):
                pool.shutdown(cancel_futures=True)
        report.print()
        return not report.problems

    def run_one(self, case):
        if case.scenario in sqlite.SCENARIOS:
            # Makes what other programs left before.
            sqlite.measure(case.scenario, self.model)
        place, left, wrong = self.run(case, "one")
        print(left.said, "requests:", *left.requests, "payments:", *left.payments, sep="\n")
        problems = [f"{kind}: {problem}" for kind, problems in wrong.items() for problem in problems]
        print(*problems or ["nothing is wrong"], sep="\n")
        return not problems


def is_lock(case):
    return case.fault in (sqlite.LOCKED, postgres.LOCKED)


class Report:
    def __init__(self, total):
        self.total, self.begun, self.guard = total, time.monotonic(), threading.Lock()
        self.cases, self.found, self.problems = collections.Counter(), collections.Counter(), []
        self.hit, self.bad = 0, 0

    def add(self, case, wrong, is_hit):
        with self.guard:
            self.cases[case.scenario] += 1
            self.hit += is_hit
            self.bad += any(wrong.values())
            for kind, problems in wrong.items():
                self.found[case.scenario, kind] += len(problems)
                for problem in problems:
                    self.problems.append(problem)
                    # With what repeats the case. Not all of them, so that the table is on the screen, too.
                    if len(self.problems) <= 20:
                        print(f"{case.scenario!r} {case.fault!r} {case.number}: {problem}", flush=True)
            if sum(self.cases.values()) % 500 == 0:
                print(f"{sum(self.cases.values())} of {self.total} runs", flush=True)

    def row(self, name, runs, counts):
        cells = "".join(str(count).rjust(len(kind) + 2) for count, kind in zip(counts, KINDS))
        print(name.ljust(20) + str(runs).rjust(6) + cells)

    def print(self):
        self.row("", "runs", KINDS)
        for name, runs in sorted(self.cases.items()):
            self.row(name, runs, [self.found[name, kind] for kind in KINDS])
        runs, seconds = sum(self.cases.values()), time.monotonic() - self.begun
        self.row("all", runs, [sum(self.found[name, kind] for name in self.cases) for kind in KINDS])
        print(f"{runs} runs in {seconds:.0f} s; the fault took place in {self.hit}, and {self.bad} had problems")


def main(arguments):
    # Ends the servers, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    harness = Harness()
    try:
        if len(arguments) != 3 or arguments[0] in postgres.SCENARIOS:
            harness.start_servers()
        if len(arguments) == 3:
            return harness.run_one(Case(arguments[0], arguments[1], int(arguments[2])))
        return harness.run_all(harness.choose(FULL if arguments == ["full"] else SMALL))
    finally:
        harness.stop()


sys.exit(0 if main(sys.argv[1:]) else 1)
