// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// The answer to a ``Question``: one series, or one for each group.
public struct Trend: Sendable, Hashable {
    /// Which events a series is about.
    public enum Group: Sendable, Hashable {
        /// All that the question is about.
        case all
        /// Those with this value of the field; nil: those that lack it.
        case value(QuestionValue?)
        /// Those of all other values, of which there are so many.
        case other(Int)
    }

    /// Numbers for a period: one for each interval, and one for all of it. Nil where there is none: an average or a percentile
    /// of nothing.
    public struct Numbers: Sendable, Hashable {
        /// Interval by interval.
        public var values: [JSONNumber?]
        /// Of the whole time. A person who comes back counts once, so it may be less than the sum of the values.
        public var total: JSONNumber?
        /// What the measured field held in all events of the time; nil for measures without a field.
        public var found: Found?

        /// Numbers.
        public init(values: [JSONNumber?], total: JSONNumber?, found: Found? = nil) {
            self.values = values
            self.total = total
            self.found = found
        }
    }

    /// How many events had which kind of value in the measured field. Together they are all events of the series.
    public struct Found: Sendable, Hashable {
        /// Events whose value counts: a number, or a text that was read as one.
        public var numbers: Int64
        /// Events with a text that does not count.
        public var texts: Int64
        /// Events with true, false, a list or an object.
        public var others: Int64
        /// Events without a value.
        public var missing: Int64

        /// Counts.
        public init(numbers: Int64 = 0, texts: Int64 = 0, others: Int64 = 0, missing: Int64 = 0) {
            self.numbers = numbers
            self.texts = texts
            self.others = others
            self.missing = missing
        }
    }

    /// One line of a chart.
    public struct Series: Sendable, Hashable {
        /// Its events.
        public var group: Group
        /// The numbers asked for.
        public var now: Numbers
        /// Those of the period before; nil when it was not asked for.
        public var before: Numbers?

        /// A series.
        public init(group: Group, now: Numbers, before: Numbers? = nil) {
            self.group = group
            self.now = now
            self.before = before
        }
    }

    /// The groups with most events in the time first, those of all other values last.
    public var series: [Series]
    /// How many events were looked at.
    public var events: Int

    /// An answer.
    public init(series: [Series], events: Int) {
        self.series = series
        self.events = events
    }
}

extension Trend {
    /// Writes the answer with the question's times.
    ///
    /// - Parameter keptFrom: Events that arrived before this moment are missing; nil when none are.
    public func write(for question: Question, keptFrom: Timestamp? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        question.time.writeMembers(to: &writer)
        writer.list("series", series) { $0.write(to: &$1) }
        writer.member("read", Int64(events))
        writer.keptFrom(keptFrom)
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
        guard let found else { return }
        writer.member("numbers", found.numbers)
        writer.member("texts", found.texts)
        writer.member("others", found.others)
        writer.member("missing", found.missing)
    }
}

extension Trend.Group {
    /// Writes `group` for a value, `other` for the rest, neither when nothing is divided.
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

extension QuestionTime {
    /// Writes the intervals: how long they are, whose calendar counts, and where they begin and end.
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("interval", interval.rawValue)
        writer.member("zone", zone)
        writer.list("edges", edges) { edge, writer in writer.integer(edge.milliseconds) }
        if !partial.isEmpty {
            writer.list("partial_intervals", partial) { index, writer in writer.integer(Int64(index)) }
        }
        if !edgesBefore.isEmpty {
            writer.list("edges_before", edgesBefore) { edge, writer in writer.integer(edge.milliseconds) }
        }
    }
}
