// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The collector's ledger, decoded from its response.
struct CollectorLedger: Sendable, Hashable {
    /// One writer's account.
    struct Row: Sendable, Hashable {
        /// The installation.
        var installation: String
        /// The process that recorded the events.
        var writer: String
        /// The highest sequence number reported.
        var recorded: UInt64
        /// Distinct events stored.
        var received: UInt64
        /// Events rejected by admission.
        var rejected: UInt64
        /// Events received again, which are not counted twice.
        var duplicates: UInt64
        /// Events dropped on the device, by reason.
        var dropped: [String: UInt64]
        /// Events addressed to other destinations only.
        var skipped: UInt64
        /// Sequence numbers with unknown outcome, because the account has too many ranges.
        var untracked: UInt64 = 0
        /// Sequence numbers neither received nor reported.
        var gaps: [ClosedRange<UInt64>]
        /// When the writer's last batch arrived.
        var lastReceived: Timestamp

        /// Events that are not stored, rejected, dropped, addressed elsewhere, or untracked.
        var missing: UInt64 {
            let known = ([received, rejected, skipped, untracked] + dropped.values).saturatingSum
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
        /// Events that were removed, or discarded because they arrived later.
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

    /// The sum of one count over all writers.
    func total(_ count: (Row) -> UInt64) -> UInt64 { rows.map(count).saturatingSum }

    /// Whether nothing is missing anywhere.
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
    /// An index of any age and content can thus be shown.
    var saturatingSum: UInt64 {
        reduce(0) { sum, count in
            let (total, isOver) = sum.addingReportingOverflow(count)
            return isOver ? .max : total
        }
    }
}
