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
from parts import PASSWORD, USER, Collector, until
from stream import Engine, NoResponseError
from test_faults import OnCluster

INSIDE = "TRACKWAY_OWN_NETWORK"
HOSTS = [f"10.99.0.{number}" for number in (1, 2, 3)]


class Network(unittest.TestCase):
    @unittest.skipIf(os.environ.get(INSIDE), "Already in the network namespace.")
    def test_in_a_network_of_its_own(self):
        own = ["unshare", "--net", "--mount", "--"]
        if subprocess.run([*own, "sh", "-c", "mount -t tmpfs own /run && ip netns add trial"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no network namespace can be created; this requires root")
        tests = subprocess.run([*own, sys.executable, "-m", "unittest", "--verbose", "test_network"], env={**os.environ, INSIDE: "1"}, capture_output=True, text=True, check=False)
        self.assertEqual(tests.returncode, 0, tests.stderr)


def ip(*words):
    subprocess.run(["ip", *words], check=True)


@unittest.skipUnless(os.environ.get(INSIDE), "Runs only in a separate network namespace; see above.")
class Cuts(OnCluster):
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
        cls.options = {"collectors": 1, "places": [(host, ("ip", "netns", "exec", f"n{number}")) for number, host in enumerate(HOSTS)]}
        super().setUpClass()

    def cut(self, server, word):
        """Interrupts ("add") or restores ("del") the network between a server and the two others, both ways."""
        for other in self.cluster.servers:
            if other is not server:
                ip("-n", server.name, "route", word, "blackhole", f"{other.host}/32")
                ip("-n", other.name, "route", word, "blackhole", f"{server.host}/32")

    def test_a_leader_that_is_cut_off_acknowledges_nothing_and_the_others_go_on(self):
        cluster = self.cluster
        until(cluster.servers_are_well, "all three servers are healthy")
        leader = cluster.leader()
        # A collector on the minority side, which reaches only the leader.
        lone = Collector("collector-lone", self.folder, cluster.ports, cluster.engine_options)
        os.makedirs(lone.data)
        os.link(f"{cluster.collectors[0].data}/keys", f"{lone.data}/keys")
        lone.inside = ["ip", "netns", "exec", leader.name]
        lone.start()
        self.addCleanup(lone.end)
        writer = Writer("lone", 9)
        def post(body, seconds):
            asked = ["ip", "netns", "exec", leader.name, "curl", "--silent", "--max-time", str(seconds), "--header", f"Authorization: Bearer {cluster.key}", "--data-binary", "@-", "--write-out", "\n%{http_code}", f"http://127.0.0.1:{lone.port}/v1/events"]
            answer = subprocess.run(asked, input=body, capture_output=True, check=False).stdout.decode().rsplit("\n", 1)
            return answer[-1], answer[0]
        small = Load(cluster, "lone", senders=0, raw=0)
        first, its = writer.batch(1, refused=0)
        until(lambda: taken(small, its, *post(first, 5)), "the collector next to the leader accepts batches")
        with self.load() as load:
            self.answers(load, 5)
            self.cut(leader, "add")
            held = [writer.batch(3, refused=0) for _ in range(3)]
            statuses = [post(body, 15)[0] for body, _ in held]
            self.assertNotIn("200", statuses)
            self.answers(load, 10)
            until(lambda: leads_elsewhere(cluster, leader), "another server leads")
            self.cut(leader, "del")
            until(cluster.servers_are_well, "all three servers are healthy")
            for body, ids in held:
                until(lambda: taken(small, ids, *post(body, 15)), "the held batches are accepted")
        self.acknowledged.add(small.acknowledged)
        self.expect_whole()


def leads_elsewhere(cluster, leader):
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


def taken(load, ids, status, text):
    if status == "200":
        load.acknowledged.answer(ids, json.loads(text))
    return status == "200"


if __name__ == "__main__":
    sys.exit(unittest.main())
