"""Orders that are paid while workers and servers are killed with SIGKILL: `crashes.py one ORDERS`, or
`crashes.py cluster ORDERS` with three nodes and three workers."""

import collections
import os
import random
import sys
import threading
import time

from engine import SCRATCH, Conversation, Node, Proxy, Worker, free_port

kind, count = sys.argv[1], int(sys.argv[2])
chance = random.Random(int(os.environ.get("SEED", "1735182701")))
# Enough for orders at each step; more would only measure how fast a server starts.
KILLS = 24 if kind == "one" else 60
acts = os.path.join(SCRATCH, f"acts-{kind}")
open(acts, "w").close()


def written():
    with open(acts) as lines:
        return collections.Counter(line.strip() for line in lines)


if kind == "one":
    nodes = [Node()]
    workers = [Worker(acts)]
    way = workers[0].uri
else:
    cluster = [(free_port(), free_port(), free_port()) for _ in range(3)]
    nodes = [Node(number, cluster) for number in (1, 2, 3)]
    workers = [Worker(acts) for _ in range(3)]
    # One address for the three, as a load balancer has.
    way = f"http://127.0.0.1:{Proxy(*(worker.port for worker in workers)).port}"

answers, doubts = {}, 0


def drive(name):
    answers[name] = Conversation(nodes, name).send(f"order {name}", timeout=900)


def approve(names):
    """Decides as a person who looks at the bank: a call in doubt is made again unless it was made."""
    global doubts
    while left := [name for name in names if name not in answers]:
        for name in left:
            conversation = Conversation(nodes, name)
            for call in conversation.waiting():
                tool, order = call["tool"], call["arguments"]["order"]
                decision = {"call": call["id"], "decision": "approve"}
                if call["inDoubt"]:
                    doubts += 1
                    if written()[f"{tool} {order}"]:
                        text = f"{order} is paid back" if tool == "refund" else f"{order} is paid"
                        decision = {"call": call["id"], "decision": "done", "result": text}
                status, answer = conversation.call("approve", decision)
                # Decided meanwhile, because an answer got lost.
                assert status in (200, 404), answer
        time.sleep(0.2)


def main():
    for process in nodes:
        process.start()
    for process in workers:
        process.start()
    for node in nodes:
        node.await_ready(90)
    nodes[0].register(way)
    names = [f"{kind}-{number}" for number in range(count)]
    threads = [threading.Thread(target=drive, args=(name,), daemon=True) for name in names]
    people = [threading.Thread(target=approve, args=(names[part::4],), daemon=True) for part in range(4)]
    for person in people:
        person.start()
    begun = time.monotonic()
    def start_all():
        # Some orders begin while others go on, as long as processes are killed.
        for thread in threads:
            thread.start()
            time.sleep(0.4)

    starter = threading.Thread(target=start_all, daemon=True)
    starter.start()
    down = None
    while len(answers) < count:
        assert time.monotonic() - begun < 900, f"{count - len(answers)} orders have not ended"
        time.sleep(chance.uniform(1, 3))
        if sum(process.kills for process in workers + nodes) >= KILLS:
            continue
        if kind == "one":
            victims = [workers[0]] if (workers[0].kills + nodes[0].kills) % 2 == 0 else [nodes[0]]
        elif len(answers) < 2 * count / 3:
            victims = [chance.choice(workers + nodes)]
        else:
            # In the last third one node stays down.
            if down is None:
                down = chance.choice(nodes)
                down.kill()
                print(f"{down.name} stays down", flush=True)
            victims = [chance.choice(workers)]
        for victim in victims:
            victim.kill()
            time.sleep(chance.uniform(0, 0.3))
            victim.start()
            if isinstance(victim, Node):
                # Never more than one node down at a time.
                victim.await_ready(120)
                if kind != "one":
                    time.sleep(3)
    seconds = time.monotonic() - begun
    starter.join(60)
    for thread in threads + people:
        thread.join(60)
    if down is not None:
        down.start()
        down.await_ready(120)

    lines = written()
    kills = sum(process.kills for process in workers + nodes)
    for name in names:
        status, answer = answers[name]
        assert status == 200, f"{name}: {status} {answer}"
        assert answer["content"] == f"{name} is done, says [key].", answer["content"]
        status, history = Conversation(nodes, name).call("history")
        roles = [message["role"] for message in history]
        turns = ["assistant", "function", "function", "function"] + 4 * ["assistant", "function"] + ["assistant"]
        assert roles == ["user", *turns], f"{name}: {roles}"
        assert "sk-worker" not in str(history), f"{name} has a key in its history"
        for act, turn in (("pay", 0), ("pay", 1), ("refund", 2), ("pay", 4)):
            assert lines[f"{act} {name}-{turn}"] == 1, f"{act} {name}-{turn}: {lines[f'{act} {name}-{turn}']} times"
        for turn in range(6):
            asked = lines[f"ask {name}-{turn}"]
            assert 1 <= asked <= 1 + kills, f"the model was asked {asked} times for turn {turn} of {name}"
    asked = sum(number for line, number in lines.items() if line.startswith("ask "))
    assert asked <= 6 * count + count * kills
    print(
        f"{count} orders in {seconds:.0f} s; workers were killed {sum(w.kills for w in workers)} times, nodes "
        f"{sum(n.kills for n in nodes)} times; {asked - 6 * count} of {asked} requests were sent again, {doubts} calls "
        f"were in doubt, {4 * count} payments were made once"
    )


try:
    main()
finally:
    for process in workers + nodes:
        process.stop()
