"""Servers of Restate and workers of an agent on 127.0.0.1, which a test starts, kills and starts again."""

import http.client
import itertools
import json
import os
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request

SERVER = os.environ["DURABLE_SERVER"]
WORKER = os.environ["DURABLE_WORKER"]
SCRATCH = os.environ["DURABLE_SCRATCH"]


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def request(url, body=None, method=None, headers=(), timeout=30):
    """Returns the status and the body. A connection that fails raises OSError."""
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = urllib.request.Request(url, data=data, method=method or ("POST" if data is not None else "GET"))
    if data is not None:
        sent.add_header("content-type", "application/json")
    for name, value in headers:
        sent.add_header(name, value)
    try:
        with urllib.request.urlopen(sent, timeout=timeout) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()
    except http.client.HTTPException as error:
        raise OSError(f"the answer was cut off: {error!r}") from error


class Process:
    """A process that can be killed and started again."""

    def __init__(self, name, command):
        self.name, self.command, self.process, self.kills = name, command, None, 0
        self.log = open(os.path.join(SCRATCH, f"{name}.log"), "ab")

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=self.log, stderr=self.log)

    def kill(self):
        """Kills it as a crash does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.kills += 1

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def memory(self):
        """Returns the resident memory in bytes."""
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) * 1024


class Node(Process):
    """A server. `cluster` has the ports of all nodes of which it is one."""

    def __init__(self, number=1, cluster=None):
        self.number, self.ports = number, cluster[number - 1] if cluster else (free_port(), free_port(), free_port())
        fabric, ingress, admin = self.ports
        self.ingress, self.admin = f"http://127.0.0.1:{ingress}", f"http://127.0.0.1:{admin}"
        folder = os.path.join(SCRATCH, f"n{number}-{fabric}")
        os.makedirs(folder)
        config = os.path.join(folder, "config.toml")
        others = ", ".join(f'"http://127.0.0.1:{ports[0]}"' for ports in cluster or [])
        with open(config, "w") as out:
            out.write(f'cluster-name = "c{cluster[0][0] if cluster else fabric}"\nnode-name = "n{number}"\n')
            if cluster:
                out.write('roles = ["http-ingress", "admin", "worker", "log-server", "metadata-server"]\n')
                out.write(f"auto-provision = {'true' if number == 1 else 'false'}\ndefault-replication = 2\n")
            out.write(f'bind-ip = "127.0.0.1"\nbind-port = {fabric}\n')
            out.write(f'advertised-address = "http://127.0.0.1:{fabric}"\n')
            out.write('disable-telemetry = true\nrocksdb-total-memory-size = "128MB"\n')
            if cluster:
                out.write(f"[metadata-client]\naddresses = [{others}]\n")
            out.write(f'[ingress]\nbind-ip = "127.0.0.1"\nbind-port = {ingress}\n')
            out.write(f'[admin]\nbind-ip = "127.0.0.1"\nbind-port = {admin}\n')
        command = [SERVER, "--no-logo", "--listen-mode", "tcp", "--config-file", config, "--base-dir", folder]
        super().__init__(f"node-{number}-{fabric}", command)

    def is_ready(self):
        try:
            return request(f"{self.ingress}/restate/health", timeout=2)[0] == 200 and \
                request(f"{self.admin}/health", timeout=2)[0] == 200
        except OSError:
            return False

    def await_ready(self, seconds=60):
        end = time.monotonic() + seconds
        while not self.is_ready():
            if time.monotonic() > end:
                raise SystemExit(f"{self.name} is not ready after {seconds} s; see its log")
            time.sleep(0.1)

    def register(self, uri, **more):
        end = time.monotonic() + 60
        while True:
            try:
                status, body = request(f"{self.admin}/deployments", {"uri": uri, **more})
                if status in (200, 201):
                    return json.loads(body)
            except OSError as error:
                body = str(error)
            if time.monotonic() > end:
                raise SystemExit(f"{uri} cannot be registered: {body}")
            time.sleep(0.2)

    def write_state(self, service, key, state):
        """Writes the state of an object, of which it has nothing else then."""
        state = {name: list(text.encode()) for name, text in state.items()}
        status, body = request(f"{self.admin}/services/{service}/state", {"object_key": key, "new_state": state})
        assert status == 202, body

    def query(self, sql):
        status, body = request(f"{self.admin}/query", {"query": sql}, headers=[("accept", "application/json")])
        assert status == 200, body
        return json.loads(body)["rows"]


class Worker(Process):
    def __init__(self, acts, name="worker", program=None, port=None):
        self.port = port or free_port()
        super().__init__(f"{name}-{self.port}", [program or WORKER, str(self.port), acts])
        self.uri = f"http://127.0.0.1:{self.port}"

    def start(self):
        super().start()
        end = time.monotonic() + 20
        while time.monotonic() < end:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise SystemExit(f"{self.name} does not listen")


class Proxy:
    """A way to one of several ports that listens, in turns, as a load balancer has it. While it is cut, packets get lost:
    both ends wait and hear nothing."""

    def __init__(self, *ports):
        self.count, self.targets, self.is_cut = len(ports), itertools.cycle(ports), False
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def connect(self):
        for port in itertools.islice(self.targets, self.count):
            try:
                return socket.create_connection(("127.0.0.1", port))
            except OSError:
                continue
        return None

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            far = self.connect()
            if far is None:
                near.close()
                continue
            for here, there in ((near, far), (far, near)):
                threading.Thread(target=self.copy, args=(here, there), daemon=True).start()

    def copy(self, here, there):
        try:
            while data := here.recv(65536):
                # What was sent while the line was cut is lost, and so is the connection then.
                if self.is_cut:
                    while self.is_cut:
                        time.sleep(0.05)
                    break
                there.sendall(data)
        except OSError:
            pass
        for end in (here, there):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def is_of_node(status, answer, handler):
    """Whether a node cannot reach the others, or was started and does not know the agent yet."""
    if status == 500 and handler == "send":
        return False
    return status >= 500 or status == 404 and b"make sure to register" in answer


class Conversation:
    """A conversation with the agent `clerk`, through whichever of the nodes answers."""

    def __init__(self, nodes, key, agent="clerk"):
        self.nodes, self.key, self.agent = nodes, key, agent

    def call(self, handler, body=None, timeout=30, headers=(), patience=120):
        """Calls a handler until a node answers."""
        end = time.monotonic() + patience
        turn = 0
        while True:
            node = self.nodes[turn % len(self.nodes)]
            turn += 1
            try:
                url = f"{node.ingress}/{self.agent}/{self.key}/{handler}"
                status, answer = request(url, body, "POST", headers, timeout)
                if not is_of_node(status, answer, handler):
                    return status, json.loads(answer or b"null")
            except OSError as error:
                status, answer = 0, str(error)
            if time.monotonic() > end:
                raise SystemExit(f"{handler} of {self.key}: no answer in {patience} s: {status} {answer}")
            time.sleep(0.2)

    def send(self, message, timeout=300, **more):
        """Sends a message once, however often the connection breaks."""
        headers = [("idempotency-key", f"{self.key}:{len(message)}:{message[:100]}".encode("ascii", "replace").decode())]
        return self.call("send", {"message": message}, timeout, headers, patience=timeout)

    def waiting(self):
        status, progress = self.call("progress", {"since": 0})
        assert status == 200, f"{self.key}: {status} {progress}"
        return progress["waiting"]

    def await_waiting(self, count=1, seconds=30):
        end = time.monotonic() + seconds
        while True:
            waiting = self.waiting()
            if len(waiting) == count:
                return waiting
            assert time.monotonic() < end, f"{self.key}: {waiting}"
            time.sleep(0.1)
