// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A query for rejected events, latest first.
public struct FailedQuery: Sendable, Hashable {
    /// Only events before this position.
    public var before: EventPosition?
    /// Only events with this reason.
    public var code: String?
    /// Only events with this name; excludes events with unreadable names.
    public var name: String?
    /// The maximum number of events in one response.
    public var limit: Int

    /// Creates a query for all rejected events.
    public init(before: EventPosition? = nil, code: String? = nil, name: String? = nil, limit: Int = 50) {
        self.before = before
        self.code = code
        self.name = name
        self.limit = limit
    }
}

extension EventStore {
    /// Returns rejected events before a position (all when nil), latest first.
    public func failed(before position: EventPosition?, limit: Int) async throws(StoreError) -> [FailedEvent] {
        try await failed(matching: FailedQuery(before: position, limit: limit))
    }
}

/// Groups of rejected events, and losses that devices reported.
public struct FailedGroups: Sendable, Hashable {
    /// The maximum number of distinct groups.
    public static let maxGroups = 1_000
    /// The maximum number of groups in one response.
    public static let shown = 200
    /// The maximum number of distinct loss reasons, and of distinct error codes.
    public static let maxReasons = 100
    /// The maximum number of error events to read, latest first.
    public static let maxErrors = 10_000

    /// Rejected events with the same reason, name and version.
    public struct Group: Sendable, Hashable {
        /// The machine-readable reason.
        public var code: String
        /// The faulty field; empty when the whole event is faulty.
        public var field: String
        /// The event's name; nil if it could not be read.
        public var name: String?
        /// The version of the app; nil if the context lacks it.
        public var version: String?
        /// The number of events.
        public var count: Int64 = 0
        /// When the first event arrived.
        public var first: Timestamp
        /// When the last event arrived.
        public var last: Timestamp
        /// The position of the last event.
        public var sample: EventPosition
        /// The number of events that arrived in each interval.
        public var values: [Int64]

        /// Creates an empty group.
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

    /// Events that devices dropped for one reason, over all time.
    public struct Loss: Sendable, Hashable {
        /// The reason.
        public var reason: String
        /// The number of events.
        public var events: Int64

        /// Creates a loss.
        public init(reason: String, events: Int64) {
            self.reason = reason
            self.events = events
        }
    }

    /// Recording errors with one code, as reported by clients.
    public struct Report: Sendable, Hashable {
        /// The error code, as reported by the client.
        public var code: String
        /// The number of events.
        public var events: Int64
        /// The device time of the earliest event.
        public var first: Timestamp
        /// The device time of the latest event.
        public var last: Timestamp
        /// The message of the latest event.
        public var message: String
        /// The id of the latest event.
        public var sample: EventID

        /// Creates a report.
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

    /// The groups, most events first.
    public var groups: [Group] = []
    /// The total number of rejected events.
    public var count: Int64 = 0
    /// The losses that devices reported, largest first.
    public var losses: [Loss] = []
    /// The errors that clients reported, most frequent first.
    public var reports: [Report] = []

    /// Creates an empty result.
    public init() {}
}

extension FailedGroups {
    /// Writes the response.
    ///
    /// - Parameters:
    ///   - time: The requested time range.
    ///   - top: The number of groups to write.
    ///   - isDetailed: Whether to include sample events and the clients' error messages.
    public func write(in time: QueryTimeRange, top: Int, isDetailed: Bool = true, to writer: inout JSONWriter) {
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
