// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayJournal

/// Decides from positions and times whether an index contains its entire log.
///
/// A value type.
///
/// Causes are not recorded: whether an index is complete depends only on its position relative to the log's end,
/// regardless of whether a start, a repair, or an hour of overload caused the lag.
struct IndexFreshness: Sendable {
    /// The completeness of the index.
    enum Verdict: Sendable, Hashable {
        /// The index contains everything that has been on stable storage for ``tolerance``.
        case complete
        /// The index lacks records that the log had when the index was opened or restarted.
        case building
        /// The index lacks records that have been on stable storage for the given duration.
        case behind(Duration)
    }

    /// The end of the log at a given time.
    private struct Mark: Sendable {
        var position: LogPosition
        var time: MonotonicTime
    }

    /// The maximum lag at which an index is still considered to follow its log.
    static let tolerance = Duration.seconds(10)
    private static let spacing = Duration.seconds(1)
    private static let maxMarks = 64

    /// The position before which everything is in the index.
    private(set) var indexed: LogPosition
    /// The position that the index must reach before readers may rely on it.
    ///
    /// Nil once the index has reached the position.
    private var target: LogPosition?
    /// Ends of the log, earliest first, that the index has not reached.
    private var marks: [Mark] = []
    private var newest: Mark?

    /// Creates the state of an index at a position in a log whose end is not known yet.
    init(at indexed: LogPosition) {
        self.indexed = indexed
    }

    /// Whether the index is still being built.
    ///
    /// If true, the index lacks records that the log had when the index was opened or restarted.
    var isBuilding: Bool { target != nil }

    /// Requires the index to reach `end` before it may be read.
    mutating func build(upTo end: LogPosition) {
        target = max(end, target ?? end)
        settle()
    }

    /// Records that the index restarts at a position.
    ///
    /// The index must reach the log's end again, or its own previous position if the end is not known yet.
    mutating func restart(at position: LogPosition) {
        let end = newest?.position ?? indexed
        target = max(end, target ?? end)
        indexed = position
        settle()
    }

    /// Reports that the log ends at `end` and is on stable storage up to that position.
    ///
    /// - Complexity: O(1) amortized.
    mutating func recordLogEnd(_ end: LogPosition, at now: MonotonicTime) {
        guard end > newest?.position ?? .start else { return }
        newest = Mark(position: end, time: now)
        guard end > indexed else { return }
        if let last = marks.last, last.time.duration(to: now) < Self.spacing { return }
        marks.append(Mark(position: end, time: now))
        guard marks.count > Self.maxMarks else { return }
        // Merge each pair of neighbors into the later position with the earlier time, so that a lag is overestimated
        // rather than underestimated.
        marks = stride(from: 0, to: marks.count, by: 2).map { index in
            Mark(position: marks[min(index + 1, marks.count - 1)].position, time: marks[index].time)
        }
    }

    /// Reports that the index has reached `position`.
    mutating func advance(to position: LogPosition) {
        indexed = max(indexed, position)
        settle()
    }

    /// Returns whether the index is complete.
    func verdict(at now: MonotonicTime) -> Verdict {
        if target != nil { return .building }
        guard let oldest = marks.first ?? newest.flatMap({ $0.position > indexed ? $0 : nil }) else { return .complete }
        let lag = oldest.time.duration(to: now)
        return lag > Self.tolerance ? .behind(lag) : .complete
    }

    private mutating func settle() {
        if let target, indexed >= target { self.target = nil }
        let indexed = self.indexed
        if let first = marks.first, first.position <= indexed { marks.removeAll { $0.position <= indexed } }
    }
}
