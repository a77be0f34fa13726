// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Which refused events a reader wants, the latest first.
package struct FailedQuery: Sendable, Hashable {
    /// Only what stands before this position.
    package var before: EventPosition?
    /// Only those with this reason.
    package var code: String?
    /// Only events of this name, as far as it could be read.
    package var name: String?
    /// The most in one answer.
    package var limit: Int

    /// A query for everything.
    package init(before: EventPosition? = nil, code: String? = nil, name: String? = nil, limit: Int = 50) {
        self.before = before
        self.code = code
        self.name = name
        self.limit = limit
    }
}

extension EventStore {
    /// Refused events before a position (all when nil), the latest first.
    package func failed(before position: EventPosition?, limit: Int) async throws(StoreError) -> [FailedEvent] {
        try await failed(matching: FailedQuery(before: position, limit: limit))
    }
}

/// What was refused in a time, grouped, and what devices say that they lost.
package struct FailedGroups: Sendable, Hashable {
    /// The most groups that are told apart.
    package static let maxGroups = 1_000
    /// The most groups of one answer.
    package static let shown = 200
    /// The most reasons and codes of devices that are told apart.
    package static let maxReasons = 100
    /// The most events about errors that are read: the latest.
    package static let maxErrors = 10_000

    /// Refused events with one reason, name and version.
    package struct Group: Sendable, Hashable {
        /// The machine-readable reason.
        package var code: String
        /// The field at fault; empty when the whole is.
        package var field: String
        /// The event's name; nil where it could not be read.
        package var name: String?
        /// The version of the app; nil where no context told it.
        package var version: String?
        /// How many.
        package var count: Int64 = 0
        /// When the first arrived.
        package var first: Timestamp
        /// When the last arrived.
        package var last: Timestamp
        /// The last one.
        package var sample: EventPosition
        /// How many arrived in each interval.
        package var values: [Int64]

        /// A group of nothing yet.
        package init(
            code: String,
            field: String,
            name: String?,
            version: String?,
            at time: Timestamp,
            sample: EventPosition,
            intervals: Int
        ) {
            self.code = code
            self.field = field
            self.name = name
            self.version = version
            first = time
            last = time
            self.sample = sample
            values = Array(repeating: 0, count: intervals)
        }
    }

    /// Events that devices gave up for one reason, over all time.
    package struct Loss: Sendable, Hashable {
        /// Why.
        package var reason: String
        /// How many.
        package var events: Int64

        /// A loss.
        package init(reason: String, events: Int64) {
            self.reason = reason
            self.events = events
        }
    }

    /// What clients say went wrong where they record, by its code.
    package struct Report: Sendable, Hashable {
        /// The code they gave.
        package var code: String
        /// How often.
        package var events: Int64
        /// The device's time of the earliest.
        package var first: Timestamp
        /// The device's time of the latest.
        package var last: Timestamp
        /// What the latest said.
        package var message: String
        /// The latest.
        package var sample: EventID

        /// A report.
        package init(
            code: String,
            events: Int64,
            first: Timestamp,
            last: Timestamp,
            message: String,
            sample: EventID
        ) {
            self.code = code
            self.events = events
            self.first = first
            self.last = last
            self.message = message
            self.sample = sample
        }
    }

    /// The groups, those with most events first.
    package var groups: [Group] = []
    /// How many were refused altogether.
    package var count: Int64 = 0
    /// What devices lost, the most first.
    package var losses: [Loss] = []
    /// What clients report, the most frequent first.
    package var reports: [Report] = []

    /// An answer without anything in it.
    package init() {}
}

extension FailedGroups {
    /// Writes the answer.
    ///
    /// - Parameters:
    ///   - time: The time asked about.
    ///   - top: How many groups are shown.
    ///   - isDetailed: Whether it names single events, and tells what clients wrote about errors.
    package func write(in time: QuestionTime, top: Int, isDetailed: Bool = true, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("interval", time.interval.rawValue)
        writer.member("zone", time.zone)
        writer.list("edges", time.edges) { edge, writer in writer.integer(edge.milliseconds) }
        let shown = groups.prefix(top)
        writer.list("groups", Array(shown)) { $0.write(isDetailed: isDetailed, to: &$1) }
        writer.member("others", count - shown.reduce(0) { $0 + $1.count })
        writer.member("count", count)
        writer.list("lost", losses) { loss, writer in
            writer.beginObject()
            writer.member("reason", loss.reason)
            writer.member("events", loss.events)
            writer.endObject()
        }
        writer.list("reports", reports) { report, writer in
            writer.beginObject()
            writer.member("code", report.code)
            writer.member("events", report.events)
            writer.member("first", report.first)
            writer.member("last", report.last)
            if isDetailed {
                writer.member("message", report.message)
                writer.member("sample", report.sample)
            }
            writer.endObject()
        }
        writer.endObject()
    }
}

extension FailedGroups.Group {
    fileprivate func write(isDetailed: Bool, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("code", code)
        writer.member("field", field)
        writer.member("name", name)
        writer.member("version", version)
        writer.member("count", count)
        writer.member("first", first)
        writer.member("last", last)
        if isDetailed { writer.member("sample", sample.description) }
        writer.list("values", values) { value, writer in writer.integer(value) }
        writer.endObject()
    }
}
