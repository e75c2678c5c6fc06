"""A load balancer for workers."""

import itertools
import socket
import threading


class Balancer:
    """Gives each connection to the next of several ports that listens."""

    def __init__(self, ports):
        self.ports = itertools.cycle(ports)
        self.count = len(ports)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            far = None
            for _ in range(self.count):
                try:
                    far = socket.create_connection(("127.0.0.1", next(self.ports)))
                    break
                except OSError:
                    continue
            if far is None:
                near.close()
                continue
            for here, there in ((near, far), (far, near)):
                threading.Thread(target=self.copy, args=(here, there), daemon=True).start()

    def copy(self, here, there):
        try:
            while data := here.recv(65536):
                there.sendall(data)
        except OSError:
            pass
        for end in (here, there):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()
