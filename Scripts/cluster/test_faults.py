# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""One fault after another on one cluster under load, each followed by a check of all events so far."""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from check import Acknowledged, check
from load import Load, Writer
from parts import Cluster, NotHere, request, until


class OnCluster(unittest.TestCase):
    """Tests that share a cluster, and accumulate the acknowledged events."""

    options = {}
    # The defaults: the numbers of senders with and without the SDK, and their rate.
    senders, raw, rate = 1, 2, 60

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="trackway-faults-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        try:
            cls.cluster = Cluster(cls.folder, proxy=False, **cls.options)
        except NotHere as problem:
            raise unittest.SkipTest(str(problem)) from problem
        cls.before_start()
        cls.addClassCleanup(cls.cluster.end)
        cls.cluster.start()
        cls.acknowledged, cls.erased, cls.runs = Acknowledged(), set(), 0

    @classmethod
    def before_start(cls):
        """Prepares the cluster before it starts; cleanups added here run after it has ended."""

    @contextlib.contextmanager
    def load(self, **options):
        """Runs the body under load, then checks every event that was ever acknowledged."""
        cls = type(self)
        cls.runs += 1
        load = Load(self.cluster, f"{self.id()}/{cls.runs}", **{"senders": self.senders, "raw": self.raw, "rate": self.rate, **options}, name=f"-{cls.runs}")
        load.start()
        try:
            yield load
        except BaseException:
            load.cancel()
            raise
        acknowledged = load.end()
        self.assertEqual(load.problems, [])
        self.acknowledged.add(acknowledged)
        self.expect_whole()

    def expect_whole(self):
        report = check(self.cluster, self.acknowledged, self.erased)
        self.assertTrue(report.is_good, "\n".join(report.failures))
        self.assertGreater(report.figures["events"], 0)

    def answers(self, load, more, within=60):
        """Waits until `more` more batches were answered with 200."""
        before = load.answers["200"]
        until(lambda: load.answers["200"] >= before + more, f"{more} more batches are answered", within)

    def leader(self):
        """Returns the server that leads the stream, once all three servers are healthy."""
        until(self.cluster.servers_are_well, "all three servers are healthy")
        found = self.cluster.leader()
        self.assertIsNotNone(found)
        return found

    def blocks(self):
        return self.cluster.engine.info("BLOCKS_0")["state"]["messages"]


class Faults(OnCluster):
    """The fastest tests, which `make test-cluster` also runs."""

    def test_a_leader_that_is_paused_comes_back_to_another_leader(self):
        with self.load() as load:
            self.answers(load, 10)
            leader = self.leader()
            leader.pause()
            self.answers(load, 10)
            leader.go_on()
            until(self.cluster.servers_are_well, "all three servers are healthy")

    def test_a_stream_that_is_full_takes_nothing_until_it_is_larger(self):
        name = "INTAKE_0"
        info = self.cluster.engine.info(name)
        config = info["config"]
        def resize(size):
            self.cluster.engine.request(f"$JS.API.STREAM.UPDATE.{name}", {**config, "max_bytes": size}, within=5)
        # Without SDK senders, which would follow the response and retry only after a minute.
        with self.load(senders=0) as load:
            resize(info["state"]["bytes"] + 20_000)
            until(lambda: load.answers["503"] > 2, "batches are rejected")
            refusals = [request(collector.port, "GET", "/readyz") for collector in self.cluster.collectors]
            self.assertIn("engine_full", str(refusals))
            resize(config["max_bytes"])
            self.answers(load, 5)

    def test_the_same_batch_at_two_collectors_at_once_is_there_once(self):
        writer = Writer("both", 77)
        load = Load(self.cluster, "both", senders=0, raw=0)
        for _ in range(30):
            self.assertTrue(load.post(self.cluster.collectors, *writer.batch(5, refused=0)))
        self.assertEqual(load.answers["200"], 60)
        self.acknowledged.add(load.acknowledged)
        self.expect_whole()

    def test_a_forwarder_sleeps_while_the_other_goes_on_and_wakes(self):
        one, other = self.cluster.forwarders
        with self.load() as load:
            self.answers(load, 5)
            one.pause()
            before = self.blocks()
            until(lambda: self.blocks() >= before + 3, "the other forwarder continues")
            one.go_on()
            other.pause()
            before = self.blocks()
            until(lambda: self.blocks() >= before + 3, "the resumed forwarder continues")
            other.go_on()

    def test_the_check_notices_what_is_missing_and_the_audit_mends_it(self):
        clickhouse = self.cluster.clickhouse
        with self.load(senders=0) as load:
            self.answers(load, 3)
        clickhouse.ask("ALTER TABLE events DELETE WHERE block = 1")
        until(lambda: clickhouse.number("SELECT count() FROM events WHERE block = 1") == 0, "the rows are deleted")
        report = check(self.cluster, self.acknowledged)
        self.assertTrue(any("ClickHouse: rows" in failure for failure in report.failures), report.failures)
        audit = self.cluster.command("engine", "audit", *self.cluster.engine_options, *self.cluster.column_options)
        self.assertEqual(audit.returncode, 0, audit.stdout + audit.stderr)
        self.expect_whole()
        invented = Acknowledged()
        invented.ids.add(Writer("invented", 5).id(1))
        self.assertTrue(any("not in the stream" in failure for failure in check(self.cluster, invented).failures))


