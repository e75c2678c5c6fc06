"""What goes wrong between callers, engine and workers: each is a clear error or a wait, and nothing is lost."""

import collections
import json
import os
import threading
import time

from engine import SCRATCH, Conversation, Node, Proxy, Worker, request

acts = os.path.join(SCRATCH, "acts-wrong")
open(acts, "w").close()


def written(file=acts):
    with open(file) as lines:
        return collections.Counter(line.strip() for line in lines)


def flag(ending, is_set):
    path = f"{acts}.{ending}"
    if is_set:
        open(path, "w").close()
    elif os.path.exists(path):
        os.remove(path)


node, worker = Node(), Worker(acts)
proxy = Proxy(worker.port)


def talk(key):
    return Conversation([node], key)


class Sent(threading.Thread):
    """A message that is under way."""

    def __init__(self, conversation, message):
        super().__init__(daemon=True)
        self.conversation, self.message, self.answer = conversation, message, None
        self.start()

    def run(self):
        self.answer = self.conversation.send(self.message)

    def result(self, seconds=60):
        self.join(seconds)
        assert self.answer is not None, f"{self.message}: no answer in {seconds} s"
        return self.answer


def unknown_conversations():
    nobody = talk("nobody")
    assert nobody.call("history") == (200, [])
    status, progress = nobody.call("progress", {"since": 0})
    assert (status, progress["isUnderWay"], progress["waiting"]) == (200, False, []), progress
    assert nobody.call("cancel") == (200, False)
    status, error = nobody.call("approve", {"call": "c", "decision": "approve"})
    assert status == 404 and "no call `c` of the conversation `nobody` waits" in error["message"], error


def inputs_that_are_wrong():
    for handler, body, expected in (
        ("send", b"{", "the body is no JSON"),
        ("send", {"text": "x"}, "unknown member `text`; expected `message`, `arguments`"),
        ("send", {"message": ""}, "empty"),
        ("approve", {"call": "c", "decision": "ok"}, "the decision is `ok`; expected `approve`"),
        ("progress", {"since": "x"}, "`since` is `\"x\"`"),
    ):
        status, error = talk("wrong").call(handler, body)
        assert status == 400 and expected in error["message"], (handler, body, error)


def decisions():
    refund = talk("refund")
    sent = Sent(refund, "refund a")
    [call] = refund.await_waiting()
    # For another's call, in the form that is for calls in doubt, and with arguments that do not fit.
    status, error = refund.call("approve", {"call": "x9", "decision": "approve"})
    assert status == 404 and f"those that do: `{call['id']}`" in error["message"], error
    status, error = talk("other").call("approve", {"call": call["id"], "decision": "approve"})
    assert status == 404, error
    status, error = refund.call("approve", {"call": call["id"], "decision": "done", "result": "x"})
    assert status == 400 and "was not begun" in error["message"], error
    status, _ = refund.call("approve", {"call": call["id"], "decision": "edit", "arguments": {"amount": "much"}})
    assert status == 200
    end = time.monotonic() + 30
    while not (progress := refund.call("progress", {"since": 0})[1])["refused"]:
        assert time.monotonic() < end, progress
        time.sleep(0.1)
    assert "amount" in progress["refused"], progress
    assert written()["refund a-0"] == 0
    # Twice: the first one counts.
    for decision in ({"decision": "approve"}, {"decision": "deny", "reason": "no"}):
        status, error = refund.call("approve", {"call": call["id"], **decision})
        assert status in (200, 404), error
    assert sent.result()[0] == 200
    assert written()["refund a-0"] == 1
    # Late.
    status, error = refund.call("approve", {"call": call["id"], "decision": "approve"})
    assert status == 404 and "no call does" in error["message"], error


