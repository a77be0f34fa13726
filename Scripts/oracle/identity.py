# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""The identity rules of Documentation/Identity.md in SQL, and a second time as a walk over each installation's events.

The rules are written from the document, not from the collector's code. Each rule has a wrong variant; the self-test
expects that the comparison finds it.
"""
import json
import tempfile

from random_events import ATTRIBUTES, COLUMNS

PLACEHOLDERS = ["0", "-1", "null", "nil", "none", "undefined", "nan", "(null)", "<null>", "<nil>", "true", "false", "anonymous", "guest",
                "not_authenticated", "[object object]", "user_id", "userid", "distinct_id", "00000000-0000-0000-0000-000000000000"]
PLACEHOLDER_LIST = ", ".join(f"'{text}'" for text in PLACEHOLDERS)

RULES = {
    # Placeholders count as signed out, in any letter case.
    "placeholders": f"user_id IS NULL OR lower(user_id) IN ({PLACEHOLDER_LIST}) OR trim(user_id, ' ') = ''",
    # A visitor becomes the user of the next signed-in event on the installation. Within one millisecond, a signed-in
    # event comes after the anonymous ones.
    "sign_ins": "ASOF LEFT JOIN signed_in s ON s.installation = e.installation AND s.time >= e.time",
    # An installation with one marked anonymous event keeps its visitor separate.
    "separate": 'SELECT DISTINCT installation FROM events WHERE separate AND "user" IS NULL AND installation IS NOT NULL',
    # So does a public device, on which the user changed more than 1,000 times, the first sign-in included.
    "public": """SELECT installation FROM (
            SELECT installation, "user" IS DISTINCT FROM lag("user") OVER (PARTITION BY installation ORDER BY time, position) AS is_change
            FROM events WHERE "user" IS NOT NULL AND installation IS NOT NULL
        ) GROUP BY installation HAVING count(*) FILTER (is_change) > 1000""",
    # Events without installation and user belong to no person.
    "no_person": "NULL",
    # Which users are counted as others: a function of the statements, in order.
    "merges": "merges_in_order",
}
WRONG_RULES = {
    "placeholders": [f"user_id IS NULL OR user_id IN ({PLACEHOLDER_LIST}) OR trim(user_id, ' ') = ''", "user_id IS NULL OR user_id = ''"],
    "sign_ins": [
        # The order within a millisecond is ignored.
        "ASOF LEFT JOIN signed_in s ON s.installation = e.installation AND s.time > e.time",
        # A visitor becomes the previous user, or the first user of the installation, or no user.
        "ASOF LEFT JOIN signed_in s ON s.installation = e.installation AND s.time <= e.time",
        "LEFT JOIN (SELECT installation, arg_min(\"user\", (time, position)) AS \"user\" FROM signed_in GROUP BY installation) s ON s.installation = e.installation",
        "LEFT JOIN signed_in s ON false",
    ],
    "separate": ["SELECT NULL AS installation WHERE false"],
    "public": ["SELECT NULL AS installation WHERE false", "SELECT installation FROM signed_in GROUP BY installation HAVING count(*) >= 1000"],
    "no_person": ["'i'"],
    "merges": ["no_merges", "last_merge_wins", "merges_of_one_step", "merges_by_time", "merges_not_overruled"],
}


def load(database, rows):
    """Creates the table `received`, with a row for each event."""
    types = {column: "VARCHAR" for column in [*COLUMNS, *ATTRIBUTES]} | {
        "phase": "BIGINT", "position": "BIGINT", "time": "BIGINT", "separate": "BOOLEAN"}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")
        file.flush()
        database.execute(f"CREATE TABLE received AS SELECT * FROM read_json('{file.name}', format = 'newline_delimited', columns = {types})")
    database.execute('CREATE TABLE operator_statements (phase BIGINT, time BIGINT, "user" VARCHAR, target VARCHAR)')
    # Values are stored as their JSON texts: the number of a number, and the text of a text; otherwise null.
    database.execute("CREATE MACRO number_in(value) AS TRY_CAST(value AS DOUBLE)")
    database.execute("""CREATE MACRO text_in(value) AS CASE WHEN value[1] = '"' THEN json_extract_string(value, '$') END""")
    # The number that a text spells as JSON.
    database.execute(r"""CREATE MACRO spelled_number(value) AS CASE
        WHEN regexp_full_match(text_in(value), '-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?') THEN text_in(value)::DOUBLE END""")


def is_user(user_id):
    return user_id is not None and user_id.strip(" ") != "" and user_id.lower() not in PLACEHOLDERS


def ordered(statements):
    """Returns the valid statements, `(time, user, target, by_operator)`, in the order in which they count.

    Those of operators come first; an undo has no target.
    """
    valid = [item for item in statements if is_user(item[1]) and (item[2] is None or is_user(item[2]) and item[1] != item[2])]
    return sorted(valid, key=lambda item: (not item[3], item[0], item[2] is None, item[1].encode(), (item[2] or "").encode()))


def without_overruled(statements):
    """Removes what apps stated about users about whom an operator has made a statement."""
    decided = {user for _, user, _, by_operator in statements if by_operator}
    return [item for item in statements if item[3] or item[1] not in decided]


def root(targets, user):
    while user in targets:
        user = targets[user]
    return user


def merges_in_order(statements):
    """Returns the user as whom each merged user is counted.

    A merge counts unless the user is already merged, or the other user is already counted as this user.
    """
    targets = {}
    for _, user, target, _ in without_overruled(ordered(statements)):
        if target is None:
            targets.pop(user, None)
        elif user not in targets and root(targets, target) != user:
            targets[user] = target
    return {user: root(targets, user) for user in targets}


def merges_by_time(statements):
    """Operators' statements have no precedence."""
    return merges_in_order([(time, user, target, True) for time, user, target, _ in statements])


