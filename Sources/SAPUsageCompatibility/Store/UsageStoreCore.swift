// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
package import Trackway
package import TrackwayCore
internal import TrackwayJournal

/// The implementation of a store folder, shared by its ``UsageStore`` objects.
///
/// Contains the analytics, with one destination per target, and the list of records removed from the middle of the
/// log. Thread-safe.
package final class UsageStoreCore: Sendable {
    /// The name of the recorded events.
    ///
    /// One of the events' attributes contains the record as text.
    static let eventName = "usage_record"
    static let recordKey = "record"

    /// The journal, ledger, consent, and on/off switch of this folder.
    package let analytics: Analytics
    /// The storage ID of the records' owner.
    package let storageID: String
    /// The environment, which receives diagnostics.
    package let environment: UsageEnvironment
    /// The key with which the folder was opened; nil for plain files.
    package let encryption: Encryption?
    private let file: StateFile<UsageStoreContent>
    private let withheld: WithheldFile
    private let content: Locked<UsageStoreContent>
    private let dropped = Locked<[DropReason: UInt64]>([:])

    private init(
        _ folder: String,
        storageID: String,
        encryption: Encryption?,
        in environment: UsageEnvironment
    ) throws(TrackwayError) {
        self.storageID = storageID
        self.environment = environment
        self.encryption = encryption
        var configuration = environment.configuration(folder: folder, targets: [])
        if let encryption { configuration.storage.encryption = encryption }
        let dependencies = try configuration.dependencies()
        file = StateFile("usage", in: dependencies.folder, of: dependencies.storage, format: .json)
        withheld = WithheldFile(in: dependencies.folder, of: dependencies.storage)
        var content = UsageStoreContent(created: environment.now.date.timeIntervalSinceReferenceDate)
        var isNew = false
        do throws(StorageError) {
            switch try file.read() {
            case .stored(let saved, _): content = saved
            case .missing: isNew = true
            case .damaged(let what):
                isNew = true
                environment.report(
                    Diagnostic(
                        code: .usageStateDamaged,
                        field: "UsageStore",
                        value: what,
                        message: "The store's state is damaged (\(what)). No record is lost; records that were "
                            + "removed from the middle of the log are present again."
                    )
                )
            }
        } catch {
            throw TrackwayError(.storageUnavailable, "The store in \(folder) cannot be read now.", cause: error)
        }
        let names = Set(content.targets).union([Usage.defaultTargetID])
        configuration.destinations = Set(names.map { DestinationID(target: $0) }).sorted().map { .local($0) }
        analytics = try Analytics(configuration, in: dependencies)
        // A new folder has no records older than the current decisions. Decisions that currently cannot be read are
        // applied later.
        let decisions = (try? UsageDecisionsFile(in: environment))?.read()
        let withdrawal = decisions?.withdrawal(of: storageID)
        if isNew { content.withdrawal = withdrawal }
        self.content = Locked(content)
        if isNew { change { $0.withdrawal = withdrawal } }
        if let withdrawal { applyWithdrawal(withdrawal) }
    }

    // MARK: Cores in use

    /// A folder on disk, or in the storage of a test's dependencies.
    private struct Location: Sendable, Hashable {
        let dependencies: ObjectIdentifier?
        let folder: String
    }

    private struct OpenCore: Sendable {
        weak var core: UsageStoreCore?
        let encryption: Encryption?
    }

    private static let allOpenCores = Locked<[Location: OpenCore]>([:])

    /// Returns the open cores of a user's folders in all locations.
    static func openCores(of storageID: String, in environment: UsageEnvironment) -> [UsageStoreCore] {
        allOpenCores.withLock { $0.values.compactMap(\.core) }
            .filter { $0.storageID == storageID && $0.environment === environment }
    }

    /// Opens the core of a folder, plain or encrypted with a key.
    static func open(
        _ folder: URL,
        storageID: String,
        plainOr encryption: Encryption?,
        in environment: UsageEnvironment
    ) throws(TrackwayError) -> UsageStoreCore {
        do throws(TrackwayError) {
            return try open(folder, storageID: storageID, in: environment)
        } catch {
            guard let encryption, error.code == .encryptionKeyMissing else { throw error }
            return try open(folder, storageID: storageID, encryption: encryption, in: environment)
        }
    }

    /// Returns the core of a folder, opening it if necessary.
    ///
    /// - Parameter encryption: the folder's key; nil for the environment's default, which is plain files.
    package static func open(
        _ folder: URL,
        storageID: String,
        encryption: Encryption? = nil,
        in environment: UsageEnvironment
    ) throws(TrackwayError) -> UsageStoreCore {
        let folder = folder.appendingPathComponent(storageID, isDirectory: true).standardizedFileURL.path
        let source = environment.configuration(folder: folder, targets: []).dependencySource
        let location = Location(dependencies: source.map { ObjectIdentifier($0) }, folder: folder)
        let core = try allOpenCores.withLock { (cores) throws(TrackwayError) -> UsageStoreCore in
            if let (core, key) = cores[location].flatMap({ open in open.core.map { ($0, open.encryption) } }) {
                guard key == encryption else {
                    throw TrackwayError(
                        .encryptionKeyMissing,
                        "The store in \(folder) is in use with a different encryptionKey, or without one.",
                        recoverySuggestion: "Use the same key."
                    )
                }
                return core
            }
            cores = cores.filter { $0.value.core != nil }
            let core = try UsageStoreCore(folder, storageID: storageID, encryption: encryption, in: environment)
            cores[location] = OpenCore(core: core, encryption: encryption)
            return core
        }
        environment.reportRules(for: Set(core.content.withLock { $0.targets }).union([Usage.defaultTargetID]))
        return core
    }

    // MARK: Storing

    /// The time at which the folder was first used.
    package var created: Date { Date(timeIntervalSinceReferenceDate: content.withLock { $0.created }) }

    /// The number of records not stored since the process started, by reason.
    package var droppedRecords: [DropReason: UInt64] { dropped.withLock { $0 } }

    /// Stores a record.
    ///
    /// When this method returns, the record survives termination of the process.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - target: the record's target.
    ///   - isFiltered: whether interceptors and rules already processed the record in another store.
    /// - Returns: nil if the record was stored; otherwise the reason why it was not.
    @discardableResult
    func record(_ record: UsageRecord, for target: String, isFiltered: Bool = false) -> DropReason? {
        let reason = storeRecord(record, for: target, isFiltered: isFiltered)
        if let reason { dropped.withLock { $0[reason, default: 0] += 1 } }
        return reason
    }

    private func storeRecord(_ record: UsageRecord, for target: String, isFiltered: Bool) -> DropReason? {
        var content = record.content()
        if !isFiltered {
            let filter = environment.filter(
                for: target,
                of: storageID,
                installation: analytics.installationID.description,
                interceptors: { [analytics] in analytics.passesInterceptors(&$0, recordedAs: Self.eventName) }
            )
            if let reason = filter.apply(to: &content, id: environment.newID) { return reason }
        }
        let encoded = content.encoded()
        environment.report(encoded.faults, of: record)
        guard let text = encoded.text else {
            environment.report(rejected: record, encoded.rejectionReason ?? "")
            return .notExpressible
        }
        guard let id = destination(of: target, isNew: true) else { return .unknownDestination }
        return analytics.record(
            Self.eventName,
            [Self.recordKey: .string(text)],
            to: [id],
            at: Timestamp(record.date),
            isIntercepted: true
        ).dropped
    }

    /// Returns the destination of a target, adding it if necessary.
    ///
    /// Returns nil if the target is unknown and `isNew` is false, or if the destination cannot be added.
    private func destination(of target: String, isNew: Bool) -> DestinationID? {
        let id = DestinationID(target: target)
        if !content.withLock({ $0.targets.contains(target) }) {
            // Another process may have stored records for the target.
            let isSaved = file.storedValue?.targets.contains(target) ?? false
            guard isNew || isSaved || analytics.hasDestination(id) else { return nil }
            // Save the name first, so that every pending record can be found.
            if isNew { change { content in if !content.targets.contains(target) { content.targets.append(target) } } }
        }
        guard !analytics.hasDestination(id) else { return id }
        do throws(TrackwayError) {
            try analytics.addDestination(.local(id))
        } catch {
            // Another thread may have added the destination first.
            guard !analytics.hasDestination(id) else { return id }
            environment.report(error, in: "store(record:for:)")
            return nil
        }
        return id
    }

    // MARK: Reading

    /// The targets that have stored records, in alphabetical order.
    package func targetIdentifiers() -> [String] {
        let known = content.withLock { $0 }
        let present = file.storedValue ?? known
        // A target with only withheld records is missing while their file is unreadable; its snapshot reports the
        // reason.
        let withheldByTarget = (try? withheld.all()) ?? [:]
        return Set(known.targets).union(present.targets).filter { name in
            guard let id = destination(of: name, isNew: false) else { return false }
            return analytics.pendingCount(for: id) > 0 || withheldByTarget[name] != nil
                || present.sessions?[name]?.isSent == false
        }.sorted()
    }

    /// Returns a target's currently stored records.
    ///
    /// - Parameters:
    ///   - places: the last position of each writer to include; nil for all.
    ///   - bounds: the bounds of the dates, without positions.
    func snapshot(
        for target: String,
        through places: [WriterID: UInt64]? = nil,
        within bounds: RemovedRange = RemovedRange()
    ) -> UsageSnapshot {
        guard let id = destination(of: target, isNew: false) else {
            return UsageSnapshot(of: target, nil, in: self, within: bounds)
        }
        do throws(TrackwayError) {
            // Read the log first; if a record leaves the log afterward, the files already reflect this.
            let whole = try analytics.pendingEvents(for: id)
            let snapshot = places.map { whole.prefix(through: $0) } ?? whole
            let known = content.withLock { $0 }
            let present = file.storedValue ?? known
            return UsageSnapshot(
                of: target,
                snapshot,
                in: self,
                removed: present.removed[target] ?? [],
                withheld: try withheldRecords(of: target),
                session: present.sessions?[target],
                within: bounds
            )
        } catch {
            return UsageSnapshot(of: target, nil, in: self, within: bounds, failed: error)
        }
    }

    private func withheldRecords(of target: String) throws(TrackwayError) -> [WithheldRecord] {
        do throws(StorageError) {
            return try withheld.records(of: target)
        } catch {
            throw TrackwayError(.storageUnavailable, "The withheld records cannot be read now.", cause: error)
        }
    }

    /// The number of bytes that can still be withheld.
    var remainingWithheldBytes: Int {
        // No records can be added to an unreadable file.
        guard let records = try? withheld.all() else { return 0 }
        return WithheldFile.maximumBytes - records.values.joined().reduce(0) { $0 + $1.bytes }
    }

    /// The state from which an upload of a target resumes.
    func uploadState(of target: String) -> (plan: UploadPlan?, withdrawal: UInt64) {
        let known = content.withLock { $0 }
        let present = file.storedValue ?? known
        return (present.plans?[target], present.withdrawal ?? 0)
    }

    // MARK: Removing

    /// Saves a removal durably.
    ///
    /// - Parameter past: removals that the log has advanced past.
    /// - Throws: an error if the removal cannot be saved; in that case, no record that should stay has been removed.
    func apply(_ removal: UsageRemoval, of target: String, forgetting past: [RemovedRange]) throws(TrackwayError) {
        try write(removal, of: target, forgetting: past, when: nil)
    }

    /// Saves the removal of uploaded records and ends the upload's plan.
    ///
    /// - Parameter withdrawal: the number of the last withdrawal when the upload began.
    /// - Returns: false if consent was withdrawn since then; in that case, nothing was changed.
    func settle(_ removal: UsageRemoval, of target: String, when withdrawal: UInt64) throws(TrackwayError) -> Bool {
        try write(removal, of: target, forgetting: [], when: withdrawal)
    }

    /// Saves the report that is about to be sent.
    ///
    /// - Returns: false if consent was withdrawn since then; in that case, nothing was changed.
    func write(_ plan: UploadPlan?, of target: String, when withdrawal: UInt64) throws(TrackwayError) -> Bool {
        var isCurrent = false
        let isWritten = change { content in
            isCurrent = content.withdrawal ?? 0 == withdrawal
            if isCurrent { content.set(plan, of: target) }
        }
        guard isWritten else { throw Self.removalNotSaved }
        return isCurrent
    }

    @discardableResult
    private func write(
        _ removal: UsageRemoval,
        of target: String,
        forgetting past: [RemovedRange],
        when withdrawal: UInt64?
    ) throws(TrackwayError) -> Bool {
        if !removal.withheld.isEmpty || !removal.removedWithheld.isEmpty {
            var dropped = 0
            try changeWithheld { records in
                var own = records[target] ?? []
                own.removeAll { $0.position.map { removal.removedWithheld.contains($0) } ?? true }
                let present = Set(own.compactMap(\.position))
                own += removal.withheld.filter { $0.position.map { !present.contains($0) } ?? false }
                dropped = WithheldFile.trim(&own)
                records[target] = own
            }
            if dropped > 0 { report(droppedWithheld: dropped, of: target) }
        }
        var isCurrent = true
        let isWritten = change { content in
            isCurrent = withdrawal.map { content.withdrawal ?? 0 == $0 } ?? true
            guard isCurrent else { return }
            content.forget(past, of: target)
            for range in removal.ranges { content.remove(range, of: target) }
            if withdrawal != nil || content.sessions?[target] == removal.previousSession {
                content.set(removal.session, of: target)
            }
            if withdrawal != nil { content.set(UploadPlan?.none, of: target) }
        }
        guard isWritten else { throw Self.removalNotSaved }
        // Discard the records that were just withheld, because their user has since withdrawn consent.
        if !isCurrent, !removal.withheld.isEmpty { try changeWithheld { $0[target] = nil } }
        return isCurrent
    }

    private func report(droppedWithheld count: Int, of target: String) {
        dropped.withLock { $0[.usageWithheldFull, default: 0] += UInt64(count) }
        environment.report(
            Diagnostic(
                code: .usageWithheldFull,
                field: "target",
                value: "\(count) records of \"\(target)\"",
                message: "\(count) records of \"\(target)\" were dropped, the oldest first, because records that "
                    + "cannot be uploaded take more than \(WithheldFile.maximumBytes) bytes.",
                recoverySuggestion: "Start with SAPcpmsUsage.sessionStart, or remove such records by date."
            )
        )
    }

    private static let removalNotSaved = TrackwayError(
        .storageUnavailable,
        "The removal could not be saved.",
        recoverySuggestion: "Call again."
    )

    private func changeWithheld(_ body: (inout [String: [WithheldRecord]]) -> Void) throws(TrackwayError) {
        do throws(StorageError) {
            try withheld.change(body)
        } catch {
            reportSaveFailure(error)
            throw Self.removalNotSaved
        }
    }

    /// Advances the log past removed records.
    ///
    /// The records' space can then be freed. If this fails, or another process delivers, the removal stays
    /// saved, and a later removal advances the log.
    func advanceLog(of target: String, _ snapshot: PendingEvents, through places: [WriterID: UInt64]) {
        // If this fails, the removal stays saved.
        guard !places.isEmpty, (try? snapshot.prefix(through: places).remove()) != nil else { return }
        let known = content.withLock { $0 }
        let past = ((file.storedValue ?? known).removed[target] ?? []).filter { $0.ends(atOrBefore: places) }
        forget(past, of: target)
    }

    /// Withholds the records before removed records and advances the log past both.
    func compact(_ target: String) {
        let whole = snapshot(for: target)
        var session = whole.session
        var builder = UsageRemovalBuilder(remainingBytes: remainingWithheldBytes, session: session)
        do {
            try whole.read { item in
                guard case .log(let position) = item.slot else { return true }
                guard item.removed == nil else {
                    builder.remove(position, session: session)
                    return true
                }
                guard let text = item.record.encoded().text else { return true }
                let isStart = item.record.event == .sessionStart
                builder.retain(WithheldRecord(text, at: position, start: isStart ? nil : session?.start), at: position)
                if isStart { session = UsageSession(start: text, isSent: true, isOpen: true) }
                if item.record.event == .sessionEnd { session?.isOpen = false }
                return true
            }
            let removal = builder.takeRemoval()
            guard !removal.through.isEmpty else { return }
            try apply(removal, of: target, forgetting: [])
            whole.advanceLog(through: removal.through)
        } catch {
            // The removal stays saved, and a later removal advances the log. Readers report why the records are
            // unreadable.
            return
        }
    }

    /// Removes all records of a user who withdrew consent, unless already removed.
    ///
    /// - Parameter number: the number of the user's withdrawals so far.
    /// - Returns: false if the records could not be read, or the removal could not be saved.
    @discardableResult
    func applyWithdrawal(_ number: UInt64) -> Bool {
        guard content.withLock({ $0.withdrawal ?? 0 }) < number else { return true }
        // While consent is denied, the ledger counts the records as dropped instead of delivered.
        let consent = analytics.consent
        if consent != .denied { analytics.setConsent(.denied) }
        defer { if consent != .denied { analytics.setConsent(consent) } }
        startNewSegment()
        let known = content.withLock { $0 }
        let names = Set(known.targets).union(file.storedValue?.targets ?? [])
        var snapshots: [String: PendingEvents] = [:]
        for name in names {
            guard let id = destination(of: name, isNew: false) else { continue }
            do throws(TrackwayError) {
                snapshots[name] = try analytics.pendingEvents(for: id)
            } catch {
                environment.report(error, in: "consentForUser(_:given:)")
                return false
            }
        }
        do throws(TrackwayError) {
            try changeWithheld { $0 = [:] }
        } catch {
            return false
        }
        let isWritten = change { content in
            guard content.withdrawal ?? 0 < number else { return }
            content.withdrawal = number
            content.sessions = nil
            content.plans = nil
            for (name, snapshot) in snapshots {
                var range = RemovedRange()
                for (writer, last) in snapshot.places { range.add(0...last, of: writer) }
                content.remove(range, of: name)
            }
        }
        guard isWritten else { return false }
        for (name, snapshot) in snapshots { advanceLog(of: name, snapshot, through: snapshot.places) }
        deleteSettledFiles()
        return true
    }

    private func startNewSegment() {
        // If this fails, the bytes of removed records are deleted together with the segment.
        try? analytics.storage.journal.startNewSegment()
    }

    private func deleteSettledFiles() {
        // If this fails, maintenance deletes the files later.
        try? analytics.storage.journal.deleteSettledFiles()
    }

    // MARK: Saved state

    /// Marks a target's last session as being moved to another store.
    ///
    /// - Returns: whether the session was already marked, because a process was killed during the move.
    func beginMove(_ target: String) -> Bool {
        var wasMoving = false
        change { content in wasMoving = !content.leaving.insert(target).inserted }
        return wasMoving
    }

    /// Removes the moved records of a target's last session.
    func endMove(_ range: RemovedRange, _ withheld: Set<UsagePosition>, of target: String) {
        var removal = UsageRemoval(removedWithheld: withheld)
        removal.session = content.withLock { $0.sessions?[target] }
        removal.previousSession = removal.session
        if !range.isEmpty { removal.ranges = [range] }
        // If the removal cannot be saved, the mark stays, and the next process checks which records were already
        // stored.
        guard (try? apply(removal, of: target, forgetting: [])) != nil else { return }
        change { $0.leaving.remove(target) }
        startNewSegment()
        compact(target)
        deleteSettledFiles()
    }

    /// Deletes saved removals that no longer cover a stored record.
    func forget(_ ranges: [RemovedRange], of target: String) {
        guard !ranges.isEmpty else { return }
        change { $0.forget(ranges, of: target) }
    }

    /// Changes the state in memory and in the file.
    ///
    /// The change applies to the file's current content, which another process may have written.
    @discardableResult
    private func change(_ body: (inout UsageStoreContent) -> Void) -> Bool {
        let problem = content.withLock { content -> StorageError? in
            var next = file.storedValue ?? content
            do throws(StorageError) {
                var hasLock = false
                hasLock = try file.exclusively(.few) { () throws(StorageError) in
                    next = file.storedValue ?? next
                    body(&next)
                    try file.write(next)
                    try file.synchronize()
                }
                guard hasLock else { return file.lockUnavailable }
                content = next
                return nil
            } catch {
                return error
            }
        }
        if let problem { reportSaveFailure(problem) }
        return problem == nil
    }

    private func reportSaveFailure(_ problem: StorageError) {
        environment.report(
            Diagnostic(
                code: .usageStateNotKept,
                field: "UsageStore",
                value: "\(problem)",
                message: "The removal could not be saved (\(problem)), so the records are still stored.",
                recoverySuggestion: "Make the folder writable, and call again."
            )
        )
    }
}

