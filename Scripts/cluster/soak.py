# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Kills and pauses every part of a cluster under load at seeded times, then checks everything.

    soak.py [--minutes 20] [--seed N] [--rate 60] [--grow] [--json FILE]

The seed determines which parts fail, when, and for how long; everything else depends on the machine. The folder of a
failed run is kept.
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
from processes import Cluster, MissingProgramError, trackway, wait_until
from stream import NoResponseError

# The durations for which a killed part stays down and a part is paused, in seconds.
DOWNTIME, PAUSE = (0.2, 4), (1, 7)
# The time until the next fault of a kind, in seconds.
FAULT_INTERVALS = {
    "leader": (10, 20), "server": (10, 20), "collector": (6, 12), "forwarder": (6, 12), "ClickHouse": (20, 35),
    "leader paused": (50, 90), "forwarder paused": (30, 60), "ClickHouse paused": (40, 80), "no quorum": (120, 200),
}
# With --grow: the time between stream changes, the number of new streams, and the time after which the process that
# changes them may be killed.
CHANGE_INTERVAL, STREAM_COUNT, KILL_DELAY = (25, 50), (1, 5), (0.5, 12)
SERVER_FAULTS = {"leader", "server", "leader paused", "no quorum"}
# Exit statuses of a collector or forwarder that finds no proven engine at startup. A supervisor restarts it.
EXPECTED_EXIT_STATUSES = {69, 73, 75}


class HealthMonitor:
    """Checks twice a second whether all NATS servers are healthy, and which one leads."""

    def __init__(self, cluster):
        self.cluster, self.is_healthy, self.leader, self.is_stopped = cluster, False, None, False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        cluster = self.cluster
        while not self.is_stopped:
            is_healthy = cluster.servers_are_healthy()
            self.leader = cluster.leader() if is_healthy else None
            self.is_healthy = is_healthy and self.leader is not None
            time.sleep(0.5)


class Soak:
    def __init__(self, cluster, seed, minutes, rate, changes_streams=False):
        self.cluster, self.minutes = cluster, minutes
        self.stream_change, self.streams, self.change_results = None, 0, collections.Counter()
        self.intervals = dict(FAULT_INTERVALS, growth=CHANGE_INTERVAL) if changes_streams else FAULT_INTERVALS
        self.rng, self.load = random.Random(f"{seed}/faults"), Load(cluster, seed, rate=rate)
        self.kills, self.pauses, self.exits, self.problems = collections.Counter(), collections.Counter(), collections.Counter(), []
        # Scheduled actions: time, sequence number, action.
        self.scheduled, self.count, self.down = [], 0, set()
        self.quorum_lost, self.accepted_without_quorum = 0, 0

    def run(self):
        cluster = self.cluster
        cluster.start()
        self.monitor = HealthMonitor(cluster)
        self.load.start()
        start_time = time.monotonic()
        due = {kind: start_time + self.rng.uniform(*interval) for kind, interval in self.intervals.items()}
        last_printed = start_time
        while (now := time.monotonic()) < start_time + 60 * self.minutes:
            self._run_due_actions(now)
            self._restart_exited_parts()
            for kind, interval in self.intervals.items():
                if now >= due[kind] and self._is_possible(kind):
                    self._cause_fault(kind, now)
                    due[kind] = now + self.rng.uniform(*interval)
            if now > last_printed + 60:
                last_printed = now
                print(f"soak: {(now - start_time) / 60:.0f} min, {sum(self.kills.values())} kills, responses {dict(self.load.responses)}", file=sys.stderr, flush=True)
            time.sleep(0.05)
        while self.scheduled:
            self._run_due_actions(time.monotonic())
            self._restart_exited_parts()
            time.sleep(0.05)
        if self.change_results:
            wait_until(self._is_change_complete, "the last stream change has ended", 180)
        all_delivered = threading.Event()
        # Parts that give up while senders deliver the remaining events are restarted.
        waiting = threading.Thread(target=lambda: (self.load.stop(), all_delivered.set()))
        waiting.start()
        while not all_delivered.is_set():
            self._restart_exited_parts()
            time.sleep(0.1)
        wait_until(self._is_healthy, "everything runs", 120)
        self.monitor.is_stopped = True
        self.monitor.thread.join()
        return check(cluster, self.load.acknowledged)

    def _change_streams(self):
        """Starts the next stream change; completes a killed one first."""
        if self.stream_change is None or self.stream_change.returncode == 0:
            self.streams = self.rng.randint(*STREAM_COUNT)
        self.stream_change = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", trackway(), "cluster", "plan", "--streams", str(self.streams), *self.cluster.engine_options],
            stdout=subprocess.DEVNULL, stderr=open(f"{self.cluster.folder}/growth.log", "a"),
        )
        self.change_results["begun"] += 1
        if self.rng.random() < 0.5:
            process = self.stream_change
            self._schedule(self.rng.uniform(*KILL_DELAY), process.kill)

    def _is_change_complete(self):
        self._restart_exited_parts()
        if self.stream_change.poll() not in (None, 0):
            self._change_streams()
        return self.stream_change.poll() == 0

    def _is_healthy(self):
        self._restart_exited_parts()
        return self.cluster.is_healthy()

    def _is_possible(self, kind):
        """Returns whether a fault of this kind may happen now.

        Two of three servers are never down at the same time, except as the fault "no quorum".
        """
        if kind == "growth":
            return self.stream_change is None or self.stream_change.poll() is not None
        if kind in SERVER_FAULTS:
            is_busy = any(server in self.down for server in self.cluster.servers)
            return self.monitor.is_healthy and not is_busy
        return bool(self._available_parts(kind))

    def _available_parts(self, kind):
        parts = {"collector": self.cluster.collectors, "forwarder": self.cluster.forwarders, "ClickHouse": [self.cluster.clickhouse]}[kind.split()[0]]
        return [part for part in parts if part not in self.down and part.is_running]

    def _schedule(self, seconds, action):
        self.count += 1
        self.scheduled.append((time.monotonic() + seconds, self.count, action))
        self.scheduled.sort(key=lambda item: item[:2])

    def _run_due_actions(self, now):
        while self.scheduled and self.scheduled[0][0] <= now:
            self.scheduled.pop(0)[2]()

    def _restart_exited_parts(self):
        """Counts and restarts parts that exited on their own.

        An unexpected exit status fails the run.
        """
        for part in self.cluster.parts:
            if part not in self.down and part.process and not part.is_running:
                status = part.process.returncode
                self.exits[f"{part.name}: {status}"] += 1
                if status not in EXPECTED_EXIT_STATUSES:
                    self.problems.append(f"{part.name} exited with status {status}: {part.log()[-400:]}")
                part.start()

    def _cause_fault(self, kind, now):
        rng = self.rng
        if kind == "growth":
            if self.stream_change is not None:
                self.change_results["ended" if self.stream_change.returncode == 0 else f"ended with {self.stream_change.returncode}"] += 1
            return self._change_streams()
        if kind == "no quorum":
            return self._lose_quorum()
        if kind in SERVER_FAULTS:
            others = [server for server in self.cluster.servers if server is not self.monitor.leader]
            part = rng.choice(others) if kind == "server" else self.monitor.leader
        else:
            part = rng.choice(self._available_parts(kind))
        self.down.add(part)
        if kind.endswith("paused"):
            self.pauses[kind.removesuffix(" paused")] += 1
            part.pause()
            self._schedule(rng.uniform(*PAUSE), lambda: self._bring_back(part, part.resume))
        else:
            self.kills[kind] += 1
            part.stop(signal.SIGKILL)
            self._schedule(rng.uniform(*DOWNTIME), lambda: self._bring_back(part, part.start))

    def _bring_back(self, part, action):
        action()
        self.down.discard(part)
        # The watch's earlier result is no longer valid.
        self.monitor.is_healthy = False

    def _lose_quorum(self):
        victims = self.rng.sample(self.cluster.servers, 2)
        for server in victims:
            self.down.add(server)
            self.kills["leader" if server is self.monitor.leader else "server"] += 1
            server.process.kill()
        for server in victims:
            server.stop()
        self.quorum_lost += 1
        lost_at = time.monotonic()
        def restore():
            self.accepted_without_quorum += self.load.count_answered_between(lost_at, time.monotonic())
            for server in victims:
                self._bring_back(server, server.start)
        self._schedule(self.rng.uniform(4, 14), restore)


