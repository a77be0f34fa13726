# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Asks a collector and DuckDB the same random questions; `Scripts/compare-with-duckdb` starts it."""
import argparse
import collections
import os
import random
import sys
import tempfile
import time

import activity
import duckdb
import funnels
import identity
import paths
import people
import random_events
import sample
import trends
from collector import Collector


# Each form of question: its share, and functions that generate a query with its SQL, and compare the response.
FORMS = {
    "trends": (9, trends.random_query, trends.compare),
    "funnels": (4, funnels.random_query, funnels.compare),
    "retention": (2, activity.random_retention, activity.compare_retention),
    "lifecycle": (2, activity.random_activity, activity.compare_activity),
    "stickiness": (1, activity.random_activity, activity.compare_activity),
    "paths": (1, paths.random_query, paths.compare),
    "people": (4, people.random_query, people.compare),
}
# The requests are sent in two halves, with questions after each.
PHASES = 2
ERASED_USERS = 4
# Statements of operators are made after those of apps.
END_OF_TIME = 10 ** 15


class Data:
    """What random queries refer to."""

    def __init__(self, rows):
        self.users = sorted({row["user_id"] for row in rows if random_events.is_user(row["user_id"])}) + ["unknown"]
        self.installations = sorted({row["installation"] for row in rows if row["installation"]}) + ["00000000-0000-7000-8000-000000000000"]


class Comparison:
    """The numbers of equal and different responses by form, and the questions with their responses."""

    def __init__(self, prints_all):
        self.equal, self.different, self.asked = collections.Counter(), collections.Counter(), []
        self.prints_all = prints_all

    def ask(self, rng, collector, database, data):
        form = rng.choices(list(FORMS), [share for share, _, _ in FORMS.values()])[0]
        _, generate, compare = FORMS[form]
        if form == "people":
            path, query, expectation = generate(rng, data)
            response = people.ask(collector, path, query)
        else:
            path, (query, expectation) = form, generate(rng, data)
            response = collector.get("/v1/" + form, query)
        self.asked.append((form, query, expectation, response))
        if difference := compare(database, query, expectation, response):
            self.add_difference(form, f"/v1/{path} {query}\n    SQL: {expectation}\n    {difference}")
        else:
            self.equal[form] += 1

    def check(self, form, difference):
        """Counts a comparison that is not a random question."""
        if difference:
            self.add_difference(form, difference)
        else:
            self.equal[form] += 1

    def add_difference(self, form, text):
        self.different[form] += 1
        if self.prints_all or self.different.total() == 1:
            print(f"compare-with-duckdb: {form}: {text}", file=sys.stderr, flush=True)

    def lines(self):
        for form in sorted(self.equal | self.different):
            yield f"{form:<12} {self.equal[form]:5} equal" + (f", {self.different[form]} different" if self.different[form] else "")


def check_people(database, rows, phase):
    """Compares the rules in SQL with a walk by hand; returns the difference."""
    merges = identity.merges_by_hand(identity.statements(database, phase))
    expected = identity.people_by_hand([row for row in rows if row["phase"] <= phase])
    expected = {position: merges.get(person, person) if isinstance(person, str) else person for position, person in expected.items()}
    expected = {position: None if person is None else "u" + person if isinstance(person, str) else "i" + person[0] for position, person in expected.items()}
    found = dict(database.execute("SELECT position, person FROM events").fetchall())
    if found != expected:
        position = next(position for position in expected if found.get(position) != expected[position])
        return f"the person of event {position} is {expected[position]} by hand, and {found.get(position)} in SQL"
    return None


def check_erasure(collector, database, user):
    """Erases a user in both; returns the difference between the previews."""
    (expected, users), found = identity.erase_user(database, user), collector.erase_user(user)
    if found is not None:
        installations = sorted((item["installation"], item["shared"], item["events"]) for item in found["installations"])
        if sorted(found.get("users", [user])) != sorted(users):
            return f"erasing {user} would erase {found.get('users')}, not {users}", users
        found = {"events": found["events"], "events_without_installation": found["events_without_installation"], "installations": installations}
    return None if found == expected else f"erasing {user} would remove {found}, not {expected}", users


