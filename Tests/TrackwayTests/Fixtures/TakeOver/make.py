#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# Generates the files of this folder: the data of three older SDKs in their own formats. Run it in this folder.
#
# User defaults are text property lists. Archives and databases have no text form, so their content is in this file.
import json
import os
import plistlib
import shutil
import sqlite3
from plistlib import UID


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


class Instance:
    """An object of a class outside Foundation."""

    def __init__(self, name, **members):
        self.name, self.members = name, members


def archive(root):
    """Encodes a root object as NSKeyedArchiver does: plain values, dictionaries, lists, and instances."""
    objects, classes = ["$null"], {}

    def class_of(*names):
        if names not in classes:
            classes[names] = len(objects)
            objects.append({"$classname": names[0], "$classes": list(names)})
        return UID(classes[names])

    def add(value):
        if value is None:
            return UID(0)
        place = len(objects)
        objects.append(None)
        if isinstance(value, dict):
            keys, values = [add(key) for key in value], [add(member) for member in value.values()]
            objects[place] = {"NS.keys": keys, "NS.objects": values,
                              "$class": class_of("NSMutableDictionary", "NSDictionary", "NSObject")}
        elif isinstance(value, list):
            objects[place] = {"NS.objects": [add(member) for member in value],
                              "$class": class_of("NSMutableArray", "NSArray", "NSObject")}
        elif isinstance(value, Instance):
            members = {key: member if isinstance(member, int) else add(member)
                       for key, member in value.members.items()}
            objects[place] = members | {"$class": class_of(value.name, "NSObject")}
        else:
            objects[place] = value
        return UID(place)

    top = add(root)
    return plistlib.dumps({"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": top},
                           "$objects": objects}, fmt=plistlib.FMT_BINARY)


# Clickstream: user defaults and a database.
PREFIX = "software.aws.solution.clickstream."
UNIQUE = "0E6614B7-2D78-4A6D-A9C1-73AB6D3F5F11"
OTHER = "5C1D9A52-0B1F-4C57-8A0B-11C6D54C3E02"
DEVICE = "A0B1C2D3-0000-4111-8222-333344445555"
ANNE = {"value": "anne", "set_timestamp": 1717000100000}
TOUCH = {"value": 1716900000000, "set_timestamp": 1716900000000}
SESSION = "3F5F11AB-20240601-080000000"

write("clickstream/defaults.plist", plistlib.dumps({
    PREFIX + "deviceIdKey": DEVICE,
    PREFIX + "userIdKey": "anne",
    PREFIX + "userUniqueIdKey": UNIQUE,
    PREFIX + "userAttributesKey": {
        "_user_id": ANNE,
        "_user_first_touch_timestamp": TOUCH,
        "_user_age": {"value": 31, "set_timestamp": 1717000200000},
        "level": {"value": "gold", "set_timestamp": 1717000300000},
    },
    PREFIX + "userInfoKey": {
        "anne": {"user_unique_id": UNIQUE, "user_first_touch_timestamp": 1716900000000},
        "bob": {"user_unique_id": OTHER, "user_first_touch_timestamp": 1716950000000},
    },
    PREFIX + "userFirstTouchTimestampKey": "1716900000000",
    PREFIX + "appVersionKey": "2.9",
    PREFIX + "osVersionKey": "17.4",
    PREFIX + "sessionKey": {"sessionId": SESSION, "startTime": 1717228800000, "pauseTime": 1717229000000,
                            "sessionIndex": 41},
    PREFIX + "isFirstOpenKey": "1",
}))


def event(number, name, **more):
    return {
        "app_id": "shop", "app_package_name": "com.example.shop", "app_title": "Shop", "app_version": "2.9",
        "attributes": {"_session_duration": 900, "_session_id": SESSION, "_session_number": 41,
                       "_session_start_timestamp": 1717228800000} | more.pop("attributes", {}),
        "brand": "apple", "carrier": "UNKNOWN", "country_code": "DE", "device_id": DEVICE,
        "device_unique_id": "", "event_id": f"11111111-0000-4000-8000-{number:012d}", "event_type": name,
        "locale": "de_DE (current)", "make": "apple", "model": "iPhone 15 Pro", "network_type": "WIFI",
        "os_version": "17.4", "platform": "iOS", "screen_height": 2556, "screen_width": 1179,
        "sdk_name": "aws-solution-clickstream-sdk", "sdk_version": "0.12.5", "system_language": "de",
        "timestamp": 1717228801000 + number, "unique_id": UNIQUE,
        "user": {"_user_id": ANNE, "_user_first_touch_timestamp": TOUCH}, "zone_offset": 7200000,
    } | more