extension DestinationID {
    /// Creates the ID of a target's destination.
    ///
    /// The ID is `t.` followed by the name or, if that is not a valid ID (capital letters, spaces, more than 62
    /// characters), `h.` followed by 56 digits of the name's SHA-256. See ``Usage/destinationID(for:)``.
    init(target: String) {
        if !target.isEmpty, let id = DestinationID("t.\(target)") {
            self = id
            return
        }
        let hash = SHA256.hash(target.utf8).prefix(28).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }
        // The ID has 2 plus 56 characters from a-z, 0-9, and `.`, so it is always valid.
        self = DestinationID("h.\(hash.joined())") ?? "h"
    }
}

extension Timestamp {
    /// The timestamp as a date.
    package var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}

extension UsageEnvironment {
    /// Reports the values of a record's info that JSON cannot represent.
    func report(_ faults: [UsageInfoFault], of record: UsageRecord) {
        for fault in faults {
            report(
                Diagnostic(
                    code: .usageInfoInvalid,
                    field: "info.\(fault.path)".truncated(toUTF8Count: Diagnostic.maximumValueBytes),
                    value: "\(record.event): \(fault.value)",
                    message: "The record \"\(record.event)\" was stored without an invalid info value: \(fault.value).",
                    recoverySuggestion: "Use strings, finite numbers, Booleans, NSNull, and arrays and dictionaries of "
                        + "these with string keys."
                )
            )
        }
    }

    /// Reports a record that was not stored.
    func report(rejected record: UsageRecord, _ reason: String) {
        report(
            Diagnostic(
                code: .usageRecordRefused,
                field: "record",
                value: "\(record.event)",
                message: "The record \"\(record.event)\" was not stored because \(reason)."
            )
        )
    }
}
