# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Compares acknowledged events with the stream, every collector's index, and ClickHouse.

Each store is read to its end. The stream is read by a separate client, which fails if it can read less than the stream
reports. An index is read once it has the stream's last record, and ClickHouse once it has as many blocks as were
decided and these reach the end of the stream.
"""
import collections
import json
import sqlite3
import threading
import uuid

from processes import wait_until
from stream import NoResponseError, parse_events

# The kind of a stream's last record, which closes the stream.
CLOSING_KIND = "255"


class ComparisonReport:
    """The comparisons and their results."""

    def __init__(self):
        self.lines, self.figures = [], {}

    def expect_equal(self, description, expected, found):
        self.lines.append((description, expected, found, expected == found))

    @property
    def passed(self):
        return bool(self.lines) and all(line[-1] for line in self.lines)

    @property
    def failures(self):
        return [f"{description}: expected {str(expected)[:300]}, found {str(found)[:300]}" for description, expected, found, is_equal in self.lines if not is_equal]


class AcknowledgedEvents:
    """The events that were acknowledged to senders.

    `add_response` may be called from any thread.
    """

    def __init__(self):
        self.lock = threading.Lock()
        # The IDs of events whose senders chose them, and the numbers of events that each SDK sender recorded and
        # delivered.
        self.ids, self.rejected, self.recorded, self.delivered = set(), set(), {}, {}
        self.errors = []

    def add(self, other):
        """Adds the events that were acknowledged to other senders."""
        self.ids |= other.ids
        self.rejected |= other.rejected
        self.recorded.update(other.recorded)
        self.delivered.update(other.delivered)
        self.errors += other.errors

    def add_response(self, ids, response):
        """Counts one response with status 200 to events with these IDs."""
        rejected = {fault["i"] for fault in response["rejected"]}
        with self.lock:
            if response["accepted"] + len(rejected) != len(ids):
                self.errors.append(f"{response['accepted']} accepted and {len(rejected)} rejected of {len(ids)}")
            if response.get("durability") != "replicated":
                self.errors.append(f"durability {response.get('durability')}")
            for number, id in enumerate(ids):
                (self.rejected if number in rejected else self.ids).add(id)


class StreamContents:
    """The contents of the stream, as the checker reads them."""

    def __init__(self, engine):
        # Reads every stream that ever accepted records, one after another; `check_order` checks the records' order.
        read, self.missing, self.messages, self.accepted_count = [], 0, 0, 0
        for name in intake_streams(engine):
            messages, missing = engine.read(name)
            read += messages
            # Deleted records are listed.
            self.missing += len(missing - engine.erased_sequences(name.replace("INTAKE", "ERASED")))
            # Requested after the read, when no sender is running anymore.
            state = engine.info(name)["state"]
            self.messages += state["messages"]
            self.accepted_count += state["last_seq"]
        self.read = len(read)
        self.ids, self.names, self.senders, self.event_count, self.rejected, self.kinds = set(), collections.Counter(), collections.defaultdict(set), 0, set(), collections.Counter()
        self.message_ids = collections.Counter()
        for _, headers, body in read:
            kind = headers.get("Trackway-Kind")
            self.kinds[kind] += 1
            if kind == CLOSING_KIND:
                continue
            self.message_ids[headers.get("Nats-Msg-Id")] += 1
            if kind != "intake":
                continue
            accepted, rejected_events, _ = parse_events(body)
            self.rejected.update(event["id"] for event in rejected_events if "id" in event)
            for event in accepted:
                self.event_count += 1
                if event["id"] in self.ids:
                    continue
                self.ids.add(event["id"])
                self.names[event["name"]] += 1
                attributes = event.get("attributes", {})
                if "sender" in attributes:
                    self.senders[attributes["sender"]].add(attributes["number"])


def intake_streams(engine):
    """Returns the streams that accept or accepted records, in the order of their numbers."""
    return sorted((name for name in engine.streams() if name.startswith("INTAKE_")), key=lambda name: int(name.split("_")[1]))


def check_order(engine):
    """Reads and checks the entries in the order of all records.

    Returns the end of the order, the number of records that it lacks, and a list of mistakes.
    """
    if "ORDER_0" not in engine.streams():
        return engine.info("INTAKE_0")["state"]["last_seq"], 0, []
    entries, missing = engine.read("ORDER_0")
    problems, ends, last_records = [f"{missing} entries are missing"] * bool(missing), {}, {}
    end = engine.info("INTAKE_0")["state"]["last_seq"] if not entries else json.loads(entries[0][2])["first"] - 1
    ends[0] = last_records[0] = end
    for number, (sequence, _, body) in enumerate(entries, 1):
        entry = json.loads(body)
        if not entry["entry"] == sequence == number or entry["first"] != end + 1:
            problems.append(f"entry {number}: {entry}, after {end}")
        if "streams" in entry:
            # All records of the open streams must be in the order before other streams open.
            for stream in ends:
                last = engine.info(f"INTAKE_{stream}")["state"]["last_seq"]
                if ends[stream] != last:
                    problems.append(f"entry {number} closes INTAKE_{stream} at {ends[stream]}, but the stream ends at {last}")
            ends = {stream: 0 for stream in entry["streams"]}
        for stream, first, last in entry.get("runs", []):
            if ends.get(stream) != first - 1 or last < first:
                problems.append(f"entry {number}: records {first} to {last} of INTAKE_{stream}, after {ends.get(stream)}")
            ends[stream] = last_records[stream] = last
            end += last - first + 1
    missing_count = sum(engine.info(f"INTAKE_{stream}")["state"]["last_seq"] - last for stream, last in ends.items())
    return end, missing_count, problems


def read_index(collector):
    """Returns the contents of a collector's index, read from its file."""
    database = sqlite3.connect(f"file:{collector.data}/index.sqlite?mode=ro", uri=True)
    try:
        ids = [str(uuid.UUID(bytes=row[0])) for row in database.execute("SELECT id FROM events")]
        names = dict(database.execute("SELECT name, count(*) FROM events GROUP BY name"))
        sums = database.execute("SELECT coalesce(sum(time), 0), coalesce(sum(sequence), 0) FROM events").fetchone()
        sessions = database.execute("SELECT coalesce(sum(events), 0) FROM sessions").fetchone()[0]
        return ids, names, sums, sessions
    finally:
        database.close()


