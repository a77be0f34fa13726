# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""One fault after the other on one cluster, each under load, and after each the check of everything there has been so far."""
import contextlib
import shutil
import signal
import tempfile
import unittest

from check import Acknowledged, check
from load import Load, Writer
from parts import Cluster, NotHere, request, until


class OnCluster(unittest.TestCase):
    """Tests on a cluster that they share; what was acknowledged adds up."""

    options = {}
    # Who sends in these tests, unless said otherwise.
    senders, raw, rate = 1, 2, 60

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="trackway-faults-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        try:
            cls.cluster = Cluster(cls.folder, proxy=False, **cls.options)
        except NotHere as problem:
            raise unittest.SkipTest(str(problem)) from problem
        cls.addClassCleanup(cls.cluster.end)
        cls.cluster.start()
        cls.acknowledged, cls.erased, cls.runs = Acknowledged(), set(), 0

    @contextlib.contextmanager
    def load(self, **options):
        """Under load; then everything that was ever acknowledged is looked for."""
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
        """Until so many more batches were answered with 200."""
        before = load.answers["200"]
        until(lambda: load.answers["200"] >= before + more, f"{more} more batches are answered", within)

    def leader(self):
        """The server that leads the stream, once all three are well."""
        until(self.cluster.servers_are_well, "all three are well")
        found = self.cluster.leader()
        self.assertIsNotNone(found)
        return found

    def blocks(self):
        return self.cluster.engine.info("BLOCKS_0")["state"]["messages"]


class Faults(OnCluster):
    """The quickest; `make test-cluster` runs them, too."""

    def test_a_leader_that_is_paused_comes_back_to_another_leader(self):
        with self.load() as load:
            self.answers(load, 10)
            leader = self.leader()
            leader.pause()
            self.answers(load, 10)
            leader.go_on()
            until(self.cluster.servers_are_well, "all three are well")

    def test_a_stream_that_is_full_takes_nothing_until_it_is_larger(self):
        name = "INTAKE_0"
        info = self.cluster.engine.info(name)
        config = info["config"]
        def resize(size):
            self.cluster.engine.request(f"$JS.API.STREAM.UPDATE.{name}", {**config, "max_bytes": size}, within=5)
        # Without the SDK, which would come back a minute later, as it is told.
        with self.load(senders=0) as load:
            resize(info["state"]["bytes"] + 20_000)
            until(lambda: load.answers["503"] > 2, "batches are refused")
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
            until(lambda: self.blocks() >= before + 3, "the other goes on")
            one.go_on()
            other.pause()
            before = self.blocks()
            until(lambda: self.blocks() >= before + 3, "the one that woke goes on")
            other.go_on()

    def test_the_check_notices_what_is_missing_and_the_audit_mends_it(self):
        clickhouse = self.cluster.clickhouse
        with self.load(senders=0) as load:
            self.answers(load, 3)
        clickhouse.ask("ALTER TABLE events DELETE WHERE block = 1")
        until(lambda: clickhouse.number("SELECT count() FROM events WHERE block = 1") == 0, "the rows are gone")
        report = check(self.cluster, self.acknowledged)
        self.assertTrue(any("ClickHouse: rows" in failure for failure in report.failures), report.failures)
        audit = self.cluster.command("engine", "audit", *self.cluster.engine_options, *self.cluster.column_options)
        self.assertEqual(audit.returncode, 0, audit.stdout + audit.stderr)
        self.expect_whole()
        invented = Acknowledged()
        invented.ids.add(Writer("nobody", 5).id(1))
        self.assertTrue(any("not in the stream" in failure for failure in check(self.cluster, invented).failures))


class MoreFaults(OnCluster):
    """The others that fit one cluster."""

    def test_a_server_comes_back_with_an_empty_disk(self):
        with self.load() as load:
            self.answers(load, 5)
            server = next(server for server in self.cluster.servers if server is not self.leader())
            server.end()
            shutil.rmtree(server.store)
            server.start()
            until(self.cluster.servers_are_well, "all three are well")
            self.answers(load, 5)

    def test_all_servers_are_restarted_one_by_one(self):
        with self.load() as load:
            for server in self.cluster.servers:
                self.answers(load, 3)
                server.end(signal.SIGTERM)
                server.start()
                until(self.cluster.servers_are_well, "all three are well")

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
                until(lambda: request(clickhouse.port, "POST", "/?database=trackway", b"CREATE TABLE probe (a UInt8) ENGINE = Memory")[0] != 200 or not self.drop(), "writes are refused")
                self.answers(load, 15)
            finally:
                clickhouse.allow(writes=True)

    def drop(self):
        """Takes away what showed that writes are allowed still."""
        return self.cluster.clickhouse.ask("DROP TABLE probe") == []


if __name__ == "__main__":
    unittest.main()
