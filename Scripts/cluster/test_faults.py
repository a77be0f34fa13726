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

from check import AcknowledgedEvents, check
from load import Load, Writer
from processes import Cluster, MissingProgramError, request, wait_until


class ClusterTestCase(unittest.TestCase):
    """Tests that share a cluster, and accumulate the acknowledged events."""

    options = {}
    # The default numbers of senders with and without the SDK, and their rate.
    senders, raw, rate = 1, 2, 60

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="trackway-faults-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        try:
            cls.cluster = Cluster(cls.folder, proxy=False, **cls.options)
        except MissingProgramError as problem:
            raise unittest.SkipTest(str(problem)) from problem
        cls.before_start()
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()
        cls.acknowledged, cls.erased, cls.run_count = AcknowledgedEvents(), set(), 0

    @classmethod
    def before_start(cls):
        """Prepares the cluster before it starts; cleanups added here run after it has ended."""

    @contextlib.contextmanager
    def load(self, **options):
        """Runs the body under load, then checks every event acknowledged so far."""
        cls = type(self)
        cls.run_count += 1
        load = Load(self.cluster, f"{self.id()}/{cls.run_count}", **{"senders": self.senders, "raw": self.raw, "rate": self.rate, **options}, name=f"-{cls.run_count}")
        load.start()
        try:
            yield load
        except BaseException:
            load.cancel()
            raise
        acknowledged = load.stop()
        self.assertEqual(load.problems, [])
        self.acknowledged.add(acknowledged)
        self.check_all_events()

    def check_all_events(self):
        report = check(self.cluster, self.acknowledged, self.erased)
        self.assertTrue(report.passed, "\n".join(report.failures))
        self.assertGreater(report.figures["events"], 0)

    def wait_for_responses(self, load, more, timeout=60):
        """Waits until `more` additional batches have been answered with 200."""
        before = load.responses["200"]
        wait_until(lambda: load.responses["200"] >= before + more, f"{more} more batches are answered", timeout)

    def leader(self):
        """Returns the server that leads the stream, once all three servers are healthy."""
        wait_until(self.cluster.servers_are_healthy, "all three servers are healthy")
        found = self.cluster.leader()
        self.assertIsNotNone(found)
        return found

    def blocks(self):
        return self.cluster.engine.info("BLOCKS_0")["state"]["messages"]


class Faults(ClusterTestCase):
    """The fastest tests, which `make test-cluster` also runs."""

    def test_a_paused_leader_resumes_after_an_election(self):
        with self.load() as load:
            self.wait_for_responses(load, 10)
            leader = self.leader()
            leader.pause()
            self.wait_for_responses(load, 10)
            leader.resume()
            wait_until(self.cluster.servers_are_healthy, "all three servers are healthy")

    def test_a_full_stream_rejects_batches_until_it_is_enlarged(self):
        name = "INTAKE_0"
        info = self.cluster.engine.info(name)
        config = info["config"]
        def resize(size):
            self.cluster.engine.request(f"$JS.API.STREAM.UPDATE.{name}", {**config, "max_bytes": size}, timeout=5)
        # Runs without SDK senders, which would obey the response and retry only after a minute.
        with self.load(senders=0) as load:
            resize(info["state"]["bytes"] + 20_000)
            wait_until(lambda: load.responses["503"] > 2, "batches are rejected")
            refusals = [request(collector.port, "GET", "/readyz") for collector in self.cluster.collectors]
            self.assertIn("engine_full", str(refusals))
            resize(config["max_bytes"])
            self.wait_for_responses(load, 5)

    def test_a_batch_sent_to_two_collectors_at_once_is_stored_once(self):
        writer = Writer("both", 77)
        load = Load(self.cluster, "both", senders=0, raw=0)
        for _ in range(30):
            self.assertTrue(load.post(self.cluster.collectors, *writer.batch(5, rejected_share=0)))
        self.assertEqual(load.responses["200"], 60)
        self.acknowledged.add(load.acknowledged)
        self.check_all_events()

    def test_one_forwarder_continues_while_the_other_is_paused(self):
        one, other = self.cluster.forwarders
        with self.load() as load:
            self.wait_for_responses(load, 5)
            one.pause()
            before = self.blocks()
            wait_until(lambda: self.blocks() >= before + 3, "the other forwarder continues")
            one.resume()
            other.pause()
            before = self.blocks()
            wait_until(lambda: self.blocks() >= before + 3, "the resumed forwarder continues")
            other.resume()

    def test_the_check_finds_missing_rows_and_the_audit_restores_them(self):
        clickhouse = self.cluster.clickhouse
        with self.load(senders=0) as load:
            self.wait_for_responses(load, 3)
        clickhouse.query("ALTER TABLE events DELETE WHERE block = 1")
        wait_until(lambda: clickhouse.query_integer("SELECT count() FROM events WHERE block = 1") == 0, "the rows are deleted")
        report = check(self.cluster, self.acknowledged)
        self.assertTrue(any("ClickHouse: rows" in failure for failure in report.failures), report.failures)
        audit = self.cluster.command("cluster", "audit", *self.cluster.engine_options, *self.cluster.clickhouse_options)
        self.assertEqual(audit.returncode, 0, audit.stdout + audit.stderr)
        self.check_all_events()
        invented = AcknowledgedEvents()
        invented.ids.add(Writer("invented", 5).id(1))
        self.assertTrue(any("not in the stream" in failure for failure in check(self.cluster, invented).failures))


