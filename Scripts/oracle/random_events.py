# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Random events of many installations, as requests in two formats and as rows of a table.

The data has what the identity rules distinguish: private and shared devices, users with several devices, sign-outs,
placeholder ids, separate visitors, public devices, aliases of users, and events without an installation. Requests arrive late and in any
order, and some are sent twice.
"""
import json
import uuid

# Around the clock changes of fall 2026: Lord Howe on October 3, Berlin on October 25, New York on November 1.
START, END = 1790208000000, 1795219200000
HOUR = 3_600_000
NAMES = ["n1", "n2", "n3", "n4"]
SCREENS = ["Home", "Cart", "Account"]
ATTRIBUTES = ["total", "currency", "first", "code"]
PLACEHOLDERS = ["0", "-1", "null", "NULL", "Nil", "None", "undefined", "NaN", "(null)", "<null>", "<nil>", "true", "False", "Anonymous",
                "guest", "not_authenticated", "[object Object]", "user_id", "userId", "distinct_id", "00000000-0000-0000-0000-000000000000", "", "  "]
# Almost placeholders: these are users.
UNUSUAL_USERS = ["00", " null", "nobody", "guest ", "1"]
ACCOUNT = "acct_1"
# The columns of a row, except the event's attributes.
COLUMNS = ["phase", "position", "id", "name", "time", "installation", "user_id", "separate", "session", "screen", "version", "country", "alias_from", "alias_to"]


class Request:
    """A request with the events of one device, or of servers."""

    def __init__(self, path, method, content_type, body, events):
        self.path, self.method, self.content_type, self.body, self.events = path, method, content_type, body, events


class Device:
    """An installation and its state while its events are generated."""

    def __init__(self, rng, number, users, is_shared=False, is_separate=False):
        self.rng = rng
        self.installation = str(uuid.UUID(int=7 << 76 | 2 << 62 | rng.getrandbits(40) << 80 | number + 1))
        self.users, self.is_shared, self.is_separate = users, is_shared, is_separate
        self.user, self.session, self.screen = None, "s0", None
        self.version = rng.choice([None, 1, "1", "2", "3", "4"])
        self.country = rng.choice([None, "DE", "US", "CN"])

    def change_state(self):
        """Signs a user in or out, begins a session, or updates the app."""
        rng = self.rng
        if self.user is not None:
            if rng.random() < 0.1:
                self.user = None if rng.random() < 0.7 else rng.choice(self.users)
        elif self.users and rng.random() < (0.15 if self.is_shared else 0.05):
            self.user = rng.choice(self.users)
        if rng.random() < 0.1:
            self.session = rng.choice([None, "s1", f"s{rng.randrange(2, 40)}"])
        if rng.random() < 0.02:
            self.version = rng.choice([None, "2", "3", "4", "5"])

    def times(self, count):
        """Returns ordered times. Several events may have the same millisecond."""
        rng = self.rng
        begin = rng.randrange(START - 5 * 24 * HOUR, END - 24 * HOUR)
        end = min(END + 5 * 24 * HOUR, begin + rng.choice([2, 200, 2000]) * HOUR)
        times = sorted(rng.randrange(begin, end) for _ in range(count))
        for index in range(1, count):
            if rng.random() < 0.05:
                times[index] = times[index - 1]
        return times

    def events(self, count):
        events, marked = [], False
        for time in self.times(count):
            before = self.user
            self.change_state()
            # The rules do not order two users within one millisecond.
            same = [event for event in events[-8:] if event["time"] == time and is_user(event["user_id"])]
            if same and self.user is not None and self.user != same[0]["user_id"]:
                self.user = before if before == same[0]["user_id"] else None
            event = random_event(self.rng, time)
            if self.rng.random() < 0.004 and self.users:
                event = random_alias(self.rng, event)
            signed_out = self.rng.choice(PLACEHOLDERS) if self.rng.random() < 0.2 else None
            is_marked = self.is_separate and self.user is None and (not marked or self.rng.random() < 0.2)
            marked = marked or is_marked
            event.update(installation=self.installation, user_id=signed_out if self.user is None else self.user, separate=is_marked,
                         session=self.session, version=self.version, country=self.country)
            events.append(event)
        return events


def random_alias(rng, event):
    """Returns an event that merges two users, or tries to."""
    users = [f"user-{number}" for number in range(40)] + UNUSUAL_USERS
    old, new = [rng.choice(PLACEHOLDERS) if rng.random() < 0.05 else rng.choice(users) for _ in range(2)]
    return event | {"name": "_alias", "screen": None, "attributes": {"_alias_from": old, "_alias_to": new}, "alias_from": old, "alias_to": new}


def is_user(user_id):
    return user_id is not None and user_id.strip(" ") != "" and user_id.lower() not in {text.lower() for text in PLACEHOLDERS}


def random_event(rng, time):
    """Returns an event with random attributes and without a context."""
    attributes = {}
    if rng.random() < 0.8:
        quarters = rng.randrange(-8, 40)
        total = quarters // 4 if quarters % 4 == 0 else quarters / 4
        attributes["total"] = total if rng.random() < 0.85 else rng.choice([str(total), f"{total}0" if total % 1 else f"{total}.0", "2,5", "", True])
    if rng.random() < 0.8:
        attributes["currency"] = "EUR" if rng.random() < 0.3 else f"c{rng.randrange(1, 20)}"
    if rng.random() < 0.5:
        attributes["first"] = rng.choice([True, False, "true"])
    if rng.random() < 0.5:
        attributes["code"] = rng.choice([1, "1", 2.5, "2.5", True, "true", "á", "a\u0301", None, "x y"])
    name, screen = rng.choice(NAMES), None
    if rng.random() < 0.15:
        name, screen = "_screen_view", rng.choice(SCREENS)
    event_id = str(uuid.UUID(int=(time & (1 << 48) - 1) << 80 | 7 << 76 | rng.getrandbits(12) << 64 | 2 << 62 | rng.getrandbits(62)))
    return {"id": event_id, "name": name, "time": time, "screen": screen, "attributes": attributes, "installation": None, "user_id": None,
            "separate": False, "session": None, "version": None, "country": None}


def context(event):
    """Returns the context of an event in the collector's format."""
    user = {} if event["user_id"] is None else {"id": event["user_id"]}
    user |= {"separate": True} if event["separate"] else {}
    parts = {
        "app": {} if event["version"] is None else {"version": event["version"]},
        "device": {} if event["country"] is None else {"country": event["country"]},
        "user": user,
        "session": {} if event["session"] is None else {"id": event["session"]},
    }
    return {name: part for name, part in parts.items() if part}


