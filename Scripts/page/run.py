# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Runs this folder's tests, or the named ones, and makes sure that the run ends and that failures are reported.

Each file runs in a separate process. As many files run at once as there are processors, but at most 2: one browser alone does
not keep two processors busy, and more than two browsers wait for each other. TRACKWAY_PAGE_WORKERS overrides this
number. The output of a file's tests is printed when they end.

A run of more than TRACKWAY_PAGE_MINUTES (20) is terminated, along with all processes it started, and fails. It prints
where it stopped.

With TRACKWAY_RETRY=1, failed tests are run again alone, with a new collector and a new browser. If all of them then
pass, the run passes and reports them as flaky. A flaky test must be fixed, but must not block an unrelated change.
"""
import concurrent.futures
import faulthandler
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

MINUTES = float(os.environ.get("TRACKWAY_PAGE_MINUTES") or 20)
# If more tests fail, the cause is unlikely to be flakiness, and none is retried.
MAXIMUM_RETRIED = 5
FOLDER = pathlib.Path(__file__).resolve().parent
# At most two browsers at once: with more, each waits for the others.
WORKERS = int(os.environ.get("TRACKWAY_PAGE_WORKERS") or min(2, os.cpu_count() or 1))


class RecordingResult(unittest.TextTestResult):
    """Writes a line when a test begins, ends, or fails."""

    events = None

    def record(self, event, test):
        print(event, test.id(), file=self.events, flush=True)

    def startTest(self, test):
        super().startTest(test)
        self.record("started", test)

    def stopTest(self, test):
        super().stopTest(test)
        self.record("ended", test)

    def addError(self, test, error):
        super().addError(test, error)
        # A failed setup is not a test, and has no name to run it by.
        self.record("failed" if isinstance(test, unittest.TestCase) else "broken", test)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.record("failed", test)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.record("failed", test)


def run(names):
    """Runs the named tests in this process; returns whether all of them passed."""
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    tests = unittest.TestLoader().loadTestsFromNames(names)
    with open(os.environ["TRACKWAY_PAGE_EVENTS"], "a") as RecordingResult.events:
        return unittest.TextTestRunner(resultclass=RecordingResult, verbosity=2).run(tests).wasSuccessful()


class TestRun:
    """A run of tests, with one process per file."""

    def __init__(self, names):
        self.names_by_file = {}
        for name in names:
            self.names_by_file.setdefault(name.split(".")[0], []).append(name)
        self.deadline = time.monotonic() + 60 * MINUTES
        self.lock = threading.Lock()
        self.processes = []
        self.is_stopped = False

    def run(self):
        """Returns whether all tests passed, and the tests that failed or did not end.

        Returns None as the second value if these tests are unknown.
        """
        with concurrent.futures.ThreadPoolExecutor(max(1, WORKERS)) as pool:
            results = list(pool.map(self.run_file, self.names_by_file.values()))
        unknown = any(failed is None for _, failed in results)
        return all(passed for passed, _ in results), None if unknown else set().union(*(failed for _, failed in results))

    def run_file(self, names):
        """Runs one file's tests in another process."""
        with tempfile.TemporaryDirectory() as folder, open(pathlib.Path(folder, "output"), "w+", errors="replace") as output:
            events = pathlib.Path(folder, "events")
            events.touch()
            with self.lock:
                if self.is_stopped:
                    return False, None
                process = subprocess.Popen([sys.executable, "-u", __file__, "--here", *names], stdout=output, stderr=subprocess.STDOUT, env={**os.environ, "TRACKWAY_PAGE_EVENTS": str(events)}, start_new_session=True)
                self.processes.append(process)
            started_at = time.monotonic()
            try:
                status = process.wait(max(0, self.deadline - started_at))
            except subprocess.TimeoutExpired:
                output.write(f"\n=== not finished after {MINUTES:g} minutes; current stacks:\n")
                output.flush()
                process.send_signal(signal.SIGUSR1)
                try:
                    # Allows time for printing the stacks.
                    process.wait(5)
                except subprocess.TimeoutExpired:
                    pass
                status = 1
            finally:
                terminate(process)
            output.seek(0)
            with self.lock:
                print(f"\n=== {names[0].split('.')[0]}: {time.monotonic() - started_at:.0f} s\n{output.read()}", end="", flush=True)
            recorded = [line.split(" ", 1) for line in events.read_text().splitlines()]
        names_by_event = {event: {name for recorded_event, name in recorded if recorded_event == event} for event in ("started", "ended", "failed", "broken")}
        return status == 0, None if names_by_event["broken"] else names_by_event["failed"] | (names_by_event["started"] - names_by_event["ended"])

    def stop(self):
        """Ends running processes, and prevents new ones from starting."""
        with self.lock:
            self.is_stopped = True
            for process in self.processes:
                if process.poll() is None:
                    terminate(process)


def terminate(process):
    """Ends the process and its children: a browser and a collector must not outlive it."""
    for number, patience in [(signal.SIGTERM, 2), (signal.SIGKILL, 30)]:
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            return
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            continue


def main(names):
    # The longest tests start first, so that the run does not wait for them at the end.
    names = names or [path.stem for path in sorted(FOLDER.glob("test_*.py"), key=lambda path: (path.stem != "test_accessibility", -path.stat().st_size))]
    test_run = TestRun(names)

    # A signal that ends the run also ends the processes that it started.
    def stop(*_):
        test_run.stop()
        os._exit(130)

    signal.signal(signal.SIGTERM, stop)
    passed, failed = test_run.run()
    if passed or os.environ.get("TRACKWAY_RETRY") != "1" or failed is None or not 0 < len(failed) <= MAXIMUM_RETRIED:
        return 0 if passed else 1
    print("\n=== retrying only these:", *sorted(failed), sep="\n  ", flush=True)
    test_run = TestRun(sorted(failed))
    passed, _ = test_run.run()
    if passed:
        print("\n=== FLAKY: passed only on retry. Fix them:", *sorted(failed), sep="\n  ", flush=True)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit((0 if run(sys.argv[2:]) else 1) if sys.argv[1:2] == ["--here"] else main(sys.argv[1:]))
