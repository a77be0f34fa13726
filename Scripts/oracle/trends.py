# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Random trend queries, and their expected results."""
import json

from conditions import GROUPS, MEASURES, ZONES, number_sql, random_filter
from random_events import END, HOUR, NAMES, START

# The longest time range in days of each interval.
INTERVALS = {"minute": 0.7, "hour": 20, "day": 50, "week": 50, "month": 50, "quarter": 50, "year": 50}


def random_query(rng, data):
    names = rng.sample([*NAMES, "_screen_view"], rng.randrange(1, 3)) if rng.random() < 0.5 else []
    query, sql = random_filter(rng, names, data)
    interval = rng.choice(list(INTERVALS) + ["day", "day", "hour"])
    start = rng.randrange(START - 2 * 24 * HOUR, END - 1)
    if rng.random() < 0.2:
        start = start // HOUR * HOUR
    query += [("from", start), ("to", start + rng.randrange(1, int(INTERVALS[interval] * 24 * HOUR))), ("interval", interval), ("zone", rng.choice(ZONES))]
    measure = rng.choice(["users", "users", *MEASURES])
    query += [("measure", measure)] + ([("texts", "numbers")] if ":" in measure and rng.random() < 0.3 else [])
    if rng.random() < 0.5:
        query += [("by", rng.choice(list(GROUPS))), ("top", rng.randrange(1, 11))] + ([("values", "texts")] if rng.random() < 0.3 else [])
    query += [("compare", "before")] if rng.random() < 0.5 else []
    return query, sql


def interval_label(time, zone, interval):
    """Returns SQL that identifies an interval in DuckDB's calendar.

    Hours and minutes include the UTC offset, because they can occur twice.
    """
    local = f"(make_timestamptz(({time}) * 1000) AT TIME ZONE '{zone}')"
    offset = f", epoch_ms({local}) - ({time})" if interval in ("hour", "minute") else ""
    return f"(epoch_ms(date_trunc('{interval}', {local})){offset})"


def group_key(field, reads_texts):
    """Returns SQL for an event's group: JSON text, or an empty text without a value."""
    column = GROUPS[field]
    if not reads_texts:
        # Numbers are equal if their values are; texts if their bytes are.
        return f"coalesce(CASE WHEN number_in({column}) IS NOT NULL THEN number_in({column})::VARCHAR ELSE {column} END, '')"
    return f"nfc_normalize({group_form(field, True)})"


def group_form(field, reads_texts):
    """Returns SQL for the form of an event's group that the response may show."""
    column = GROUPS[field]
    return f"coalesce('\"' || coalesce(text_in({column}), {column}) || '\"', '')" if reads_texts else group_key(field, False)


