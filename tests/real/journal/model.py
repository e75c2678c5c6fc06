"""A model server in the format of OpenAI on 127.0.0.1, which answers by the messages it gets alone.

A message such as `order a: pay 1; 2 3` is an order of three parts: the model calls `pay` for part 1, then for the parts 2
and 3 at once, and then says that the order is paid. The path of a request has the name of the case that sent it, so that one
server knows which case asked for what, and may do something at a certain moment of it."""

import collections
import http.server
import json
import threading


def plan_of(message):
    """Returns the order of a message, and the parts to pay in each turn."""
    order, parts = message.removeprefix("order ").split(": pay ")
    return order, [[int(part) for part in turn.split()] for turn in parts.split(";")]


def answer_to(order, plan):
    return f"order {order} is paid in {sum(map(len, plan))} parts"


ORDERS = ["order a: pay 1", "order b: pay 1; 2 3", "order c: pay 1 2"]
# The answer to each order.
PAID = {plan_of(order)[0]: answer_to(*plan_of(order)) for order in ORDERS}

# A request of the model, or a payment: `position` is the number of answers to the order before it, or the part.
Event = collections.namedtuple("Event", "kind order position number")


class Case:
    """What a case asked the model for. `hook` is called with each event before it is answered."""

    def __init__(self, hook=None):
        self.events, self.hook = [], hook

    def requests(self):
        return [event for event in self.events if event.kind == "asked"]


class Model:
    def __init__(self):
        self.cases, self.count, self.lock = {}, 0, threading.Lock()
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                case, order, part = self.path.split("/")[1:]
                model.note(case, "paid", order, int(part))
                self.send_answer("text/plain", b"noted")

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                message, number = model.reply(self.path.split("/")[1], request["messages"])
                if request.get("stream"):
                    self.send_answer("text/event-stream", streamed(message, number))
                else:
                    self.send_answer("application/json", plain(message, number))

            def send_answer(self, kind, body):
                try:
                    self.send_response(200)
                    self.send_header("content-type", kind)
                    self.send_header("content-length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    # The program that asked was killed.
                    pass

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads, request_queue_size = True, 128

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def begin(self, name, hook=None):
        """Begins a case, and returns what it will have asked for."""
        self.cases[name] = Case(hook)
        return self.cases[name]

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"

    def note(self, name, kind, order, position):
        case = self.cases[name]
        with self.lock:
            self.count += 1
            event = Event(kind, order, position, self.count)
            case.events.append(event)
        if case.hook:
            case.hook(event)
        return event.number

    def reply(self, name, messages):
        last = max(at for at, message in enumerate(messages) if message["role"] == "user")
        order, plan = plan_of(text_of(messages[last]))
        turn = sum(message["role"] == "assistant" for message in messages[last:])
        number = self.note(name, "asked", order, turn)
        if turn < len(plan):
            return {"role": "assistant", "content": None, "tool_calls": calls(order, plan[turn])}, number
        return {"role": "assistant", "content": answer_to(order, plan)}, number


def text_of(message):
    content = message["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def calls(order, parts):
    return [
        {
            "id": f"{order}-{part}",
            "type": "function",
            "function": {"name": "pay_pay", "arguments": json.dumps({"order": order, "part": part})},
        }
        for part in parts
    ]


USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def plain(message, number):
    reason = "tool_calls" if "tool_calls" in message else "stop"
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return json.dumps({"id": str(number), "choices": [choice], "usage": USAGE}).encode()


def streamed(message, number):
    deltas = []
    for at, call in enumerate(message.get("tool_calls", [])):
        deltas.append({"tool_calls": [{"index": at, **call}]})
    # In two pieces, as an answer arrives.
    text = message["content"] or ""
    deltas += [{"content": piece} for piece in (text[:5], text[5:]) if piece]
    reason = "tool_calls" if "tool_calls" in message else "stop"
    chunks = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    chunks.append({"choices": [], "usage": USAGE})
    lines = [json.dumps({"id": str(number), "object": "chat.completion.chunk", **chunk}) for chunk in chunks]
    return "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode()
