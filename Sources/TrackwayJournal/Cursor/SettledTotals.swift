// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The counts of recorded events and their outcomes, for removed writers.
///
/// A writer's counts move here before its folder is removed. ``compacted`` lists the writers counted here whose
/// folders may still exist, so that nothing is counted twice if the process is killed between the two steps.
struct SettledTotals: Sendable, Equatable {
    /// The installation to which these counts belong.
    ///
    /// Nil in files written by the first versions; these files belong to the current installation.
    var installation: InstallationID?
    var recorded: UInt64 = 0
    var accounts: [DestinationID: Ledger.Account] = [:]
    var compacted: Set<WriterID> = []
    /// The installation about to replace this one; nil if none.
    private(set) var successor: InstallationID?
    private(set) var leaving: Set<WriterID> = []

    init(of installation: InstallationID? = nil) {
        self.installation = installation
    }

    mutating func compact(_ writer: WriterID, recorded: UInt64, accounts added: [DestinationID: Ledger.Account]) {
        guard compacted.insert(writer).inserted else { return }
        self.recorded += recorded
        for (destination, account) in added {
            accounts[destination, default: Ledger.Account()].add(account)
        }
    }

    /// Returns these totals with an announced successor installation.
    ///
    /// The announcement ensures that no earlier counts are lost, and that no removed writers are counted again, if the
    /// process is killed between the replacement and the next write of the file.
    func announcing(
        _ successor: InstallationID,
        after installation: InstallationID,
        without leaving: [WriterID]
    ) -> SettledTotals {
        var announced = self
        announced.installation = installation
        announced.successor = successor
        announced.leaving = Set(leaving)
        return announced
    }

    /// Returns the totals as they apply to an installation.
    ///
    /// If the counts belong to that installation, returns them. Otherwise, returns only the writers whose folders
    /// must be removed.
    func seen(by installation: InstallationID) -> SettledTotals {
        var own = SettledTotals(of: installation)
        if self.installation == nil || self.installation == installation {
            own.recorded = recorded
            own.accounts = accounts
            own.compacted = compacted
        } else {
            own.compacted = successor == installation ? compacted.union(leaving) : compacted
        }
        return own
    }

    var fileBytes: [UInt8] {
        var lines = ChecksummedKeyValueFile()
        lines.add("settled", 1)
        if let installation { lines.add("installation", installation) }
        lines.add("recorded", recorded)
        for (destination, account) in accounts.ordered(by: { $0.key < $1.key }) {
            lines.add("account", "\(destination) \(account.recorded) \(account.delivered)")
            for (reason, count) in account.dropped.ordered(by: { $0.key.rawValue < $1.key.rawValue }) {
                lines.add("dropped", "\(destination) \(count) \(reason.rawValue)")
            }
            if account.changed > 0 { lines.add("changed", "\(destination) \(account.changed)") }
        }
        for writer in compacted.ordered() { lines.add("folded", writer) }
        if let successor { lines.add("successor", successor) }
        for writer in leaving.ordered() { lines.add("leaving", writer) }
        return lines.bytes
    }

    /// Parses the file; nil when it is damaged.
    init?(fileBytes bytes: [UInt8]) {
        guard let lines = ChecksummedKeyValueFile(bytes), let recorded = lines.number("recorded") else { return nil }
        self.recorded = recorded
        installation = lines["installation"].flatMap { InstallationID($0) }
        for line in lines.all("account") {
            let parts = line.split(separator: " ")
            guard parts.count == 3, let destination = DestinationID(parts[0]), let recorded = UInt64(parts[1]),
                let delivered = UInt64(parts[2])
            else { return nil }
            accounts[destination] = Ledger.Account(recorded: recorded, delivered: delivered)
        }
        for line in lines.all("dropped") {
            let parts = line.split(separator: " ", maxSplits: 2)
            guard parts.count == 3, let destination = DestinationID(parts[0]), let count = UInt64(parts[1]) else {
                return nil
            }
            accounts[destination]?.dropped[DropReason(rawValue: String(parts[2]))] = count
        }
        for line in lines.all("changed") {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let destination = DestinationID(parts[0]), let count = UInt64(parts[1]) else {
                return nil
            }
            accounts[destination]?.changed = count
        }
        compacted = Set(lines.all("folded").compactMap { WriterID($0) })
        successor = lines["successor"].flatMap { InstallationID($0) }
        leaving = Set(lines.all("leaving").compactMap { WriterID($0) })
    }
}

extension Ledger.Account {
    mutating func add(_ other: Ledger.Account) {
        recorded += other.recorded
        delivered += other.delivered
        pending += other.pending
        dropped.merge(other.dropped, uniquingKeysWith: +)
        changed += other.changed
    }

    /// Excludes pending sequence numbers that are known to be for other destinations.
    mutating func limitPending(to known: UInt64) {
        guard known < pending else { return }
        recorded -= pending - known
        pending = known
    }

    /// Creates an account from a cursor and the writer's last sequence number.
    init(_ cursor: Cursor, last: UInt64) {
        // Power loss may have removed the end of the log after it was delivered; the cursor is then ahead of the log.
        let last = max(last, cursor.next - 1)
        self.init(
            recorded: last - (cursor.base - 1) - cursor.skipped,
            delivered: cursor.delivered,
            pending: last - (cursor.next - 1),
            dropped: cursor.dropped,
            changed: cursor.changed
        )
    }
}

extension SettledTotals {
    /// Loads the totals of an installation from its folder.
    ///
    /// Returns empty counts if the file is missing or damaged, or if an interrupted erasure left the former
    /// installation's file.
    static func load(
        _ folder: JournalFolder,
        _ storage: any JournalStorage,
        of installation: InstallationID?
    ) throws(StorageError) -> SettledTotals {
        guard let bytes = try storage.contents(of: folder.settled), let totals = SettledTotals(fileBytes: bytes) else {
            return SettledTotals(of: installation)
        }
        guard let installation else { return totals }
        return totals.seen(by: installation)
    }
}
