#!/usr/bin/env python3
"""packet_switch.py [--seed S]  a network on one machine: hosts that are network namespaces of their own, and between them a switch of IP packets,
which loses or delays what one of them sends, or is sent. Called alone it tries that out and says what it saw.

    with PacketSwitch(seed) as switch:
        host = switch.add_host()
        with host.inside():                   # of this thread: sockets and processes that are made here are in the namespace
            process = subprocess.Popen(...)
        host.out.lost = 1.0                   # of what it sends; 0.05: one packet of twenty
        host.into.delay_s = 1.0               # of what it is sent
        switch.mend(host)

A host has the loopback of its namespace and a device whose packets this process reads: nothing else reaches it. Namespaces have no names, and are
gone with the last process that is in them and this one, however it ends. Needs the rights for them (why_not says what is missing), no packages and
no programs.
"""
import argparse
import contextlib
import ctypes
import fcntl
import heapq
import os
import random
import selectors
import socket
import struct
import sys
import threading
import time

CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
SIOCGIFFLAGS, SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK, SIOCSIFTXQLEN = 0x8913, 0x8914, 0x8916, 0x891C, 0x8943
IFF_UP = 0x1
OWN_NAMESPACE = "/proc/thread-self/ns/net"
DEVICE = b"tx"
# Packets that may wait for the switch; what comes when there are more is lost.
QUEUE = 10000
# Packets of one host in a row.
AT_ONCE = 64
LONGEST_PACKET = 65536
LIBC = ctypes.CDLL(None, use_errno=True)


