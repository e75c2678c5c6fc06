"""Runs a second of an agent beside the same steps with the SDK alone, the latency of a step, and the memory of runs that
wait: `DURABLE_BARE=…/examples/bare speed.py`. The server has one core, and the worker and this program another, as if they
were on different machines."""

import os
import queue
import statistics
import threading
import time

from engine import SCRATCH, Conversation, Node, Worker

RUNS, AT_ONCE, STEPS, ROUNDS = 1000, 16, 6, 6
node = Node()
node.command = ["taskset", "--cpu-list", "0", *node.command]
worker = Worker(os.path.join(SCRATCH, "acts"), program=os.environ["DURABLE_BARE"])
os.sched_setaffinity(0, {1})


def measure(agent, round_number):
    """Returns the runs a second, and the median time of one run alone."""
    todo = queue.Queue()
    for number in range(RUNS):
        todo.put(f"{round_number}-{number}")

    def work():
        while True:
            try:
                key = todo.get_nowait()
            except queue.Empty:
                return
            status, answer = Conversation([node], key, agent).call("send", {"message": "look"})
            assert status == 200, answer

    threads = [threading.Thread(target=work) for _ in range(AT_ONCE)]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rate = RUNS / (time.monotonic() - begun)
    alone = []
    for number in range(20):
        begun = time.monotonic()
        Conversation([node], f"{round_number}-alone-{number}", agent).call("send", {"message": "look"})
        alone.append(time.monotonic() - begun)
    return rate, statistics.median(alone)


def main():
    node.start()
    worker.start()
    node.await_ready()
    node.register(worker.uri)
    measure("Bare", "warm"), measure("clerk", "warm")
    rows = node.query("select j.entry_type, j.raw from sys_journal j join sys_invocation i on i.id = j.id where "
                      "i.target = 'clerk/warm-1/send' order by j.index")
    steps = [len(row["raw"]) // 2 for row in rows if row["entry_type"] == "Notification: Run"]
    print(f"the steps of the agent have {steps} bytes", flush=True)
    rates, times = {"Bare": [], "clerk": []}, {"Bare": [], "clerk": []}
    for number in range(ROUNDS):
        for agent in ("Bare", "clerk") if number % 2 else ("clerk", "Bare"):
            rate, time_alone = measure(agent, number)
            rates[agent].append(rate)
            times[agent].append(time_alone)
    ratio = statistics.median(ours / bare for ours, bare in zip(rates["clerk"], rates["Bare"]))
    bare, ours = (statistics.median(rates[agent]) for agent in ("Bare", "clerk"))
    print(f"runs a second: SDK alone {bare:.0f}, agent {ours:.0f}, median of the ratios {ratio:.2f}")
    bare, ours = (1000 * statistics.median(times[agent]) / STEPS for agent in ("Bare", "clerk"))
    print(f"a step: SDK alone {bare:.1f} ms, agent {ours:.1f} ms")
    before = worker.memory(), node.memory()
    for number in range(1000):
        assert Conversation([node], f"w{number}").call("send/send", {"message": "wait"})[0] in (200, 202)
    while len(node.query("select id from sys_invocation where target_handler_name = 'send' and status in "
                         "('running', 'suspended') and target_service_name = 'clerk'")) < 1000:
        time.sleep(0.5)
    time.sleep(3)
    held = worker.memory() - before[0]
    print(f"1,000 runs that wait: worker {held / 1e6:.0f} MB more while they are not suspended", flush=True)
    time.sleep(70)
    left = len(node.query("select id from sys_invocation where target_handler_name = 'send' and status = 'suspended'"))
    print(f"after a minute {left} are suspended; worker {(worker.memory() - before[0]) / 1e6:.0f} MB more, server "
          f"{(node.memory() - before[1]) / 1e6:.0f} MB more")


try:
    main()
finally:
    node.stop()
    worker.stop()
