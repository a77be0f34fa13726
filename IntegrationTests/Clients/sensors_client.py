# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""An app that uses the Python client for the Sensors Analytics format.

    python sensors_client.py CONSUMER URL PREFIX

Makes every call of the client once, through one of its consumers (default, batch, async, debug, dry), and retries until the
server has accepted everything. Each call's record carries a unique mark, PREFIX-CALL. Prints one line per call,
`sent MARK TYPE`, in the order of the calls, and `done ATTEMPTS` at the end.
"""

import datetime
import json
import sys
import time
import urllib.error

import sensorsanalytics
from sensorsanalytics import sdk

# A short pause between retries, and a maximum number of attempts, so that a test without a server ends soon.
PAUSE, MOST_ATTEMPTS = 0.01, 400
# The exceptions that the client raises when a request fails for any reason.
# The asynchronous consumer names a class in its `except` that is not an exception, hence the TypeError.
FAILURES = (
    sdk.SensorsAnalyticsNetworkException, sdk.SensorsAnalyticsDebugException, urllib.error.URLError, OSError, TypeError
)

attempts = 0


def persistently(deed):
    """Repeats a call until it succeeds."""
    global attempts
    while True:
        attempts += 1
        try:
            return deed()
        except FAILURES:
            if attempts >= MOST_ATTEMPTS:
                raise
            time.sleep(PAUSE)


class Persistent(object):
    """Resends every message until it is accepted. The client only raises an exception; the app has to retry."""

    def __init__(self, consumer):
        self.consumer = consumer
        self.types = []

    def send(self, message):
        self.types.append(json.loads(message)["type"])
        self.deliver(message)

    def deliver(self, message):
        persistently(lambda: self.consumer.send(message))

    def flush(self):
        pass

    def close(self):
        self.flush()


class PersistentBatch(Persistent):
    """Like `Persistent`, for the batch consumer, which keeps a message when sending it fails."""

    def deliver(self, message):
        try:
            self.consumer.send(message)
        except FAILURES:
            self.flush()

    def flush(self):
        persistently(self.consumer.flush)


class PersistentAsync(Persistent):
    """Like `Persistent`, for the asynchronous consumer. Its thread ends at the first failure; messages stay queued."""

    def deliver(self, message):
        self.consumer.send(message)

    def close(self):
        # The consumer's own `close` would wait for that thread indefinitely after it has ended.
        self.consumer._flushing_thread._stop_event.set()
        self.consumer.need_flush.set()
        self.consumer._flushing_thread.join()
        while not self.consumer._queue.empty() or self.consumer._flush_buffer:
            persistently(self.consumer.sync_flush)


def consumer(kind, url):
    if kind == "default":
        return Persistent(sdk.DefaultConsumer(url))
    if kind == "batch":
        return PersistentBatch(sdk.BatchConsumer(url, max_size=7))
    if kind == "async":
        return PersistentAsync(sdk.AsyncBatchConsumer(url, flush_max_time=0.2, flush_size=5, max_batch_size=6))
    if kind == "debug":
        return Persistent(sdk.DebugConsumer(url, True))
    if kind == "dry":
        return Persistent(sdk.DebugConsumer(url, False))
    sys.exit("unknown consumer " + kind)


def calls(client, prefix):
    """Yields a mark and a function for every call. The mark is the record's user or item, and a property if any."""

    def mark(name):
        return prefix + "-" + name

    def user(name):
        return sdk.SensorsAnalyticsIdentity("$identity_login_id", mark(name))

    day = datetime.datetime(2026, 11, 21, 20, 15, 30, 250000)
    values = {
        "text": "käse 乳酪 🧀", "empty": "", "whole": 9007199254740993, "broken": 0.1, "yes": True, "no": False,
        "list": ["a", "b"], "day": day.date(), "moment": day,
    }

    def properties(name, more=None):
        return dict({"mark": mark(name)}, **(more or {}))

    yield mark("track"), lambda m: client.track(m, "ViewProduct", properties("track", values))
    yield mark("login"), lambda m: client.track(m, "ViewProduct", properties("login"), is_login_id=True)
    yield mark("bare"), lambda m: client.track(m, "Visit")
    yield mark("past"), lambda m: client.track(m, "Visit", properties("past", {"$time": day}))
    yield mark("signup"), lambda m: client.track_signup(m, m + "-anonymous", properties("signup"))
    yield mark("set"), lambda m: client.profile_set(m, properties("set", {"age": 21}), is_login_id=True)
    yield mark("set-once"), lambda m: client.profile_set_once(m, properties("set-once"))
    yield mark("increment"), lambda m: client.profile_increment(m, {"visits": 2})
    yield mark("append"), lambda m: client.profile_append(m, {"movies": ["Solaris", "Stalker"]})
    yield mark("unset"), lambda m: client.profile_unset(m, ["age", "movies"])
    yield mark("delete"), lambda m: client.profile_delete(m)
    yield mark("item-set"), lambda m: client.item_set("book", m, properties("item-set"))
    yield mark("item-delete"), lambda m: client.item_delete("book", m)
    yield mark("bind"), lambda m: client.bind(user("bind"), sdk.SensorsAnalyticsIdentity("$identity_mobile", "123"))
    yield mark("unbind"), lambda m: client.unbind(user("unbind"))
    yield mark("track-id"), lambda m: client.track_by_id("Visit", properties("track-id"), user("track-id"))
    yield mark("set-id"), lambda m: client.profile_set_by_id(properties("set-id"), user("set-id"))
    yield mark("set-once-id"), lambda m: client.profile_set_once_by_id(properties("set-once-id"), user("set-once-id"))
    yield mark("unset-id"), lambda m: client.profile_unset_by_id(["age"], user("unset-id"))
    yield mark("append-id"), lambda m: client.profile_append_by_id({"movies": ["Mirror"]}, user("append-id"))
    yield mark("increment-id"), lambda m: client.profile_increment_by_id({"visits": 1}, user("increment-id"))
    yield mark("delete-id"), lambda m: client.profile_delete_by_id(user("delete-id"))


def main():
    kind, url, prefix = sys.argv[1:4]
    channel = consumer(kind, url)
    client = sensorsanalytics.SensorsAnalytics(channel)
    client.register_super_properties({"channel": "web"})
    marks = []
    for mark, call in calls(client, prefix):
        call(mark)
        marks.append(mark)
    channel.close()
    for mark, record_type in zip(marks, channel.types):
        print("sent", mark, record_type)
    print("done", attempts)


main()
