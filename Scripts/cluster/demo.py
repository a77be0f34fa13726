# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""The cluster demo: shops send events through nginx while parts of the cluster are killed.

It shows the ledger at the end.
"""
import collections
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import uuid

from check import AcknowledgedEvents, check
from processes import Cluster, MissingProgramError, wait_until
from stream import NoResponseError

SHOPS = 3


def print_step(label, text):
    print(f"{label:<10} {text}", flush=True)


class Shop:
    """A shop with a journal, run as one process after another.

    `ledger` has the last process's report.
    """

    def __init__(self, number, cluster, program):
        self.number, self.cluster, self.program = number, cluster, program
        self.folder = f"{cluster.folder}/shop-{number}"
        self.ledger, self.process, self.is_stopping, self.is_cancelled = None, None, False, False
        self.thread = threading.Thread(target=self._run)

    def _run(self):
        rng = random.Random(self.number)
        while not self.is_stopping:
            self._visit(rng.randrange(1 << 30), visitors=25, pace=200)
        for _ in range(10):
            if self.is_cancelled or (self._visit(1, visitors=1, pace=1000) and self.account["pending"] == 0):
                return

    def _visit(self, seed, visitors, pace):
        command = ["setpriv", "--pdeathsig", "KILL", self.program, "--visitors", str(visitors), "--pace", str(pace), "--seed", str(seed), "--phone", str(self.number), "--collector", f"http://127.0.0.1:{self.cluster.port}", "--key", self.cluster.key, "--data", self.folder, "--json"]
        with open(f"{self.folder}.log", "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, start_new_session=True)
        if self.is_cancelled:
            self.process.kill()
        text, _ = self.process.communicate()
        lines = text.decode().splitlines()
        if lines and lines[-1].startswith("{"):
            self.ledger = json.loads(lines[-1])
        return self.process.returncode == 0

    @property
    def account(self):
        return self.ledger["destinations"]["collector"]

    def cancel(self):
        self.is_stopping = self.is_cancelled = True
        if self.process and self.process.poll() is None:
            self.process.kill()


class Demo:
    def __init__(self, cluster, program):
        self.cluster = cluster
        self.shops = [Shop(number, cluster, program) for number in range(1, SHOPS + 1)]

    def run(self):
        """Returns whether no event was lost or duplicated."""
        cluster, start_time = self.cluster, time.monotonic()
        cluster.start()
        print_step("Cluster", f"three NATS servers, two collectors behind nginx, two forwarders, ClickHouse: started in {time.monotonic() - start_time:.0f} s")
        print_step("Shops", f"{SHOPS} shops, each a process with its own journal; their visitors' events go through nginx")
        for shop in self.shops:
            shop.thread.start()
        self._wait_for_records(20)
        self._kill_and_restart(wait_for_value(cluster.leader, "the stream has a leader"), "it led the stream")
        self._kill_and_restart(cluster.collectors[0], "nginx sends requests to the other collector")
        self._kill_and_restart(cluster.clickhouse, "records wait in the stream until it restarts")
        print_step("Restart", f"every part, one after another: {', '.join(part.name for part in cluster.parts)}")
        for part in cluster.parts:
            self._restart(part)
        print_step("Restart", "done; the last visitors leave, and pending events are delivered")
        for shop in self.shops:
            shop.is_stopping = True
        for shop in self.shops:
            while shop.thread.is_alive():
                shop.thread.join(0.2)
        return self._check_and_print_ledger()

    def _last_sequence(self):
        try:
            return self.cluster.engine.info("INTAKE_0")["state"]["last_seq"]
        except NoResponseError:
            return 0

    def _wait_for_records(self, count):
        """Waits until `count` more records are in the stream; returns the seconds taken."""
        start_time, before = time.monotonic(), wait_for_value(self._last_sequence, "the stream responds")
        wait_until(lambda: self._last_sequence() >= before + count, "new records arrive")
        return time.monotonic() - start_time

    def _kill_and_restart(self, part, explanation):
        part.stop(signal.SIGKILL)
        seconds = self._wait_for_records(1)
        print_step("kill -9", f"{part.name}: {explanation}; the next record was accepted {seconds:.1f} s later")
        self._wait_for_records(10)
        part.start()
        wait_until(self.cluster.is_healthy, f"everything runs again after {part.name}")

    def _restart(self, part):
        status = part.stop(signal.SIGTERM)
        part.start()
        wait_until(self.cluster.is_healthy, f"everything runs again after {part.name}")
        if status not in (0, -signal.SIGTERM, 1) and part not in self.cluster.servers:
            print_step("Restart", f"{part.name} exited with status {status}")

    def _check_and_print_ledger(self):
        report = check(self.cluster, AcknowledgedEvents())
        columns = ["recorded", "delivered", *(collector.name for collector in self.cluster.collectors), "ClickHouse"]
        stores = [*(rows_of_index(collector) for collector in self.cluster.collectors), rows_of_tables(self.cluster.clickhouse)]
        table, lost, duplicated, balanced = [], 0, 0, report.passed
        for shop in self.shops:
            installation = uuid.UUID(shop.ledger["installation"]).hex
            recorded, dropped = shop.ledger["recorded"], sum(shop.account["dropped"].values())
            counts = [store[installation] for store in stores]
            table.append([f"shop {shop.number}", recorded, shop.account["delivered"], *(rows for rows, _ in counts)])
            balanced = balanced and shop.ledger["balanced"] and recorded == shop.account["delivered"] and dropped == 0
            lost += sum(max(0, recorded - distinct) for _, distinct in counts)
            duplicated += sum(rows - distinct for rows, distinct in counts)
        table.append(["all", *(sum(row[column] for row in table) for column in range(1, len(columns) + 1))])
        print()
        print(f"{'':<8}" + "".join(f"{column:>13}" for column in columns))
        for row in table:
            print(f"{row[0]:<8}" + "".join(f"{value:>13,}" for value in row[1:]))
        print(f"\n{lost} lost, {duplicated} duplicated.", flush=True)
        for failure in report.failures:
            print(f"failed: {failure}")
        return balanced and lost == 0 and duplicated == 0 and len({value for value in table[-1][1:]}) == 1


def wait_for_value(read, label):
    """Waits until `read` returns a true value, and returns that value."""
    found = []
    def has_value():
        found[:] = [read()]
        return bool(found[0])
    wait_until(has_value, label)
    return found[0]


def rows_of_index(collector):
    """Returns the numbers of rows and of distinct events per installation in a collector's index."""
    database = sqlite3.connect(f"file:{collector.data}/index.sqlite?mode=ro", uri=True)
    try:
        rows = database.execute("SELECT installations.id, count(*), count(DISTINCT events.id) FROM events JOIN installations ON installations.number = events.installation GROUP BY 1")
        return collections.defaultdict(lambda: (0, 0), {bytes(row[0]).hex(): row[1:] for row in rows})
    finally:
        database.close()


