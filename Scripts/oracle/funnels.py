# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Random funnels, and their expected results."""
from conditions import GROUPS, random_condition, random_owner
from random_events import END, HOUR, NAMES, START
from trends import canonical, group_key, json_order, shown_json

# The time and the order of arrival, as one number.
ORDER_KEY = "(time * 4194304 + position)"


def random_query(rng, data):
    start = rng.randrange(START - 2 * 24 * HOUR, END - 24 * HOUR)
    query = [("from", start), ("to", start + rng.randrange(HOUR, 60 * 24 * HOUR))]
    steps = [rng.choice([*NAMES, "_screen_view"]) for _ in range(rng.randrange(1, 6))]
    window = rng.choice(["45m", "3h", "24h", "5d", "7d", "40d"])
    common, sql = random_condition(rng, 0.3)
    owner, owner_sql = random_owner(rng, data)
    query += [("step", name) for name in steps] + [("where", text) for text in common] + owner
    step_sql = []
    for number, name in enumerate(steps, 1):
        conditions, condition = random_condition(rng, 0.2, maximum=1)
        query += [(f"where.{number}", text) for text in conditions]
        step_sql.append(f"person IS NOT NULL AND name = '{name}' AND {sql} AND {owner_sql} AND {condition}")
    if window != "7d" or rng.random() < 0.5:
        query.append(("window", window))
    if rng.random() < 0.4:
        query += [("by", rng.choice(list(GROUPS))), ("top", rng.randrange(1, 6))]
    return query + [("people", rng.randrange(1, len(steps) + 1))], step_sql


def attempts(database, parameters, step_sql, field=None):
    """Returns each person's attempt: the person, the group, the times of the steps, and the last event's position.

    For each event of a step, the attempt that ends with it is the one with the latest earlier steps. A person's attempt
    is the first one that reaches the person's furthest step.
    """
    window = parameters.get("window", "7d")
    window = int(window[:-1]) * {"m": 60_000, "h": HOUR, "d": 24 * HOUR}[window[-1]]
    key = group_key(field, False) if field else "''"
    database.execute(f"CREATE OR REPLACE TEMP TABLE reached AS SELECT 1 AS step, person, {ORDER_KEY} AS k, position, [time] AS times, {key} AS value "
                     f"FROM events WHERE {step_sql[0]} AND time >= {parameters['from']} AND time < {parameters['to']}")
    for step, condition in enumerate(step_sql[1:], 2):
        database.execute(f"INSERT INTO reached SELECT {step}, e.person, e.k, e.position, list_append(r.times, e.time), r.value "
                         f"FROM (SELECT person, time, position, {ORDER_KEY} AS k FROM events WHERE {condition}) e "
                         f"ASOF JOIN (SELECT * FROM reached WHERE step = {step - 1}) r ON r.person = e.person AND e.k > r.k "
                         f"WHERE e.time - r.times[1] <= {window}")
    return database.execute("SELECT person, value, times, position FROM reached "
                            "QUALIFY row_number() OVER (PARTITION BY person ORDER BY step DESC, k) = 1").fetchall()


def median(times):
    return sorted(times)[(len(times) + 1) // 2 - 1] if times else None


def series_steps(found, count):
    """Returns the steps of a series from the attempts of its people."""
    steps = []
    for step in range(count):
        times = [times for _, _, times, _ in found if len(times) > step]
        steps.append({"people": len(times)} | ({
            "median": median([time[step] - time[step - 1] for time in times]), "median_total": median([time[step] - time[0] for time in times])} if step else {}))
    return steps


def compare(database, query, step_sql, response):
    parameters = dict(query)
    found = attempts(database, parameters, step_sql, parameters.get("by"))
    # Steps without people have no median.
    tidy = lambda steps: [{name: value for name, value in step.items() if value is not None} for step in steps]
    answer = [(series.get("other", canonical(shown_json(series.get("group")))), tidy(series["steps"])) for series in response["series"]]
    if "by" in parameters:
        groups = {}
        for attempt in found:
            groups.setdefault(attempt[1], []).append(attempt)
        ranked = sorted(groups, key=lambda group: (-len(groups[group]), json_order(group)))
        top, rest = ranked[: parameters["top"]], ranked[parameters["top"] :]
        expected = [(canonical(group), tidy(series_steps(groups[group], len(step_sql)))) for group in top]
        if rest:
            expected.append((len(rest), tidy(series_steps([attempt for group in rest for attempt in groups[group]], len(step_sql)))))
    else:
        expected = [("", tidy(series_steps(found, len(step_sql))))]
    if answer != expected:
        return f"the series are {answer}, not {expected}"
    stopped = sorted(((times[-1], position, person) for person, _, times, position in found if len(times) == parameters["people"]), reverse=True)
    expected = [(person, time) for time, _, person in stopped[:100]]
    listed = [("u" + person["user"] if person.get("user") is not None else "i" + person["installation"], person["at"]) for person in response["people"]]
    return None if listed == expected else f"the people are {listed[:5]}… ({len(listed)}), not {expected[:5]}… ({len(expected)})"
