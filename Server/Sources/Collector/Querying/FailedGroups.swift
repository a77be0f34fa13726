// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Which refused events a reader wants, the latest first.
public struct FailedQuery: Sendable, Hashable {
    /// Only what stands before this position.
    public var before: EventPosition?
    /// Only those with this reason.
    public var code: String?
    /// Only events of this name, as far as it could be read.
    public var name: String?
    /// The most in one answer.
    public var limit: Int

    /// A query for everything.
    public init(before: EventPosition? = nil, code: String? = nil, name: String? = nil, limit: Int = 50) {
        self.before = before
        self.code = code
        self.name = name
        self.limit = limit
    }
}

extension EventStore {
    /// Refused events before a position (all when nil), the latest first.
    public func failed(before position: EventPosition?, limit: Int) async throws(StoreError) -> [FailedEvent] {
        try await failed(matching: FailedQuery(before: position, limit: limit))
    }
}

/// What was refused in a time, grouped, and what devices say that they lost.
public struct FailedGroups: Sendable, Hashable {
    /// The most groups that are told apart.
    public static let maxGroups = 1_000
    /// The most groups of one answer.
    public static let shown = 200
    /// The most reasons and codes of devices that are told apart.
    public static let maxReasons = 100
    /// The most events about errors that are read: the latest.
    public static let maxErrors = 10_000

    /// Refused events with one reason, name and version.
    public struct Group: Sendable, Hashable {
        /// The machine-readable reason.
        public var code: String
        /// The field at fault; empty when the whole is.
        public var field: String
        /// The event's name; nil where it could not be read.
        public var name: String?
        /// The version of the app; nil where no context told it.
        public var version: String?
        /// How many.
        public var count: Int64 = 0
        /// When the first arrived.
        public var first: Timestamp
        /// When the last arrived.
        public var last: Timestamp
        /// The last one.
        public var sample: EventPosition
        /// How many arrived in each interval.
        public var values: [Int64]

        /// A group of nothing yet.
        public init(
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
    public struct Loss: Sendable, Hashable {
        /// Why.
        public var reason: String
        /// How many.
        public var events: Int64

        /// A loss.
        public init(reason: String, events: Int64) {
            self.reason = reason
            self.events = events
        }
    }

    /// What clients say went wrong where they record, by its code.
    public struct Report: Sendable, Hashable {
        /// The code they gave.
        public var code: String
        /// How often.
        public var events: Int64
        /// The device's time of the earliest.
        public var first: Timestamp
        /// The device's time of the latest.
        public var last: Timestamp
        /// What the latest said.
        public var message: String
        /// The latest.
        public var sample: EventID

        /// A report.
        public init(
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
    public var groups: [Group] = []
    /// How many were refused altogether.
    public var count: Int64 = 0
    /// What devices lost, the most first.
    public var losses: [Loss] = []
    /// What clients report, the most frequent first.
    public var reports: [Report] = []

    /// An answer without anything in it.
    public init() {}
}

extension FailedGroups {
    /// Writes the answer.
    ///
    /// - Parameters:
    ///   - time: The time asked about.
    ///   - top: How many groups are shown.
    ///   - isDetailed: Whether it names single events, and tells what clients wrote about errors.
    public func write(in time: QuestionTime, top: Int, isDetailed: Bool = true, to writer: inout JSONWriter) {
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
