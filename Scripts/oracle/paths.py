# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Random paths, and their expected results from a walk through every session."""
from conditions import random_owner
from random_events import END, HOUR, NAMES, SCREENS, START


def random_query(rng, data):
    start = rng.randrange(START, END - 24 * HOUR)
    kind = rng.choice(["screens", "events"])
    name = rng.choice(SCREENS if kind == "screens" else NAMES)
    owner, sql = random_owner(rng, data, has_user=False)
    query = [("from", start), ("to", start + rng.randrange(HOUR, 40 * 24 * HOUR)), ("of", kind), ("steps", rng.randrange(2, 7)), ("top", rng.randrange(1, 4))]
    names = "screen IS NOT NULL" if kind == "screens" else "name[1] <> '_'"
    return query + rng.choice([[], [("start", name)], [("end", name)]]) + owner, f"{sql} AND {names}"


def compare(database, query, sql, response):
    parameters = dict(query)
    steps, count = parameters["steps"], parameters["top"]
    name = "screen" if parameters["of"] == "screens" else "name"
    sessions = database.execute(
        f"SELECT list({name} ORDER BY time, position) FROM events WHERE session IS NOT NULL AND installation IS NOT NULL AND {sql} "
        f"AND time >= {parameters['from']} AND time < {parameters['to']} GROUP BY installation, session").fetchall()
    sessions_by_step, links, ended, total = {}, {}, {}, 0
    for (names,) in sessions:
        names = names[::-1] if "end" in parameters else names
        anchor = parameters.get("end", parameters.get("start"))
        if anchor:
            names = names[names.index(anchor):] if anchor in names else []
        path = [name for index, name in enumerate(names) if index == 0 or names[index - 1] != name][:steps]
        total += bool(path)
        for step, name in enumerate(path):
            sessions_by_step.setdefault(step, {}).setdefault(name, 0)
            sessions_by_step[step][name] += 1
        if path and len(path) < steps:
            ended[len(path) - 1] = ended.get(len(path) - 1, 0) + 1
        for step, pair in enumerate(zip(path, path[1:])):
            links[step, *pair] = links.get((step, *pair), 0) + 1
    ranked = {step: sorted(names.items(), key=lambda item: (-item[1], item[0])) for step, names in sessions_by_step.items()}
    top = {step: [name for name, _ in names[:count]] for step, names in ranked.items()}
    expected = [{"names": [{"name": name, "sessions": number} for name, number in ranked[step][:count]],
                 "other": sum(number for _, number in ranked[step][count:]), "ended": ended.get(step, 0)} for step in sorted(ranked)]
    merged = {}
    for (step, left, right), number in links.items():
        pair = (step, left if left in top[step] else None, right if right in top[step + 1] else None)
        merged[pair] = merged.get(pair, 0) + number
    found = {(link["step"], link["from"], link["to"]): link["sessions"] for link in response["links"]}
    if (response["sessions"], response["steps"], found) != (total, expected, merged):
        return f"the paths are {response}, not {total}, {expected}, {merged}"
    return None
