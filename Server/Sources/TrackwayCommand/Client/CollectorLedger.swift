// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The collector's ledger as the command reads it.
struct CollectorLedger: Sendable, Hashable {
    /// One writer's account.
    struct Row: Sendable, Hashable {
        /// The installed copy of the app.
        var installation: String
        /// The process that recorded.
        var writer: String
        /// The highest sequence number reported.
        var recorded: UInt64
        /// Distinct events stored.
        var received: UInt64
        /// Events refused by admission.
        var rejected: UInt64
        /// Events that came again and were not counted twice.
        var duplicates: UInt64
        /// Events the device gave up, by reason.
        var dropped: [String: UInt64]
        /// Events addressed to other destinations only.
        var skipped: UInt64
        /// Sequence numbers of which the collector does not know what became.
        var untracked: UInt64 = 0
        /// Sequence numbers neither received nor reported.
        var gaps: [ClosedRange<UInt64>]
        /// When the writer's last batch arrived.
        var lastReceived: Timestamp

        /// What is neither stored, refused, given up, addressed elsewhere nor untracked.
        var missing: UInt64 {
            let known = ([received, rejected, skipped, untracked] + dropped.values).saturatingSum
            return recorded > known ? recorded - known : 0
        }
    }

    /// An installation that was erased.
    struct Erasure: Sendable, Hashable {
        /// The installation.
        var installation: String
        /// When.
        var time: Timestamp
        /// Whether an operator did it; otherwise the installation itself.
        var isByOperator: Bool
        /// Events that were removed, or came afterwards and were not kept.
        var events: UInt64
    }

    /// The accounts, the newest first.
    var rows: [Row]
    /// The installations erased last, the latest first.
    var erasures: [Erasure]

    /// Reads the collector's answer; what is absent counts as zero.
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
    /// The sum, or the largest number where it is more: an index of any age and content can be shown.
    var saturatingSum: UInt64 {
        reduce(0) { sum, count in
            let (total, isOver) = sum.addingReportingOverflow(count)
            return isOver ? .max : total
        }
    }
}
