// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The result of a ``TrendQuery``: one series, or one per group.
public struct Trend: Sendable, Hashable {
    /// The events of a series.
    public enum Group: Sendable, Hashable {
        /// All events of the query.
        case all
        /// Events with this value of the field.
        ///
        /// Nil stands for events without the field.
        case value(QueryValue?)
        /// Events with any other value.
        ///
        /// The associated value is the number of these values.
        case other(Int)
    }

    /// The numbers for a period: one per interval, and a total.
    ///
    /// An average or a percentile is nil when there are no numbers.
    public struct Numbers: Sendable, Hashable {
        /// The numbers by interval.
        public var values: [JSONNumber?]
        /// The number for the whole period.
        ///
        /// A person who is active in several intervals counts only once, so the total may be less than the sum of the
        /// values.
        public var total: JSONNumber?
        /// The kinds of values of the measured field over the whole period.
        ///
        /// Nil for measures without a field.
        public var valueKinds: ValueKinds?

        /// Creates numbers.
        public init(values: [JSONNumber?], total: JSONNumber?, valueKinds: ValueKinds? = nil) {
            self.values = values
            self.total = total
            self.valueKinds = valueKinds
        }
    }

    /// The numbers of events by kind of value in the measured field.
    ///
    /// Together, the counts cover all events of the series.
    public struct ValueKinds: Sendable, Hashable {
        /// The number of events whose value counts.
        ///
        /// Such a value is a number, or a string converted to a number.
        public var numbers: Int64
        /// The number of events with a string that does not count.
        public var texts: Int64
        /// The number of events with true, false, a list or an object.
        public var others: Int64
        /// The number of events without a value.
        public var missing: Int64

        /// Creates counts.
        public init(numbers: Int64 = 0, texts: Int64 = 0, others: Int64 = 0, missing: Int64 = 0) {
            self.numbers = numbers
            self.texts = texts
            self.others = others
            self.missing = missing
        }
    }

    /// One line of a chart.
    public struct Series: Sendable, Hashable {
        /// The events of the series.
        public var group: Group
        /// The numbers of the requested period.
        public var now: Numbers
        /// The numbers of the previous period; nil when not requested.
        public var before: Numbers?

        /// Creates a series.
        public init(group: Group, now: Numbers, before: Numbers? = nil) {
            self.group = group
            self.now = now
            self.before = before
        }
    }

    /// The series, one per group, most events first.
    ///
    /// The group of all other values is last.
    public var series: [Series]
    /// The number of events read.
    public var events: Int

    /// Creates a result.
    public init(series: [Series], events: Int) {
        self.series = series
        self.events = events
    }
}

extension Trend {
    /// Writes the result with the query's time range.
    ///
    /// - Parameter retainedSince: The arrival time before which events are missing; nil when none are missing.
    public func write(for query: TrendQuery, retainedSince: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        query.time.writeMembers(to: &writer)
        writer.list("series", series) { $0.write(to: &$1) }
        writer.member("read", Int64(events))
        writer.writeRetainedSince(retainedSince)
        writer.endObject()
    }
}

extension Trend.Series {
    /// Writes the series with its group.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        group.writeMembers(to: &writer)
        now.writeMembers(to: &writer)
        if let before { writer.object("before") { before.writeMembers(to: &$0) } }
        writer.endObject()
    }
}

extension Trend.Numbers {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.list("values", values) { value, writer in
            if let value { value.write(to: &writer) } else { writer.null() }
        }
        writer.key("total")
        if let total { total.write(to: &writer) } else { writer.null() }
        guard let valueKinds else { return }
        writer.member("numbers", valueKinds.numbers)
        writer.member("texts", valueKinds.texts)
        writer.member("others", valueKinds.others)
        writer.member("missing", valueKinds.missing)
    }
}

extension Trend.Group {
    /// Writes `group` for a value, or `other` for all other values.
    ///
    /// Without a grouping, nothing is written.
    func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .all: break
        case .value(let value):
            writer.key("group")
            if let value { value.write(to: &writer) } else { writer.null() }
        case .other(let groups): writer.member("other", Int64(groups))
        }
    }
}

extension QueryTimeRange {
    /// Writes the length, the zone and the edges of the intervals.
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("interval", interval.rawValue)
        writer.member("zone", zone)
        writer.list("edges", edges) { edge, writer in writer.integer(edge.milliseconds) }
        if !partialIntervals.isEmpty {
            writer.list("partial_intervals", partialIntervals) { index, writer in writer.integer(Int64(index)) }
        }
        if !edgesBefore.isEmpty {
            writer.list("edges_before", edgesBefore) { edge, writer in writer.integer(edge.milliseconds) }
        }
    }
}
