# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Stream changes under load while parts of the cluster are killed, each followed by a check of all events so far."""
import json
import shutil
import signal
import subprocess
import time

from processes import Collector, request, trackway, wait_until
from test_faults import ClusterTestCase


class StreamChanges(ClusterTestCase):
    """Tests that run in the order of their names; each continues where the previous one ended."""

    rate = 40

    def plan(self, streams=None):
        words = ["--streams", str(streams)] if streams else []
        return self.cluster.command("cluster", "plan", *words, *self.cluster.engine_options, "--json")

    def open_streams(self):
        lines = self.plan().stdout.strip().splitlines()
        return [stream["name"] for stream in json.loads(lines[-1])["streams"] if stream["partitions"]]

    def test_1_one_stream_is_replaced_by_three(self):
        with self.load() as load:
            self.wait_for_responses(load, 20)
            result = self.plan(3)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.wait_for_responses(load, 20)
        self.assertEqual(self.open_streams(), ["INTAKE_1", "INTAKE_2", "INTAKE_3"])
        # No batch may be rejected, because its sender would have to resend it.
        self.assertEqual(load.responses["503"], 0, load.responses)
        check = self.cluster.command("cluster", "check", *self.cluster.engine_options, *self.cluster.clickhouse_options)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)
        self.assertIn("ORDER_0", check.stdout)

    def test_2_the_leader_a_collector_and_a_forwarder_are_killed(self):
        with self.load() as load:
            for part in [self.leader(), self.cluster.collectors[0], self.cluster.forwarders[0]]:
                part.stop(signal.SIGKILL)
                self.wait_for_responses(load, 10)
                part.start()
                wait_until(self.cluster.servers_are_healthy, "all three servers are healthy")

    def test_3_a_repeatedly_killed_stream_change_completes(self):
        with self.load() as load:
            for delay in [0.3, 0.6, 1.0, 1.4, 2.0, 3.0]:
                process = subprocess.Popen(
                    ["setpriv", "--pdeathsig", "KILL", trackway(), "cluster", "plan", "--streams", "2", *self.cluster.engine_options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
                time.sleep(delay)
                process.kill()
                process.wait()
            result = self.plan(2)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.wait_for_responses(load, 10)
        self.assertEqual(self.open_streams(), ["INTAKE_4", "INTAKE_5"])

    def test_4_a_new_index_is_built_from_all_streams(self):
        late_collector = Collector("late", self.cluster.folder, self.cluster.ports, self.cluster.engine_options)
        late_collector.start()
        self.addCleanup(late_collector.stop)
        wait_until(late_collector.is_ready, "the new collector is ready")
        self.cluster.collectors.append(late_collector)
        self.addCleanup(self.cluster.collectors.remove, late_collector)
        # With the other collectors' keys, the check can also query this one.
        late_collector.stop(signal.SIGTERM)
        shutil.copy(f"{self.cluster.collectors[0].data}/keys", f"{late_collector.data}/keys")
        late_collector.start()
        wait_until(late_collector.is_ready, "the new collector is ready again")
        with self.load() as load:
            self.wait_for_responses(load, 5)

    def test_5_two_concurrent_stream_changes_complete(self):
        words = [trackway(), "cluster", "plan", "--streams", "4", *self.cluster.engine_options]
        with self.load() as load:
            self.wait_for_responses(load, 5)
            processes = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(2)]
            output = [process.communicate(timeout=90)[0] for process in processes]
            self.assertEqual([process.returncode for process in processes], [0, 0], output)
            self.wait_for_responses(load, 10)
        self.assertEqual(self.open_streams(), ["INTAKE_6", "INTAKE_7", "INTAKE_8", "INTAKE_9"])
        audit = self.cluster.command("cluster", "audit", *self.cluster.engine_options, *self.cluster.clickhouse_options)
        self.assertEqual(audit.returncode, 0, audit.stdout + audit.stderr)

    def test_6_a_change_killed_while_streams_are_closed_is_reported_everywhere(self):
        words = ["setpriv", "--pdeathsig", "KILL", trackway(), "cluster", "plan", "--streams", "2", *self.cluster.engine_options, "--json"]
        def reports_change(collector):
            status, text = request(collector.port, "GET", "/readyz/intake")
            return status == 503 and "is closed" in text and "cluster plan" in text
        with self.load() as load:
            self.wait_for_responses(load, 5)
            process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            for line in process.stdout:
                if "close the" in line:
                    break
            # The streams are closed immediately; then the command waits for records in flight.
            time.sleep(0.25)
            process.kill()
            process.wait()
            for collector in self.cluster.collectors:
                wait_until(lambda collector=collector: reports_change(collector), f"{collector.name} reports the change")
            for _ in range(20):
                self.assertTrue(all(reports_change(collector) for collector in self.cluster.collectors))
                time.sleep(0.5)
            start_time = time.monotonic()
            check = self.cluster.command("cluster", "check", *self.cluster.engine_options)
            self.assertLess(time.monotonic() - start_time, 15)
            self.assertEqual(check.returncode, 1, check.stdout + check.stderr)
            plan = self.cluster.command("cluster", "plan", *self.cluster.engine_options)
            for output in [check, plan]:
                self.assertIn("`trackway-cluster cluster plan --streams 2`", output.stdout, output.stderr)
            result = self.plan(2)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.wait_for_responses(load, 10)
        self.assertEqual(self.open_streams(), ["INTAKE_10", "INTAKE_11"])
