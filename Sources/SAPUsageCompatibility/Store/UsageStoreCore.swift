// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
package import Trackway
package import TrackwayEvents
internal import TrackwayJournal

/// What stands behind one folder of records: analytics whose destinations are targets, and what was removed from the midst.
///
/// The objects of one folder share it. Any thread.
package final class UsageStoreCore: Sendable {
    /// The name of the recorded events; the record itself is one text among their attributes.
    static let eventName = "usage_record"
    static let recordKey = "record"

    /// The analytics: journal, ledger, consent and switch of this folder.
    package let analytics: Analytics
    /// Whose records these are.
    package let storageID: String
    /// Where mistakes are told.
    package let environment: UsageEnvironment
    private let file: StateFile<UsageStoreContent>
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
        var configuration = environment.configuration(folder: folder, targets: [])
        if let encryption { configuration.encryption = encryption }
        let dependencies = try configuration.dependencies()
        file = StateFile("usage", in: dependencies.folder, of: dependencies.storage, format: .json)
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
                        remedy: "No record is lost. Records that were removed from the midst of others are there again."
                    )
                )
            }
        } catch {
            throw TrackwayError(.storageUnavailable, "the store in \(folder) cannot be read now", cause: error)
        }
        let names = Set(content.targets).union([Usage.defaultTargetID])
        configuration.destinations = Set(names.map { DestinationID(target: $0) }).sorted().map { AppTarget($0) }
        analytics = try Analytics(configuration, in: dependencies)
        self.content = Locked(content)
        if isNew { change { _ in } }
    }

    // MARK: Cores in use

    /// A folder on the system's disk, or on that of a test's dependencies.
    private struct Place: Sendable, Hashable {
        let dependencies: ObjectIdentifier?
        let folder: String
    }

    private struct Known: Sendable {
        weak var core: UsageStoreCore?
        let encryption: Encryption?
    }

    private static let known = Locked<[Place: Known]>([:])

    /// The core of a folder; a new one when none is in use.
    ///
    /// - Parameter encryption: the folder's key; nil for what the environment says, which is plain files.
    package static func open(
        _ folder: URL,
        storageID: String,
        encryption: Encryption? = nil,
        in environment: UsageEnvironment
    ) throws(TrackwayError) -> UsageStoreCore {
        let folder = folder.appendingPathComponent(storageID, isDirectory: true).standardizedFileURL.path
        let source = environment.configuration(folder: folder, targets: []).dependencySource
        let place = Place(dependencies: source.map { ObjectIdentifier($0) }, folder: folder)
        return try known.withLock { (known) throws(TrackwayError) -> UsageStoreCore in
            if let (core, inUse) = known[place].flatMap({ known in known.core.map { ($0, known.encryption) } }) {
                guard inUse == encryption else {
                    throw TrackwayError(
                        .encryptionKeyMissing,
                        "the store in \(folder) is in use with another encryptionKey, or without one; give the same"
                    )
                }
                return core
            }
            known = known.filter { $0.value.core != nil }
            let core = try UsageStoreCore(folder, storageID: storageID, encryption: encryption, in: environment)
            known[place] = Known(core: core, encryption: encryption)
            return core
        }
    }

    // MARK: Storing

    /// When the folder was first used.
    package var created: Date { Date(timeIntervalSinceReferenceDate: content.withLock { $0.created }) }

    /// Records that were not stored, by reason, since this process began.
    package var droppedRecords: [DropReason: UInt64] { dropped.withLock { $0 } }

    /// Stores a record. When this returns, it survives the death of the process.
    ///
    /// - Returns: nil when it was stored; else why not.
    @discardableResult
    func record(_ record: UsageRecord, for target: String) -> DropReason? {
        let reason = storing(record, for: target)
        if let reason { dropped.withLock { $0[reason, default: 0] += 1 } }
        return reason
    }

    private func storing(_ record: UsageRecord, for target: String) -> DropReason? {
        let written = record.written()
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
            at: Timestamp(record.date)
        ).dropped
    }

    /// The destination of a target; nil when there is none and none is to be, or can be, made.
    private func destination(of target: String, isNew: Bool) -> DestinationID? {
        let id = DestinationID(target: target)
        if !content.withLock({ $0.targets.contains(target) }) {
            // Another process may have stored something for it.
            let isKept = file.readable?.targets.contains(target) ?? false
            guard isNew || isKept || analytics.hasDestination(id) else { return nil }
            // Its name first: nothing may wait that nobody finds.
            if isNew { change { content in if !content.targets.contains(target) { content.targets.append(target) } } }
        }
        guard !analytics.hasDestination(id) else { return id }
        do throws(TrackwayError) {
            try analytics.addDestination(AppTarget(id))
        } catch {
            // Another thread was faster.
            guard !analytics.hasDestination(id) else { return id }
            environment.report(error, in: "store(record:for:)")
            return nil
        }
        return id
    }

    // MARK: Reading

    /// The targets that something is stored for, in alphabetical order.
    package func targetIdentifiers() -> [String] {
        let names = content.withLock { Set($0.targets) }.union(file.readable?.targets ?? [])
        return names.filter { name in
            destination(of: name, isNew: false).map { analytics.pendingCount(for: $0) > 0 } ?? false
        }.sorted()
    }

    /// What is stored for a target now.
    ///
    /// - Parameter bounds: of the dates; without places.
    func snapshot(for target: String, within bounds: RemovedRange = RemovedRange()) -> UsageSnapshot {
        let known = content.withLock { $0 }
        let removed = (file.readable ?? known).removed[target] ?? []
        guard let id = destination(of: target, isNew: false) else {
            return UsageSnapshot(of: target, nil, in: self, without: removed, within: bounds)
        }
        do throws(TrackwayError) {
            let snapshot = try analytics.snapshot(for: id)
            return UsageSnapshot(of: target, snapshot, in: self, without: removed, within: bounds)
        } catch {
            return UsageSnapshot(of: target, nil, in: self, without: removed, within: bounds, failed: error)
        }
    }

    // MARK: What is remembered

    /// Remembers that records were removed from the midst, durably.
    ///
    /// - Parameter past: removals of which nothing is left.
    /// - Returns: whether that could be written down.
    func remember(_ ranges: [RemovedRange], of target: String, forgetting past: [RemovedRange]) -> Bool {
        change { content in
            content.forget(past, of: target)
            for range in ranges { content.remove(range, of: target) }
        }
    }

    /// Removes everything, for a person who took consent back: the analytics drop what is refused a moment later, and not at
    /// all if the person consents again before that.
    func removeEverything() {
        for target in targetIdentifiers() {
            var range = RemovedRange()
            snapshot(for: target).records { (_, place) -> Bool in
                range.add(place)
                return true
            }
            if !range.isEmpty { _ = remember([range], of: target, forgetting: []) }
        }
    }

    /// Notes that a target's last session goes elsewhere.
    ///
    /// - Returns: whether that was noted before: the process died in the midst of it.
    func beginLeaving(_ target: String) -> Bool {
        var isAgain = false
        change { content in isAgain = !content.leaving.insert(target).inserted }
        return isAgain
    }

    /// Remembers what of a target's last session went elsewhere.
    func endLeaving(_ range: RemovedRange, of target: String) {
        change { content in
            content.remove(range, of: target)
            content.leaving.remove(target)
        }
    }

    /// Forgets removals of which nothing is left.
    func forget(_ ranges: [RemovedRange], of target: String) {
        guard !ranges.isEmpty else { return }
        change { $0.forget(ranges, of: target) }
    }

    /// Changes what is remembered, here and in the file, as another process left it.
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
        if let problem {
            environment.report(
                Diagnostic(
                    code: .usageStateNotKept,
                    field: "UsageStore",
                    value: "\(problem)",
                    remedy: "Make the folder writable, and call again. What was to be removed is still there."
                )
            )
        }
        return problem == nil
    }
}