def read_collector_accounts(collector):
    """Returns every writer's account, and the reported gaps."""
    found, gaps = {}, []
    for row in collector.get("/v1/ledger")["writers"]:
        key = (row["installation"], row["writer"])
        dropped = sum(row.get("dropped", {}).values())
        found[key] = (row["recorded"], row["received"], row.get("rejected", 0), dropped, row.get("duplicates", 0))
        if row.get("gaps") or row["recorded"] != row["received"] + row.get("rejected", 0) + dropped + row.get("skipped", 0):
            gaps.append((key, row))
    return found, gaps


def read_clickhouse_accounts(clickhouse):
    """Returns every writer's account, computed from ClickHouse's tables."""
    def key(row):
        return str(uuid.UUID(row[0])), str(uuid.UUID(row[1]))
    numbers = collections.defaultdict(lambda: [set(), set(), set()])
    for row in clickhouse.query("SELECT hex(installation), hex(writer), kind, first, last FROM ranges FINAL FORMAT TabSeparated"):
        if int(row[2]) < 3:
            numbers[key(row)][int(row[2])].update(range(int(row[3]), int(row[4]) + 1))
    found = {}
    for row in clickhouse.query("SELECT hex(installation), hex(writer), max(recorded), sum(repeats) FROM writers FINAL GROUP BY installation, writer FORMAT TabSeparated"):
        received, rejected, dropped = numbers[key(row)]
        found[key(row)] = (int(row[2]), len(received), len(rejected - received), len(dropped - received - rejected), int(row[3]))
    return found


def wait_for_stores(cluster, timeout=180):
    """Waits until every index and the tables have the last record."""
    wait_until(lambda: check_order(cluster.engine)[1] == 0, "every record is in the order", timeout)
    last = check_order(cluster.engine)[0]
    for collector in cluster.collectors:
        if not last:
            break
        def has_all():
            try:
                return collector.get(f"/v1/wait?position=0.{last + 1}&timeout=10") is not None
            except NoResponseError:
                return False
        wait_until(has_all, f"the index of {collector.name} has record {last}", timeout)
    if not cluster.clickhouse or not last:
        return
    def is_forwarded():
        try:
            decided = cluster.engine.info("BLOCKS_0")["state"]["messages"]
            blocks, end = cluster.clickhouse.query("SELECT count(), max(last) FROM (SELECT block, max(last) AS last FROM blocks GROUP BY block) FORMAT TabSeparated")[0]
            return decided > 0 and int(blocks) == decided and int(end) >= last
        except NoResponseError:
            return False
    wait_until(is_forwarded, f"the tables have record {last}", timeout)


