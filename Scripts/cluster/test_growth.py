# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Stream changes under load while parts of the cluster are killed, each followed by a check of all events so far."""
import json
import shutil
import signal
import subprocess
import time

from parts import Collector, request, trackway, until
from test_faults import OnCluster


class Growth(OnCluster):
    """Tests that run in the order of their names; each continues where the previous one ended."""

    rate = 40

    def plan(self, streams=None):
        words = ["--streams", str(streams)] if streams else []
        return self.cluster.command("engine", "plan", *words, *self.cluster.engine_options, "--json")

    def open_streams(self):
        lines = self.plan().stdout.strip().splitlines()
        return [stream["name"] for stream in json.loads(lines[-1])["streams"] if stream["partitions"]]

    def test_1_three_streams_take_the_records_of_one(self):
        with self.load() as load:
            self.answers(load, 20)
            made = self.plan(3)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            self.answers(load, 20)
        self.assertEqual(self.open_streams(), ["INTAKE_1", "INTAKE_2", "INTAKE_3"])
        # A rejected batch would have to be resent by its sender; there was no such batch.
        self.assertEqual(load.answers["503"], 0, load.answers)
        check = self.cluster.command("engine", "check", *self.cluster.engine_options, *self.cluster.column_options)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)
        self.assertIn("ORDER_0", check.stdout)

    def test_2_leaders_die_one_after_the_other_and_a_collector_and_a_forwarder(self):
        with self.load() as load:
            for part in [self.leader(), self.cluster.collectors[0], self.cluster.forwarders[0]]:
                part.end(signal.SIGKILL)
                self.answers(load, 10)
                part.start()
                until(self.cluster.servers_are_well, "all three servers are healthy")

    def test_3_whoever_grows_is_killed_again_and_again_and_goes_on(self):
        with self.load() as load:
            for moment in [0.3, 0.6, 1.0, 1.4, 2.0, 3.0]:
                process = subprocess.Popen(
                    ["setpriv", "--pdeathsig", "KILL", trackway(), "engine", "plan", "--streams", "2", *self.cluster.engine_options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
                time.sleep(moment)
                process.kill()
                process.wait()
            made = self.plan(2)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            self.answers(load, 10)
        self.assertEqual(self.open_streams(), ["INTAKE_4", "INTAKE_5"])

    def test_4_an_index_that_begins_now_is_made_of_all_of_them(self):
        late = Collector("late", self.cluster.folder, self.cluster.ports, self.cluster.engine_options)
        late.start()
        self.addCleanup(late.end)
        until(late.is_ready, "the new collector is ready")
        self.cluster.collectors.append(late)
        self.addCleanup(self.cluster.collectors.remove, late)
        # With the other collectors' keys, the check can also query this one.
        late.end(signal.SIGTERM)
        shutil.copy(f"{self.cluster.collectors[0].data}/keys", f"{late.data}/keys")
        late.start()
        until(late.is_ready, "the new collector is ready again")
        with self.load() as load:
            self.answers(load, 5)

    def test_5_two_grow_at_once(self):
        words = [trackway(), "engine", "plan", "--streams", "4", *self.cluster.engine_options]
        with self.load() as load:
            self.answers(load, 5)
            both = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(2)]
            told = [process.communicate(timeout=90)[0] for process in both]
            self.assertEqual([process.returncode for process in both], [0, 0], told)
            self.answers(load, 10)
        self.assertEqual(self.open_streams(), ["INTAKE_6", "INTAKE_7", "INTAKE_8", "INTAKE_9"])
        audit = self.cluster.command("engine", "audit", *self.cluster.engine_options, *self.cluster.column_options)
        self.assertEqual(audit.returncode, 0, audit.stdout + audit.stderr)

    def test_6_a_change_that_was_killed_while_streams_are_closed_is_named_everywhere(self):
        words = ["setpriv", "--pdeathsig", "KILL", trackway(), "engine", "plan", "--streams", "2", *self.cluster.engine_options, "--json"]
        def is_named_by(collector):
            status, text = request(collector.port, "GET", "/readyz/intake")
            return status == 503 and "is closed" in text and "engine plan" in text
        with self.load() as load:
            self.answers(load, 5)
            process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            for line in process.stdout:
                if "close the" in line:
                    break
            # The streams are closed immediately; then the command waits for records in flight.
            time.sleep(0.25)
            process.kill()
            process.wait()
            for collector in self.cluster.collectors:
                until(lambda collector=collector: is_named_by(collector), f"{collector.name} reports the change")
            for _ in range(20):
                self.assertTrue(all(is_named_by(collector) for collector in self.cluster.collectors))
                time.sleep(0.5)
            began = time.monotonic()
            check = self.cluster.command("engine", "check", *self.cluster.engine_options)
            self.assertLess(time.monotonic() - began, 15)
            self.assertEqual(check.returncode, 1, check.stdout + check.stderr)
            plan = self.cluster.command("engine", "plan", *self.cluster.engine_options)
            for told in [check, plan]:
                self.assertIn("`trackway-cluster engine plan --streams 2`", told.stdout, told.stderr)
            made = self.plan(2)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            self.answers(load, 10)
        self.assertEqual(self.open_streams(), ["INTAKE_10", "INTAKE_11"])
