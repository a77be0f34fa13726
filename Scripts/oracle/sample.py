# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Compares answers about `trackway sample` data with DuckDB, and with counts by hand."""
import subprocess
import tempfile

import duckdb
import export
import funnels
import identity
from collector import Collector
from random_events import ATTRIBUTES, COLUMNS, json_text

DAY = 86_400_000
DAYS = 12
UNTIL = 1795219200000
# A person who opens the app for the first time, signs up, and buys something.
FUNNEL = ["_first_open", "sign_up", "purchase"]


def read_events(collector):
    """Returns a row for each event, from the events and contexts as received."""
    rows, query = [], [("order", "asc"), ("limit", 1000)]
    while True:
        page = collector.get("/v1/events", query)
        for event in page["events"]:
            context, body = event.get("context", {}), event["event"]
            row = dict.fromkeys([*COLUMNS, *ATTRIBUTES]) | {
                "phase": 0, "position": len(rows), "id": event["id"], "name": body["name"], "time": body["time"], "installation": event.get("installation"),
                "user_id": context.get("user", {}).get("id"), "separate": context.get("user", {}).get("separate", False),
                "session": context.get("session", {}).get("id"), "version": json_text(context.get("app", {}).get("version")),
                "country": json_text(context.get("device", {}).get("country"))}
            rows.append(row | {name: json_text(body.get("attributes", {}).get(name)) for name in ATTRIBUTES})
        if "next" not in page:
            return rows
        query = query[:2] + [("after", page["next"])]


def funnel_by_hand(rows, people):
    """Returns the number of people who reached each step, found by trying every first event."""
    events = {}
    for row in rows:
        person = people[row["position"]]
        if person is not None and row["name"] in FUNNEL:
            events.setdefault(person, []).append((row["time"], row["position"], row["name"]))
    counts = [0] * len(FUNNEL)
    for listed in events.values():
        listed.sort()
        furthest = 0
        for start, (began, _, _) in enumerate(listed):
            step = 0
            for time, _, name in listed[start:]:
                if step < len(FUNNEL) and name == FUNNEL[step] and time - began <= 7 * DAY:
                    step += 1
            furthest = max(furthest, step)
        for step in range(furthest):
            counts[step] += 1
    return counts


def check(program, comparison):
    with tempfile.TemporaryDirectory() as folder:
        collector = Collector(program, folder)
        try:
            subprocess.run([program, "sample", "--url", f"http://127.0.0.1:{collector.port}", "--key", "dev", "--until", str(UNTIL), "--days", str(DAYS),
                            "--visitors", "10", "--no-board"], check=True, stdout=subprocess.DEVNULL)
            collector.wait()
            rows = read_events(collector)
            people = identity.people_by_hand(rows)
            database = duckdb.connect()
            identity.load(database, rows)
            identity.assign_people(database, 0)
            comparison.check("sample", funnel_difference(collector, database, rows, people))
            comparison.check("sample", people_difference(collector, rows, people))
            comparison.check("export", export.difference(program, collector, rows))
        finally:
            collector.stop()


def funnel_difference(collector, database, rows, people):
    query = [("from", UNTIL - DAYS * DAY), ("to", UNTIL), *[("step", name) for name in FUNNEL], ("people", len(FUNNEL))]
    response = collector.get("/v1/funnels", query)
    counts = [step["people"] for step in response["series"][0]["steps"]]
    by_hand = funnel_by_hand(rows, people)
    print("sample funnel " + " → ".join(f"{name} {count}" for name, count in zip(FUNNEL, counts)))
    if counts != by_hand or 0 in counts:
        return f"the sample's funnel is {counts}, and {by_hand} by hand"
    return funnels.compare(database, query, [f"person IS NOT NULL AND name = '{name}'" for name in FUNNEL], response)


def people_difference(collector, rows, people):
    """Compares the number of people per day and in total, and the number of listed people, with a count by hand."""
    start = UNTIL - DAYS * DAY
    response = collector.get("/v1/trends", [("from", start), ("to", UNTIL), ("measure", "users")])
    days = [set() for _ in range(DAYS)]
    for row in rows:
        if people[row["position"]] is not None:
            days[(row["time"] - start) // DAY].add(people[row["position"]])
    everyone = set().union(*days)
    expected = [len(day) for day in days] + [len(everyone)]
    found = response["series"][0]["values"] + [response["series"][0]["total"]]
    listed, query = 0, [("limit", 200), ("attributes", "none")]
    while True:
        page = collector.get("/v1/users", query)
        listed += len(page["users"])
        if "next" not in page:
            break
        query = query[:2] + [("after", page["next"])]
    print(f"sample people {found[-1]}, {len(everyone)} by hand, on {len({row['installation'] for row in rows})} installations; {len(rows)} events")
    if found != expected or listed != len(everyone):
        return f"the numbers of people are {found} and {listed}, and {expected} by hand"
    return None