def own_request(events):
    """Returns a request in the collector's format. All events have the same installation."""
    installation, known = events[0]["installation"], None
    lines = [{"batch": {"installation": installation}}] if installation else []
    for event in events:
        if known != (known := context(event)) or not lines:
            lines.append({"context": known})
        line = {"id": event["id"], "name": event["name"], "time": event["time"]}
        attributes = event["attributes"] | ({"_screen_name": event["screen"]} if event["screen"] else {})
        lines.append(line | ({"attributes": attributes} if attributes else {}))
    return Request("/v1/events", "POST", "application/x-ndjson", "\n".join(map(json.dumps, lines)).encode(), events)


def sift_request(events):
    """Returns a request in Sift's format, in which all values are strings. Changes the events accordingly."""
    data = []
    for event in events:
        # The format has no null, session, app version or country, and derives the id from the content.
        event["attributes"] = {key: value if isinstance(value, str) else json.dumps(value) for key, value in event["attributes"].items() if value is not None}
        fields = event["attributes"] | {"serial": event["id"]} | ({"_screen_name": event["screen"]} if event["screen"] else {})
        if event["screen"]:
            # Reserved names are not attributes in this format, so the event shows no screen.
            event["name"], event["screen"] = "n1", None
            del fields["_screen_name"]
        event.update(id=None, separate=False, session=None, version=None, country=None, user_id=event["user_id"] or None)
        members = {"time": event["time"], "mobile_event_type": event["name"], "user_id": event["user_id"], "installation_id": event["installation"]}
        data.append({key: value for key, value in members.items() if value is not None} | {"fields": fields})
    body = json.dumps({"data": data}).encode()
    return Request(f"/v3/accounts/{ACCOUNT}/mobile_events", "PUT", "application/json", body, events)