extension DestinationID {
    /// The destination that a target of this name is. A name that is none of a destination's is hashed, under a beginning that
    /// no other name gets.
    init(target: String) {
        if !target.isEmpty, let id = DestinationID("t.\(target)") {
            self = id
            return
        }
        let hash = SHA256.hash(target.utf8).prefix(28).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }
        // 2 and 56 characters out of a-z, 0-9 and .: always a valid name.
        self = DestinationID("h.\(hash.joined())") ?? "h"
    }
}

extension Timestamp {
    /// The moment as a date.
    package var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}

extension UsageEnvironment {
    /// Tells what of a record's info is no JSON.
    func report(_ faults: [UsageInfoFault], of record: UsageRecord) {
        for fault in faults {
            report(
                Diagnostic(
                    code: .usageInfoInvalid,
                    field: "info.\(fault.path)".cut(toBytes: Diagnostic.maximumValueBytes),
                    value: "\(record.event): \(fault.value)",
                    remedy:
                        "Give texts, finite numbers, truth, NSNull, and lists and dictionaries of these with texts for "
                        + "keys. The record was stored without this value."
                )
            )
        }
    }

    /// Tells that a record was not stored.
    func report(refused record: UsageRecord, _ reason: String) {
        report(
            Diagnostic(
                code: .usageRecordRefused,
                field: "record",
                value: "\(record.event)",
                remedy: "The record was not stored, because \(reason)."
            )
        )
    }
}

extension Diagnostic.Code {
    /// A value of a record's info is no JSON; the record was stored without it.
    public static let usageInfoInvalid = Diagnostic.Code(rawValue: "usage_info_invalid")
    /// A record cannot be stored at all.
    public static let usageRecordRefused = Diagnostic.Code(rawValue: "usage_record_refused")
    /// What a store remembers beside its records cannot be understood.
    public static let usageStateDamaged = Diagnostic.Code(rawValue: "usage_state_damaged")
    /// What is to be remembered cannot be written down now.
    public static let usageStateNotKept = Diagnostic.Code(rawValue: "usage_state_not_kept")
}
