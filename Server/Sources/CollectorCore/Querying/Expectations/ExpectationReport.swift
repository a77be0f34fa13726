// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The response to an expectation.
///
/// The report states whether the expectation holds, and gives hints if it does not.
public struct ExpectationReport: Sendable {
    /// The tally of the expectation.
    public var tally: ExpectationTally
    /// The indexed position.
    public var indexed: EventPosition
    /// The first matching events.
    public var events: [StoredEvent]
    /// The closest misses whose events are still stored.
    public var closest: [(miss: ExpectationTally.Miss, event: StoredEvent)]
    /// Rejected events that may have one of the expected names.
    public var refused: [FailedEvent]

    /// The maximum number of rejected events in a report.
    public static let maxRefused = 5

    /// Creates a report.
    public init(
        _ tally: ExpectationTally,
        indexed: EventPosition,
        events: [StoredEvent],
        closest: [(miss: ExpectationTally.Miss, event: StoredEvent)],
        refused: [FailedEvent]
    ) {
        self.tally = tally
        self.indexed = indexed
        self.events = events
        self.closest = closest
        self.refused = refused
    }

    /// Returns the rejected events that the expectation may refer to.
    ///
    /// Their stored content contains one of the expected names as JSON text, or is truncated, so the name may have been
    /// cut off.
    public static func relatedRejections(for tally: ExpectationTally, among failed: [FailedEvent]) -> [FailedEvent] {
        let names = tally.expectation.filter.names.map { JSONValue.string($0).json() }
        let meant = failed.lazy.filter { event in
            guard event.position >= tally.since else { return false }
            return event.content.count < event.bytes || names.contains { event.content.firstRange(of: $0) != nil }
        }
        return Array(meant.prefix(maxRefused))
    }

    /// Writes the report as one JSON object.
    public func write(to writer: inout JSONWriter) {
        let expectation = tally.expectation
        writer.beginObject()
        writer.member("holds", tally.isSatisfiedNow)
        writer.member("found", Int64(tally.found))
        writer.key("expected")
        writer.beginObject()
        writer.member("at_least", Int64(expectation.atLeast))
        if let atMost = expectation.atMost { writer.member("at_most", Int64(atMost)) }
        writer.member("within", Int64(expectation.within / .milliseconds(1)))
        writer.endObject()
        writer.member("since", tally.since.description)
        writer.member("indexed", indexed.description)
        writer.member("read", Int64(tally.read))
        writer.list("events", events) { $0.write(to: &$1) }
        if !tally.isSatisfiedNow { writeHelp(to: &writer) }
        writer.endObject()
    }

    private func writeHelp(to writer: inout JSONWriter) {
        writer.list("closest", closest) { row, writer in
            writer.beginObject()
            writer.list("missed", row.miss.reasons) { reason, writer in
                writer.beginObject()
                writer.member("condition", reason.condition)
                writer.key("actual")
                if let actual = reason.actual { actual.write(to: &writer) } else { writer.null() }
                writer.endObject()
            }
            writer.key("event")
            row.event.write(to: &writer)
            writer.endObject()
        }
        writer.list("refused", refused) { $0.write(to: &$1) }
        // Sort by frequency, then by name, so that equal events yield equal responses.
        let others = tally.others.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        writer.list("others", others) { other, writer in
            writer.beginObject()
            writer.member("name", other.key)
            writer.member("events", Int64(other.value))
            writer.endObject()
        }
    }
}
