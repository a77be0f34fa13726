# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Load for a cluster: processes with the SDK and its journal, and senders without the SDK.

Senders without the SDK resend some batches, and send some to all collectors at once.
"""
import collections
import json
import random
import subprocess
import threading
import time

from check import AcknowledgedEvents
from processes import request, trackway

# The response timeout of a raw sender, in seconds; the collector holds a batch for up to ten.
RESPONSE_TIMEOUT = 25


class Load:
    """All senders of a run.

    `acknowledged` has the events that were acknowledged to them.
    """

    def __init__(self, cluster, seed, senders=3, raw=3, rate=60, per_batch=20, name=""):
        self.cluster, self.seed, self.rate, self.per_batch = cluster, seed, rate, per_batch
        self.acknowledged, self.responses, self.stop_requested = AcknowledgedEvents(), collections.Counter(), threading.Event()
        self.lock, self.last_response, self.longest_gap, self.times = threading.Lock(), time.monotonic(), 0.0, collections.deque(maxlen=100_000)
        self.process_count, self.problems, self.is_cancelled = 0, [], False
        self.threads = [threading.Thread(target=self._send_with_sdk, args=(f"sdk{name}-{number}",)) for number in range(senders)]
        self.threads += [threading.Thread(target=self._send_raw, args=(number,)) for number in range(raw)]

    def start(self):
        self.last_response = time.monotonic()
        for thread in self.threads:
            thread.start()
        return self

    def stop(self):
        """Stops recording, and returns when everything is delivered."""
        self.stop_requested.set()
        for thread in self.threads:
            thread.join()
        return self.acknowledged

    def cancel(self):
        """Stops sending immediately, even if events are pending."""
        self.is_cancelled = True
        self.stop_requested.set()

    def _count(self, status, start_time):
        now = time.monotonic()
        with self.lock:
            self.responses[str(status or "none")] += 1
            if status == 200:
                self.longest_gap = max(self.longest_gap, now - self.last_response)
                self.last_response = now
                self.times.append((start_time, now))

    def count_answered_between(self, start, end):
        """Returns the number of requests that were sent, and answered with 200, between two times."""
        with self.lock:
            return sum(1 for start_time, at in self.times if start < start_time and at < end)

    # With the SDK

    def _send_with_sdk(self, name):
        """Runs one process after another on the same journal.

        Each process prints what it recorded; the final journal shows what was delivered.
        """
        rng, number, acknowledged = random.Random(f"{self.seed}/{name}"), 0, self.acknowledged
        acknowledged.recorded[name] = 0
        while not self.stop_requested.is_set():
            with self._process(name, wait=0) as sender:
                end_time = time.monotonic() + rng.uniform(8, 25)
                while time.monotonic() < end_time and not self.stop_requested.is_set():
                    for _ in range(max(1, self.rate // 10)):
                        number += 1
                        line = {"name": rng.choice(["view", "tap", "purchase"]), "attributes": {"sender": name, "number": number, "total": rng.randrange(100)}}
                        sender.stdin.write(json.dumps(line).encode() + b"\n")
                    sender.stdin.flush()
                    self.stop_requested.wait(0.1)
                self._finish(name, sender)
        for _ in range(60):
            if self.is_cancelled:
                return
            with self._process(name, wait=20) as sender:
                if self._finish(name, sender) == 0:
                    break
        acknowledged.delivered[name] = self._delivered(name)
        if acknowledged.recorded[name] != number:
            self.problems.append(f"{name} recorded {acknowledged.recorded[name]} of the {number} events it received")

    def _process(self, name, wait):
        with self.lock:
            self.process_count += 1
        folder = self.cluster.folder
        command = ["setpriv", "--pdeathsig", "KILL", trackway(), "send", "--url", f"http://127.0.0.1:{self.cluster.port}", "--key", self.cluster.key, "--data", f"{folder}/{name}", "--wait", str(wait), "--json"]
        with open(f"{folder}/{name}.log", "ab") as log:
            return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True)

    def _finish(self, name, sender):
        """Waits for the process to exit, counts its report, and returns the number of pending events."""
        text, _ = sender.communicate()
        try:
            report = json.loads(text)
        except ValueError:
            self.problems.append(f"{name} exited with status {sender.returncode} and printed {text!r}")
            return 0
        with self.acknowledged.lock:
            self.acknowledged.recorded[name] += report["recorded"]
        if report["dropped"] or report["not_recorded"]:
            self.problems.append(f"{name}: {report}")
        return report["pending"]

    def _delivered(self, name):
        """Returns the number of delivered events according to the journal.

        The report that a process prints omits events that are delivered while it exits.
        """
        journal = json.loads(self.cluster.command("journal", "inspect", f"{self.cluster.folder}/{name}", "--json").stdout)
        accounts = journal["settled"]["destinations"] + [cursor for writer in journal["writers"] for cursor in writer["cursors"]]
        if any(account["dropped"] for account in accounts):
            self.problems.append(f"{name} dropped events: {accounts}")
        return sum(account["delivered"] for account in accounts)

    # Without the SDK

    def _send_raw(self, number):
        writer = Writer(self.seed, number)
        while not self.stop_requested.is_set():
            start_time = time.monotonic()
            self.send(writer.batch(writer.rng.randrange(1, 2 * self.per_batch)), writer.rng)
            self.stop_requested.wait(max(0, self.per_batch / self.rate - (time.monotonic() - start_time)))
        for late_batch in writer.repeated_batches:
            self.send(late_batch, writer.rng)

    def send(self, batch, rng):
        """Sends a batch until it is answered with 200.

        Sometimes sends it to all collectors at once, and sometimes once more afterwards.
        """
        body, ids = batch
        is_accepted, pause = False, 0.1
        while not is_accepted and not self.is_cancelled:
            targets = self.cluster.collectors if rng.random() < 0.2 else [rng.choice(self.cluster.collectors)]
            is_accepted = self.post(targets, body, ids)
            if not is_accepted:
                time.sleep(pause)
                pause = min(2, pause * 2)
        if rng.random() < 0.1:
            self.post([rng.choice(self.cluster.collectors)], body, ids)

    def post(self, collectors, body, ids):
        """Sends a batch to several collectors at once, and returns whether any accepted it."""
        accepted = []
        def post_to(collector):
            start_time = time.monotonic()
            status, text = request(collector.port, "POST", "/v1/events", body, {"authorization": f"Bearer {self.cluster.key}"}, RESPONSE_TIMEOUT)
            try:
                response = json.loads(text) if status == 200 else None
            except ValueError:
                # Truncated: the process was killed while it responded.
                status = response = None
            self._count(status, start_time)
            if response:
                self.acknowledged.add_response(ids, response)
                accepted.append(response)
            elif status not in (None, 503):
                self.problems.append(f"{collector.name} responded with {status}: {text[:200]}")
        others = [threading.Thread(target=post_to, args=(collector,)) for collector in collectors[1:]]
        for thread in others:
            thread.start()
        post_to(collectors[0])
        for thread in others:
            thread.join()
        return bool(accepted)


class Writer:
    """An installation that numbers its events, and makes batches without the SDK."""

    def __init__(self, seed, number):
        self.rng, self.number, self.next = random.Random(f"{seed}/raw-{number}"), number, 1
        self.installation, self.writer = self.id(0), self.id(1)
        # Batches that repeat earlier events, split differently.
        self.repeated_batches = []

    def id(self, sequence):
        """Returns a version 7 UUID with the current time."""
        value = int(time.time() * 1000) << 80 | 7 << 76 | (self.number & 0xFFF) << 64 | 2 << 62 | self.rng.getrandbits(30) << 32 | sequence & 0xFFFFFFFF
        text = f"{value:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def batch(self, count, name="raw", session="s", rejected_share=0.02):
        """Returns the body of the next events, and their IDs.

        A few events have a name that is too long, and are rejected.
        """
        first, now = self.next, int(time.time() * 1000)
        self.next += count
        ids = [self.id(sequence) for sequence in range(first, first + count)]
        names = [name * 100 if self.rng.random() < rejected_share else name for _ in ids]
        lines = [{"id": id, "name": event_name, "time": now, "attributes": {"total": self.rng.randrange(100)}} for id, event_name in zip(ids, names)]
        if self.rng.random() < 0.05 and count > 2:
            self.repeated_batches.append(self._body(first + count // 2, lines[count // 2:], session))
            self.repeated_batches = self.repeated_batches[-20:]
        return self._body(first, lines, session)

    def _body(self, first, lines, session):
        last = first + len(lines) - 1
        header = {"batch": {"id": f"{self.writer}-{first}-{last}", "installation": self.installation, "writer": self.writer, "first": first, "last": last, "recorded": self.next - 1, "sent": int(time.time() * 1000)}}
        context = {"context": {"app": {"id": "load", "version": "1.0"}, "session": {"id": session}}}
        body = "\n".join(json.dumps(line) for line in [header, context, *lines]).encode()
        return body, [line["id"] for line in lines]
