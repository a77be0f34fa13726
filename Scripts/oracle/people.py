# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Random questions about single people and lists of people, and their expected results."""
import urllib.parse

from conditions import random_condition
from identity import quoted, root_of, users_of
from random_events import END, HOUR, NAMES, START

# What a response says of a person, from the person's events. A session belongs to an installation.
SUMMARY = "count(*), min(time), max(time), count(DISTINCT CASE WHEN session IS NOT NULL AND installation IS NOT NULL THEN installation || ' ' || session END)"
# The installations on which a user was signed in, or on which a visitor was, the last used first.
USED = """SELECT coalesce(list(installation ORDER BY last DESC, installation), []) FROM (SELECT installation, max(time) AS last FROM events
    WHERE {who} AND installation IS NOT NULL GROUP BY installation)"""


def random_query(rng, data):
    kind = rng.choice(["list", "profile", "visitor", "timeline", "timeline", "events"])
    user, installation = rng.choice(data.users), rng.choice(data.installations)
    path = {"list": "users", "profile": "users/" + urllib.parse.quote(user, safe=""), "visitor": f"visitors/{installation}"}.get(kind)
    sql, query = "true", []
    if kind == "list":
        query = [("limit", 200), ("attributes", "none")] + ([("installation", installation)] if rng.random() < 0.5 else [])
    if kind == "timeline":
        path = f"users/{urllib.parse.quote(user, safe='')}/events" if rng.random() < 0.7 else f"visitors/{installation}/events"
        query, sql = random_timeline_filter(rng, data)
    if kind == "events":
        path, (query, sql) = "events", random_timeline_filter(rng, data, has_conditions=False)
        if rng.random() < 0.6:
            # Only events while the user was signed in.
            query, sql = query + [("user", user)], f"{sql} AND \"user\" = {quoted(user)}"
    return path, query, (kind, user if path.startswith("users/") else None, installation, sql)


def random_timeline_filter(rng, data, has_conditions=True):
    query, sql = [("limit", rng.choice([7, 100, 1000]))], ["true"]
    if rng.random() < 0.3:
        name = rng.choice(NAMES)
        query, sql = query + [("name", name)], sql + [f"name = '{name}'"]
    if rng.random() < 0.3:
        start = rng.randrange(START, END)
        query, sql = query + [("from", start), ("to", start + 9 * 24 * HOUR)], sql + [f"time >= {start} AND time < {start + 9 * 24 * HOUR}"]
    if rng.random() < 0.2:
        installation = rng.choice(data.installations)
        query, sql = query + [("installation", installation)], sql + [f"installation = '{installation}'"]
    conditions, condition = random_condition(rng, 0.2 if has_conditions else 0)
    return query + [("where", text) for text in conditions], " AND ".join([*sql, f"({condition})"])


def visitor_of(database, installation):
    """Returns the visitor of an installation: its own person, the only user of its anonymous events, or None."""
    people = [row[0] for row in database.execute(
        f"SELECT DISTINCT person FROM events WHERE installation = '{installation}' AND \"user\" IS NULL").fetchall()]
    if "i" + installation in people:
        return "i" + installation
    return people[0] if len(people) == 1 else None


def summary(database, person, where="true"):
    events, first, last, sessions = database.execute(f"SELECT {SUMMARY} FROM events WHERE person = {quoted(person)} AND {where}").fetchone()
    return {"events": events, "first": first, "last": last, "sessions": sessions} if events else None


def identified(database, person):
    """Returns the expected id, sums and installations of a person; None without events."""
    # A user exists from the first signed-in event.
    expected = summary(database, person)
    if expected is None:
        return None
    who = f"\"user\" IN {users_of(database, person[1:])}" if person[0] == "u" else f"person = {quoted(person)}"
    expected["installations"] = database.execute(USED.format(who=who)).fetchone()[0]
    return expected | {"id": person[1:] if person[0] == "u" else None}


