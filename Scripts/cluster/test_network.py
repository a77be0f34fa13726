# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""NATS servers in separate network namespaces, with interrupted connections between them.

Requires root. No traffic leaves the namespaces.
"""
import json
import os
import subprocess
import sys
import unittest

from load import Load, Writer
from processes import PASSWORD, USER, Collector, wait_until
from stream import Engine, NoResponseError
from test_faults import ClusterTestCase

IN_NAMESPACE = "TRACKWAY_OWN_NETWORK"
HOSTS = [f"10.99.0.{number}" for number in (1, 2, 3)]


class Network(unittest.TestCase):
    @unittest.skipIf(os.environ.get(IN_NAMESPACE), "Already in the network namespace.")
    def test_in_a_separate_network_namespace(self):
        unshare = ["unshare", "--net", "--mount", "--"]
        if subprocess.run([*unshare, "sh", "-c", "mount -t tmpfs own /run && ip netns add trial"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no network namespace can be created; this requires root")
        tests = subprocess.run([*unshare, sys.executable, "-m", "unittest", "--verbose", "test_network"], env={**os.environ, IN_NAMESPACE: "1"}, capture_output=True, text=True, check=False)
        self.assertEqual(tests.returncode, 0, tests.stderr)


def ip(*words):
    subprocess.run(["ip", *words], check=True)


@unittest.skipUnless(os.environ.get(IN_NAMESPACE), "Runs only in a separate network namespace; see above.")
class NetworkPartition(ClusterTestCase):
    raw, senders = 1, 1

    @classmethod
    def setUpClass(cls):
        subprocess.run(["mount", "-t", "tmpfs", "own", "/run"], check=True)
        ip("link", "set", "lo", "up")
        ip("link", "add", "bridge0", "type", "bridge")
        ip("addr", "add", "10.99.0.254/24", "dev", "bridge0")
        ip("link", "set", "bridge0", "up")
        for number, host in enumerate(HOSTS):
            ip("netns", "add", f"n{number}")
            ip("link", "add", f"v{number}", "type", "veth", "peer", "name", "eth0", "netns", f"n{number}")
            ip("link", "set", f"v{number}", "master", "bridge0", "up")
            ip("-n", f"n{number}", "addr", "add", f"{host}/24", "dev", "eth0")
            ip("-n", f"n{number}", "link", "set", "lo", "up")
            ip("-n", f"n{number}", "link", "set", "eth0", "up")
        cls.options = {"collectors": 1, "server_locations": [(host, ("ip", "netns", "exec", f"n{number}")) for number, host in enumerate(HOSTS)]}
        super().setUpClass()

    def change_routes(self, server, action):
        """Interrupts ("add") or restores ("del") the network between a server and the two others, both ways."""
        for other in self.cluster.servers:
            if other is not server:
                ip("-n", server.name, "route", action, "blackhole", f"{other.host}/32")
                ip("-n", other.name, "route", action, "blackhole", f"{server.host}/32")

    def test_an_isolated_leader_acknowledges_nothing_and_the_others_continue(self):
        cluster = self.cluster
        wait_until(cluster.servers_are_healthy, "all three servers are healthy")
        leader = cluster.leader()
        # A collector on the minority side, which reaches only the leader.
        isolated = Collector("collector-lone", self.folder, cluster.ports, cluster.engine_options)
        os.makedirs(isolated.data)
        os.link(f"{cluster.collectors[0].data}/keys", f"{isolated.data}/keys")
        isolated.command_prefix = ["ip", "netns", "exec", leader.name]
        isolated.start()
        self.addCleanup(isolated.stop)
        writer = Writer("lone", 9)
        def post(body, seconds):
            command = ["ip", "netns", "exec", leader.name, "curl", "--silent", "--max-time", str(seconds), "--header", f"Authorization: Bearer {cluster.key}", "--data-binary", "@-", "--write-out", "\n%{http_code}", f"http://127.0.0.1:{isolated.port}/v1/events"]
            response = subprocess.run(command, input=body, capture_output=True, check=False).stdout.decode().rsplit("\n", 1)
            return response[-1], response[0]
        load_state = Load(cluster, "lone", senders=0, raw=0)
        first, first_ids = writer.batch(1, rejected_share=0)
        wait_until(lambda: is_accepted(load_state, first_ids, *post(first, 5)), "the collector next to the leader accepts batches")
        with self.load() as load:
            self.wait_for_responses(load, 5)
            self.change_routes(leader, "add")
            rejected_batches = [writer.batch(3, rejected_share=0) for _ in range(3)]
            statuses = [post(body, 15)[0] for body, _ in rejected_batches]
            self.assertNotIn("200", statuses)
            self.wait_for_responses(load, 10)
            wait_until(lambda: has_other_leader(cluster, leader), "another server leads")
            self.change_routes(leader, "del")
            wait_until(cluster.servers_are_healthy, "all three servers are healthy")
            for body, ids in rejected_batches:
                wait_until(lambda: is_accepted(load_state, ids, *post(body, 15)), "the held batches are accepted")
        self.acknowledged.add(load_state.acknowledged)
        self.check_all_events()


def has_other_leader(cluster, leader):
    """Returns whether the other servers report another leader.

    The isolated server may still consider itself the leader.
    """
    others = Engine([(server.host, server.port) for server in cluster.servers if server is not leader], USER, PASSWORD)
    try:
        return others.info("INTAKE_0")["cluster"].get("leader") not in (None, leader.name)
    except NoResponseError:
        return False
    finally:
        others.close()


def is_accepted(load, ids, status, text):
    if status == "200":
        load.acknowledged.add_response(ids, json.loads(text))
    return status == "200"


if __name__ == "__main__":
    sys.exit(unittest.main())
