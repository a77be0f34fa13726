# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Kills parts of a cluster under load, and compares the acknowledged events with every store."""
import unittest

from processes import wait_until
from test_faults import ClusterTestCase


class Smoke(ClusterTestCase):
    """Takes at most a minute; `make smoke-cluster` runs it for every change."""

    def test_killing_the_leader_a_collector_and_a_forwarder_loses_no_event(self):
        with self.load() as load:
            self.wait_for_responses(load, 10)
            leader = self.leader()
            leader.stop()
            self.wait_for_responses(load, 10)
            leader.start()
            collector = self.cluster.collectors[0]
            collector.stop()
            self.wait_for_responses(load, 10)
            collector.start()
            self.cluster.forwarders[0].stop()
            self.wait_for_responses(load, 10)
            self.cluster.forwarders[0].start()
            wait_until(self.cluster.servers_are_healthy, "all three servers are healthy")

    def test_a_check_of_a_healthy_engine_succeeds(self):
        with self.load() as load:
            self.wait_for_responses(load, 3)
        found = self.cluster.command("cluster", "check", *self.cluster.engine_options, *self.cluster.clickhouse_options)
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)


if __name__ == "__main__":
    unittest.main()