def merges_not_overruled(statements):
    """An app can merge a user again whose merge an operator has undone."""
    targets = {}
    for _, user, target, _ in ordered(statements):
        if target is None:
            targets.pop(user, None)
        elif user not in targets and root(targets, target) != user:
            targets[user] = target
    return {user: root(targets, user) for user in targets}


def no_merges(_):
    return {}


def last_merge_wins(statements):
    targets = {}
    for _, user, target, _ in without_overruled(ordered(statements)):
        before = targets.pop(user, None)
        if target is not None and root(targets, target) != user:
            targets[user] = target
        elif target is not None and before is not None:
            targets[user] = before
    return {user: root(targets, user) for user in targets}


def merges_of_one_step(statements):
    """Chains are not followed to their ends."""
    targets = {}
    for _, user, target, _ in without_overruled(ordered(statements)):
        if target is None:
            targets.pop(user, None)
        elif user not in targets and root(targets, target) != user:
            targets[user] = target
    return targets


def merges_by_hand(statements):
    """Returns the same as `merges_in_order`, found by renaming whole groups of users."""
    active, names = [], {}

    def rename(user, target):
        name = names.get(target, target)
        for other in {user, *names}:
            if names.get(other, other) == user:
                names[other] = name

    operators = [item for item in ordered(statements) if item[3]]
    apps = [item for item in ordered(statements) if not item[3] and all(item[1] != other[1] for other in operators)]
    for _, user, target, _ in operators + apps:
        if target is None:
            active = [pair for pair in active if pair[0] != user]
            names.clear()
            for pair in active:
                rename(*pair)
        elif user not in [pair[0] for pair in active] and names.get(target, target) != user:
            active.append((user, target))
            rename(user, target)
    return {user: name for user, name in names.items() if user != name}


def statements(database, phase):
    """Returns the statements that arrived until a phase: those of apps, and those of operators."""
    return database.execute(f"""SELECT time, alias_from, alias_to, false FROM received
        WHERE alias_from IS NOT NULL AND installation IS NOT NULL AND phase <= {phase}
        UNION ALL SELECT time, "user", target, true FROM operator_statements WHERE phase <= {phase}""").fetchall()


def assign_people(database, phase, rules=RULES):
    """Creates the table `events` of what arrived until a phase, with the column `person`: `u…`, `i…` or null.

    Also creates the table `merged`, with each merged user and the user as whom it is counted.
    """
    database.execute('CREATE OR REPLACE TABLE merged ("user" VARCHAR, root VARCHAR)')
    if merges := list(globals()[rules["merges"]](statements(database, phase)).items()):
        database.executemany("INSERT INTO merged VALUES (?, ?)", merges)
    database.execute(f"""
        CREATE OR REPLACE TABLE events AS SELECT *, CASE WHEN {rules["placeholders"]} THEN NULL ELSE user_id END AS "user"
        FROM received WHERE phase <= {phase};
        CREATE OR REPLACE TEMP TABLE signed_in AS SELECT installation, time, position, "user" FROM events
        WHERE "user" IS NOT NULL AND installation IS NOT NULL;
        CREATE OR REPLACE TEMP TABLE unjoined AS ({rules["separate"]}) UNION ({rules["public"]});
        CREATE OR REPLACE TEMP TABLE unmerged AS SELECT e.*, CASE
            WHEN e."user" IS NOT NULL THEN 'u' || e."user"
            WHEN e.installation IS NULL THEN {rules["no_person"]}
            WHEN s."user" IS NULL OR e.installation IN (SELECT installation FROM unjoined) THEN 'i' || e.installation
            ELSE 'u' || s."user" END AS person
        FROM events e {rules["sign_ins"]};
        CREATE OR REPLACE TABLE events AS SELECT e.* EXCLUDE (person), CASE WHEN m.root IS NULL THEN person ELSE 'u' || m.root END AS person
        FROM unmerged e LEFT JOIN merged m ON e.person = 'u' || m."user";
    """)


