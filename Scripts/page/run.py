# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Runs the tests of this folder, or those that are named, in a process of their own, and makes sure that the run ends and says why.

A run of which TRACKWAY_PAGE_MINUTES (20) are over is ended, with everything it started, and fails; it says where it stood.

With TRACKWAY_RETRY=1 what failed is run once more by itself, with a new collector and a new browser. When all of it passes then, so does
the run, and it ends by naming it as unsteady: such a test is to be mended, and a change that has nothing to do with it is not to wait for that.
"""
import faulthandler
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

MINUTES = float(os.environ.get("TRACKWAY_PAGE_MINUTES") or 20)
# More than this is no matter of a few unsteady tests.
MOST_RETRIED = 5
HERE = pathlib.Path(__file__).resolve().parent


class Noting(unittest.TextTestResult):
    """Writes a line for each test that begins, and one for each that does not pass."""

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
        # What cannot be set up is no test, and has no name to be run by.
        self.note("failed" if isinstance(test, unittest.TestCase) else "broken", test)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.note("failed", test)

    def addSubTest(self, test, part, error):
        super().addSubTest(test, part, error)
        if error is not None:
            self.note("failed", test)


def run(names):
    """In the process of the tests: whether all of them passed."""
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    loader = unittest.TestLoader()
    tests = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE), "test_*.py")
    with open(os.environ["TRACKWAY_PAGE_NOTES"], "a") as Noting.notes:
        return unittest.TextTestRunner(resultclass=Noting, verbosity=2).run(tests).wasSuccessful()


def attempt(names):
    """Another process with these tests: its status, and the tests that failed or did not end (None where that cannot be told)."""
    with tempfile.TemporaryDirectory() as folder:
        notes = pathlib.Path(folder, "notes")
        notes.touch()
        process = subprocess.Popen([sys.executable, __file__, "--here", *names], env={**os.environ, "TRACKWAY_PAGE_NOTES": str(notes)}, start_new_session=True)
        try:
            status = process.wait(60 * MINUTES)
        except subprocess.TimeoutExpired:
            print(f"\n=== not at an end after {MINUTES:g} minutes; it stands here:", flush=True)
            process.send_signal(signal.SIGUSR1)
            try:
                # For as long as it takes to say so.
                process.wait(5)
            except subprocess.TimeoutExpired:
                pass
            status = 1
        finally:
            end(process)
        said = [line.split(" ", 1) for line in notes.read_text().splitlines()]
    of = {word: {name for said_word, name in said if said_word == word} for word in ("begun", "ended", "failed", "broken")}
    return status, None if of["broken"] else of["failed"] | (of["begun"] - of["ended"])


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
    # Whoever ends the run ends what it started, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    status, failed = attempt(names)
    if status == 0 or os.environ.get("TRACKWAY_RETRY") != "1" or failed is None or not 0 < len(failed) <= MOST_RETRIED:
        return 0 if status == 0 else 1
    print("\n=== once more, these alone:", *sorted(failed), sep="\n  ", flush=True)
    status, _ = attempt(sorted(failed))
    if status == 0:
        print("\n=== UNSTEADY, passed when run again; to be mended:", *sorted(failed), sep="\n  ", flush=True)
    return 0 if status == 0 else 1


if __name__ == "__main__":
    sys.exit((0 if run(sys.argv[2:]) else 1) if sys.argv[1:2] == ["--here"] else main(sys.argv[1:]))