def must(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def why_not():
    """What keeps this process from making hosts; "": nothing."""
    try:
        with PacketSwitch() as switch:
            switch.add_host()
    except OSError as e:
        return f"no network namespaces here: {e}"
    return ""


def request_of(device, value):
    return struct.pack("16s24s", device, value)


def address_value(text):
    return struct.pack("=HH4s", socket.AF_INET, 0, socket.inet_aton(text))


def bring_up(control, device):
    flags = struct.unpack_from("=H", fcntl.ioctl(control, SIOCGIFFLAGS, request_of(device, b"")), 16)[0]
    fcntl.ioctl(control, SIOCSIFFLAGS, request_of(device, struct.pack("=H", flags | IFF_UP)))


def open_device(address):
    """In the namespace of this thread."""
    tunnel = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.ioctl(tunnel, TUNSETIFF, request_of(DEVICE, struct.pack("=H", IFF_TUN | IFF_NO_PI)))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            fcntl.ioctl(control, SIOCSIFTXQLEN, request_of(DEVICE, struct.pack("=i", QUEUE)))
            fcntl.ioctl(control, SIOCSIFADDR, request_of(DEVICE, address_value(address)))
            fcntl.ioctl(control, SIOCSIFNETMASK, request_of(DEVICE, address_value("255.255.255.0")))
            bring_up(control, DEVICE)
            bring_up(control, b"lo")
        return tunnel
    except BaseException:
        os.close(tunnel)
        raise


def has_payload(packet):
    """Whether it is one of TCP with data."""
    if packet[9] != socket.IPPROTO_TCP:
        return False
    head = (packet[0] & 15) * 4
    return struct.unpack_from("!H", packet, 2)[0] > head + (packet[head + 12] >> 4) * 4


class Way:
    """What becomes of packets in one direction."""

    def __init__(self):
        self.lost = 0.0
        self.delay_s = 0.0


class Host:
    """`payloads`: so many packets with data it has sent and was to be sent."""

    def __init__(self, address):
        self.address = address
        self.out, self.into = Way(), Way()
        self.payloads = 0
        self.home = os.open(OWN_NAMESPACE, os.O_RDONLY)
        self.namespace = self.tunnel = None
        try:
            must(LIBC.unshare(CLONE_NEWNET))
            try:
                self.namespace = os.open(OWN_NAMESPACE, os.O_RDONLY)
                self.tunnel = open_device(address)
            finally:
                must(LIBC.setns(self.home, CLONE_NEWNET))
        except BaseException:
            self.close()
            raise

    @contextlib.contextmanager
    def inside(self):
        must(LIBC.setns(self.namespace, CLONE_NEWNET))
        try:
            yield
        finally:
            must(LIBC.setns(self.home, CLONE_NEWNET))

    def close(self):
        for fd in (self.tunnel, self.namespace, self.home):
            if fd is not None:
                os.close(fd)


class PacketSwitch:
    """Its thread takes packets from each host to the one that they are for."""

    def __init__(self, seed=0):
        self.random = random.Random(seed)
        self.hosts = {}
        self.waiting = []
        self.order = 0
        self.alarm = None
        self.over = False
        self.lock = threading.RLock()
        self.selector = selectors.DefaultSelector()
        self.wake, waker = socket.socketpair()
        self.waker = waker
        self.selector.register(self.wake, selectors.EVENT_READ)
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def add_host(self):
        host = Host(f"10.77.0.{len(self.hosts) + 1}")
        with self.lock:
            self.hosts[socket.inet_aton(host.address)] = host
        self.selector.register(host.tunnel, selectors.EVENT_READ, host)
        self.waker.send(b"1")
        return host

    def mend(self, host):
        """Nothing more is lost or late; what was late comes now."""
        with self.lock:
            host.out.lost = host.into.lost = host.out.delay_s = host.into.delay_s = 0.0
            while self.waiting:
                self.deliver(*heapq.heappop(self.waiting)[2:])

    def when(self, host, payloads, action):
        """Does it on the switch's thread, before the packet that makes them so many is forwarded; None: never mind."""
        with self.lock:
            self.alarm = (host, payloads, action) if action else None

    def close(self):
        self.over = True
        self.waker.send(b"1")
        self.thread.join()
        self.selector.close()
        for closed in (self.wake, self.waker, *self.hosts.values()):
            closed.close()

    def work(self):
        while not self.over:
            with self.lock:
                patience = max(0.0, self.waiting[0][0] - time.monotonic()) if self.waiting else None
            for key, _ in self.selector.select(patience):
                if key.data:
                    self.read(key.data)
                else:
                    self.wake.recv(100)
            self.deliver_late()

    def read(self, host):
        for _ in range(AT_ONCE):
            try:
                packet = os.read(host.tunnel, LONGEST_PACKET)
            except OSError:
                return
            # Of IPv4: others are what a device says when it comes up.
            if packet[0] >> 4 == 4 and packet[16:20] in self.hosts:
                with self.lock:
                    self.forward(host, self.hosts[packet[16:20]], packet)

    def forward(self, source, target, packet):
        if has_payload(packet):
            source.payloads += 1
            target.payloads += 1
            if self.alarm and self.alarm[0].payloads >= self.alarm[1]:
                action, self.alarm = self.alarm[2], None
                action()
        if any(self.random.random() < way.lost for way in (source.out, target.into) if way.lost):
            return
        delay_s = source.out.delay_s + target.into.delay_s
        if not delay_s:
            return self.deliver(target, packet)
        self.order += 1
        heapq.heappush(self.waiting, (time.monotonic() + delay_s, self.order, target, packet))

    def deliver_late(self):
        with self.lock:
            while self.waiting and self.waiting[0][0] <= time.monotonic():
                self.deliver(*heapq.heappop(self.waiting)[2:])

    @staticmethod
    def deliver(target, packet):
        with contextlib.suppress(OSError):
            os.write(target.tunnel, packet)


def round_trip(near, far, elements, patience_s):
    """How long bytes take there and back, by a connection of their own, in seconds; None: longer than that."""
    with far.inside():
        door = socket.create_server((far.address, 0))
    with near.inside():
        caller = socket.socket()
    with door, caller:
        began = time.monotonic()
        caller.settimeout(patience_s)
        door.settimeout(patience_s)
        try:
            caller.connect(door.getsockname())
            with door.accept()[0] as called:
                called.settimeout(patience_s)
                for sender, receiver in ((caller, called), (called, caller)):
                    threading.Thread(target=sender.sendall, args=(bytes(elements),), daemon=True).start()
                    left = elements
                    while left:
                        left -= len(receiver.recv(min(left, 1 << 20)))
        except TimeoutError:
            return None
        return time.monotonic() - began


def try_out(seed):
    """False when a fault is not what it should be."""
    good = True
    with PacketSwitch(seed) as switch:
        near, far = switch.add_host(), switch.add_host()
        for name, fault, elements, expected in (
                ("nothing", lambda: None, 1, lambda s: s is not None and s < 0.5),
                ("nothing, 8 MB", lambda: None, 8 << 20, lambda s: s is not None),
                ("all from it lost", lambda: setattr(far.out, "lost", 1.0), 1, lambda s: s is None),
                ("all to it lost", lambda: setattr(far.into, "lost", 1.0), 1, lambda s: s is None),
                ("0.2 s late", lambda: setattr(far.out, "delay_s", 0.2), 1, lambda s: s is not None and 0.3 < s < 1),
                ("5 % lost, 1 MB", lambda: setattr(far.into, "lost", 0.05), 1 << 20, lambda s: s is not None),
                ("nothing again", lambda: None, 1, lambda s: s is not None and s < 0.5)):
            fault()
            took = round_trip(near, far, elements, 2.0 if elements == 1 else 20.0)
            switch.mend(far)
            good = good and expected(took)
            print(f"{name:20}{'never' if took is None else f'{took * 1000:.1f} ms':>12}  {'OK' if expected(took) else 'FAILED'}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return 0
    return 0 if try_out(args.seed) else 1


if __name__ == "__main__":
    sys.exit(main())
