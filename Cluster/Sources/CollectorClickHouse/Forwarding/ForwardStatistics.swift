// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// Statistics of a forwarder: its work, its lag, and its readiness.
///
/// A value type: the caller passes in events, results, and the current time.
package struct ForwardStatistics: Sendable, Hashable {
    /// The maximum time that a record may be missing from the tables.
    ///
    /// If a record has been missing for longer, the forwarder is not ready.
    package static let maxLag = Duration.seconds(60)
    /// The maximum number of marks; beyond it, adjacent marks are merged in pairs.
    static let maxMarks = 128

    /// The time at which this process first saw that the stream had reached a record.
    private struct Mark: Sendable, Hashable {
        var sequence: UInt64
        var time: MonotonicTime
    }

    /// The number of blocks that this process wrote.
    package private(set) var blocks: UInt64 = 0
    /// The number of new events in these blocks.
    package private(set) var events: UInt64 = 0
    /// The number of events in these blocks that had arrived before.
    package private(set) var repeats: UInt64 = 0
    /// The number of problems that occurred.
    package private(set) var failures: UInt64 = 0
    /// The current problem, as one sentence; nil for none.
    package private(set) var failure: String?
    /// The number of weeks of events that this process dropped.
    package private(set) var expiredWeeks: UInt64 = 0
    /// The time of arrival from which events are kept.
    ///
    /// Nil if it is unknown, or if all events are kept.
    package private(set) var retainedSince: Timestamp?
    /// The current status; nil before the forwarder starts.
    package private(set) var status: ForwardingRunner.Status?
    /// The number of erased installations' records that this process deleted.
    package private(set) var erased: UInt64 = 0
    /// The number of blocks still to search for records of erased installations.
    ///
    /// Nil if unknown.
    package private(set) var blocksToSearch: Int?
    private var highest: UInt64 = 0
    private var marks: [Mark] = []

    /// Creates empty statistics.
    package init() {}

    /// Adds an event reported by the forwarder.
    package mutating func record(_ event: ForwardingRunner.Event) {
        switch event {
        case .blockWritten(_, let events, let repeats):
            blocks += 1
            self.events += UInt64(events)
            self.repeats += UInt64(repeats)
        case .failed(let reason):
            failure = reason
            failures += 1
        case .recovered: failure = nil
        }
    }

    /// Adds the result of deleting records of erased installations.
    package mutating func record(_ report: DeletionReport) {
        erased += UInt64(report.deleted)
        blocksToSearch = report.remainingBlocks
    }

    /// Adds the result of expiring weeks of events.
    package mutating func record(_ report: ExpiryReport) {
        expiredWeeks += UInt64(report.expired.count)
        retainedSince = report.retainedSince ?? retainedSince
        if !report.isSuccess { failures += 1 }
    }

    /// Updates the status.
    package mutating func update(_ status: ForwardingRunner.Status) {
        self.status = status
        marks.removeAll { $0.sequence <= status.written }
    }

    /// Records the highest sequence seen in the stream.
    ///
    /// - Complexity: O(1) on average.
    package mutating func recordEnd(_ highest: UInt64, at now: MonotonicTime) {
        guard highest > self.highest else { return }
        self.highest = highest
        guard highest > status?.written ?? 0 else { return }
        marks.append(Mark(sequence: highest, time: now))
        guard marks.count > Self.maxMarks else { return }
        // A merged mark has the later record and the earlier time, so that no wait is underestimated.
        marks = stride(from: 0, to: marks.count, by: 2).map { index in
            Mark(sequence: marks[min(index + 1, marks.count - 1)].sequence, time: marks[index].time)
        }
    }

    /// The number of known records that the tables lack.
    package var missingRecords: UInt64 { highest - min(highest, status?.written ?? 0) }

    /// Returns how long the oldest known record has been missing from the tables.
    ///
    /// The time is measured since this process first saw the record; zero if no record is missing.
    package func lag(at now: MonotonicTime) -> Duration {
        marks.first.map { max(.zero, $0.time.duration(to: now)) } ?? .zero
    }

    /// Returns why the forwarder is not ready, as one sentence.
    ///
    /// Nil if it is ready.
    package func reason(at now: MonotonicTime) -> String? {
        if let failure { return failure }
        guard status != nil else { return "The forwarder is starting: it is checking the engine and the tables." }
        let lag = lag(at: now)
        guard lag > Self.maxLag else { return nil }
        return "The tables lack \(missingRecords) records of the stream; the oldest has been missing for "
            + "\(lag.components.seconds) s."
    }

    /// Returns all metrics in Prometheus text format, version 0.0.4.
    package func metrics(at now: MonotonicTime) -> String {
        var text = ""
        func write(_ name: String, _ type: String, _ help: String, _ value: some CustomStringConvertible) {
            text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n\(name) \(value)\n"
        }
        write("trackway_forward_events_total", "counter", "New events written, without duplicates.", events)
        write("trackway_forward_repeats_total", "counter", "Duplicate events in the blocks written.", repeats)
        write("trackway_forward_blocks_total", "counter", "Blocks written by this process.", blocks)
        write(
            "trackway_forward_expired_weeks_total",
            "counter",
            "Expired weeks of events that this process dropped.",
            expiredWeeks
        )
        if let retainedSince {
            write(
                "trackway_forward_kept_from_seconds",
                "gauge",
                "Time of arrival from which events are kept, in seconds since 1970.",
                retainedSince.milliseconds / 1_000
            )
        }
        write("trackway_forward_troubles_total", "counter", "Problems that interrupted forwarding.", failures)
        write("trackway_forward_ready", "gauge", "1 while the forwarder is ready.", reason(at: now) == nil ? 1 : 0)
        write(
            "trackway_forward_standing_by",
            "gauge",
            "1 while another forwarder writes.",
            status?.isStandingBy == true ? 1 : 0
        )
        write(
            "trackway_forward_writing",
            "gauge",
            "1 while this process writes the blocks.",
            failure == nil && status?.isWriting == true ? 1 : 0
        )
        write(
            "trackway_forward_lag_records",
            "gauge",
            "Records in the stream that are not in the tables.",
            missingRecords
        )
        let lag = lag(at: now).components
        let seconds = Double(lag.seconds) + Double(lag.attoseconds) / 1e18
        write("trackway_forward_lag_seconds", "gauge", "Time since the first missing record was seen.", seconds)
        write(
            "trackway_forward_erased_records_total",
            "counter",
            "Records of erased installations that this process deleted from the stream.",
            erased
        )
        if let blocksToSearch {
            write(
                "trackway_forward_erasing_blocks",
                "gauge",
                "Blocks to be searched for records of erased installations.",
                blocksToSearch
            )
        }
        return text
    }
}