def compare_person(database, person, response):
    if (expected := identified(database, person) if person else None) is None:
        return None if response is None else f"{person} exists: {response}"
    if response is None:
        return f"{person} does not exist, but has {expected}"
    # A person has the first 20 installations, and the first 100 devices.
    found, shown = {name: response.get(name) for name in expected}, expected | {"installations": expected["installations"][:20]}
    if found != shown:
        return f"{person} is {found}, not {shown}"
    if "devices" not in response:
        return None
    expected = sorted(({"installation": installation} | summary(database, person, f"installation = '{installation}'")
                       for installation in expected["installations"]), key=lambda device: (-device["last"], device["installation"]))
    found = [{name: device[name] for name in ("installation", "events", "first", "last", "sessions")} for device in response["devices"]]
    order = lambda devices: sorted(devices, key=lambda device: device["installation"])
    return None if order(found) == order(expected) else f"the devices of {person} are {found}, not {expected}"


def compare_list(database, query, pages):
    parameters = dict(query)
    found = [user for page in pages for user in page["users"]]
    people = [row[0] for row in database.execute("SELECT person FROM events WHERE person IS NOT NULL GROUP BY person ORDER BY max(time) DESC, person").fetchall()]
    if "installation" in parameters:
        # Of users, only signed-in events count as use.
        used = {row[0] for row in database.execute(
            f"SELECT CASE WHEN e.\"user\" IS NULL THEN 'i' || installation ELSE 'u' || coalesce(m.root, e.\"user\") END "
            f"FROM events e LEFT JOIN merged m ON m.\"user\" = e.\"user\" WHERE installation = '{parameters['installation']}'").fetchall()}
        people = [person for person in people if person in used]
    listed = ["i" + user["installations"][0] if user.get("id") is None else "u" + user["id"] for user in found]
    if sorted(listed) != sorted(people):
        return f"the list has {len(listed)} people, not {len(people)}: {sorted(set(listed) ^ set(people))[:5]}"
    if [user["last"] for user in found] != sorted((user["last"] for user in found), reverse=True):
        return "the list is not ordered by the time of the last event"
    return next((difference for person, user in zip(listed, found) if (difference := compare_person(database, person, user))), None)


# Sift's events have no ids of their own, so their time is compared.
ID = "coalesce(id, time::VARCHAR)"


def found_id(event):
    return str(event["time"]) if "serial" in event["event"].get("attributes", {}) else event["id"]


def compare_events(database, sql, pages):
    """Compares a list of events, latest arrival first."""
    expected = [row[0] for row in database.execute(f"SELECT {ID} FROM events WHERE {sql} ORDER BY position DESC").fetchall()]
    found = [found_id(event) for page in pages for event in page["events"]]
    return None if found == expected else f"{len(found)} events are listed, not {len(expected)}: {found[:3]}, not {expected[:3]}"


def compare_timeline(database, person, sql, pages):
    exists = person and summary(database, person)
    if not exists or pages is None:
        return None if not exists and pages is None else f"the timeline of {person} exists: {pages is not None}, not {bool(exists)}"
    expected = database.execute(f"SELECT {ID}, CASE WHEN {person[0] == 'u'} THEN \"user\" IS NULL ELSE false END FROM events "
                                f"WHERE person = {quoted(person)} AND {sql} ORDER BY time DESC, position DESC").fetchall()
    found = [(found_id(event), event.get("visit", False)) for page in pages for event in page["events"]]
    if found != expected:
        index = next((index for index, pair in enumerate(zip(found, expected)) if pair[0] != pair[1]), min(len(found), len(expected)))
        return f"the timeline of {person} has {len(found)} events, not {len(expected)}; from {index}: {found[index : index + 3]}, not {expected[index : index + 3]}"
    return None


def ask(collector, path, query):
    """Returns the pages of a response; None if the person does not exist."""
    pages, query = [], list(query)
    while True:
        page = collector.get("/v1/" + path, query, missing=None)
        if page is None:
            return None
        pages.append(page)
        # The `next` of a profile continues its attributes.
        if "next" not in page or "devices" in page:
            return pages
        query = [item for item in query if item[0] != "after"] + [("after", page["next"])]


def compare(database, query, expectation, pages):
    kind, user, installation, sql = expectation
    if kind == "list":
        return compare_list(database, query, pages)
    if kind == "events":
        return compare_events(database, sql, pages)
    person = "u" + root_of(database, user) if user is not None else visitor_of(database, installation)
    if kind == "timeline":
        return compare_timeline(database, person, sql, pages)
    # A user who is not signed in on any event does not exist.
    return compare_person(database, person, pages[0] if pages else None)
