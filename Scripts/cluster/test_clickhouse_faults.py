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

from check import intake_streams
from load import Load, Writer
from processes import ClusterProcess, trackway, wait_until
from stream import NoResponseError, decompressed_body
from test_faults import ClusterTestCase


class DelayingProxy(threading.Thread):
    """Forwards bytes to a loopback port, with a delay for every chunk."""

    def __init__(self, port, target, delay):
        super().__init__(daemon=True)
        self.target, self.delay, self.chunk_count = target, delay, 0
        self.listener = socket.create_server(("127.0.0.1", port))

    def run(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.target))
            for source, sink in [(client, server), (server, client)]:
                threading.Thread(target=self._forward, args=(source, sink), daemon=True).start()

    def _forward(self, source, sink):
        try:
            while data := source.recv(16_384):
                time.sleep(self.delay)
                self.chunk_count += 1
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            # One side has closed its connection, so the other is closed, too.
            sink.close()


class SlowClickHouse(ClusterTestCase):
    """The store that is filled from the stream is slow."""

    def test_clickhouse_is_slow(self):
        cluster = self.cluster
        for forwarder in cluster.forwarders:
            forwarder.stop()
        relay = DelayingProxy(cluster.ports.allocate(), cluster.clickhouse.port, 0.3)
        relay.start()
        slow = ClusterProcess("forwarder-slow", [trackway(), "cluster", "forward", *cluster.engine_options, "--clickhouse", f"http://127.0.0.1:{relay.listener.getsockname()[1]}/trackway", "--json"], self.folder)
        slow.start()
        with self.load() as load:
            self.wait_for_responses(load, 30)
            before = self.blocks()
            wait_until(lambda: self.blocks() >= before + 2, "blocks are written, slowly")
            self.assertTrue(slow.is_running)
            slow.stop()
            for forwarder in cluster.forwarders:
                forwarder.start()
            relay.listener.close()
        self.assertGreater(relay.chunk_count, 10)


class Erasure(ClusterTestCase):
    def test_an_erasure_in_the_middle_of_a_block_deletes_only_that_installation(self):
        secret = uuid.UUID(int=random.SystemRandom().getrandbits(128))
        erased_writer, kept_writer = Writer("leaving", 1), Writer("staying", 2)
        erased_writer.installation = installation(secret, erased_writer.installation)
        load = Load(self.cluster, "erasing", senders=0, raw=0)
        collectors = self.cluster.collectors
        tombstone = {"id": erased_writer.id(0), "name": "_installation_erased", "time": int(time.time() * 1000), "attributes": {"installation": erased_writer.installation, "proof": str(secret)}}
        # All records are in one block, and come from both collectors.
        for turn in range(6):
            body, ids = erased_writer.batch(5, rejected_share=0)
            self.assertTrue(load.post([collectors[turn % 2]], body, ids))
            self.erased.update(ids)
            self.assertTrue(load.post([collectors[turn % 2]], *kept_writer.batch(5, rejected_share=0)))
        self.assertTrue(load.post([collectors[0]], json.dumps(tombstone).encode(), [tombstone["id"]]))
        self.erased.add(tombstone["id"])
        for turn in range(4):
            late_body, ids = erased_writer.batch(5, rejected_share=0)
            load.post([collectors[turn % 2]], late_body, ids)
            self.erased.update(ids)
            self.assertTrue(load.post([collectors[turn % 2]], *kept_writer.batch(5, rejected_share=0)))
        self.assertEqual(load.problems, [])
        # A collector that has read the deletion request rejects the installation's events. A collector that has not
        # accepts them, and they are excluded from the stores.
        load.acknowledged.rejected -= self.erased
        load.acknowledged.ids -= self.erased
        self.acknowledged.add(load.acknowledged)
        def is_deleted():
            try:
                read = [record for name in intake_streams(self.cluster.engine) for record in self.cluster.engine.read(name)[0]]
                return not any(erased_writer.installation.encode() in decompressed_body(body) for _, headers, body in read if headers.get("Trackway-Kind") == "intake" and tombstone["id"].encode() not in decompressed_body(body))
            except NoResponseError:
                # Records are being deleted during the read.
                return False
        wait_until(is_deleted, "its records are deleted from the stream", 60)
        self.check_all_events()
        listed = [name.replace("INTAKE", "ERASED") for name in intake_streams(self.cluster.engine)]
        self.assertGreaterEqual(sum(len(self.cluster.engine.erased_sequences(name)) for name in listed), 6)
        self.assertEqual(self.cluster.clickhouse.query_integer("SELECT count() FROM erasures FINAL FORMAT TabSeparated"), 1)
        wait_until(lambda: self.cluster.clickhouse.query_integer(f"SELECT count() FROM events WHERE installation = unhex('{uuid.UUID(erased_writer.installation).hex}')") == 0, "the rows are deleted")


class ErasureAcrossStreams(Erasure):
    """The same test with three streams.

    An installation's records are in one of the three, and in the stream that preceded them.
    """

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        load = Load(cls.cluster, "before", senders=0, raw=0)
        assert load.post([cls.cluster.collectors[0]], *Writer("staying", 3).batch(5, rejected_share=0))
        cls.acknowledged.add(load.acknowledged)
        result = cls.cluster.command("cluster", "plan", "--streams", "3", *cls.cluster.engine_options)
        assert result.returncode == 0, result.stdout + result.stderr


def installation(secret, now):
    """Returns the installation ID that belongs to a secret; see Documentation/WireFormat.md.

    `now` is any version 7 UUID.
    """
    start_time = uuid.UUID(now).int >> 80
    digest = hashlib.sha256(b"trackway.installation:" + start_time.to_bytes(8, "big") + secret.bytes).digest()
    low = int.from_bytes(digest[:8], "big") & 0xFFF
    high = int.from_bytes(digest[8:16], "big") >> 2
    return str(uuid.UUID(int=start_time << 80 | 7 << 76 | low << 64 | 2 << 62 | high))


class FullDisk(ClusterTestCase):
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

    def test_the_disk_of_clickhouse_is_temporarily_full(self):
        with self.load() as load:
            self.wait_for_responses(load, 10)
            with open(f"{self.disk}/ballast", "wb") as ballast:
                try:
                    while True:
                        ballast.write(bytes(1 << 16))
                        ballast.flush()
                except OSError:
                    # Expected: the disk is full. The data in the file's buffer is not written either.
                    os.ftruncate(ballast.fileno(), os.fstat(ballast.fileno()).st_size)
            self.wait_for_responses(load, 20)
            wait_until(lambda: "space" in "".join(forwarder.log() for forwarder in self.cluster.forwarders).lower(), "a forwarder reports that there is no space")
            os.remove(f"{self.disk}/ballast")


if __name__ == "__main__":
    sys.exit(unittest.main())
