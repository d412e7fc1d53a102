"""What the kernel says of how processes ended: by an exit of their own, or killed.

Its process connector tells of every end, also of processes that are nobody's child here. Only root
may listen before Linux 6.6.
"""

import os
import socket
import struct
import threading
import time

NETLINK_CONNECTOR = 11
PROCESSES = (1, 1)  # CN_IDX_PROC, CN_VAL_PROC
LISTEN = 1
EXIT = 0x80000000
HEAD = struct.Struct("=IHHII")        # nlmsghdr
CONNECTOR = struct.Struct("=IIIIHH")  # cn_msg
EVENT = struct.Struct("=IIQ")         # What, CPU, nanoseconds since the machine was started.
ENDED = struct.Struct("=iiII")        # Thread, process, status as wait4 has it, signal.


class KernelWitness:
    """Raises OSError where the kernel has none, or does not let this user listen."""

    def __init__(self):
        self.ends = {}      # Process: [(seconds since the machine was started, status)]
        self.missed = False  # More happened than could be taken down.
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, NETLINK_CONNECTOR)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32 << 20)
        self.socket.bind((os.getpid(), PROCESSES[0]))
        body = CONNECTOR.pack(*PROCESSES, 0, 0, 4, 0) + struct.pack("=I", LISTEN)
        self.socket.send(HEAD.pack(HEAD.size + len(body), 3, 0, 0, os.getpid()) + body)
        self.heard = threading.Event()
        threading.Thread(target=self.listen, daemon=True).start()
        # Whether it really tells: of a process that ends now.
        child = os.fork()
        if child == 0:
            os._exit(5)
        os.waitpid(child, 0)
        if not self.heard.wait(5):
            raise OSError("the kernel tells of no ends")

    def listen(self):
        while True:
            try:
                said = self.socket.recv(65536)
            except OSError:
                self.missed = True
                continue
            at = HEAD.size + CONNECTOR.size
            what, _, moment = EVENT.unpack_from(said, at)
            if what != EXIT:
                self.heard.set()
                continue
            thread, process, status, _ = ENDED.unpack_from(said, at + EVENT.size)
            if thread == process:
                self.ends.setdefault(process, []).append((moment / 1e9, status))
            self.heard.set()

    def end_of(self, process, after):
        """Its status, as wait4 has it, of the one that was there at that time; None: not told."""
        for _ in range(100):
            for moment, status in self.ends.get(process, []):
                # /proc/uptime has hundredths.
                if moment >= after - 0.02:
                    return status
            time.sleep(0.05)
        return None


def witness_or_none():
    try:
        return KernelWitness()
    except OSError:
        return None
