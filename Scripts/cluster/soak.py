# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Kills and pauses every part of a cluster under load at seeded times, then checks everything.

    soak.py [--minutes 20] [--seed N] [--rate 60] [--grow] [--json FILE]

The seed determines which parts are hit, when, and for how long; everything else depends on the machine. A failed run
keeps its folder.
"""
import argparse
import collections
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from check import check
from load import Load
from parts import Cluster, NotHere, trackway, until
from stream import NoResponseError

# How long a killed part stays down, and how long a part is paused, in seconds.
AWAY, PAUSE = (0.2, 4), (1, 7)
# The time until the next fault of a kind, in seconds.
EVERY = {
    "leader": (10, 20), "server": (10, 20), "collector": (6, 12), "forwarder": (6, 12), "ClickHouse": (20, 35),
    "leader paused": (50, 90), "forwarder paused": (30, 60), "ClickHouse paused": (40, 80), "no quorum": (120, 200),
}
# With --grow: the time between stream changes, the number of new streams, and the time after which the process that
# changes them may be killed.
GROWTH, STREAMS, DEATH = (25, 50), (1, 5), (0.5, 12)
OF_SERVERS = {"leader", "server", "leader paused", "no quorum"}
# Exit statuses of a collector or forwarder that finds no proven engine at its start. A supervisor restarts them.
GIVES_UP = {69, 73, 75}


class Watch:
    """Checks twice a second whether all NATS servers are healthy, and which one leads."""

    def __init__(self, cluster):
        self.cluster, self.is_well, self.leader, self.is_over = cluster, False, None, False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        cluster = self.cluster
        while not self.is_over:
            is_well = cluster.servers_are_well()
            self.leader = cluster.leader() if is_well else None
            self.is_well = is_well and self.leader is not None
            time.sleep(0.5)


class Soak:
    def __init__(self, cluster, seed, minutes, rate, grows=False):
        self.cluster, self.minutes = cluster, minutes
        self.growth, self.streams, self.growths = None, 0, collections.Counter()
        self.every = dict(EVERY, growth=GROWTH) if grows else EVERY
        self.chance, self.load = random.Random(f"{seed}/faults"), Load(cluster, seed, rate=rate)
        self.kills, self.pauses, self.ends, self.problems = collections.Counter(), collections.Counter(), collections.Counter(), []
        # Scheduled actions: time, sequence number, action.
        self.later, self.count, self.away = [], 0, set()
        self.quorum_lost, self.answered_without_quorum = 0, 0

    def run(self):
        cluster = self.cluster
        cluster.start()
        self.watch = Watch(cluster)
        self.load.start()
        began = time.monotonic()
        due = {kind: began + self.chance.uniform(*every) for kind, every in self.every.items()}
        told = began
        while (now := time.monotonic()) < began + 60 * self.minutes:
            self._do_what_is_due(now)
            self._look_for_ends()
            for kind, every in self.every.items():
                if now >= due[kind] and self._can(kind):
                    self._fault(kind, now)
                    due[kind] = now + self.chance.uniform(*every)
            if now > told + 60:
                told = now
                print(f"soak: {(now - began) / 60:.0f} min, {sum(self.kills.values())} kills, responses {dict(self.load.answers)}", file=sys.stderr, flush=True)
            time.sleep(0.05)
        while self.later:
            self._do_what_is_due(time.monotonic())
            self._look_for_ends()
            time.sleep(0.05)
        if self.growths:
            until(self._has_grown, "the last stream change has ended", 180)
        is_there = threading.Event()
        # Parts that give up while senders deliver the remaining events are restarted.
        waiting = threading.Thread(target=lambda: (self.load.end(), is_there.set()))
        waiting.start()
        while not is_there.is_set():
            self._look_for_ends()
            time.sleep(0.1)
        until(self._is_well, "everything runs", 120)
        self.watch.is_over = True
        self.watch.thread.join()
        return check(cluster, self.load.acknowledged)

    def _grow(self):
        """Starts the next stream change; completes a killed one first."""
        if self.growth is None or self.growth.returncode == 0:
            self.streams = self.chance.randint(*STREAMS)
        self.growth = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", trackway(), "engine", "plan", "--streams", str(self.streams), *self.cluster.engine_options],
            stdout=subprocess.DEVNULL, stderr=open(f"{self.cluster.folder}/growth.log", "a"),
        )
        self.growths["begun"] += 1
        if self.chance.random() < 0.5:
            process = self.growth
            self._after(self.chance.uniform(*DEATH), process.kill)

    def _has_grown(self):
        self._look_for_ends()
        if self.growth.poll() not in (None, 0):
            self._grow()
        return self.growth.poll() == 0

    def _is_well(self):
        self._look_for_ends()
        return self.cluster.is_well()

    def _can(self, kind):
        """Returns whether a fault of this kind may happen now.

        Two of three servers are never down at the same time, except as the fault "no quorum".
        """
        if kind == "growth":
            return self.growth is None or self.growth.poll() is not None
        if kind in OF_SERVERS:
            is_busy = any(server in self.away for server in self.cluster.servers)
            return self.watch.is_well and not is_busy
        return bool(self._free(kind))

    def _free(self, kind):
        parts = {"collector": self.cluster.collectors, "forwarder": self.cluster.forwarders, "ClickHouse": [self.cluster.clickhouse]}[kind.split()[0]]
        return [part for part in parts if part not in self.away and part.runs]

    def _after(self, seconds, do):
        self.count += 1
        self.later.append((time.monotonic() + seconds, self.count, do))
        self.later.sort(key=lambda item: item[:2])

    def _do_what_is_due(self, now):
        while self.later and self.later[0][0] <= now:
            self.later.pop(0)[2]()

    def _look_for_ends(self):
        """Counts and restarts parts that exited on their own.

        An unexpected exit status fails the run.
        """
        for part in self.cluster.parts:
            if part not in self.away and part.process and not part.runs:
                status = part.process.returncode
                self.ends[f"{part.name}: {status}"] += 1
                if status not in GIVES_UP:
                    self.problems.append(f"{part.name} exited with status {status}: {part.log()[-400:]}")
                part.start()

    def _fault(self, kind, now):
        chance = self.chance
        if kind == "growth":
            if self.growth is not None:
                self.growths["ended" if self.growth.returncode == 0 else f"ended with {self.growth.returncode}"] += 1
            return self._grow()
        if kind == "no quorum":
            return self._lose_quorum()
        if kind in OF_SERVERS:
            others = [server for server in self.cluster.servers if server is not self.watch.leader]
            part = chance.choice(others) if kind == "server" else self.watch.leader
        else:
            part = chance.choice(self._free(kind))
        self.away.add(part)
        if kind.endswith("paused"):
            self.pauses[kind.removesuffix(" paused")] += 1
            part.pause()
            self._after(chance.uniform(*PAUSE), lambda: self._back(part, part.go_on))
        else:
            self.kills[kind] += 1
            part.end(signal.SIGKILL)
            self._after(chance.uniform(*AWAY), lambda: self._back(part, part.start))

    def _back(self, part, come):
        come()
        self.away.discard(part)
        # The watch's earlier result is no longer valid.
        self.watch.is_well = False

    def _lose_quorum(self):
        two = self.chance.sample(self.cluster.servers, 2)
        for server in two:
            self.away.add(server)
            self.kills["leader" if server is self.watch.leader else "server"] += 1
            server.process.kill()
        for server in two:
            server.end()
        self.quorum_lost += 1
        since = time.monotonic()
        def back():
            self.answered_without_quorum += self.load.answered_between(since, time.monotonic())
            for server in two:
                self._back(server, server.start)
        self._after(self.chance.uniform(4, 14), back)


def tell(soak, report, seed, seconds):
    """Prints the figures and problems of a run, and returns them for programs."""
    problems = [*soak.problems, *soak.load.problems, *report.failures]
    if soak.answered_without_quorum:
        problems.append(f"{soak.answered_without_quorum} batches were answered while two of three servers were down")
    figures = {
        "good": report.is_good and not problems, "seed": seed, "seconds": round(seconds), "kills": dict(soak.kills), "killed": sum(soak.kills.values()), "pauses": dict(soak.pauses),
        "without quorum": soak.quorum_lost, "answered without quorum": soak.answered_without_quorum, "ended by itself": dict(soak.ends),
        "growths": dict(soak.growths), "answers": dict(soak.load.answers), "sender processes": soak.load.rounds, "longest silence": round(soak.load.silence, 1), "compared": len(report.lines), **report.figures, "problems": problems,
    }
    for what, found in figures.items():
        if what != "problems":
            print(f"{what:<24} {', '.join(f'{name} {count}' for name, count in sorted(found.items())) if isinstance(found, dict) else found}")
    for problem in problems:
        print(f"failed: {problem}")
    return figures


def main():
    options = argparse.ArgumentParser(prog="cluster-test")
    options.add_argument("--minutes", type=float, default=20)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options.add_argument("--rate", type=float, default=60, help="events per second from each of six senders")
    options.add_argument("--grow", action="store_true", help="repeatedly change the streams that accept records")
    options.add_argument("--json", help="file for the figures")
    options = options.parse_args()
    print(f"soak: seed {options.seed}, {options.minutes:g} minutes", file=sys.stderr, flush=True)
    began, folder, is_good = time.monotonic(), tempfile.mkdtemp(prefix="trackway-soak-"), False
    cluster = Cluster(folder)
    soak = Soak(cluster, options.seed, options.minutes, options.rate, options.grow)
    try:
        figures = tell(soak, soak.run(), options.seed, time.monotonic() - began)
        if options.json:
            with open(options.json, "w") as file:
                json.dump(figures, file)
        is_good = figures["good"]
    except NoResponseError as problem:
        print(f"soak: {problem}; responses {dict(soak.load.answers)}, {soak.load.problems}", file=sys.stderr)
    finally:
        soak.load.cancel()
        cluster.end()
        if is_good:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            print(f"soak: failed; seed {options.seed}, all files are in {folder}", file=sys.stderr)
    return 0 if is_good else 1


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        sys.exit(main())
    except NotHere as problem:
        sys.exit(f"cluster-test: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)
