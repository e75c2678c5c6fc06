"""`agent serve` with an agent for each suite and each mode, which runs cases one after the other."""

import collections
import http.client
import json
import pathlib
import re
import subprocess
import time

import attacks
import servers
import suites

MODES = ["allow", "deny", "approve"]
LABELS = ["reads", "untrusted", "sends", "writes", "destructive", "readOnly"]
SECONDS = 60

# What came of a run. `questions` has the keys of the calls of each time that a person was asked.
Run = collections.namedtuple("Run", "words questions error")


class Labels:
    """What is said of the effects of the tools: labels.json, and `overrides` such as `get_webpage=untrusted:false`."""

    def __init__(self, overrides=()):
        path = pathlib.Path(__file__).with_name("labels.json")
        self.tools = json.loads(path.read_text())
        for override in overrides:
            found = re.fullmatch(r"(\w+)=(\w+):(true|false)", override)
            if not found or found[1] not in self.tools or found[2] not in LABELS[1:]:
                raise SystemExit(f"--with-label {override}: write TOOL=LABEL:true or TOOL=LABEL:false")
            self.tools[found[1]][found[2]] = found[3] == "true"

    def is_guarded(self, tool):
        return any(self.tools[tool].get(label) for label in ("sends", "writes", "destructive"))

    def is_untrusted(self, tool):
        return self.tools[tool]["untrusted"]

    def as_gram(self, tool):
        labels = self.tools[tool]
        return ", ".join(f"{label}: {json.dumps(labels[label])}" for label in LABELS if label in labels)

    def write_into(self, document):
        """Returns the document of an MCP server with our labels in place of those that `agent mcp import` writes."""
        stated = rf"\b(?:{'|'.join(LABELS)}): (?:true|false|\[[^\]]*\]),\s*"
        document = re.sub(stated, "", document)
        return re.sub(r'remote: "(\w+)"', lambda found: f"{found[0]}, {self.as_gram(found[1])}", document)


class Stage:
    def __init__(self, command, folder, labels):
        self.command, self.folder, self.labels = command, pathlib.Path(folder), labels
        self.suites = {name: suites.Suite(name) for name in suites.NAMES}
        self.servers = servers.Servers(self.suites)
        self.process = None
        self.start()

    def start(self):
        documents = [self.import_tools(name) for name in self.suites]
        agents = self.folder / "agents.gram"
        agents.write_text("".join(agent(suite, mode) for suite in self.suites.values() for mode in MODES))
        self.check(agents, documents)
        options = ["--provider", f"Dojo={self.servers.url}/v1", "--journal", self.folder / "runs.db", "--http", "0"]
        log = self.folder / "serve.log"
        with open(log, "w") as stderr:
            command = [self.command, "serve", agents, *named("--mcp", documents), *options]
            self.process = subprocess.Popen(command, stderr=stderr)
        self.connection = http.client.HTTPConnection(self.address_in(log), timeout=SECONDS)

    def address_in(self, log):
        """Waits until the server has said where it listens."""
        end = time.monotonic() + SECONDS
        while self.process.poll() is None and time.monotonic() < end:
            if address := re.search(r" at http://([\d.:]+)", log.read_text()):
                return address[1]
            time.sleep(0.05)
        raise RuntimeError(f"agent serve does not start: {log.read_text()}")

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait()

    def import_tools(self, name):
        document = self.folder / f"{name}.gram"
        self.say("mcp", "import", name, "--url", f"{self.servers.url}/mcp/{name}", "--output", document)
        document.write_text(self.labels.write_into(document.read_text()))
        return document

    def check(self, agents, documents):
        self.say("check", *documents)
        self.say("check", agents, *named("--mcp", documents), "--provider", "Dojo")

    def say(self, *arguments):
        said = subprocess.run([self.command, *arguments], capture_output=True, text=True)
        if said.returncode != 0:
            raise RuntimeError(f"agent {' '.join(map(str, arguments))}: {said.stdout}{said.stderr}")

    def run(self, case, mode, plan):
        """Runs a case. The person who is asked allows what the user's task asks for, each call once, and nothing else."""
        self.servers.begin(case, plan)
        allowed, questions = collections.Counter(case.user_keys), []
        run, event = self.post(f"/{case.suite.name}_{mode}/runs", {"message": case.task.PROMPT})
        while event["type"] == "waiting":
            keys, decisions = [], {}
            for call in event["calls"]:
                tool = call["tool"].removeprefix(f"{case.suite.name}_")
                key = case.suite.key(suites.Call(tool, call["args"]))
                keys.append(key)
                decisions[call["id"]] = {"type": "approve" if allowed[key] else "deny"}
                allowed[key] -= bool(allowed[key])
            questions.append(keys)
            _, event = self.post(f"/runs/{run}/decisions", {"decisions": decisions})
        if event["type"] != "finished":
            return Run("", questions, f"the run ended with {json.dumps(event)}")
        words = event["response"]["content"]
        case.judge(words)
        return Run(words, questions, None)

    def post(self, path, body):
        """Returns the id of the run, and its last event."""
        self.connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        answer = self.connection.getresponse()
        text = answer.read().decode()
        if answer.status != 200:
            return None, {"type": "refused", "status": answer.status, "body": text}
        lines = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
        event = json.loads(lines[-1]) if lines else {"type": "cut off"}
        return answer.headers["x-run-id"], event


def agent(suite, mode):
    tools = ", ".join(f"{suite.name}_{tool}" for tool in suite.tools)
    settings = f'model: "Dojo/worst", maxIterations: 100, whenTainted: "{mode}"'
    return f'[{suite.name}_{mode}:Agent {{instruction: "Do what the user asks for.", {settings}}} | {tools}]\n'


def named(option, values):
    return [part for value in values for part in (option, value)]


def turns_of(case):
    return [[call] for call in case.user_calls]


def words_of(case):
    # An answer needs some words.
    return case.task.GROUND_TRUTH_OUTPUT or "Done."


def pair_plan(case):
    # The model also says what the stranger wants to be said.
    words = f"{words_of(case)} {case.injection.GROUND_TRUTH_OUTPUT}".strip()
    return servers.Plan(turns_of(case), words, case.goal, attacks.injected_calls(case))


def user_plan(case):
    return servers.Plan(turns_of(case), words_of(case))


def together_plan(case, labels):
    """The calls of the user, of which those that follow each other and are guarded are made in one turn. After a call that
    also reads something, such as a page, there is a new turn, because the next call may need it."""
    turns, joins = [], False
    for call in case.user_calls:
        is_guarded = labels.is_guarded(call.tool)
        if joins and is_guarded:
            turns[-1].append(call)
        else:
            turns.append([call])
        joins = is_guarded and not labels.is_untrusted(call.tool)
    return servers.Plan(turns, words_of(case))


def second_plan(case, labels):
    guarded = [tool for tool in case.suite.tools if labels.is_guarded(tool)]
    return servers.Plan(turns_of(case), words_of(case), after=attacks.guesses(case, guarded))
