// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The collector's ledger, decoded from its response.
struct CollectorLedger: Sendable, Hashable {
    /// One writer's account.
    struct Row: Sendable, Hashable {
        /// The installation.
        var installation: String
        /// The process that recorded the events.
        var writer: String
        /// The highest reported sequence number.
        var recorded: UInt64
        /// The number of distinct events stored.
        var received: UInt64
        /// The number of stored events that were removed because of their age.
        var expired: UInt64 = 0
        /// The number of events rejected by admission.
        var rejected: UInt64
        /// The number of events received again; ``received`` counts them only once.
        var duplicates: UInt64
        /// The number of events dropped on the device, by reason.
        var dropped: [String: UInt64]
        /// The number of events addressed only to other destinations.
        var skipped: UInt64
        /// The number of sequence numbers whose outcome is unknown because the account has too many ranges.
        var untracked: UInt64 = 0
        /// The ranges of sequence numbers that were neither received nor reported.
        var gaps: [ClosedRange<UInt64>]
        /// The arrival time of the writer's last batch.
        var lastReceived: Timestamp

        /// The number of events not stored, expired, rejected, dropped, addressed elsewhere, or untracked.
        var missing: UInt64 {
            let known = ([received, expired, rejected, skipped, untracked] + dropped.values).saturatingSum
            return recorded > known ? recorded - known : 0
        }
    }

    /// An installation that was erased.
    struct Erasure: Sendable, Hashable {
        /// The installation.
        var installation: String
        /// The time of the erasure.
        var time: Timestamp
        /// Whether an operator requested the erasure, rather than the installation itself.
        var isByOperator: Bool
        /// The number of events that were removed, or that arrived later and were discarded.
        var events: UInt64
    }

    /// The accounts, newest first.
    var rows: [Row]
    /// The most recently erased installations, latest first.
    var erasures: [Erasure]

    /// Decodes the collector's response; absent members count as zero.
    init(_ json: JSONValue) {
        rows = (json["writers"]?.array ?? []).map { Row($0) }
        erasures = (json["erasures"]?.array ?? []).map { Erasure($0) }
    }

    /// Returns the sum of one count over all writers.
    func total(_ count: (Row) -> UInt64) -> UInt64 { rows.map(count).saturatingSum }

    /// Whether no account has missing or untracked events.
    var isComplete: Bool { rows.allSatisfy { $0.missing == 0 && $0.gaps.isEmpty && $0.untracked == 0 } }
}

extension CollectorLedger.Erasure {
    fileprivate init(_ json: JSONValue) {
        installation = json["installation"]?.string ?? ""
        time = Timestamp(milliseconds: json["erased"]?.integer ?? 0)
        isByOperator = json["by"]?.string == "operator"
        events = json["events"]?.integer.flatMap { UInt64(exactly: $0) } ?? 0
    }
}

extension CollectorLedger.Row {
    fileprivate init(_ json: JSONValue) {
        func count(_ key: String) -> UInt64 { json[key]?.integer.flatMap { UInt64(exactly: $0) } ?? 0 }
        installation = json["installation"]?.string ?? ""
        writer = json["writer"]?.string ?? ""
        recorded = count("recorded")
        received = count("received")
        expired = count("expired")
        rejected = count("rejected")
        duplicates = count("duplicates")
        skipped = count("skipped")
        untracked = count("untracked")
        dropped = [:]
        for member in json["dropped"]?.object?.members ?? [] {
            dropped[member.key] = member.value.integer.flatMap { UInt64(exactly: $0) }
        }
        gaps = (json["gaps"]?.array ?? []).compactMap { pair in
            guard let ends = pair.array, ends.count == 2, let first = ends[0].integer, let last = ends[1].integer,
                first >= 0, first <= last
            else { return nil }
            return UInt64(first)...UInt64(last)
        }
        lastReceived = Timestamp(milliseconds: json["last_received"]?.integer ?? 0)
    }
}

extension Collection<UInt64> {
    /// The sum, or the maximum value on overflow.
    ///
    /// Because the sum saturates, the ledger of any index can be shown, regardless of its age and content.
    var saturatingSum: UInt64 {
        reduce(0) { sum, count in
            let (total, isOver) = sum.addingReportingOverflow(count)
            return isOver ? .max : total
        }
    }
}
