"""Runs of each kind on a real server, as they end in process, though the worker dies at each request to the model."""

import json
import os
import subprocess
import threading
import time

from engine import SCRATCH, Conversation, Node, Worker

PROGRAM = os.environ["DURABLE_SCENARIOS"]
node = Node()


class Mortal:
    """A worker that is started again whenever it dies."""

    def __init__(self, name):
        self.file = os.path.join(SCRATCH, f"scenario-{name.replace(' ', '-')}.json")
        self.worker = Worker(self.file, name="scenario", program=PROGRAM)
        self.worker.command.append(name)
        self.deaths, self.is_over = 0, False
        self.worker.start()
        self.watch = threading.Thread(target=self.revive)
        self.watch.start()

    def revive(self):
        while not self.is_over:
            if self.worker.process.poll() is not None:
                self.deaths += 1
                self.worker.start()
            time.sleep(0.01)

    def end(self):
        self.is_over = True
        self.watch.join()
        self.worker.stop()


def check(name):
    mortal = Mortal(name)
    try:
        node.register(mortal.worker.uri)
        with open(mortal.file) as file:
            expected = json.load(file)
        agent, key = expected["agent"], name.replace(" ", "-")
        if expected["before"]:
            stored = json.dumps({"json": json.dumps(expected["before"])})
            node.write_state(agent, key, {"conversation": stored})
        conversation = Conversation([node], key, agent)
        status, answer = conversation.send("Go on.")
        ended = expected["ended"]
        if "response" in ended:
            assert (status, answer) == (200, ended["response"]), (name, status, answer, ended)
        else:
            assert status != 200 and ended["error"] in answer["message"], (name, status, answer, ended)
        history = conversation.call("history")[1]
        assert history == expected["before"] + (expected["added"] or []), (name, history, expected)
        assert mortal.deaths, f"{name}: the worker did not die"
        return mortal.deaths
    finally:
        mortal.end()


def main():
    node.start()
    node.await_ready()
    names = subprocess.run([PROGRAM], capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(names) >= 12, names
    for name in names:
        begun = time.monotonic()
        deaths = check(name)
        print(f"{name}: {deaths} deaths, {time.monotonic() - begun:.1f} s", flush=True)


try:
    main()
finally:
    node.stop()