def print_figures(soak, report, seed, seconds):
    """Prints the figures and problems of a run, and returns them in machine-readable form."""
    problems = [*soak.problems, *soak.load.problems, *report.failures]
    if soak.accepted_without_quorum:
        problems.append(f"{soak.accepted_without_quorum} batches were answered while two of three servers were down")
    figures = {
        "good": report.passed and not problems, "seed": seed, "seconds": round(seconds), "kills": dict(soak.kills), "killed": sum(soak.kills.values()), "pauses": dict(soak.pauses),
        "without quorum": soak.quorum_lost, "answered without quorum": soak.accepted_without_quorum, "ended by itself": dict(soak.exits),
        "growths": dict(soak.change_results), "answers": dict(soak.load.responses), "sender processes": soak.load.process_count, "longest silence": round(soak.load.longest_gap, 1), "compared": len(report.lines), **report.figures, "problems": problems,
    }
    for name, found in figures.items():
        if name != "problems":
            print(f"{name:<24} {', '.join(f'{name} {count}' for name, count in sorted(found.items())) if isinstance(found, dict) else found}")
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
    start_time, folder, passed = time.monotonic(), tempfile.mkdtemp(prefix="trackway-soak-"), False
    cluster = Cluster(folder)
    soak = Soak(cluster, options.seed, options.minutes, options.rate, options.grow)
    try:
        figures = print_figures(soak, soak.run(), options.seed, time.monotonic() - start_time)
        if options.json:
            with open(options.json, "w") as file:
                json.dump(figures, file)
        passed = figures["good"]
    except NoResponseError as problem:
        print(f"soak: {problem}; responses {dict(soak.load.responses)}, {soak.load.problems}", file=sys.stderr)
    finally:
        soak.load.cancel()
        cluster.stop()
        if passed:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            print(f"soak: failed; seed {options.seed}, all files are in {folder}", file=sys.stderr)
    return 0 if passed else 1


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        sys.exit(main())
    except MissingProgramError as problem:
        sys.exit(f"cluster-test: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)
