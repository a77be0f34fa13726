// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
package import Trackway
package import TrackwayEvents
internal import TrackwayJournal

/// The implementation of a store folder, shared by its ``UsageStore`` objects.
///
/// Holds analytics with one destination per target, and the records removed from the middle of the log. Thread-safe.
package final class UsageStoreCore: Sendable {
    /// The name of the recorded events.
    ///
    /// One of their attributes contains the record as text.
    static let eventName = "usage_record"
    static let recordKey = "record"

    /// The journal, ledger, consent and on/off switch of this folder.
    package let analytics: Analytics
    /// The storage ID of the records' owner.
    package let storageID: String
    /// The environment, which receives diagnostics.
    package let environment: UsageEnvironment
    /// The key the folder was opened with; nil for plain files.
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
            case .kept(let kept, _): content = kept
            case .nothing: isNew = true
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
        // A new folder has no records older than the decisions so far. Decisions that cannot be read now are applied
        // later.
        let decisions = (try? UsageDecisionsFile(in: environment))?.read()
        let withdrawal = decisions?.withdrawal(of: storageID)
        if isNew { content.withdrawal = withdrawal }
        self.content = Locked(content)
        if isNew { change { $0.withdrawal = withdrawal } }
        if let withdrawal { carryOut(withdrawal: withdrawal) }
    }

    // MARK: Cores in use

    /// A folder on disk, or in the storage of a test's dependencies.
    private struct Place: Sendable, Hashable {
        let dependencies: ObjectIdentifier?
        let folder: String
    }

    private struct Known: Sendable {
        weak var core: UsageStoreCore?
        let encryption: Encryption?
    }

    private static let known = Locked<[Place: Known]>([:])

    /// Returns the open cores of a user's folders in all locations.
    static func inUse(of storageID: String, in environment: UsageEnvironment) -> [UsageStoreCore] {
        known.withLock { $0.values.compactMap(\.core) }
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
        let place = Place(dependencies: source.map { ObjectIdentifier($0) }, folder: folder)
        let core = try known.withLock { (known) throws(TrackwayError) -> UsageStoreCore in
            if let (core, inUse) = known[place].flatMap({ known in known.core.map { ($0, known.encryption) } }) {
                guard inUse == encryption else {
                    throw TrackwayError(
                        .encryptionKeyMissing,
                        "The store in \(folder) is in use with a different encryptionKey, or without one.",
                        recoverySuggestion: "Use the same key."
                    )
                }
                return core
            }
            known = known.filter { $0.value.core != nil }
            let core = try UsageStoreCore(folder, storageID: storageID, encryption: encryption, in: environment)
            known[place] = Known(core: core, encryption: encryption)
            return core
        }
        environment.reportRules(knowing: Set(core.content.withLock { $0.targets }).union([Usage.defaultTargetID]))
        return core
    }

    // MARK: Storing

    /// When the folder was first used.
    package var created: Date { Date(timeIntervalSinceReferenceDate: content.withLock { $0.created }) }

    /// The number of records not stored since the process started, by reason.
    package var droppedRecords: [DropReason: UInt64] { dropped.withLock { $0 } }

    /// Stores a record.
    ///
    /// When this returns, the record survives termination of the process.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - target: the record's target.
    ///   - isFiltered: whether interceptors and rules already processed the record in another store.
    /// - Returns: nil if the record was stored, otherwise the reason why not.
    @discardableResult
    func record(_ record: UsageRecord, for target: String, isFiltered: Bool = false) -> DropReason? {
        let reason = storing(record, for: target, isFiltered: isFiltered)
        if let reason { dropped.withLock { $0[reason, default: 0] += 1 } }
        return reason
    }

    private func storing(_ record: UsageRecord, for target: String, isFiltered: Bool) -> DropReason? {
        var content = record.content()
        if !isFiltered {
            let filter = environment.filter(
                for: target,
                of: storageID,
                installation: analytics.installationID.description,
                keeps: { [analytics] in analytics.showToInterceptors(&$0, recordedAs: Self.eventName) }
            )
            if let reason = filter.apply(to: &content, id: environment.newID) { return reason }
        }
        let written = content.written()
        environment.report(written.faults, of: record)
        guard let text = written.text else {
            environment.report(refused: record, written.refusal ?? "")
            return .notExpressible
        }
        guard let id = destination(of: target, isNew: true) else { return .unknownDestination }
        return analytics.record(
            Self.eventName,
            [Self.recordKey: .string(text)],
            to: [id],
            at: Timestamp(record.date),
            isShown: true
        ).dropped
    }

    /// Returns the destination of a target, adding it if necessary.
    ///
    /// Returns nil if the target is unknown and `isNew` is false, or if the destination cannot be added.
    private func destination(of target: String, isNew: Bool) -> DestinationID? {
        let id = DestinationID(target: target)
        if !content.withLock({ $0.targets.contains(target) }) {
            // Another process may have stored records for it.
            let isKept = file.readable?.targets.contains(target) ?? false
            guard isNew || isKept || analytics.hasDestination(id) else { return nil }
            // Save the name first, so that every pending record can be found.
            if isNew { change { content in if !content.targets.contains(target) { content.targets.append(target) } } }
        }
        guard !analytics.hasDestination(id) else { return id }
        do throws(TrackwayError) {
            try analytics.addDestination(.local(id))
        } catch {
            // Another thread added it first.
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
        let present = file.readable ?? known
        // A target that has only withheld records is missing while their file is unreadable; its snapshot reports why.
        let kept = (try? withheld.all()) ?? [:]
        return Set(known.targets).union(present.targets).filter { name in
            guard let id = destination(of: name, isNew: false) else { return false }
            return analytics.pendingCount(for: id) > 0 || kept[name] != nil || present.sessions?[name]?.isSent == false
        }.sorted()
    }

    /// Returns the records that are stored for a target now.
    ///
    /// - Parameters:
    ///   - places: the last position of each writer to include; nil for all.
    ///   - bounds: the bounds of the dates; contains no positions.
    func snapshot(
        for target: String,
        through places: [WriterID: UInt64]? = nil,
        within bounds: RemovedRange = RemovedRange()
    ) -> UsageSnapshot {
        guard let id = destination(of: target, isNew: false) else {
            return UsageSnapshot(of: target, nil, in: self, within: bounds)
        }
        do throws(TrackwayError) {
            // Read the log first: a record that leaves it afterward is in one of the files by then.
            let whole = try analytics.pendingEvents(for: id)
            let snapshot = places.map { whole.prefix(through: $0) } ?? whole
            let known = content.withLock { $0 }
            let present = file.readable ?? known
            return UsageSnapshot(
                of: target,
                snapshot,
                in: self,
                without: present.removed[target] ?? [],
                and: try withheldRecords(of: target),
                in: present.sessions?[target],
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
    var withheldRoom: Int {
        // Nothing is added to an unreadable file.
        guard let records = try? withheld.all() else { return 0 }
        return WithheldFile.maximumBytes - records.values.joined().reduce(0) { $0 + $1.bytes }
    }

    /// The state from which an upload of a target resumes.
    func uploadState(of target: String) -> (plan: UploadPlan?, withdrawal: UInt64) {
        let known = content.withLock { $0 }
        let present = file.readable ?? known
        return (present.plans?[target], present.withdrawal ?? 0)
    }

    // MARK: Removing

    /// Saves a removal durably.
    ///
    /// - Parameter past: removals that the log has advanced past.
    /// - Throws: if the removal cannot be saved; no record that should stay has then been removed.
    func apply(_ removal: UsageRemoval, of target: String, forgetting past: [RemovedRange]) throws(TrackwayError) {
        try write(removal, of: target, forgetting: past, when: nil)
    }

    /// Saves the removal of uploaded records, and ends the upload's plan.
    ///
    /// - Parameter withdrawal: the number of the last withdrawal when the upload began.
    /// - Returns: false if consent was withdrawn since; nothing has then been changed.
    func settle(_ removal: UsageRemoval, of target: String, when withdrawal: UInt64) throws(TrackwayError) -> Bool {
        try write(removal, of: target, forgetting: [], when: withdrawal)
    }

    /// Saves the report that is about to be sent.
    ///
    /// - Returns: false if consent was withdrawn since; nothing has then been changed.
    func write(_ plan: UploadPlan?, of target: String, when withdrawal: UInt64) throws(TrackwayError) -> Bool {
        var isCurrent = false
        let isWritten = change { content in
            isCurrent = content.withdrawal ?? 0 == withdrawal
            if isCurrent { content.set(plan, of: target) }
        }
        guard isWritten else { throw Self.notWritten }
        return isCurrent
    }

    @discardableResult
    private func write(
        _ removal: UsageRemoval,
        of target: String,
        forgetting past: [RemovedRange],
        when withdrawal: UInt64?
    ) throws(TrackwayError) -> Bool {
        if !removal.withheld.isEmpty || !removal.goneWithheld.isEmpty {
            var given = 0
            try changeWithheld { records in
                var own = records[target] ?? []
                own.removeAll { $0.place.map { removal.goneWithheld.contains($0) } ?? true }
                let present = Set(own.compactMap(\.place))
                own += removal.withheld.filter { $0.place.map { !present.contains($0) } ?? false }
                given = WithheldFile.trim(&own)
                records[target] = own
            }
            if given > 0 { report(givenUp: given, of: target) }
        }
        var isCurrent = true
        let isWritten = change { content in
            isCurrent = withdrawal.map { content.withdrawal ?? 0 == $0 } ?? true
            guard isCurrent else { return }
            content.forget(past, of: target)
            for range in removal.ranges { content.remove(range, of: target) }
            if withdrawal != nil || content.sessions?[target] == removal.former {
                content.set(removal.session, of: target)
            }
            if withdrawal != nil { content.set(UploadPlan?.none, of: target) }
        }
        guard isWritten else { throw Self.notWritten }
        // Discard the records just withheld: their user has withdrawn consent in the meantime.
        if !isCurrent, !removal.withheld.isEmpty { try changeWithheld { $0[target] = nil } }
        return isCurrent
    }

    private func report(givenUp count: Int, of target: String) {
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

    private static let notWritten = TrackwayError(
        .storageUnavailable,
        "The removal could not be saved.",
        recoverySuggestion: "Call again."
    )

    private func changeWithheld(_ body: (inout [String: [WithheldRecord]]) -> Void) throws(TrackwayError) {
        do throws(StorageError) {
            try withheld.change(body)
        } catch {
            reportNotWritten(error)
            throw Self.notWritten
        }
    }

    /// Advances the log past removed records.
    ///
    /// Their space can then be freed. If this fails, or another process delivers, the removal stays saved, and a later
    /// one advances the log.
    func moveLog(of target: String, _ snapshot: PendingEvents, through places: [WriterID: UInt64]) {
        // If this fails, the removal stays saved.
        guard !places.isEmpty, (try? snapshot.prefix(through: places).remove()) != nil else { return }
        let known = content.withLock { $0 }
        let past = ((file.readable ?? known).removed[target] ?? []).filter { $0.ends(by: places) }
        forget(past, of: target)
    }

    /// Withholds the records before removed ones, and advances the log past both.
    func compact(_ target: String) {
        let whole = snapshot(for: target)
        var session = whole.session
        var builder = UsageRemovalBuilder(room: withheldRoom, session: session)
        do {
            try whole.read { item in
                guard case .log(let place) = item.slot else { return true }
                guard item.removed == nil else {
                    builder.remove(place, session: session)
                    return true
                }
                guard let text = item.record.written().text else { return true }
                let isStart = item.record.event == .sessionStart
                builder.keep(WithheldRecord(text, at: place, start: isStart ? nil : session?.start), at: place)
                if isStart { session = UsageSession(start: text, isSent: true, isOpen: true) }
                if item.record.event == .sessionEnd { session?.isOpen = false }
                return true
            }
            let removal = builder.take()
            guard !removal.through.isEmpty else { return }
            try apply(removal, of: target, forgetting: [])
            whole.moveLog(through: removal.through)
        } catch {
            // The removal stays saved, and a later one advances the log. Readers report why the records are unreadable.
            return
        }
    }

    /// Removes all records of a user who withdrew consent, unless already done.
    ///
    /// - Parameter number: the number of the user's withdrawals so far.
    /// - Returns: false if the records could not be read, or the removal could not be saved.
    @discardableResult
    func carryOut(withdrawal number: UInt64) -> Bool {
        guard content.withLock({ $0.withdrawal ?? 0 }) < number else { return true }
        // While consent is denied, the ledger counts the records as dropped, not as delivered.
        let consent = analytics.consent
        if consent != .denied { analytics.setConsent(.denied) }
        defer { if consent != .denied { analytics.setConsent(consent) } }
        startNewSegment()
        let known = content.withLock { $0 }
        let names = Set(known.targets).union(file.readable?.targets ?? [])
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
        for (name, snapshot) in snapshots { moveLog(of: name, snapshot, through: snapshot.places) }
        deleteSettledFiles()
        return true
    }

    private func startNewSegment() {
        // If this fails, the bytes of removed records are deleted together with the segment.
        try? analytics.storage.journal.startNewSegment()
    }

    private func deleteSettledFiles() {
        // If this fails, maintenance deletes them later.
        try? analytics.storage.journal.deleteSettledFiles()
    }

    // MARK: Saved state

    /// Marks a target's last session as being moved to another store.
    ///
    /// - Returns: whether it was already marked, because a process was killed during the move.
    func beginMove(_ target: String) -> Bool {
        var isAgain = false
        change { content in isAgain = !content.leaving.insert(target).inserted }
        return isAgain
    }

    /// Removes the moved records of a target's last session.
    func endMove(_ range: RemovedRange, _ withheld: Set<UsagePosition>, of target: String) {
        var removal = UsageRemoval(goneWithheld: withheld)
        removal.session = content.withLock { $0.sessions?[target] }
        removal.former = removal.session
        if !range.isEmpty { removal.ranges = [range] }
        // If this cannot be saved, the mark stays, and the next process checks which records were already stored.
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
            var next = file.readable ?? content
            do throws(StorageError) {
                var isOurTurn = false
                isOurTurn = try file.exclusively(.few) { () throws(StorageError) in
                    next = file.readable ?? next
                    body(&next)
                    try file.write(next)
                    try file.synchronize()
                }
                guard isOurTurn else { return file.notOurTurn }
                content = next
                return nil
            } catch {
                return error
            }
        }
        if let problem { reportNotWritten(problem) }
        return problem == nil
    }

    private func reportNotWritten(_ problem: StorageError) {
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
    /// The destination of the target with this name.
    ///
    /// Its ID is `t.` and the name or, if that is not a valid ID (capital letters, spaces, more than 62 characters),
    /// `h.` and 56 digits of the name's SHA-256. See ``Usage/destinationID(for:)``.
    init(target: String) {
        if !target.isEmpty, let id = DestinationID("t.\(target)") {
            self = id
            return
        }
        let hash = SHA256.hash(target.utf8).prefix(28).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }
        // 2 plus 56 characters from a-z, 0-9 and `.`: always a valid ID.
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
                    field: "info.\(fault.path)".cut(toBytes: Diagnostic.maximumValueBytes),
                    value: "\(record.event): \(fault.value)",
                    message: "The record \"\(record.event)\" was stored without an invalid info value: \(fault.value).",
                    recoverySuggestion: "Use strings, finite numbers, Booleans, NSNull, and arrays and dictionaries of "
                        + "these with string keys."
                )
            )
        }
    }

    /// Reports a record that was not stored.
    func report(refused record: UsageRecord, _ reason: String) {
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
