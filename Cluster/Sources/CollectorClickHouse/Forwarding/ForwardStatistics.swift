// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Statistics of a forwarder: its work, its lag, and its readiness.
///
/// A value type: the caller passes in what happens, and when.
package struct ForwardStatistics: Sendable, Hashable {
    /// The maximum time that a record may be missing from the tables.
    ///
    /// If a record has been in the stream for longer, the forwarder is not ready.
    package static let longestLag = Duration.seconds(60)
    /// The maximum number of marks; beyond it, neighbors are merged in pairs.
    static let maxMarks = 128

    /// The time at which the stream was seen to reach a record.
    private struct Mark: Sendable, Hashable {
        var sequence: UInt64
        var time: MonotonicTime
    }

    /// The number of blocks that this process wrote.
    package private(set) var blocks: UInt64 = 0
    /// The number of their events that had not arrived before.
    package private(set) var events: UInt64 = 0
    /// The number of their events that had arrived before.
    package private(set) var repeats: UInt64 = 0
    /// The number of problems that occurred.
    package private(set) var troubles: UInt64 = 0
    /// The current problem, one sentence; nil for none.
    package private(set) var trouble: String?
    /// The number of weeks of events that this process dropped.
    package private(set) var expiredWeeks: UInt64 = 0
    /// The time of arrival from which events are kept.
    ///
    /// Nil if it is unknown, or if all events are kept.
    package private(set) var keptFrom: Timestamp?
    /// The current status; nil before the forwarder starts.
    package private(set) var standing: ForwardingRunner.Standing?
    /// The number of records of erased installations that this process deleted.
    package private(set) var erased: UInt64 = 0
    /// The number of blocks still to be searched for such records; nil if unknown.
    package private(set) var erasing: Int?
    private var highest: UInt64 = 0
    private var marks: [Mark] = []

    /// Creates empty statistics.
    package init() {}

    /// Adds a report of the forwarder.
    package mutating func tell(_ news: ForwardingRunner.News) {
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

    /// Adds the result of deleting records of erased installations.
    package mutating func erased(_ report: DeletionReport) {
        erased += UInt64(report.deleted)
        erasing = report.left
    }

    /// Adds the result of expiring weeks of events.
    package mutating func expired(_ report: ExpiryReport) {
        expiredWeeks += UInt64(report.expired.count)
        keptFrom = report.keptFrom ?? keptFrom
        if !report.isGood { troubles += 1 }
    }

    /// Updates the status.
    package mutating func stands(_ standing: ForwardingRunner.Standing) {
        self.standing = standing
        marks.removeAll { $0.sequence <= standing.written }
    }

    /// Adds the highest sequence seen in the stream.
    ///
    /// - Complexity: O(1) on average.
    package mutating func saw(_ highest: UInt64, at now: MonotonicTime) {
        guard highest > self.highest else { return }
        self.highest = highest
        guard highest > standing?.written ?? 0 else { return }
        marks.append(Mark(sequence: highest, time: now))
        guard marks.count > Self.maxMarks else { return }
        // A merged mark has the later record and the earlier time, so that no wait is underestimated.
        marks = stride(from: 0, to: marks.count, by: 2).map { index in
            Mark(sequence: marks[min(index + 1, marks.count - 1)].sequence, time: marks[index].time)
        }
    }

    /// The number of records in the stream that the tables lack, as far as known.
    package var behind: UInt64 { highest - min(highest, standing?.written ?? 0) }

    /// Returns the time since this process first saw one of these records.
    package func lag(at now: MonotonicTime) -> Duration {
        marks.first.map { max(.zero, $0.time.duration(to: now)) } ?? .zero
    }

    /// Returns why the forwarder is not ready, one sentence; nil if it is.
    package func reason(at now: MonotonicTime) -> String? {
        if let trouble { return trouble }
        guard standing != nil else { return "The forwarder is starting: it is checking the engine and the tables." }
        let lag = lag(at: now)
        guard lag > Self.longestLag else { return nil }
        return "The tables lack \(behind) records of the stream, the first for \(lag.components.seconds) s."
    }

    /// Returns all metrics in Prometheus text format, version 0.0.4.
    package func metrics(at now: MonotonicTime) -> String {
        var text = ""
        func write(_ name: String, _ type: String, _ help: String, _ value: some CustomStringConvertible) {
            text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n\(name) \(value)\n"
        }
        write("trackway_forward_events_total", "counter", "Events written that had not arrived before.", events)
        write("trackway_forward_repeats_total", "counter", "Events in written blocks that had arrived before.", repeats)
        write("trackway_forward_blocks_total", "counter", "Blocks written by this process.", blocks)
        write(
            "trackway_forward_expired_weeks_total",
            "counter",
            "Expired weeks of events that this process dropped.",
            expiredWeeks
        )
        if let keptFrom {
            write(
                "trackway_forward_kept_from_seconds",
                "gauge",
                "Time of arrival from which events are kept, in seconds since 1970.",
                keptFrom.milliseconds / 1_000
            )
        }
        write("trackway_forward_troubles_total", "counter", "Problems that interrupted forwarding.", troubles)
        write("trackway_forward_ready", "gauge", "1 while the forwarder is ready.", reason(at: now) == nil ? 1 : 0)
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
        write("trackway_forward_lag_seconds", "gauge", "Time since the first of these records was seen.", seconds)
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
                "Blocks to be searched for records of erased installations.",
                erasing
            )
        }
        return text
    }
}