def public_device(rng, number, periods):
    """Returns events of a device on which two users alternate, with anonymous events between them."""
    device = Device(rng, number, [])
    events, time = [], START + rng.randrange(HOUR)
    for period in range(periods):
        for user in [f"kiosk-{period % 2}", None]:
            time += rng.randrange(1, 3_000_000)
            events.append(random_event(rng, time) | {"installation": device.installation, "user_id": user, "session": device.session})
    return events


def random_devices(rng, count):
    """Returns lists of events in order of time, one list per installation, with about `count` events in total."""
    users = [f"user-{number}" for number in range(max(6, count // 300))] + UNUSUAL_USERS
    lists, total, number = [], 0, 0
    if count >= 15_000:
        # The limit is 1,000 periods.
        lists = [public_device(rng, 1_000_000 + extra, 1_000 + extra) for extra in (0, 1)]
        total = sum(map(len, lists))
    while total < count:
        kind = rng.random()
        size = rng.choice([1, 2, 3, 20, 100, 300])
        if kind < 0.1:
            events = [random_event(rng, rng.randrange(START, END)) | {"user_id": rng.choice([None, *users, *PLACEHOLDERS])} for _ in range(size)]
        elif kind < 0.25:
            events = Device(rng, number, []).events(size)
        elif kind < 0.6:
            events = Device(rng, number, [rng.choice(users)]).events(size)
        elif kind < 0.9:
            events = Device(rng, number, rng.sample(users, rng.randrange(2, 5)), is_shared=True).events(size)
        else:
            events = Device(rng, number, rng.sample(users, 2), is_separate=True).events(size)
        number += 1
        total += len(events)
        lists.append(events)
    return lists


def random_requests(rng, count):
    """Returns requests in order of arrival; each has its part of the devices' events."""
    requests = []
    for events in random_devices(rng, count):
        begin = 0
        while begin < len(events):
            part = events[begin : begin + rng.randrange(1, 80)]
            begin += len(part)
            if rng.random() < 0.2:
                rng.shuffle(part)
            has_mark = any(event["separate"] or event["name"] == "_alias" for event in part)
            request = sift_request(part) if not has_mark and rng.random() < 0.25 else own_request(part)
            # Most requests arrive soon, others at any later time.
            time = part[0]["time"]
            requests.append((time if rng.random() < 0.6 else rng.randrange(time, max(END, time) + 1), len(requests), request))
            if rng.random() < 0.1:
                requests.append((rng.randrange(time, max(END, time) + 1), len(requests), request))
            elif request.path == "/v1/events" and rng.random() < 0.1:
                # Some of the events are sent again, in another request.
                again = own_request(rng.sample(part, rng.randrange(1, len(part) + 1)))
                requests.append((rng.randrange(time, max(END, time) + 1), len(requests), again))
    return [request for _, _, request in sorted(requests, key=lambda item: item[:2])]


def rows(requests, phases):
    """Returns a row for each distinct event, in order of arrival.

    The requests are divided into phases of equal size; a row has the phase in which its event arrives first.
    """
    known, found = set(), []
    for index, request in enumerate(requests):
        for event in request.events:
            if id(event) in known:
                continue
            known.add(id(event))
            row = {column: event.get(column) for column in COLUMNS}
            row |= {"phase": index * phases // len(requests), "position": len(found), "version": json_text(event["version"]),
                    "country": json_text(event["country"])}
            found.append(row | {name: json_text(event["attributes"].get(name)) for name in ATTRIBUTES})
    return found


def json_text(value):
    """Returns a value as the JSON that was sent; None for null and missing values."""
    return None if value is None else json.dumps(value, ensure_ascii=False)