def compare(database, query, sql, response):
    """Returns a description of the first difference, or None if the results are equal."""
    parameters = dict(query)
    number = number_sql("texts" in parameters)
    measure, empty_value = MEASURES[parameters["measure"]]
    measure = measure.format(number=number)
    zone, interval = parameters["zone"], parameters["interval"]
    edges, before = response["edges"], response.get("edges_before")
    run = lambda text: database.execute(text).fetchall()
    in_range = lambda low, high: f"{sql} AND time >= {low} AND time < {high}"
    if edges[0] != parameters["from"] or edges[-1] != parameters["to"] or before and (before[-1] != edges[0] or len(before) != len(edges)):
        return "the edges do not match the time range"
    labels = [row[0] for row in run(f"SELECT {interval_label('t', zone, interval)} FROM (SELECT unnest({edges[:-1]}) AS t)")]
    ends = [row[0] for row in run(f"SELECT {interval_label('t - 1', zone, interval)} FROM (SELECT unnest({edges[1:]}) AS t)")]
    if labels != ends or len(set(labels)) != len(labels):
        return "the intervals do not match the calendar"
    if "by" in parameters:
        reads_texts = "values" in parameters
        key, form = group_key(parameters["by"], reads_texts), group_form(parameters["by"], reads_texts)
        # Of a group with several forms of one text, the shortest is shown.
        groups = run(f"SELECT {key}, count(*), arg_min({form}, (strlen({form}), {form})) FROM events WHERE {in_range((before or edges)[0], edges[-1])} GROUP BY 1")
        forms = {group: canonical(text) for group, _, text in groups}
        groups = run(f"SELECT {key}, count(*) FROM events WHERE {in_range(edges[0], edges[-1])} GROUP BY 1")
        ranked = [group for group, _ in sorted(groups, key=lambda item: (-item[1], forms[item[0]].encode()))]
        top = ranked[: parameters["top"]]
        chosen = ", ".join("'" + group.replace("'", "''") + "'" for group in top) or "NULL"
        series_key = f"CASE WHEN {key} IN ({chosen}) THEN {key} ELSE '(rest)' END"
        expected = [forms[group] for group in top]
        found = [canonical(shown_json(series["group"])) for series in response["series"] if "other" not in series]
        rest = [series["other"] for series in response["series"] if "other" in series]
        has_rest = run(f"SELECT count(*) FROM events WHERE {in_range((before or edges)[0], edges[-1])} AND {series_key} = '(rest)'")[0][0]
        if found != expected or rest != ([len(ranked) - len(top)] if has_rest else []):
            return f"the groups are {found} and {rest}, not {expected} and {len(ranked) - len(top)}"
        keys = top + (["(rest)"] if has_rest else [])
    else:
        series_key, keys = "''", [""]
    values = {(group, label): value for group, label, value in run(
        f"SELECT {series_key}, {interval_label('time', zone, interval)}, {measure} FROM events WHERE {in_range(edges[0], edges[-1])} GROUP BY ALL")}
    unknown = {label for _, label in values} - set(labels)
    if unknown:
        return f"events are outside the intervals: {sorted(unknown)[:3]}"
    periods = [("", edges, lambda group: [values.get((group, label), empty_value) for label in labels])]
    if before:
        earlier = {(group, slot): value for group, slot, value in run(
            f"SELECT {series_key}, slot, {measure} FROM (SELECT * FROM events WHERE {in_range(before[0], before[-1])}) "
            f"ASOF JOIN (SELECT unnest({before[:-1]}) AS edge, unnest(range({len(before) - 1})) AS slot) ON time >= edge GROUP BY ALL")}
        periods.append(("before", before, lambda group: [earlier.get((group, slot), empty_value) for slot in range(len(before) - 1)]))
    for name, period, expected_values in periods:
        totals = {row[0]: row[1:] for row in run(
            f"SELECT {series_key}, {measure}, count({number}), count(*) FILTER (total[1] = '\"' AND {number} IS NULL), "
            f"count(total), count(*) FROM events WHERE {in_range(period[0], period[-1])} GROUP BY ALL")}
        for group, series in zip(keys, response["series"], strict=True):
            series = series[name] if name else series
            total, numbers, texts, present, count = totals.get(group, (empty_value, 0, 0, 0, 0))
            if series["total"] != total or series["values"] != expected_values(group):
                return f"{name or 'the series'} {group!r} has {series['values']}, {series['total']}, not {expected_values(group)}, {total}"
            if ":" in parameters["measure"]:
                expected = [numbers, texts, present - numbers - texts, count - present]
                if (found := [series[kind] for kind in ("numbers", "texts", "others", "missing")]) != expected:
                    return f"{name or 'the series'} {group!r} counted the values {found}, not {expected}"
    return None


def shown_json(group):
    """Returns a response's group as JSON, with an empty text for null."""
    return "" if group is None else json.dumps(group, ensure_ascii=False)


def canonical(text):
    """Returns a group's JSON text so that equal groups have equal texts."""
    if text == "" or text[0] == '"':
        return text
    value = json.loads(text.lower())
    return json.dumps(value if isinstance(value, bool) or value % 1 else int(value))


def json_order(text):
    """Returns the key by which groups with equally many events are ordered."""
    return canonical(text).encode()