def merge_users(rng, collector, database, data, phase):
    """Merges users and undoes merges, as an operator; returns the first difference in the statuses."""
    users = [user for user in data.users if user.startswith("user-")] + ["not-used-yet"]
    # Apps' statements that arrive later about the same users must change nothing.
    later = [user for (user,) in database.execute(f"SELECT alias_from FROM received WHERE phase > {phase} AND alias_from LIKE 'user-%' ORDER BY position").fetchall()]
    difference = None
    for number in range(12):
        merges = identity.merges_in_order(identity.statements(database, phase))
        user, target = rng.choice(later if later and number % 2 else users), rng.choice(users)
        if rng.random() < 0.35:
            user, target = rng.choice([*merges, user]), None
        known = database.execute(f"SELECT count(*) FROM events WHERE person = {identity.quoted('u' + identity.root_of(database, user))}").fetchone()[0]
        before = dict(identity.merges_in_order(identity.statements(database, phase)))
        # A second time, because the tables were made before the statements.
        direct = identity.merges_of_one_step(identity.statements(database, phase)).get(user)
        if target is None:
            expected = 202 if direct else 404
        elif user == target:
            expected = 400
        elif not known:
            expected = 404
        else:
            expected = 200 if direct == target else 409 if direct or before.get(target, target) == user else 202
        if (status := collector.merge_users(user, target)) != expected:
            difference = difference or f"merging {user} into {target} has status {status}, not {expected}"
        if status == 202:
            database.execute("INSERT INTO operator_statements VALUES (?, ?, ?, ?)", [phase, END_OF_TIME + number + 100 * phase, user, target])
        collector.wait()
        identity.assign_people(database, phase)
    return difference


def self_test(database, comparison, phase):
    """Returns the wrong rules that the questions would not have noticed."""
    missed = []
    for name, rules in identity.wrong_rules():
        identity.assign_people(database, phase, rules)
        found = 0
        for form, query, expectation, response in comparison.asked:
            try:
                found += bool(FORMS[form][2](database, query, expectation, response))
            except (KeyError, TypeError, IndexError, ValueError):
                found += 1
        print(f"wrong rule {name}: {found} of {len(comparison.asked)} responses differ", flush=True)
        if not found:
            missed.append(name)
    return missed


def compare_all(rng, collector, database, data, requests, rows, comparison, options):
    """Asks a fifth of the questions at half of the requests, most at all of them, and a fifth after erasing users.

    Returns the wrong rules that were not noticed.
    """
    part, missed = options.questions // 5, []
    for phase in range(PHASES):
        for index, request in enumerate(requests):
            if index * PHASES // len(requests) == phase:
                collector.send(request)
                # The index is written in many transactions, so that late events change what is stored.
                if index % 10 == 0:
                    collector.wait()
        collector.wait()
        identity.assign_people(database, phase)
        comparison.check("merges", merge_users(rng, collector, database, data, phase))
        comparison.check("by hand", check_people(database, rows, phase))
        comparison.asked = []
        for _ in range(part if phase == 0 else options.questions - 2 * part):
            comparison.ask(rng, collector, database, data)
        if phase == 0:
            collector.restart()
    if options.self_test:
        missed = self_test(database, comparison, PHASES - 1)
    erased = set()
    for user in rng.sample([user for user in data.users if user.startswith("user-")], ERASED_USERS):
        if user in erased:
            continue
        identity.assign_people(database, PHASES - 1)
        difference, users = check_erasure(collector, database, user)
        erased.update(users)
        comparison.check("erasures", difference)
    identity.assign_people(database, PHASES - 1)
    for _ in range(part):
        comparison.ask(rng, collector, database, data)
    return missed


def main():
    parser = argparse.ArgumentParser(prog="Scripts/compare-with-duckdb", description="Compare a collector's answers with DuckDB's.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--events", type=int, default=20_000, help="approximate number of random events")
    parser.add_argument("--self-test", action="store_true", help="also check that wrong identity rules are noticed")
    parser.add_argument("--all", action="store_true", help="print every difference, not only the first")
    parser.add_argument("--trackway", default=".build/debug/trackway")
    options = parser.parse_args()
    if not os.access(options.trackway, os.X_OK):
        parser.error(f"--trackway {options.trackway} is not a program; build it with: Scripts/build Server --product trackway")
    if options.questions < 0 or options.events < 1_000:
        parser.error("--questions takes 0 or more, and --events 1000 or more")
    began = time.monotonic()
    rng = random.Random(options.seed)
    requests = random_events.random_requests(rng, options.events)
    rows = random_events.rows(requests, PHASES)
    data = Data(rows)
    database = duckdb.connect()
    identity.load(database, rows)
    comparison = Comparison(options.all)
    with tempfile.TemporaryDirectory() as folder:
        collector = Collector(options.trackway, folder)
        try:
            missed = compare_all(rng, collector, database, data, requests, rows, comparison, options)
        finally:
            collector.stop()
    sample.check(options.trackway, comparison)
    print(f"compare-with-duckdb: {options.questions} questions on {len(rows)} events in {len(requests)} requests, seed {options.seed}, "
          f"DuckDB {duckdb.__version__}, {time.monotonic() - began:.0f} s")
    for line in comparison.lines():
        print("  " + line)
    if missed:
        print(f"compare-with-duckdb: no question notices the wrong rules {missed}", file=sys.stderr)
    return 1 if comparison.different or missed else 0


if __name__ == "__main__":
    sys.exit(main())
