# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Runs this folder's tests, or the named ones, and makes sure that the run ends and reports why.

Each file runs in a separate process. As many files run at once as there are processors, but at most 2: one browser alone does
not keep two processors busy, and more than two browsers wait for each other. TRACKWAY_PAGE_WORKERS overrides this
number. The output of a file's tests is printed when they end.

A run of more than TRACKWAY_PAGE_MINUTES (20) is terminated, with everything it started, and fails. It prints where it
stopped.

With TRACKWAY_RETRY=1, failed tests are run again alone, with a new collector and a new browser. If all of them pass
then, the run passes and reports them as flaky. A flaky test must be fixed, but an unrelated change need not wait for
that.
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
# If more tests fail, the cause is not a few flaky tests, and none is retried.
MOST_RETRIED = 5
HERE = pathlib.Path(__file__).resolve().parent
# At most two browsers at once: with more, each waits for the others.
WORKERS = int(os.environ.get("TRACKWAY_PAGE_WORKERS") or min(2, os.cpu_count() or 1))


class Noting(unittest.TextTestResult):
    """Writes a line when a test begins, ends, or fails."""

    notes = None

    def note(self, word, test):
        print(word, test.id(), file=self.notes, flush=True)

    def startTest(self, test):
        super().startTest(test)
        self.note("begun", test)

    def stopTest(self, test):
        super().stopTest(test)
        self.note("ended", test)

    def addError(self, test, error):
        super().addError(test, error)
        # A failed setup is not a test, and has no name to run it by.
        self.note("failed" if isinstance(test, unittest.TestCase) else "broken", test)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.note("failed", test)

    def addSubTest(self, test, part, error):
        super().addSubTest(test, part, error)
        if error is not None:
            self.note("failed", test)


def run(names):
    """Runs the named tests in this process; returns whether all of them passed."""
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    tests = unittest.TestLoader().loadTestsFromNames(names)
    with open(os.environ["TRACKWAY_PAGE_NOTES"], "a") as Noting.notes:
        return unittest.TextTestRunner(resultclass=Noting, verbosity=2).run(tests).wasSuccessful()


class Attempt:
    """A run of tests, with one process per file."""

    def __init__(self, names):
        self.parts = {}
        for name in names:
            self.parts.setdefault(name.split(".")[0], []).append(name)
        self.until = time.monotonic() + 60 * MINUTES
        self.lock = threading.Lock()
        self.processes = []
        self.is_over = False

    def run(self):
        """Returns whether all tests passed, and the tests that failed or did not end.

        Returns None as the second value if these tests are unknown.
        """
        with concurrent.futures.ThreadPoolExecutor(max(1, WORKERS)) as pool:
            results = list(pool.map(self.part, self.parts.values()))
        unknown = any(failed is None for _, failed in results)
        return all(passed for passed, _ in results), None if unknown else set().union(*(failed for _, failed in results))

    def part(self, names):
        """Runs one file's tests in another process."""
        with tempfile.TemporaryDirectory() as folder, open(pathlib.Path(folder, "said"), "w+", errors="replace") as said:
            notes = pathlib.Path(folder, "notes")
            notes.touch()
            with self.lock:
                if self.is_over:
                    return False, None
                process = subprocess.Popen([sys.executable, "-u", __file__, "--here", *names], stdout=said, stderr=subprocess.STDOUT, env={**os.environ, "TRACKWAY_PAGE_NOTES": str(notes)}, start_new_session=True)
                self.processes.append(process)
            began = time.monotonic()
            try:
                status = process.wait(max(0, self.until - began))
            except subprocess.TimeoutExpired:
                said.write(f"\n=== not finished after {MINUTES:g} minutes; current stacks:\n")
                said.flush()
                process.send_signal(signal.SIGUSR1)
                try:
                    # Time to print the stacks.
                    process.wait(5)
                except subprocess.TimeoutExpired:
                    pass
                status = 1
            finally:
                end(process)
            said.seek(0)
            with self.lock:
                print(f"\n=== {names[0].split('.')[0]}: {time.monotonic() - began:.0f} s\n{said.read()}", end="", flush=True)
            noted = [line.split(" ", 1) for line in notes.read_text().splitlines()]
        of = {word: {name for said_word, name in noted if said_word == word} for word in ("begun", "ended", "failed", "broken")}
        return status == 0, None if of["broken"] else of["failed"] | (of["begun"] - of["ended"])

    def stop(self):
        """Ends running processes, and starts no others."""
        with self.lock:
            self.is_over = True
            for process in self.processes:
                if process.poll() is None:
                    end(process)


def end(process):
    """Ends the process and what it started: a browser and a collector must not outlive it."""
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
    # The longest tests first, so that they do not start when the others have ended.
    names = names or [path.stem for path in sorted(HERE.glob("test_*.py"), key=lambda path: (path.stem != "test_rules", -path.stat().st_size))]
    attempt = Attempt(names)

    # A signal that ends the run also ends the processes that it started.
    def stop(*_):
        attempt.stop()
        os._exit(130)

    signal.signal(signal.SIGTERM, stop)
    passed, failed = attempt.run()
    if passed or os.environ.get("TRACKWAY_RETRY") != "1" or failed is None or not 0 < len(failed) <= MOST_RETRIED:
        return 0 if passed else 1
    print("\n=== retrying only these:", *sorted(failed), sep="\n  ", flush=True)
    attempt = Attempt(sorted(failed))
    passed, _ = attempt.run()
    if passed:
        print("\n=== FLAKY: passed only on retry. Fix them:", *sorted(failed), sep="\n  ", flush=True)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit((0 if run(sys.argv[2:]) else 1) if sys.argv[1:2] == ["--here"] else main(sys.argv[1:]))