class FullDisk(ClusterTestCase):
    """One server has a separate disk that is small enough to fill: a tmpfs, which only root may mount."""

    options = {"uses_clickhouse": False}

    @classmethod
    def before_start(cls):
        cls.victim = cls.cluster.servers[2]
        os.makedirs(cls.victim.store)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400m", "tmpfs", cls.victim.store], capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            raise unittest.SkipTest(f"no file system can be mounted: {mounted.stderr.strip()}")
        cls.addClassCleanup(subprocess.run, ["umount", "--lazy", cls.victim.store], check=False)

    @property
    def filler_path(self):
        return f"{self.victim.store}/filler"

    def fill(self):
        """Fills the disk, and keeps it full until its server has disabled JetStream."""
        def is_off():
            with contextlib.suppress(OSError), open(self.filler_path, "ab", buffering=0) as file:
                while True:
                    file.write(b"\0" * (1 << 20))
            return json.loads(request(self.victim.http_port, "GET", "/jsz")[1] or "{}").get("disabled", False)
        wait_until(is_off, "the server disables JetStream")

    def check_engine(self):
        """Checks the engine, and returns the exit status and the JSON output."""
        checked = self.cluster.command("cluster", "check", *self.cluster.engine_options, "--json")
        return checked.returncode, json.loads(checked.stdout)

    def repair(self):
        os.remove(self.filler_path)
        # Free space alone does not enable JetStream again.
        self.assertTrue(json.loads(request(self.victim.http_port, "GET", "/jsz")[1])["disabled"])
        self.victim.stop(signal.SIGTERM)
        self.victim.start()
        wait_until(self.cluster.servers_are_healthy, "all three servers are healthy")
        wait_until(lambda: self.check_engine()[0] == 0, "the check of the engine succeeds")

    def check_intake(self, load):
        """Checks that batches are accepted, and that every report names the server that stores nothing."""
        self.wait_for_responses(load, 10)
        # Collectors check every ten seconds while no server is missing.
        for collector in self.cluster.collectors:
            wait_until(lambda collector=collector: self.is_counted(collector), f"{collector.name} counts the server", 15)
        start_time = time.monotonic()
        while time.monotonic() - start_time < 15:
            before = load.responses["200"]
            time.sleep(3)
            self.assertGreater(load.responses["200"], before, "No batch was accepted for three seconds.")
            status, output = self.check_engine()
            self.assertEqual((status, output["durable"], output["degraded"]), (2, True, True), output)
            self.assertIn(f"{self.victim.name} stores nothing", str(output["warnings"]))
            for collector in self.cluster.collectors:
                self.assertEqual(request(collector.port, "GET", "/readyz/intake")[0], 200)
                self.assertTrue(self.is_counted(collector))

    def is_counted(self, collector):
        """Returns whether a collector's metrics count two proven servers, and one that is off."""
        metrics = request(collector.port, "GET", "/metrics")[1]
        return 'trackway_engine_servers{state="proven"} 2\n' in metrics and 'trackway_engine_servers{state="off"} 1\n' in metrics

    def test_a_full_disk_of_one_server_does_not_stop_intake(self):
        if self.leader() is self.victim:
            self.cluster.engine.request("$JS.API.STREAM.LEADER.STEPDOWN.INTAKE_0", {}, timeout=5)
            wait_until(lambda: self.cluster.leader() not in (None, self.victim), "another server leads")
        with self.load(senders=0) as load:
            self.wait_for_responses(load, 10)
            self.fill()
            self.check_intake(load)
            # The server was not the leader, so no election was needed.
            self.assertLess(load.longest_gap, 10)
            self.repair()

    def test_a_full_disk_of_the_leader_causes_an_election(self):
        def leads():
            if self.leader() is not self.victim:
                self.cluster.engine.request("$JS.API.STREAM.LEADER.STEPDOWN.INTAKE_0", {"placement": {"preferred": self.victim.name}}, timeout=5)
                time.sleep(1)
            return self.cluster.leader() is self.victim
        wait_until(leads, "the server with the small disk leads")
        with self.load(senders=0) as load:
            self.wait_for_responses(load, 10)
            self.fill()
            self.check_intake(load)
            self.repair()


class OtherFaults(ClusterTestCase):
    """The other faults that can share a cluster."""

    def test_a_server_restarts_with_an_empty_disk(self):
        with self.load() as load:
            self.wait_for_responses(load, 5)
            server = next(server for server in self.cluster.servers if server is not self.leader())
            server.stop()
            shutil.rmtree(server.store)
            server.start()
            wait_until(self.cluster.servers_are_healthy, "all three servers are healthy")
            self.wait_for_responses(load, 5)

    def test_all_servers_are_restarted_one_by_one(self):
        with self.load() as load:
            for server in self.cluster.servers:
                self.wait_for_responses(load, 3)
                server.stop(signal.SIGTERM)
                server.start()
                wait_until(self.cluster.servers_are_healthy, "all three servers are healthy")

    def test_clickhouse_is_paused(self):
        with self.load() as load:
            self.wait_for_responses(load, 5)
            self.cluster.clickhouse.pause()
            self.wait_for_responses(load, 15)
            self.cluster.clickhouse.resume()

    def test_clickhouse_is_temporarily_read_only(self):
        clickhouse = self.cluster.clickhouse
        with self.load() as load:
            clickhouse.set_access(writes=False)
            try:
                wait_until(lambda: request(clickhouse.port, "POST", "/?database=trackway", b"CREATE TABLE probe (a UInt8) ENGINE = Memory")[0] != 200 or not self.drop(), "writes are rejected")
                self.wait_for_responses(load, 15)
            finally:
                clickhouse.set_access(writes=True)

    def drop(self):
        """Drops the table whose creation showed that writes are still allowed."""
        return self.cluster.clickhouse.query("DROP TABLE probe") == []


if __name__ == "__main__":
    unittest.main()
