# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Faults that need a separate cluster, or root: a full or slow ClickHouse, and deletions."""
import hashlib
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import uuid

from check import intakes
from load import Load, Writer
from parts import Part, trackway, until
from stream import NoResponseError, plain
from test_faults import OnCluster


class Slowly(threading.Thread):
    """Forwards bytes to a loopback port, with a delay for every chunk."""

    def __init__(self, port, target, delay):
        super().__init__(daemon=True)
        self.target, self.delay, self.pieces = target, delay, 0
        self.listener = socket.create_server(("127.0.0.1", port))

    def run(self):
        while True:
            try:
                near = self.listener.accept()[0]
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.target))
            for source, sink in [(near, far), (far, near)]:
                threading.Thread(target=self._hand_on, args=(source, sink), daemon=True).start()

    def _hand_on(self, source, sink):
        try:
            while data := source.recv(16_384):
                time.sleep(self.delay)
                self.pieces += 1
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            # One side has closed its connection; closes the other.
            sink.close()


class Behind(OnCluster):
    """The store that is filled from the stream is slow."""

    def test_clickhouse_is_slow(self):
        cluster = self.cluster
        for forwarder in cluster.forwarders:
            forwarder.end()
        relay = Slowly(cluster.ports.take(), cluster.clickhouse.port, 0.3)
        relay.start()
        slow = Part("forwarder-slow", [trackway(), "forward", *cluster.engine_options, "--to", f"http://127.0.0.1:{relay.listener.getsockname()[1]}/trackway", "--json"], self.folder)
        slow.start()
        with self.load() as load:
            self.answers(load, 30)
            before = self.blocks()
            until(lambda: self.blocks() >= before + 2, "blocks are written, slowly")
            self.assertTrue(slow.runs)
            slow.end()
            for forwarder in cluster.forwarders:
                forwarder.start()
            relay.listener.close()
        self.assertGreater(relay.pieces, 10)


class Erasing(OnCluster):
    def test_an_erasure_in_the_middle_of_a_block_takes_what_was_before_it_and_nothing_else(self):
        secret = uuid.UUID(int=random.SystemRandom().getrandbits(128))
        leaving, staying = Writer("leaving", 1), Writer("staying", 2)
        leaving.installation = installation(secret, leaving.installation)
        load = Load(self.cluster, "erasing", senders=0, raw=0)
        collectors = self.cluster.collectors
        tombstone = {"id": leaving.id(0), "name": "_installation_erased", "time": int(time.time() * 1000), "attributes": {"installation": leaving.installation, "proof": str(secret)}}
        # All records are in one block, and come from both collectors.
        for turn in range(6):
            body, ids = leaving.batch(5, refused=0)
            self.assertTrue(load.post([collectors[turn % 2]], body, ids))
            self.erased.update(ids)
            self.assertTrue(load.post([collectors[turn % 2]], *staying.batch(5, refused=0)))
        self.assertTrue(load.post([collectors[0]], json.dumps(tombstone).encode(), [tombstone["id"]]))
        self.erased.add(tombstone["id"])
        for turn in range(4):
            late, ids = leaving.batch(5, refused=0)
            load.post([collectors[turn % 2]], late, ids)
            self.erased.update(ids)
            self.assertTrue(load.post([collectors[turn % 2]], *staying.batch(5, refused=0)))
        self.assertEqual(load.problems, [])
        # A collector that has read the deletion request rejects the installation's events. Another one accepts them, and
        # they are left out of the stores.
        load.acknowledged.refused -= self.erased
        load.acknowledged.ids -= self.erased
        self.acknowledged.add(load.acknowledged)
        def is_deleted():
            try:
                read = [record for name in intakes(self.cluster.engine) for record in self.cluster.engine.read(name)[0]]
                return not any(leaving.installation.encode() in plain(body) for _, headers, body in read if headers.get("Trackway-Kind") == "intake" and tombstone["id"].encode() not in plain(body))
            except NoResponseError:
                # Records are being deleted during the read.
                return False
        until(is_deleted, "its records are deleted from the stream", 60)
        self.expect_whole()
        listed = [name.replace("INTAKE", "ERASED") for name in intakes(self.cluster.engine)]
        self.assertGreaterEqual(sum(len(self.cluster.engine.listed(name)) for name in listed), 6)
        self.assertEqual(self.cluster.clickhouse.number("SELECT count() FROM erasures FINAL FORMAT TabSeparated"), 1)
        until(lambda: self.cluster.clickhouse.number(f"SELECT count() FROM events WHERE installation = unhex('{uuid.UUID(leaving.installation).hex}')") == 0, "the rows are deleted")


class ErasingFromStreams(Erasing):
    """The same with three streams.

    An installation's records are in one of them, and in the stream before them.
    """

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        load = Load(cls.cluster, "before", senders=0, raw=0)
        assert load.post([cls.cluster.collectors[0]], *Writer("staying", 3).batch(5, refused=0))
        cls.acknowledged.add(load.acknowledged)
        made = cls.cluster.command("engine", "plan", "--streams", "3", *cls.cluster.engine_options)
        assert made.returncode == 0, made.stdout + made.stderr


def installation(secret, now):
    """Returns the installation ID that belongs to a secret; see Documentation/WireFormat.md.

    `now` is any version 7 UUID.
    """
    began = uuid.UUID(now).int >> 80
    digest = hashlib.sha256(b"trackway.installation:" + began.to_bytes(8, "big") + secret.bytes).digest()
    low = int.from_bytes(digest[:8], "big") & 0xFFF
    high = int.from_bytes(digest[8:16], "big") >> 2
    return str(uuid.UUID(int=began << 80 | 7 << 76 | low << 64 | 2 << 62 | high))


class FullDisk(OnCluster):
    """The tables are on a separate file system, which is full for a while."""

    @classmethod
    def setUpClass(cls):
        cls.disk = tempfile.mkdtemp(prefix="trackway-disk-")
        cls.addClassCleanup(os.rmdir, cls.disk)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "trackway", cls.disk], capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            raise unittest.SkipTest(f"no file system can be mounted: {mounted.stderr.strip()}")
        cls.addClassCleanup(subprocess.run, ["umount", "--lazy", cls.disk], check=False)
        cls.options = {"clickhouse_data": f"{cls.disk}/clickhouse"}
        super().setUpClass()

    def test_clickhouse_has_no_room_for_a_while(self):
        with self.load() as load:
            self.answers(load, 10)
            with open(f"{self.disk}/ballast", "wb") as ballast:
                try:
                    while True:
                        ballast.write(bytes(1 << 16))
                        ballast.flush()
                except OSError:
                    # Expected: the disk is full. The data in the file's buffer is not written either.
                    os.ftruncate(ballast.fileno(), os.fstat(ballast.fileno()).st_size)
            self.answers(load, 20)
            until(lambda: "space" in "".join(forwarder.log() for forwarder in self.cluster.forwarders).lower(), "a forwarder reports that there is no space")
            os.remove(f"{self.disk}/ballast")


if __name__ == "__main__":
    sys.exit(unittest.main())