def root_of(database, user):
    """Returns the user as whom a user is counted."""
    found = database.execute('SELECT root FROM merged WHERE "user" = ?', [user]).fetchone()
    return found[0] if found else user


def users_of(database, user):
    """Returns all users who are counted as the same person, as an SQL list."""
    name = root_of(database, user)
    others = database.execute('SELECT "user" FROM merged WHERE root = ?', [name]).fetchall()
    return "(" + ", ".join(quoted(other) for other in [name, *[row[0] for row in others]]) + ")"


def wrong_rules():
    """Returns a description and the rules of each wrong variant."""
    return [(f"{name} {number}", RULES | {name: sql}) for name, variants in WRONG_RULES.items() for number, sql in enumerate(variants, 1)]


def erase_user(database, user):
    """Removes what Documentation/Erasure.md says that erasing a user removes.

    Returns the expected preview, or None if the user is unknown, and the users who are erased together.
    """
    users = users_of(database, user)
    erased = [row[0] for row in database.execute(f"SELECT unnest([{users[1:-1]}])").fetchall()]
    if not database.execute(f'SELECT count(*) FROM events WHERE "user" IN {users}').fetchone()[0]:
        return None, erased
    database.execute(f"""
        CREATE OR REPLACE TEMP TABLE used AS SELECT DISTINCT installation, installation IN (SELECT installation FROM unjoined)
            OR installation IN (SELECT installation FROM signed_in WHERE "user" NOT IN {users}) AS shared
        FROM signed_in WHERE "user" IN {users};
        CREATE OR REPLACE TEMP TABLE removed AS SELECT position, installation FROM events
        WHERE person = {quoted("u" + root_of(database, user))} OR installation IN (SELECT installation FROM used WHERE NOT shared);
        DELETE FROM received WHERE position IN (SELECT position FROM removed);
    """)
    # Statements about the erased users are removed, too, wherever they were made.
    database.execute(f"""
        DELETE FROM received WHERE alias_from IN {users} OR alias_to IN {users};
        DELETE FROM operator_statements WHERE "user" IN {users} OR target IN {users};
    """)
    used = database.execute("SELECT installation, any_value(shared), count(position) FROM used LEFT JOIN removed USING (installation) GROUP BY installation").fetchall()
    events, without = database.execute("SELECT count(*), count(*) FILTER (installation IS NULL) FROM removed").fetchone()
    return {"events": events, "events_without_installation": without, "installations": sorted(used)}, erased


def quoted(text):
    """Returns a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def people_by_hand(events):
    """Returns the person of each event, found by walking each installation's events backward in time.

    `events` are dictionaries with `time`, `position`, `installation`, `user_id` and `separate`. The result has the
    user's id, or the installation in a tuple, or None, by position.
    """
    people, devices = {}, {}
    for event in events:
        user = event["user_id"]
        if user is None or user.lower() in PLACEHOLDERS or not user.strip(" "):
            user = None
        if event["installation"] is None:
            people[event["position"]] = user
        else:
            # In one millisecond, a signed-in event is the later one.
            devices.setdefault(event["installation"], []).append((event["time"], user is not None, event["position"], user, event["separate"]))
    for installation, listed in devices.items():
        listed.sort()
        changes, current = 0, None
        for _, is_signed_in, _, user, _ in listed:
            if is_signed_in and user != current:
                changes, current = changes + 1, user
        is_unjoined = changes > 1000 or any(separate and not is_signed_in for _, is_signed_in, _, _, separate in listed)
        following = None
        for _, is_signed_in, position, user, _ in reversed(listed):
            following = user if is_signed_in else following
            people[position] = user if is_signed_in else following if following is not None and not is_unjoined else (installation,)
    return people
