// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The persistent state of a store, apart from its records.
///
/// Files of earlier versions lack the optional members.
struct UsageStoreContent: Sendable, Hashable, Codable {
    /// The time of the first use, in seconds since 2001.
    var created: Double
    /// All targets for which records were stored.
    var targets: [String] = []
    /// The records removed from the middle of the log, by target.
    var removed: [String: [RemovedRange]] = [:]
    /// The targets whose last session is being moved to a user's store.
    ///
    /// A target stays here if a process was killed during the move.
    var leaving: Set<String> = []
    /// The number of the last consent withdrawal applied to this store.
    var withdrawal: UInt64?
    /// The session in effect at the first remaining record, by target.
    var sessions: [String: UsageSession]?
    /// The report that was being sent, by target.
    var plans: [String: UploadPlan]?

    /// Creates an empty state.
    init(created: Double) {
        self.created = created
    }

    /// Saves a removal, replacing the removals that it covers.
    mutating func remove(_ range: RemovedRange, of target: String) {
        var ranges = removed[target, default: []]
        guard !range.isEmpty, !ranges.contains(where: { $0.covers(range) }) else { return }
        ranges.removeAll { range.covers($0) }
        removed[target] = ranges + [range]
    }

    /// Deletes removals that the log has advanced past.
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
    /// Whether the start was sent or removed.
    ///
    /// If false, the start counts as the first stored record.
    var isSent: Bool
    /// Whether the session has not ended.
    var isOpen: Bool
    /// The latest event times in earlier reports, by session ID.
    ///
    /// In milliseconds since 1970.
    var sentThrough: [String: Int64]?
    /// The start of the previous session, as JSON.
    ///
    /// Set if an upload ended that session and began this session.
    var previous: String?

    /// The maximum number of sessions whose latest times are saved.
    static let maximumSessions = 16

    /// The record of the start.
    var record: UsageRecord? { UsageRecord(encoded: start) }

    /// The session's ID.
    var id: String { record?.info[UsageRecord.sessionIdentifierKey] as? String ?? "" }

    /// The start as a record; nil if it was sent or removed.
    var unsentStart: UsageRecord? { isSent ? nil : record }
}

/// A report that is saved before it is sent.
///
/// If the process ends before the response arrives, the next process resends the same report, byte for byte.
struct UploadPlan: Sendable, Hashable, Codable {
    /// The end of the session that an upload adds to a report.
    struct End: Sendable, Hashable, Codable {
        /// The time of the end, in seconds since 2001.
        var date: Double
        /// The start of the session that follows, as JSON; nil for none.
        var next: String?
    }

    /// The address to which the report is sent.
    var destination: String
    /// A key that identifies the report's records and their order.
    var records: String
    /// The number of records, excluding the added session end.
    var count: Int
    /// Whether the records are those withheld by an earlier upload.
    var isWithheld: Bool
    /// The added end of the session; nil for none.
    var end: End?
    /// The name of the time zone in effect.
    var zone: String
    /// Whether the back end may have accepted the report.
    var isUncertain = true
    /// The number of content rejections since a response was lost.
    var refusals = 0

    /// Whether another plan produces the same report.
    func isSame(as other: UploadPlan) -> Bool {
        var other = other
        other.isUncertain = isUncertain
        other.refusals = refusals
        return other == self
    }
}
