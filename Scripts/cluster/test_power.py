# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Power failures of NATS servers: they are killed, and their file system loses unsynced data.

Requires root and FUSE.
"""
import os
import subprocess
import sys
import unittest

from processes import ROOT, SCRIPT_FOLDER, Cluster, wait_until
from stream import NoResponseError
from test_faults import ClusterTestCase

# The version of fusepy, the Python module for FUSE.
FUSE_VERSION = "3.0.1"


def fuse_module():
    """Returns the folder of fusepy, after installing it the first time."""
    cache = f"{ROOT}/.build-nats/fusepy-{FUSE_VERSION}"
    if not os.path.exists(f"{cache}/fuse.py"):
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action", "ignore", "--no-deps", "--target", cache, f"fusepy=={FUSE_VERSION}"], check=False)
    if not os.path.exists(f"{cache}/fuse.py"):
        raise unittest.SkipTest("the Python module fusepy is missing and could not be installed")
    return cache


class LossyDisk:
    """A server's store on a file system that loses unsynced data."""

    def __init__(self, server, folder):
        self.server, self.mountpoint = server, server.store
        backing = f"{folder}/{server.name}.disk"
        os.makedirs(backing)
        os.makedirs(self.mountpoint)
        self.path = f"{folder}/{server.name}.power.log"
        with open(self.path, "w") as log:
            command = [sys.executable, f"{SCRIPT_FOLDER}/lossy_filesystem.py", backing, self.mountpoint]
            self.process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *command], stdout=log, stderr=log, env={**os.environ, "PYTHONPATH": fuse_module()})
        try:
            wait_until(lambda: os.path.ismount(self.mountpoint) or self.process.poll() is not None, "the file system is mounted", 20)
        finally:
            if not os.path.ismount(self.mountpoint):
                with open(self.path) as log:
                    raise unittest.SkipTest(f"no file system can be mounted: {log.read()[-200:]}")

    def lose_power(self):
        """Simulates a power failure; the server's process has already exited."""
        try:
            open(f"{self.mountpoint}/.power-failed", "w").close()
        except FileExistsError:
            # The file system confirms the power failure with this error.
            return
        raise AssertionError("the file system did not confirm the power failure")

    def count_lost_files(self):
        """Returns the number of files that lost data in each power failure."""
        with open(self.path) as log:
            return [int(line.split(": ")[1].split()[0]) for line in log if line.startswith("the power failed")]

    def stop(self):
        subprocess.run(["umount", "--lazy", self.mountpoint], check=False)
        self.process.kill()
        self.process.wait()


class PowerFailureTestCase(ClusterTestCase):
    syncs = "always"

    @classmethod
    def setUpClass(cls):
        if os.geteuid() != 0 or not os.path.exists("/dev/fuse"):
            raise unittest.SkipTest("mounting file systems requires root and /dev/fuse")
        fuse_module()
        start = Cluster.start

        def start_on_disks(cluster):
            cls.disks = {}
            for server in cluster.servers:
                cls.disks[server.name] = LossyDisk(server, cls.folder)
                cls.addClassCleanup(cls.disks[server.name].stop)
            if cls.syncs != "always":
                for server in cluster.servers:
                    path = f"{cls.folder}/{server.name}.conf"
                    with open(path) as file:
                        text = file.read()
                    with open(path, "w") as file:
                        file.write(text.replace("sync_interval: always", f"sync_interval: {cls.syncs}"))
            cls.prepare(cluster, start)

        Cluster.start = start_on_disks
        try:
            super().setUpClass()
        finally:
            Cluster.start = start
        # Cleanups run in reverse order: the servers end before their disks.
        cls.addClassCleanup(cls.cluster.stop)

    @classmethod
    def prepare(cls, cluster, start):
        start(cluster)

    def lose_power(self, servers):
        for server in servers:
            server.stop()
        for server in servers:
            self.disks[server.name].lose_power()
        for server in servers:
            server.start()


class PowerFailures(PowerFailureTestCase):
    def test_no_acknowledged_event_is_lost_when_several_servers_lose_power(self):
        with self.load() as load:
            for count in [2, 2, 3, 3]:
                self.wait_for_responses(load, 15)
                wait_until(self.cluster.servers_are_healthy, "all three servers are healthy", 120)
                leader = self.cluster.leader()
                # The leader is one of the victims.
                victims = sorted(self.cluster.servers, key=lambda server: server is not leader)[:count]
                self.lose_power(victims)
                wait_until(self.cluster.servers_are_healthy, "all three servers are healthy again", 120)
        for disk in self.disks.values():
            self.assertGreaterEqual(len(disk.count_lost_files()), 2)


class WithoutSync(PowerFailureTestCase):
    """Without syncing: shows that the file system loses data, and that the durability gate is needed."""

    syncs = "2m"
    options = {"collectors": 0, "forwarders": 0, "uses_clickhouse": False}

    @classmethod
    def prepare(cls, cluster, start):
        for server in cluster.servers:
            server.start()
        wait_until(cluster.servers_are_healthy, "the NATS servers have formed a cluster")

    def test_without_syncing_a_power_failure_loses_acknowledged_records(self):
        engine = self.cluster.engine
        result = self.cluster.command("cluster", "init", *self.cluster.engine_options, "--gigabytes", "1")
        self.assertIn("does not sync every write", result.stdout + result.stderr)
        numbers = [engine.request("intake.0", {"record": number}, timeout=5)["seq"] for number in range(200)]
        self.assertEqual(numbers, list(range(1, 201)))
        self.lose_power(self.cluster.servers)
        found = []
        def is_decided():
            """Returns whether a server reports the stream, or fewer than two servers are running.

            Some servers refuse to start with the data left on their disks.
            """
            try:
                found.append(engine.info("INTAKE_0")["state"]["messages"])
            except NoResponseError as problem:
                if "not found" in str(problem):
                    found.append(0)
            return bool(found) or sum(server.is_running for server in self.cluster.servers) < 2
        wait_until(is_decided, "the servers have started, or have given up", 60)
        self.assertLess(max(found, default=0), 200)
        self.assertTrue(all(lost and lost[0] > 0 for lost in (disk.count_lost_files() for disk in self.disks.values())))


if __name__ == "__main__":
    sys.exit(unittest.main())
