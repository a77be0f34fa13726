# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""A small NATS JetStream client for the checker, which must not rely on the product's own client."""
import json
import socket
import threading
import time
import zlib


class NoResponseError(Exception):
    """A program did not respond, or its response was unexpected."""


class Engine:
    """A client that connects to any one of several servers.

    The next request reopens a lost connection. Requests from several threads run one after another.
    """

    def __init__(self, addresses, user, password):
        self.addresses, self.user, self.password = addresses, user, password
        self.connection, self.count, self.lock = None, 0, threading.Lock()

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def _connect(self):
        for host, port in self.addresses:
            try:
                self.connection = socket.create_connection((host, port), timeout=2)
                self.input = self.connection.makefile("rb")
                if self.input.readline().startswith(b"INFO "):
                    self._send(b"CONNECT " + json.dumps({"verbose": False, "pedantic": False, "headers": True, "no_responders": True, "user": self.user, "pass": self.password}).encode() + b"\r\nPING\r\n")
                    # Waits for the first PONG, which a paused server does not send.
                    while (line := self.input.readline()) and not line.startswith(b"PONG"):
                        if line.startswith(b"-ERR"):
                            raise NoResponseError(line.decode())
                    if line:
                        return
            except OSError:
                pass
            self.close()
        raise NoResponseError("no NATS server responds")

    def _send(self, text):
        self.connection.sendall(text)

    def _message(self):
        """Returns the next response to this request: status, headers, reply, body."""
        while line := self.input.readline():
            words = line.split()
            if words[0] == b"PING":
                self._send(b"PONG\r\n")
            elif words[0] in (b"MSG", b"HMSG"):
                size = int(words[-1])
                data = self.input.read(size + 2)[:size]
                if int(words[2]) != self.count:
                    # A response to an earlier request, which has ended.
                    continue
                header_length = int(words[-2]) if words[0] == b"HMSG" else 0
                reply = words[3].decode() if len(words) > (5 if header_length else 4) else ""
                lines = data[:header_length].decode().split("\r\n")
                status = int(lines[0].split()[1]) if header_length and len(lines[0].split()) > 1 else None
                return status, dict(line.split(": ", 1) for line in lines[1:] if ": " in line), reply, data[header_length:]
        raise OSError("closed")

    def _request_messages(self, subject, body, count, timeout):
        """Returns up to `count` responses to a request; a status message ends them early."""
        with self.lock:
            return self._request_messages_locked(subject, body, count, timeout)

    def _request_messages_locked(self, subject, body, count, timeout):
        if not self.connection:
            self._connect()
        self.count += 1
        inbox = f"_INBOX.check.{id(self)}.{time.monotonic_ns()}"
        self.connection.settimeout(timeout)
        messages = []
        try:
            self._send(f"SUB {inbox} {self.count}\r\nPUB {subject} {inbox} {len(body)}\r\n".encode() + body + b"\r\n")
            while len(messages) < count:
                message = self._message()
                if message[0] is not None:
                    if message[0] in (404, 408):
                        break
                    raise NoResponseError(f"{subject}: status {message[0]}")
                messages.append(message)
            self._send(f"UNSUB {self.count}\r\n".encode())
            return messages
        except OSError as error:
            self.close()
            raise NoResponseError(f"{subject}: {error}") from error

    def request(self, subject, value=None, timeout=2):
        body = b"" if value is None else json.dumps(value).encode()
        responses = self._request_messages(subject, body, 1, timeout)
        if not responses:
            raise NoResponseError(f"{subject}: no response")
        response = json.loads(responses[0][3])
        if "error" in response:
            raise NoResponseError(f"{subject}: {response['error']}")
        return response

    def streams(self):
        return self.request("$JS.API.STREAM.NAMES").get("streams") or []

    def info(self, name):
        return self.request(f"$JS.API.STREAM.INFO.{name}")

    def erased_sequences(self, name):
        """Returns the sequence numbers in a list of deleted records; empty if there is no list."""
        if name not in self.streams():
            return set()
        state = self.request(f"$JS.API.STREAM.INFO.{name}", {"subjects_filter": ">"})["state"]
        ends = [subject.split(".")[-1] for subject in state.get("subjects") or {}]
        return {int(end) for end in ends if end.isdigit()}

    def read(self, name):
        """Returns every message of a stream up to its current end, and the missing sequence numbers.

        A message is its sequence number, headers and body. Reading fewer messages than the stream reports is a read
        error, not a loss: it raises NoResponseError.
        """
        state = self.info(name)["state"]
        first, last, expected = state["first_seq"], state["last_seq"], state["messages"]
        config = {"deliver_policy": "all", "ack_policy": "none", "inactive_threshold": 60_000_000_000, "num_replicas": 1, "mem_storage": True}
        consumer = self.request(f"$JS.API.CONSUMER.CREATE.{name}", {"stream_name": name, "config": config}, timeout=5)["name"]
        messages, empty_reads = [], 0
        while expected and (not messages or messages[-1][0] < last):
            batch = self._request_messages(f"$JS.API.CONSUMER.MSG.NEXT.{name}.{consumer}", json.dumps({"batch": 500, "expires": 2_000_000_000}).encode(), min(500, expected - len(messages)) or 1, 10)
            for _, headers, reply, body in batch:
                # $JS.ACK.stream.consumer.delivered.sequence.consumer's.time.pending; two more tokens with a domain.
                messages.append((int(reply.split(".")[-4]), headers, body))
            empty_reads = 0 if batch else empty_reads + 1
            if empty_reads > 10:
                raise NoResponseError(f"{name}: {len(messages)} of {expected} messages could be read")
        if len(messages) < expected:
            raise NoResponseError(f"{name}: {len(messages)} of {expected} messages could be read")
        found_sequences = {sequence for sequence, _, _ in messages}
        missing = {sequence for sequence in range(first, last + 1) if sequence not in found_sequences} if expected else set()
        return messages, missing


def decompressed_body(body):
    """Returns a record's body, decompressed if its sender compressed it."""
    head, _, body = body.partition(b"\n")
    return zlib.decompress(body, 31) if json.loads(head)["encoding"] == "gzip" else body


def parse_events(body):
    """Returns a record's accepted events, its rejected events, and its batch header or None."""
    metadata, body = json.loads(body.partition(b"\n")[0]), decompressed_body(body)
    rejected_indexes = {fault[0] for fault in metadata.get("rejected", [])}
    accepted, rejected, header = [], [], None
    for line in body.splitlines():
        value = json.loads(line)
        if "batch" in value:
            header = value["batch"]
        elif "context" not in value:
            (rejected if len(accepted) + len(rejected) in rejected_indexes else accepted).append(value)
    return accepted, rejected, header
