// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal

/// Decides, from positions and times, whether an index has what its log has. A value.
///
/// It remembers no event of this process: an index is incomplete because of where it and the log stand, whether that is so since a start, a
/// repair, or an hour of overload.
struct IndexFreshness: Sendable {
    /// What a reader has to know.
    enum Verdict: Sendable, Hashable {
        /// It has everything that has been on stable storage for ``tolerance``.
        case complete
        /// It lacks records that the log had when the index was opened or begun anew.
        case building
        /// It lacks records that have been on stable storage for this long.
        case behind(Duration)
    }

    /// The log's end as it was at a moment.
    private struct Mark: Sendable {
        var position: LogPosition
        var time: MonotonicTime
    }

    /// An index that lags by less follows its log.
    static let tolerance = Duration.seconds(10)
    private static let spacing = Duration.seconds(1)
    private static let maxMarks = 64

    /// The index has everything before it.
    private(set) var indexed: LogPosition
    /// Everything before it has to be in the index before a reader may rely on it; nil once that is so.
    private var target: LogPosition?
    /// Ends of the log, the earliest first, that the index has not come to.
    private var marks: [Mark] = []
    private var newest: Mark?

    /// An index that stands at a place of a log about which nothing is known yet.
    init(at indexed: LogPosition) {
        self.indexed = indexed
    }

    /// Whether the index lacks what the log had when it began.
    var isBuilding: Bool { target != nil }

    /// The index may be read only once it has come to `end`.
    mutating func build(upTo end: LogPosition) {
        target = max(end, target ?? end)
        settle()
    }

    /// The index begins anew: it has to come to where the log ends, or, where that is not known yet, to where the index was.
    mutating func restart(at position: LogPosition) {
        let end = newest?.position ?? indexed
        target = max(end, target ?? end)
        indexed = position
        settle()
    }

    /// The log ends at `end`, and all before it is on stable storage.
    ///
    /// - Complexity: O(1) amortized.
    mutating func logged(_ end: LogPosition, at now: MonotonicTime) {
        guard end > newest?.position ?? .start else { return }
        newest = Mark(position: end, time: now)
        guard end > indexed else { return }
        if let last = marks.last, last.time.duration(to: now) < Self.spacing { return }
        marks.append(Mark(position: end, time: now))
        guard marks.count > Self.maxMarks else { return }
        // Of two neighbors the later place with the earlier time: a lag is reported too long rather than too short.
        marks = stride(from: 0, to: marks.count, by: 2).map { index in
            Mark(position: marks[min(index + 1, marks.count - 1)].position, time: marks[index].time)
        }
    }

    /// The index has come to `position`.
    mutating func reached(_ position: LogPosition) {
        indexed = max(indexed, position)
        settle()
    }

    /// Whether the index has what it should have.
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