class FullDisk(OnCluster):
    """One server has a separate disk that is small enough to fill: a tmpfs, which only root may mount."""

    options = {"columns": False}

    @classmethod
    def before_start(cls):
        cls.victim = cls.cluster.servers[2]
        os.makedirs(cls.victim.store)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400m", "tmpfs", cls.victim.store], capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            raise unittest.SkipTest(f"no file system can be mounted: {mounted.stderr.strip()}")
        cls.addClassCleanup(subprocess.run, ["umount", "--lazy", cls.victim.store], check=False)

    @property
    def filler(self):
        return f"{self.victim.store}/filler"

    def fill(self):
        """Fills the disk, and keeps it full until its server has disabled JetStream."""
        def is_off():
            with contextlib.suppress(OSError), open(self.filler, "ab", buffering=0) as file:
                while True:
                    file.write(b"\0" * (1 << 20))
            return json.loads(request(self.victim.http_port, "GET", "/jsz")[1] or "{}").get("disabled", False)
        until(is_off, "the server disables JetStream")

    def check_engine(self):
        """Checks the engine, and returns the exit status and the JSON output."""
        checked = self.cluster.command("engine", "check", *self.cluster.engine_options, "--json")
        return checked.returncode, json.loads(checked.stdout)

    def repair(self):
        os.remove(self.filler)
        # Free space alone does not enable JetStream again.
        self.assertTrue(json.loads(request(self.victim.http_port, "GET", "/jsz")[1])["disabled"])
        self.victim.end(signal.SIGTERM)
        self.victim.start()
        until(self.cluster.servers_are_well, "all three servers are healthy")
        until(lambda: self.check_engine()[0] == 0, "the check of the engine succeeds")

    def expect_intake(self, load):
        """Checks that batches are accepted, and that every report names the server that stores nothing."""
        self.answers(load, 10)
        # Collectors check every ten seconds while no server is missing.
        for collector in self.cluster.collectors:
            until(lambda collector=collector: self.is_counted(collector), f"{collector.name} counts the server", 15)
        began = time.monotonic()
        while time.monotonic() - began < 15:
            before = load.answers["200"]
            time.sleep(3)
            self.assertGreater(load.answers["200"], before, "No batch was accepted for three seconds.")
            status, told = self.check_engine()
            self.assertEqual((status, told["durable"], told["degraded"]), (2, True, True), told)
            self.assertIn(f"{self.victim.name} stores nothing", str(told["warnings"]))
            for collector in self.cluster.collectors:
                self.assertEqual(request(collector.port, "GET", "/readyz/intake")[0], 200)
                self.assertTrue(self.is_counted(collector))

    def is_counted(self, collector):
        """Whether a collector's metrics count two proven servers, and one that is off."""
        metrics = request(collector.port, "GET", "/metrics")[1]
        return 'trackway_engine_servers{state="proven"} 2\n' in metrics and 'trackway_engine_servers{state="off"} 1\n' in metrics

    def test_the_full_disk_of_one_server_stops_nothing(self):
        if self.leader() is self.victim:
            self.cluster.engine.request("$JS.API.STREAM.LEADER.STEPDOWN.INTAKE_0", {}, within=5)
            until(lambda: self.cluster.leader() not in (None, self.victim), "another server leads")
        with self.load(senders=0) as load:
            self.answers(load, 10)
            self.fill()
            self.expect_intake(load)
            # The server was not the leader, so no election was needed.
            self.assertLess(load.silence, 10)
            self.repair()

    def test_the_full_disk_of_the_leader_costs_an_election(self):
        def leads():
            if self.leader() is not self.victim:
                self.cluster.engine.request("$JS.API.STREAM.LEADER.STEPDOWN.INTAKE_0", {"placement": {"preferred": self.victim.name}}, within=5)
                time.sleep(1)
            return self.cluster.leader() is self.victim
        until(leads, "the server with the small disk leads")
        with self.load(senders=0) as load:
            self.answers(load, 10)
            self.fill()
            self.expect_intake(load)
            self.repair()


class MoreFaults(OnCluster):
    """The other faults that can share a cluster."""

    def test_a_server_comes_back_with_an_empty_disk(self):
        with self.load() as load:
            self.answers(load, 5)
            server = next(server for server in self.cluster.servers if server is not self.leader())
            server.end()
            shutil.rmtree(server.store)
            server.start()
            until(self.cluster.servers_are_well, "all three servers are healthy")
            self.answers(load, 5)

    def test_all_servers_are_restarted_one_by_one(self):
        with self.load() as load:
            for server in self.cluster.servers:
                self.answers(load, 3)
                server.end(signal.SIGTERM)
                server.start()
                until(self.cluster.servers_are_well, "all three servers are healthy")

    def test_clickhouse_is_paused(self):
        with self.load() as load:
            self.answers(load, 5)
            self.cluster.clickhouse.pause()
            self.answers(load, 15)
            self.cluster.clickhouse.go_on()

    def test_clickhouse_takes_no_writes_for_a_while(self):
        clickhouse = self.cluster.clickhouse
        with self.load() as load:
            clickhouse.allow(writes=False)
            try:
                until(lambda: request(clickhouse.port, "POST", "/?database=trackway", b"CREATE TABLE probe (a UInt8) ENGINE = Memory")[0] != 200 or not self.drop(), "writes are rejected")
                self.answers(load, 15)
            finally:
                clickhouse.allow(writes=True)

    def drop(self):
        """Drops the table whose creation showed that writes are still allowed."""
        return self.cluster.clickhouse.ask("DROP TABLE probe") == []


if __name__ == "__main__":
    unittest.main()