def several_calls_that_wait():
    two = talk("two")
    sent = Sent(two, "two b")
    first, second = two.await_waiting(2)
    assert two.call("approve", {"call": second["id"], "decision": "deny", "reason": "too much"})[0] == 200
    [left] = two.await_waiting(1)
    assert left["id"] == first["id"]
    assert two.call("approve", {"call": first["id"], "decision": "edit",
                                "arguments": {"order": "b-0", "amount": 3}})[0] == 200
    assert sent.result()[0] == 200
    history = json.dumps(two.call("history")[1])
    assert "too much" in history and "3 of b-0 is paid back" in history, history


def a_message_while_one_is_under_way():
    busy = talk("busy")
    first = Sent(busy, "refund c")
    [call] = busy.await_waiting()
    second = Sent(busy, "look d")
    time.sleep(1)
    assert second.answer is None, "it waits"
    assert busy.call("approve", {"call": call["id"], "decision": "approve"})[0] == 200
    assert first.result()[0] == 200 and second.result()[0] == 200
    texts = [message["content"] for message in busy.call("history")[1] if message["role"] == "user"]
    assert texts == ["refund c", "look d"], texts


def cancellations():
    # While a person is asked, while a tool works, and while the model thinks.
    for key, message, tool in (("cancel-1", "refund e", None), ("cancel-2", "wait f", "wait f-0"),
                               ("cancel-3", "think g", "ask g-0")):
        conversation = talk(key)
        sent = Sent(conversation, message)
        end = time.monotonic() + 20
        if tool is None:
            conversation.await_waiting()
        while tool is not None and not written()[tool]:
            assert time.monotonic() < end
            time.sleep(0.1)
        begun = time.monotonic()
        assert conversation.call("cancel") == (200, True)
        status, error = sent.result(20)
        assert status == 409, (status, error)
        assert time.monotonic() - begun < 15, "it is heard within seconds"
        roles = [message["role"] for message in conversation.call("history")[1]]
        # A message that the model has not answered at all is not kept, as in any run.
        assert roles[:2] == ([] if tool == "ask g-0" else ["user", "assistant"]), (key, roles)
        # The next message goes on.
        status, answer = conversation.send("look h")
        assert status == 200, answer
    assert written()["waited f-0"] == 0


def large_results():
    large = talk("large")
    status, answer = large.send("copy 40")
    assert status == 200, answer
    history = json.dumps(large.call("history")[1])
    assert "takes more than 4 MB" in history and len(history) < 10_000
    # Larger than what the engine takes, and kept by its digest.
    status, answer = talk("many").send("copy 3")
    assert status == 200 and len(answer["toolsUsed"][0]["result"]) == 3 << 20


def sizes():
    # The engine holds 32 MiB for an invocation, and lets one hang that takes more.
    status, error = talk("message").send(21 * 1_048_576 * "x")
    assert status == 413 and "the message takes 22 MB, and at most 20 MB can be kept" in error["message"], (status, error)
    status, answer = talk("message").send(19 * 1_048_576 * "x")
    assert status == 200, answer
    # Without a store for large texts: a conversation that is just small enough, with a message that is.
    flag("without-media", True)
    worker.kill()
    worker.start()
    status, error = talk("message").send(6 * 1_048_576 * "x")
    assert status == 413 and "the message takes 7 MB, and at most 5 MB can be kept" in error["message"], (status, error)
    full = talk("full")
    for message in (2_900_000 * "x", 2_899_999 * "x", 5_000_000 * "x", 2_899_998 * "x"):
        status, answer = full.send(message)
        assert status == 200, answer
    status, error = full.send("look p")
    assert status == 413 and "the conversation takes 9 MB, and at most 6 MB can be kept" in error["message"], (status, error)
    history = full.call("history")[1]
    assert [len(message["content"]) > 2_000_000 for message in history] == 2 * [True, False] + [False, False, True, False]
    assert history[4]["content"].endswith("[4999 KB were left out]"), history[4]["content"][-40:]
    flag("without-media", False)
    worker.kill()
    worker.start()


def a_provider_that_is_away():
    flag("down", True)
    sent = Sent(talk("away"), "look i")
    time.sleep(3)
    assert sent.answer is None, sent.answer
    flag("down", False)
    assert sent.result()[0] == 200