def check(cluster, acknowledged, erased=(), timeout=180):
    """Compares the stream, the indexes, and ClickHouse with the acknowledged events; returns a report.

    `erased` has the IDs of events that a deletion removes: they must not be in any index or table, but may still be in
    the stream.
    """
    wait_until(cluster.is_healthy, "everything runs", timeout)
    wait_for_stores(cluster, timeout)
    report, stream = ComparisonReport(), StreamContents(cluster.engine)
    report.expect_equal("readable messages in the stream", stream.messages, stream.read)
    report.expect_equal("sequence numbers missing from the stream", 0, stream.missing)
    end, _, problems = check_order(cluster.engine)
    report.expect_equal("mistakes in the order", [], problems)
    report.expect_equal("records in the order", stream.accepted_count, end)
    report.expect_equal("acknowledged events that are not in the stream", set(), acknowledged.ids - stream.ids)
    report.expect_equal("rejected events that are in the stream", set(), acknowledged.rejected & stream.ids)
    report.expect_equal("responses with wrong counts", [], acknowledged.errors)
    for sender, recorded in sorted(acknowledged.recorded.items()):
        report.expect_equal(f"{sender}: recorded and delivered", recorded, acknowledged.delivered.get(sender))
        report.expect_equal(f"{sender}: numbers in the stream", recorded, len(stream.senders.get(sender, ())))
    remaining_ids = stream.ids - set(erased)
    # A batch that is resent after the engine's deduplication window of two minutes becomes another message; its events
    # are still recognized.
    report.figures["messages again"] = sum(count - 1 for id, count in stream.message_ids.items() if id)
    report.figures.update(messages=stream.read, events=len(remaining_ids), comings=stream.event_count, acknowledged=len(acknowledged.ids) + sum(acknowledged.recorded.values()))
    accounts = None
    for collector in cluster.collectors:
        ids, names, sums, sessions = read_index(collector)
        report.expect_equal(f"{collector.name}: rows", len(remaining_ids), len(ids))
        report.expect_equal(f"{collector.name}: IDs that differ from the stream", 0, len(remaining_ids.symmetric_difference(ids)))
        if not erased:
            report.expect_equal(f"{collector.name}: events by name", dict(stream.names), names)
        own, gaps = read_collector_accounts(collector)
        report.expect_equal(f"{collector.name}: writers with gaps", [], gaps)
        if accounts is not None:
            report.expect_equal(f"{collector.name}: accounts, compared with the first collector", accounts, own)
        accounts = own
    if cluster.clickhouse:
        compare_clickhouse(cluster.clickhouse, report, remaining_ids, accounts, sums, sessions, cluster.engine.info("BLOCKS_0")["state"]["messages"], erased)
    return report


def compare_clickhouse(clickhouse, report, remaining_ids, accounts, sums, sessions, decided, erased):
    """Compares ClickHouse with the stream's events and an index."""
    not_erased = "WHERE installation NOT IN (SELECT installation FROM erasures)"
    ids = [str(uuid.UUID(row[0])) for row in clickhouse.query(f"SELECT hex(id) FROM events FINAL {not_erased} FORMAT TabSeparated")]
    report.expect_equal("ClickHouse: rows", len(remaining_ids), len(ids))
    report.expect_equal("ClickHouse: IDs that differ from the stream", 0, len(remaining_ids.symmetric_difference(ids)))
    report.expect_equal("ClickHouse: blocks decided", decided, clickhouse.query_integer("SELECT count() FROM blocks FINAL FORMAT TabSeparated"))
    report.figures["blocks"] = decided
    sums_row = clickhouse.query(f"SELECT sum(time), sum(sequence) FROM events FINAL {not_erased} FORMAT TabSeparated")[0]
    report.expect_equal("ClickHouse: sums of times and numbers, compared with the index", sums, tuple(int(value) for value in sums_row))
    report.expect_equal("ClickHouse: events in sessions, compared with the index", sessions, clickhouse.query_integer(f"SELECT sum(events) FROM sessions FINAL {not_erased} AND session != '' FORMAT TabSeparated"))
    if not erased:
        report.expect_equal("ClickHouse: sum of the blocks' rows", len(remaining_ids), clickhouse.query_integer("SELECT sum(rows) FROM blocks FINAL FORMAT TabSeparated"))
        report.expect_equal("ClickHouse: ids", len(remaining_ids), clickhouse.query_integer("SELECT uniqExact(id, position) FROM ids FORMAT TabSeparated"))
        report.expect_equal("ClickHouse: accounts, compared with the index", accounts, read_clickhouse_accounts(clickhouse))
