// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The persistent state of a store beside its records.
///
/// Files of earlier versions lack the optional members.
struct UsageStoreContent: Sendable, Hashable, Codable {
    /// The time of the first use, in seconds since 2001.
    var created: Double
    /// Every target that something was stored for.
    var targets: [String] = []
    /// The records removed from the middle of the log, by target.
    var removed: [String: [RemovedRange]] = [:]
    /// The targets whose last session is being stored for a person, or was when the process died.
    var leaving: Set<String> = []
    /// The number of the last withdrawal of consent that was carried out here.
    var withdrawal: UInt64?
    /// The session in effect at the first record that is left, by target.
    var sessions: [String: UsageSession]?
    /// The report that was being sent, by target.
    var plans: [String: UploadPlan]?

    /// An empty state.
    init(created: Double) {
        self.created = created
    }

    /// Remembers a removal, and forgets those that are part of it.
    mutating func remove(_ range: RemovedRange, of target: String) {
        var ranges = removed[target, default: []]
        guard !range.isEmpty, !ranges.contains(where: { $0.covers(range) }) else { return }
        ranges.removeAll { range.covers($0) }
        removed[target] = ranges + [range]
    }

    /// Forgets removals that the log has passed.
    mutating func forget(_ ranges: [RemovedRange], of target: String) {
        removed[target]?.removeAll { ranges.contains($0) }
        if removed[target]?.isEmpty == true { removed[target] = nil }
    }

    /// Sets the session in effect at a target's first record.
    mutating func set(_ session: UsageSession?, of target: String) {
        guard sessions?[target] != session else { return }
        sessions = sessions ?? [:]
        sessions?[target] = session
    }

    /// Sets the report that is being sent for a target.
    mutating func set(_ plan: UploadPlan?, of target: String) {
        guard plans?[target] != plan else { return }
        plans = plans ?? [:]
        plans?[target] = plan
    }
}

/// A session whose start is no longer among the stored records.
struct UsageSession: Sendable, Hashable, Codable {
    /// The record of the start, as JSON.
    var start: String
    /// Whether the start was sent or removed. Otherwise it counts as the first stored record.
    var isSent: Bool
    /// Whether the session has not ended.
    var isOpen: Bool
    /// The latest time of an event in earlier reports, in milliseconds since 1970, by the sessions' ids.
    var sentThrough: [String: Int64]?
    /// The start of the session that an upload ended, for one that it began; as JSON.
    var previous: String?

    /// The most sessions whose latest times are remembered.
    static let maximumSessions = 16

    /// The record of the start.
    var record: UsageRecord? { UsageRecord(written: start) }

    /// The session's id.
    var id: String { record?.info[UsageRecord.sessionIdentifierKey] as? String ?? "" }

    /// The start as a record that is still stored; nil otherwise.
    var unsentStart: UsageRecord? { isSent ? nil : record }
}

/// A report that is about to be sent, written down first.
///
/// A process that ends before the answer leaves the plan behind, and the next one sends the same report again, byte for byte.
struct UploadPlan: Sendable, Hashable, Codable {
    /// The end of the session that an upload adds to a report.
    struct End: Sendable, Hashable, Codable {
        /// The time of the end, in seconds since 2001.
        var date: Double
        /// The start of the session that follows, as JSON; nil for none.
        var next: String?
    }

    /// Where the report goes.
    var destination: String
    /// Identifies the report's records, in order.
    var records: String
    /// The number of records, the added end not counted.
    var count: Int
    /// Whether the records are those withheld by an earlier upload.
    var isWithheld: Bool
    /// The added end of the session; nil for none.
    var end: End?
    /// The name of the time zone in effect.
    var zone: String
    /// Whether the back end may have accepted the report.
    var isUncertain = true
    /// How often the back end refused its content since an answer was lost.
    var refusals = 0

    /// Whether another plan makes the same report.
    func isSame(as other: UploadPlan) -> Bool {
        var other = other
        other.isUncertain = isUncertain
        other.refusals = refusals
        return other == self
    }
}