def an_engine_that_is_down_and_restarted():
    waiting = talk("restarted")
    sent = Sent(waiting, "refund j")
    [call] = waiting.await_waiting()
    node.kill()
    try:
        request(f"{node.ingress}/clerk/restarted/progress", {"since": 0}, timeout=2)
        raise AssertionError("the engine is down")
    except OSError:
        pass
    node.start()
    node.await_ready()
    [again] = waiting.await_waiting()
    assert again == call
    worker.kill()
    worker.start()
    assert waiting.call("approve", {"call": call["id"], "decision": "approve"})[0] == 200
    assert sent.result()[0] == 200
    assert written()["refund j-0"] == 1


def a_partition():
    cut = talk("cut")
    sent = Sent(cut, "look k")
    end = time.monotonic() + 20
    while not written()["look k-1"]:
        assert time.monotonic() < end
        time.sleep(0.02)
    proxy.is_cut = True
    time.sleep(5)
    proxy.is_cut = False
    status, answer = sent.result(180)
    assert status == 200, answer
    roles = [message["role"] for message in cut.call("history")[1]]
    assert roles == ["user"] + 6 * ["assistant", "function"] + ["assistant"], roles


def a_worker_without_a_tool():
    gone = talk("gone")
    sent = Sent(gone, "refund l")
    [call] = gone.await_waiting()
    flag("without-refund", True)
    worker.kill()
    worker.start()
    assert gone.call("approve", {"call": call["id"], "decision": "approve"})[0] == 200
    end, failure = time.monotonic() + 30, ""
    while "--deployment latest" not in failure:
        assert time.monotonic() < end, failure
        time.sleep(0.5)
        rows = node.query("select last_failure from sys_invocation where target = 'clerk/gone/send'")
        failure = rows[0].get("last_failure") or ""
    assert "`refund`" in failure, failure
    flag("without-refund", False)
    worker.kill()
    worker.start()
    assert sent.result()[0] == 200
    assert written()["refund l-0"] == 1


def a_new_version():
    old = talk("old")
    sent = Sent(old, "refund m")
    [call] = old.await_waiting()
    newer = Worker(f"{acts}-newer", name="newer")
    newer.start()
    try:
        node.register(newer.uri)
        # Messages go to the new version, and the one that is under way stays with the old one.
        assert talk("new").send("look n")[0] == 200
        assert old.call("approve", {"call": call["id"], "decision": "approve"})[0] == 200
        assert sent.result()[0] == 200
        assert old.send("look o")[0] == 200
    finally:
        newer.stop()
    by_old, by_new = written(), written(newer.command[-1])
    assert by_old["refund m-0"] == 1 and not by_old["look n-0"] + by_old["look o-0"], by_old
    assert by_new["look n-0"] == by_new["look o-0"] == 1 and not by_new["refund m-0"], by_new


def no_key_in_the_log():
    rows = node.query("select id, raw from sys_journal")
    redacted = 0
    for row in rows:
        raw = row.get("raw") or ""
        data = bytes.fromhex(raw)
        redacted += b"[key]" in data
        assert b"sk-worker" not in data, row["id"]
    assert redacted, "the journal is read, and the tools did return the key"


def main():
    node.start()
    worker.start()
    node.await_ready()
    node.register(f"http://127.0.0.1:{proxy.port}")
    for case in (unknown_conversations, inputs_that_are_wrong, decisions, several_calls_that_wait,
                 a_message_while_one_is_under_way, cancellations, large_results, sizes, a_provider_that_is_away,
                 an_engine_that_is_down_and_restarted, a_worker_without_a_tool, no_key_in_the_log, a_partition,
                 a_new_version):
        begun = time.monotonic()
        case()
        print(f"{case.__name__.replace('_', ' ')}: {time.monotonic() - begun:.1f} s", flush=True)


try:
    main()
finally:
    node.stop()
    worker.stop()
