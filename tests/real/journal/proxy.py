"""A way to a server that does something at a certain packet of its clients."""

import socket
import threading

# The longest time in which a server answers a packet. A server that waits for a lock answers later.
ANSWER_SECONDS = 0.5


class Proxy:
    """Forwards connections to a port. At the packet with a number, `before` is called before it is forwarded, or `after`
    when the server has answered; `before` says whether the packet is forwarded at all. Counts the packets."""

    def __init__(self, to, number=None, before=None, after=None):
        self.to, self.number, self.before, self.after = to, number, before, after
        self.packets, self.guard, self.ends, self.threads = 0, threading.Lock(), [], []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.accepting = threading.Thread(target=self.accept, daemon=True)
        self.accepting.start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                client.close()
                continue
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.ends.append(end)
            # Set while no answer to the chosen packet is awaited, so that others pass.
            answered, passes = threading.Event(), threading.Event()
            passes.set()
            for forward in (self.requests, self.answers):
                thread = threading.Thread(target=forward, args=(client, server, answered, passes), daemon=True)
                self.threads.append(thread)
                thread.start()

    def requests(self, client, server, answered, passes):
        try:
            while data := client.recv(65536):
                with self.guard:
                    self.packets += 1
                    is_chosen = self.packets == self.number
                if is_chosen and self.before and not self.before():
                    break
                if is_chosen and self.after:
                    answered.clear()
                    passes.clear()
                server.sendall(data)
                if is_chosen and self.after:
                    answered.wait(ANSWER_SECONDS)
                    self.after()
                    break
        except OSError:
            pass
        close(client, server)
        passes.set()

    def answers(self, client, server, answered, passes):
        try:
            while data := server.recv(65536):
                answered.set()
                # The answer to the chosen packet gets lost, because the connection is closed then.
                passes.wait()
                client.sendall(data)
        except OSError:
            pass
        close(client, server)

    def stop(self):
        """Closes all connections. What was begun at a packet has been done then."""
        close(self.listener)
        self.accepting.join(60)
        close(*self.ends)
        for thread in self.threads:
            thread.join(60)


def close(*ends):
    for end in ends:
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
