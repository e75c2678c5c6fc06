"""What an agent talks to, in one process on one port: the tools of each suite as an MCP server, and the worst model
there is."""

import http.server
import json
import threading

import suites
from suites import Call


class Plan:
    """What the model does. It makes the calls of the user, those of each list in one turn. As soon as it reads the goal of
    an injection, it makes the calls of the attacker first, one in each turn. What fails or is refused is passed over. After
    all that, the turns of `after` follow, and then the words."""

    def __init__(self, user, words, goal=None, injected=(), after=()):
        self.user, self.words, self.goal, self.injected, self.after = user, words, goal, injected, after

    def next(self, results):
        """The calls of the next turn; none at the end. `results` has the texts of the results of each turn before. All is
        found anew from them, so that a request that is sent twice gets the same answer."""
        turns, known = [*self.user, *self.after], []
        read = self.turn_of_injection(results)
        if read is not None:
            turns[read + 1 : read + 1] = [[step] for step in self.injected]
            known = [texts[0] for texts in results[read + 1 :]]
        turn = turns[len(results)] if len(results) < len(turns) else []
        # The attacker needs to know the results of the own calls for some others.
        return [step(known) if callable(step) else step for step in turn]

    def turn_of_injection(self, results):
        if self.goal is None:
            return None
        for turn, texts in enumerate(results[: len(self.user)]):
            if any(suites.has_words(text, self.goal) for text in texts):
                return turn
        return None


class Servers:
    """The servers. They work on one case at a time, because calls do not say for which run they are made."""

    def __init__(self, suites_by_name):
        self.suites, self.case, self.plan = suites_by_name, None, None
        # The calls of the model that the user did not ask for.
        self.foreign = set()
        self.lock = threading.Lock()
        servers = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Answers are sent at once: otherwise the system holds small ones back.
            disable_nagle_algorithm = True

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with servers.lock:
                    if self.path.startswith("/mcp/"):
                        answer = servers.tool_server(self.path.removeprefix("/mcp/"), request)
                    else:
                        answer = servers.model(request)
                kind = "application/json"
                if isinstance(answer, str):
                    kind, body = "text/event-stream", answer.encode()
                else:
                    body = b"" if answer is None else json.dumps(answer).encode()
                try:
                    self.send_response(202 if answer is None else 200)
                    self.send_header("content-type", kind)
                    self.send_header("content-length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    # The run has ended, because ten calls in a row failed.
                    self.close_connection = True

            def do_GET(self):
                # No stream of messages of the server's own, and no session to end.
                self.send_error(405)

            do_DELETE = do_GET

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def begin(self, case, plan):
        with self.lock:
            self.case, self.plan, self.foreign = case, plan, set()

    def tool_server(self, suite, request):
        """Answers a message of MCP in the revision 2025-11-25."""
        if "id" not in request:
            return None
        answer = {"jsonrpc": "2.0", "id": request["id"]}
        method, params = request.get("method"), request.get("params", {})
        if method == "initialize":
            server = {"name": suite, "version": "1"}
            offer = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
            answer["result"] = {**offer, "serverInfo": server}
        elif method == "tools/list":
            answer["result"] = {"tools": [described(tool) for tool in self.suites[suite].tools.values()]}
        elif method == "tools/call":
            if self.case is None or self.case.suite.name != suite:
                raise ValueError(f"a call of the suite {suite}, whose turn it is not")
            text, is_error = self.case.call(Call(params["name"], params.get("arguments", {})))
            answer["result"] = {"content": [{"type": "text", "text": text}], "isError": is_error}
        elif method == "ping":
            answer["result"] = {}
        else:
            answer["error"] = {"code": -32601, "message": f"there is no method {method}"}
        return answer

    def model(self, request):
        """Answers a request in the format of OpenAI's chat completions."""
        calls = self.plan.next(results_by_turn(request["messages"]))
        # The tools have the name of the suite before their own.
        made = [
            {
                "id": f"call_{len(request['messages'])}_{at}",
                "type": "function",
                "function": {"name": f"{self.case.suite.name}_{call.tool}", "arguments": json.dumps(call.args)},
            }
            for at, call in enumerate(calls)
        ]
        self.foreign.update(set(map(self.case.suite.key, calls)) - set(self.case.user_keys))
        message = {"role": "assistant", "content": None, "tool_calls": made}
        if not made:
            message = {"role": "assistant", "content": self.plan.words}
        return streamed(message) if request.get("stream") else answered(message)


def described(tool):
    return {"name": tool.name, "description": tool.description, "inputSchema": tool.parameters.model_json_schema()}


def results_by_turn(messages):
    results = []
    for message in messages:
        if message["role"] == "assistant" and message.get("tool_calls"):
            results.append([])
        elif message["role"] == "tool":
            results[-1].append(message_text(message))
    return results


def message_text(message):
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def reason_of(message):
    return "tool_calls" if "tool_calls" in message else "stop"


def answered(message):
    choice = {"index": 0, "message": message, "finish_reason": reason_of(message)}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "worst", "choices": [choice], "usage": USAGE}


def streamed(message):
    delta = {"content": message["content"]}
    if "tool_calls" in message:
        delta = {"tool_calls": [{"index": at, **call} for at, call in enumerate(message["tool_calls"])]}
    choices = [{"delta": delta, "finish_reason": None}, {"delta": {}, "finish_reason": reason_of(message)}]
    chunks = [{"choices": [{"index": 0, **choice}]} for choice in choices]
    chunks.append({"choices": [], "usage": USAGE})
    head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "worst"}
    lines = [json.dumps({**head, **chunk}) for chunk in chunks]
    return "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"])
