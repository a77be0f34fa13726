# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Random queries about retention, lifecycle and stickiness, and their expected results."""
from conditions import ZONES, random_condition, random_filter, random_owner
from funnels import ORDER_KEY
from random_events import END, HOUR, NAMES, START

INTERVALS = ["day", "week", "month", "hour"]


def random_range(rng):
    interval = rng.choice(INTERVALS)
    start = rng.randrange(START, END - 24 * HOUR)
    length = rng.randrange(HOUR, 90 * HOUR if interval == "hour" else 40 * 24 * HOUR)
    return [("from", start), ("to", start + length), ("interval", interval), ("zone", rng.choice(ZONES))]


def some_names(rng):
    return rng.sample(NAMES, rng.randrange(3))


def random_retention(rng, data):
    query = random_range(rng) + [("cohort", rng.choice(["first", "each"]))]
    common, common_sql = random_condition(rng, 0.2)
    owner, owner_sql = random_owner(rng, data)
    query += [("where", text) for text in common] + owner
    sql = []
    for part in ("first", "return"):
        names = some_names(rng)
        conditions, condition = random_condition(rng, 0.2, maximum=1)
        query += [(part, name) for name in names] + [(f"where.{part}", text) for text in conditions]
        named = "name IN (" + ", ".join(f"'{name}'" for name in names) + ")" if names else "true"
        sql.append(f"person IS NOT NULL AND {named} AND {condition} AND {common_sql} AND {owner_sql}")
    return query, sql


def random_activity(rng, data):
    query, sql = random_filter(rng, some_names(rng), data)
    return random_range(rng) + query, f"person IS NOT NULL AND {sql}"


def slot(response):
    """Returns SQL for the index of the interval that contains an event."""
    return f"len(list_filter({response['edges'][:-1]}, lambda edge: edge <= time)) - 1"


def compare_retention(database, query, sql, response):
    parameters, edges = dict(query), response["edges"]
    if edges[0] != parameters["from"] or edges[-1] != parameters["to"]:
        return "the edges do not match the time range"
    per = "person" if parameters["cohort"] == "first" else "person, slot"
    seen = f"SELECT person, time, {slot(response)} AS slot, {ORDER_KEY} AS k FROM events WHERE {sql[0]} AND time < {edges[-1]}"
    cohorts = f"SELECT {'arg_min(slot, k) AS slot, person' if per == 'person' else per}, min(k) AS k, min(time) AS t FROM ({seen}) GROUP BY {per}"
    cohorts = f"SELECT * FROM ({cohorts}) WHERE t >= {edges[0]}"
    sizes = dict(database.execute(f"SELECT slot, count(*) FROM ({cohorts}) GROUP BY slot").fetchall())
    back = f"SELECT person, {slot(response)} AS slot, {ORDER_KEY} AS k FROM events WHERE {sql[1]} AND time >= {edges[0]} AND time < {edges[-1]}"
    returned = {(cohort, later): people for cohort, later, people in database.execute(
        f"SELECT c.slot, b.slot - c.slot, count(DISTINCT c.person) FROM ({cohorts}) c JOIN ({back}) b ON b.person = c.person AND b.k > c.k GROUP BY ALL").fetchall()}
    count = len(edges) - 1
    expected = [{"people": sizes.get(i, 0), "returned": [returned.get((i, later), 0) for later in range(count - i)]} for i in range(count)]
    return None if response["cohorts"] == expected else f"the cohorts are {response['cohorts']}, not {expected}"


def compare_activity(database, query, sql, response):
    parameters, edges = dict(query), response["edges"]
    count = len(edges) - 1
    local = f"(make_timestamptz(({edges[0]} - 1) * 1000) AT TIME ZONE '{parameters['zone']}')"
    begin = database.execute(f"SELECT epoch_ms((date_trunc('{parameters['interval']}', {local})) AT TIME ZONE '{parameters['zone']}')").fetchone()[0]
    if parameters["interval"] == "hour":
        # A local hour can occur twice, so the beginning is computed from the minutes and seconds.
        begin = database.execute(f"SELECT {edges[0]} - 1 - epoch_ms({local}) % {HOUR}").fetchone()[0]
    when = f"CASE WHEN time < {begin} THEN -2 WHEN time < {edges[0]} THEN -1 ELSE {slot(response)} END"
    people = {}
    for person, interval in database.execute(f"SELECT DISTINCT person, {when} FROM events WHERE {sql} AND time < {edges[-1]}").fetchall():
        people.setdefault(person, set()).add(interval)
    if "people" in response:
        expected = [0] * count
        for active in people.values():
            if times := len([interval for interval in active if interval >= 0]):
                expected[times - 1] += 1
        return None if response["people"] == expected else f"the numbers of people are {response['people']}, not {expected}"
    expected = {kind: [0] * count for kind in ("new", "returning", "resurrected", "dormant")}
    for active in people.values():
        for interval in range(count):
            if interval in active:
                kind = "new" if min(active) == interval else "returning" if interval - 1 in active else "resurrected"
                expected[kind][interval] += 1
            elif interval - 1 in active:
                expected["dormant"][interval] += 1
    found = {kind: response[kind] for kind in expected}
    return None if found == expected else f"the numbers of people are {found}, not {expected}"
