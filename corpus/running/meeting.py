"""How ranks without PyTorch meet: a module that their programs carry along."""

COMM = '''"""Sums numbers over the processes of a run, through the first of them."""
import socket
import struct
import time


class Group:
    def __init__(self, rank, world, port, patience=None):
        self.rank, self.world = rank, world
        self.peers = {}
        if rank == 0:
            door = socket.create_server(("127.0.0.1", port), backlog=64)
            door.settimeout(patience)
            while len(self.peers) < world - 1:
                link, _ = door.accept()
                link.settimeout(patience)
                (peer,) = struct.unpack("i", self.read(link, 4, "a new process"))
                self.peers[peer] = link
        else:
            for _ in range(6000):
                try:
                    link = socket.create_connection(("127.0.0.1", port))
                    break
                except OSError:
                    time.sleep(0.1)
            link.settimeout(patience)
            link.sendall(struct.pack("i", rank))
            self.peers[0] = link

    def read(self, link, size, whom):
        data = b""
        while len(data) < size:
            part = link.recv(size - len(data))
            if not part:
                raise ConnectionError(f"process {self.rank}: {whom} has closed the connection")
            data += part
        return data

    def mean(self, value):
        if self.rank == 0:
            for peer in sorted(self.peers):
                value += struct.unpack("d", self.read(self.peers[peer], 8, f"process {peer}"))[0]
            value /= self.world
            for link in self.peers.values():
                link.sendall(struct.pack("d", value))
            return value
        self.peers[0].sendall(struct.pack("d", value))
        return struct.unpack("d", self.read(self.peers[0], 8, "process 0"))[0]
'''
"""A module that ranks use to wait for each other: ``Group(rank, world, port).mean(loss)``."""