def database(path, rows, mode="DELETE"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA auto_vacuum = FULL")
    connection.execute(f"PRAGMA journal_mode = {mode}")
    connection.execute("CREATE TABLE Event (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, "
                       "eventJson TEXT NOT NULL, eventSize INTEGER NOT NULL)")
    if mode == "WAL":
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("BEGIN")
    for row in rows:
        text = row if isinstance(row, str) else json.dumps(row, sort_keys=True)
        connection.execute("INSERT INTO Event (eventJson, eventSize) VALUES (?, ?)", (text, len(text)))
    connection.execute("COMMIT")
    return connection


folder = "clickstream/com/amazonaws/solution/Clickstream/"
shutil.rmtree("clickstream/com", ignore_errors=True)
waiting = [
    event(1, "view_item", attributes={"price": 279.9, "_screen_name": "Item", "_screen_unique_id": "77"},
          items=[{"id": "A-1", "name": "Nature", "price": 99.5}]),
    event(2, "_screen_view", attributes={"_screen_name": "Cart", "_screen_unique_id": "78", "_entrances": 0}),
    "{\"event_type\": ",
    event(4, "_app_exception", attributes={"_exception_name": "E", "_exception_reason": "R",
                                           "_excepiton_stack": "0 main\n" * 200}),
    event(5, "no_identity", event_id="17"),
    event(6, "_profile_set", user={"_user_id": ANNE, "_user_first_touch_timestamp": TOUCH,
                                   "level": {"value": "gold", "set_timestamp": 1717000300000}}),
]
database(folder + "shop", waiting).close()
# The last writes are in the write-ahead log next to the database, as after a kill.
connection = database(folder + "walled", waiting[:2], "WAL")
for suffix in ["", "-wal"]:
    shutil.copy(folder + "walled" + suffix, folder + "log" + suffix)
connection.close()
for suffix in ["", "-wal", "-shm"]:
    if os.path.exists(folder + "walled" + suffix):
        os.remove(folder + "walled" + suffix)
many = [{"event_type": "tap", "event_id": f"22222222-0000-4000-8000-{number:012d}",
         "timestamp": 1717228801000 + number, "attributes": {}} for number in range(250)]
database(folder + "many", many).close()
write(folder + "text", b"This is no database.\n" * 64)

# Sensors Analytics: an archive for each key, a flag in user defaults, a database.
library = "sensors/"
write("sensors/defaults.plist", plistlib.dumps({"HasLaunchedOnce": True}))
identities = {"$identity_idfv": DEVICE, "$identity_anonymous_id": "visitor-7", "$identity_login_id": "anne",
              "$identity_mobile": "138001"}
import base64  # noqa: E402: next to its only use
for key, value in {
    "distinct_id": "visitor-7",
    "login_id": "anne",
    "com.sensorsdata.loginidkey": "$identity_login_id",
    "com.sensorsdata.identities": "Base64:" + base64.b64encode(json.dumps(identities).encode()).decode(),
    "first_day": "2024-05-28",
    "super_properties": {"channel": "App Store", "vip": True, "depth": 3, "tags": ["a", "b"]},
}.items():
    write(f"{library}sensorsanalytics-{key}.plist", archive(value))
path = library + "sensorsanalytics-message-v2.plist"
if os.path.exists(path):
    os.remove(path)
connection = sqlite3.connect(path, isolation_level=None)
connection.execute("CREATE TABLE dataCache (id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT, content TEXT, "
                   "status INTEGER DEFAULT 0, is_instant_event INTEGER DEFAULT 0)")
for number in range(3):
    connection.execute("INSERT INTO dataCache (type, content) VALUES ('POST', ?)", (json.dumps({"n": number}),))
connection.close()

# Sift: archives.
def sift_event(number):
    return Instance("SiftEvent", time=1717228801000 + number, type="checkout", path=None, userId="anne",
                    installationId=DEVICE, fields={"n": str(number)})


root = "sift/sift-v0_0_1/"
write(root + "sift", archive({"accountId": "acct", "beaconKey": "beacon", "userId": "anne"}))
write(root + "queues/sift-default",
      archive({"queue": [sift_event(1), sift_event(2)], "lastEvent": sift_event(2), "lastUploadTimestamp": 1717228700000}))
write(root + "uploader", archive({"batches": [[sift_event(0)], [sift_event(3), sift_event(4)]], "numRejects": 0}))
