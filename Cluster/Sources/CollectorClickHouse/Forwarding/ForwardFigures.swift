// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// What there is to tell of a forwarding: what it did, how far behind it is, and whether it is ready. A value: it is told what happens,
/// and when.
package struct ForwardFigures: Sendable, Hashable {
    /// So long a record may have been in the stream and not in the tables, before it is not ready.
    package static let longestLag = Duration.seconds(60)
    /// So many moments at which the stream had come further are kept. Where there are more, two neighbours become one.
    static let maxMarks = 128

    /// The stream was seen to have come to a record at this time.
    private struct Mark: Sendable, Hashable {
        var sequence: UInt64
        var time: MonotonicTime
    }

    /// How many blocks this process wrote.
    package private(set) var blocks: UInt64 = 0
    /// How many events were in them that had not arrived before.
    package private(set) var events: UInt64 = 0
    /// How many events were in them that had.
    package private(set) var repeats: UInt64 = 0
    /// How often something stood in the way.
    package private(set) var troubles: UInt64 = 0
    /// What stands in the way, in a sentence; nil for nothing.
    package private(set) var trouble: String?
    /// How many weeks of events this process let go of.
    package private(set) var expiredWeeks: UInt64 = 0
    /// The moment from which on events are kept by when they arrived; nil when that is not known, or all are.
    package private(set) var keptFrom: Timestamp?
    /// Where it stands; nil before it has begun.
    package private(set) var standing: StreamForwarding.Standing?
    /// How many records of erased installations this process deleted from the stream.
    package private(set) var erased: UInt64 = 0
    /// How many blocks are still to be looked through for such records; nil while that is not known.
    package private(set) var erasing: Int?
    private var highest: UInt64 = 0
    private var marks: [Mark] = []

    /// Nothing has happened yet.
    package init() {}

    /// Something has happened.
    package mutating func tell(_ news: StreamForwarding.News) {
        switch news {
        case .written(_, let events, let repeats):
            blocks += 1
            self.events += UInt64(events)
            self.repeats += UInt64(repeats)
        case .trouble(let reason):
            trouble = reason
            troubles += 1
        case .recovered: trouble = nil
        }
    }

    /// Records of erased installations were looked for.
    package mutating func erased(_ report: ErasingReport) {
        erased += UInt64(report.deleted)
        erasing = report.left
    }

    /// Weeks of events went by age, or something stood in the way.
    package mutating func expired(_ report: ExpiryReport) {
        expiredWeeks += UInt64(report.expired.count)
        keptFrom = report.keptFrom ?? keptFrom
        if !report.isGood { troubles += 1 }
    }

    /// It stands elsewhere.
    package mutating func stands(_ standing: StreamForwarding.Standing) {
        self.standing = standing
        marks.removeAll { $0.sequence <= standing.written }
    }

    /// The stream was seen to have come to a record.
    ///
    /// - Complexity: O(1) on average.
    package mutating func saw(_ highest: UInt64, at now: MonotonicTime) {
        guard highest > self.highest else { return }
        self.highest = highest
        guard highest > standing?.written ?? 0 else { return }
        marks.append(Mark(sequence: highest, time: now))
        guard marks.count > Self.maxMarks else { return }
        // Of two neighbours the later record has the earlier time: nothing seems to wait for less than it does.
        marks = stride(from: 0, to: marks.count, by: 2).map { index in
            Mark(sequence: marks[min(index + 1, marks.count - 1)].sequence, time: marks[index].time)
        }
    }

    /// How many records are in the stream and not in the tables, as far as is known here.
    package var behind: UInt64 { highest - min(highest, standing?.written ?? 0) }

    /// How long the first of these has been there, as far as this process has seen.
    package func lag(at now: MonotonicTime) -> Duration {
        marks.first.map { max(.zero, $0.time.duration(to: now)) } ?? .zero
    }

    /// Why it is not ready, in a sentence; nil when it is.
    package func reason(at now: MonotonicTime) -> String? {
        if let trouble { return trouble }
        guard standing != nil else { return "It has not begun: the engine and the tables are looked at." }
        let lag = lag(at: now)
        guard lag > Self.longestLag else { return nil }
        return "The tables are \(behind) records behind the stream, since \(lag.components.seconds) s."
    }

    /// Everything in Prometheus' text format, version 0.0.4.
    package func metrics(at now: MonotonicTime) -> String {
        var text = ""
        func write(_ name: String, _ type: String, _ help: String, _ value: some CustomStringConvertible) {
            text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n\(name) \(value)\n"
        }
        write("trackway_forward_events_total", "counter", "Events written that had not arrived before.", events)
        write("trackway_forward_repeats_total", "counter", "Events in written blocks that had.", repeats)
        write("trackway_forward_blocks_total", "counter", "Blocks written by this process.", blocks)
        write(
            "trackway_forward_expired_weeks_total",
            "counter",
            "Weeks of events that this process let go of.",
            expiredWeeks
        )
        if let keptFrom {
            write(
                "trackway_forward_kept_from_seconds",
                "gauge",
                "Events are kept that arrived from this moment on, in seconds since 1970.",
                keptFrom.milliseconds / 1_000
            )
        }
        write("trackway_forward_troubles_total", "counter", "How often something stood in the way.", troubles)
        write("trackway_forward_ready", "gauge", "1 while nothing stands in the way.", reason(at: now) == nil ? 1 : 0)
        write(
            "trackway_forward_standing_by",
            "gauge",
            "1 while another forwarder writes.",
            standing?.isStandingBy == true ? 1 : 0
        )
        write(
            "trackway_forward_writing",
            "gauge",
            "1 while this process writes the blocks.",
            trouble == nil && standing?.isWriting == true ? 1 : 0
        )
        write("trackway_forward_lag_records", "gauge", "Records of the stream that are not in the tables.", behind)
        let lag = lag(at: now).components
        let seconds = Double(lag.seconds) + Double(lag.attoseconds) / 1e18
        write("trackway_forward_lag_seconds", "gauge", "How long the first of them has been there.", seconds)
        write(
            "trackway_forward_erased_records_total",
            "counter",
            "Records of erased installations that this process deleted from the stream.",
            erased
        )
        if let erasing {
            write(
                "trackway_forward_erasing_blocks",
                "gauge",
                "Blocks to be looked through for records of erased installations.",
                erasing
            )
        }
        return text
    }
}