def rows_of_tables(clickhouse):
    rows = clickhouse.query("SELECT lower(hex(installation)), count(), uniqExact(id) FROM events FINAL GROUP BY installation FORMAT TabSeparated")
    return collections.defaultdict(lambda: (0, 0), {row[0]: (int(row[1]), int(row[2])) for row in rows})


def main(program, keeps_running):
    with tempfile.TemporaryDirectory(prefix="trackway-cluster-") as folder:
        cluster = Cluster(folder)
        demo = Demo(cluster, program)
        try:
            passed = demo.run()
            if keeps_running:
                print(f"\nPage        http://127.0.0.1:{cluster.collectors[0].port} and http://127.0.0.1:{cluster.collectors[1].port}")
                print(f"ClickHouse  http://127.0.0.1:{cluster.clickhouse.port}, database trackway: curl 'http://127.0.0.1:{cluster.clickhouse.port}/?database=trackway' -d 'SELECT name, count() FROM events FINAL GROUP BY name'")
                print(f"Send        trackway send --url http://127.0.0.1:{cluster.port} --key {cluster.key} hello world=1")
                print("Press Ctrl-C to stop everything; all data is deleted.", flush=True)
                while True:
                    time.sleep(1)
            return 0 if passed else 1
        finally:
            for shop in demo.shops:
                shop.cancel()
            cluster.stop()


def interrupt(*_):
    # Handles only the first signal, because the shutdown itself must not be interrupted.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    try:
        sys.exit(main(sys.argv[1], os.environ.get("CLUSTER_DEMO_EXIT") != "1"))
    except (MissingProgramError, NoResponseError) as problem:
        sys.exit(f"cluster-demo: {problem}")
    except KeyboardInterrupt:
        print("\ncluster-demo: stopped", file=sys.stderr)
        sys.exit(130)
