// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinations
internal import TrackwayJournal

/// The saved upload state of custom stores.
///
/// The snapshots of custom stores can only be removed as a whole.
struct CustomStoreUploads: Sendable, Hashable, Codable {
    /// A session that an upload began.
    struct InsertedSession: Sendable, Hashable, Codable {
        /// The number of delivered records before the session.
        var after: Int
        var session: UsageSession
    }

    /// The upload state of one target of one store.
    struct Progress: Sendable, Hashable, Codable {
        /// The session in effect at the first record.
        var session: UsageSession?
        /// The sessions that uploads began after delivered records.
        var cuts: [InsertedSession] = []
        /// The latest event times in earlier reports, by session.
        ///
        /// In milliseconds since 1970.
        var sentThrough: [String: Int64] = [:]
        /// The report that is being sent.
        var plan: UploadPlan?
        /// The hashes of delivered records that are still in the store.
        var delivered: [UInt64] = []
        /// The number of complete uploads.
        var round = 0
    }

    /// The upload state, by store and target.
    private var targets: [String: [String: Progress]] = [:]

    private static func file(in environment: UsageEnvironment) throws(TrackwayError) -> StateFile<CustomStoreUploads> {
        let dependencies = try environment.dependencies()
        return StateFile("uploads", in: dependencies.folder, of: dependencies.storage, format: .json)
    }

    /// Returns the saved upload state of a store's target.
    static func progress(
        of store: String,
        _ target: String,
        in environment: UsageEnvironment
    ) throws(SAPcpmsUsageUploader.UploadError) -> Progress {
        do {
            return switch try file(in: environment).read() {
            case .stored(let uploads, _): uploads.targets[store]?[target] ?? Progress()
            case .missing, .damaged: Progress()
            }
        } catch {
            throw .storage("\(error)")
        }
    }

    /// Saves the upload state of a store's target durably.
    ///
    /// - Parameter isPermitted: called while no other process changes the file; if it returns false, nothing changes.
    static func write(
        _ progress: Progress,
        of store: String,
        _ target: String,
        in environment: UsageEnvironment,
        if isPermitted: () -> Bool
    ) throws(SAPcpmsUsageUploader.UploadError) {
        var isForbidden = false
        do {
            try change(in: environment) { uploads in
                isForbidden = !isPermitted()
                if !isForbidden { uploads.targets[store, default: [:]][target] = progress }
            }
        } catch {
            throw .storage("\(error)")
        }
        if isForbidden { throw .outputDisabled }
    }

    /// Deletes a store's upload state, for a user who withdrew consent.
    static func forget(_ store: String, in environment: UsageEnvironment) {
        do {
            try change(in: environment) { $0.targets[store] = nil }
        } catch {
            environment.report(
                Diagnostic(
                    code: .usageStateNotKept,
                    field: "consentForUser(_:given:)",
                    value: "\(error)",
                    message: "The consent decision could not be saved (\(error)).",
                    recoverySuggestion: "Make the folder writable, and call consentForUser(_:given:) again."
                )
            )
        }
    }

    private static func change(in environment: UsageEnvironment, _ body: (inout CustomStoreUploads) -> Void) throws {
        let file = try file(in: environment)
        let dependencies = try environment.dependencies()
        let hasLock = try file.exclusively(.few) { () throws(StorageError) in
            let before = file.storedValue ?? CustomStoreUploads()
            var uploads = before
            body(&uploads)
            guard uploads != before else { return }
            try dependencies.storage.makeFolder(dependencies.folder)
            try file.write(uploads)
            try file.synchronize()
        }
        guard hasLock else { throw file.lockUnavailable }
    }
}

/// The records in a custom store.
///
/// A custom store's snapshot can only be removed as a whole. Until everything that can be sent has been sent,
/// delivered records stay in the snapshot, and their hashes are saved. A record that cannot be sent is stored again
/// after the other records and marked as withheld.
final class CustomStoreUploadSource: UploadSource {
    let name: String
    let endsSession: Bool
    private let snapshot: any UsageSnapshotting
    private let access: SerializedStore?
    private let store: String
    private let target: String
    private let environment: UsageEnvironment
    private let isPermitted: () -> Bool
    private var progress: CustomStoreUploads.Progress
    private var withheld = UsagePositions()
    private var count = 0

    private var isStartStored = false

    var session: UsageSession? { progress.session }
    var sentThrough: [String: Int64] { progress.sentThrough }
    var plan: UploadPlan? { progress.plan }

    /// Creates a source for a snapshot.
    ///
    /// - Parameters:
    ///   - access: the snapshot's store; nil if only the snapshot is known.
    ///   - isPermitted: whether records may still be sent.
    init(
        _ snapshot: any UsageSnapshotting,
        of access: SerializedStore?,
        target: String,
        in environment: UsageEnvironment,
        endsSession: Bool,
        isPermitted: @escaping () -> Bool
    ) throws(Failure) {
        self.snapshot = snapshot
        self.access = access
        self.target = target
        self.environment = environment
        self.endsSession = endsSession
        self.isPermitted = isPermitted
        store = access?.name ?? "\(Usage.unattributedStorageID)/\(String(reflecting: type(of: snapshot)))"
        name = "\(access?.storageID ?? Usage.unattributedStorageID)/\(target)"
        progress = try CustomStoreUploads.progress(of: store, target, in: environment)
    }

    func isRecordedHere(_ origin: UploadItem.Origin) -> Bool { false }

    func read(_ body: (UploadEntry) -> Bool) throws(Failure) {
        var delivered = progress.delivered.reduce(into: [UInt64: Int]()) { $0[$1, default: 0] += 1 }
        var remaining = progress.delivered.count
        var start = progress.session?.unsentStart
        var isStopped = false
        func pass(_ entry: UploadEntry) -> Bool {
            isStopped = !body(entry)
            return !isStopped
        }
        func passStart(_ session: UsageSession?) -> Bool {
            guard let record = start, let text = session?.start else { return true }
            start = nil
            return pass(.record(UploadItem(event: record.event, text: text, origin: .start), record))
        }
        var cuts = progress.cuts[...]
        var session = progress.session
        func passCuts(after matched: Int) -> Bool {
            while let cut = cuts.first, cut.after <= matched {
                cuts.removeFirst()
                session = cut.session
                start = cut.session.unsentStart
                guard pass(.session(cut.session)) else { return false }
            }
            return true
        }
        count = 0
        records { record in
            defer { count += 1 }
            guard let text = record.encoded().text else {
                withheld.insert(count)
                return true
            }
            let origin = UploadItem.Origin.position(count, round: progress.round)
            let item = UploadItem(event: record.event, text: text, origin: origin)
            let hash = Self.hash(text)
            if let same = delivered[hash], same > 0 {
                delivered[hash] = same - 1
                remaining -= 1
                return pass(.delivered(item, record)) && passCuts(after: progress.delivered.count - remaining)
            }
            if start != nil, record.event == .sessionStart {
                if text == session?.start {
                    isStartStored = true
                    return true
                }
                start = nil
            }
            return passStart(session) && pass(.record(item, record))
        }
        guard !isStopped else { return }
        let expected = exclusively { snapshot.recordCount() }
        guard count >= expected else {
            throw .storage("the store's snapshot returned \(count) of \(expected) records; nothing was removed")
        }
        // The app itself removed some delivered records; do not expect them again.
        if remaining > 0 {
            forget(delivered)
            guard passCuts(after: .max) else { return }
            for index in progress.cuts.indices {
                progress.cuts[index].after = min(progress.cuts[index].after, progress.delivered.count)
            }
        }
        _ = passStart(session)
    }

    /// Calls `body` with each record of the snapshot until it returns false.
    ///
    /// The records are read in parts under the store's lock, because the snapshot may read the store. `body` is called
    /// without the lock, because it may send a request.
    private func records(_ body: (UsageRecord) -> Bool) {
        var done = 0
        while true {
            var part: [UsageRecord] = []
            exclusively {
                var position = 0
                snapshot.records { record in
                    if position >= done { part.append(record) }
                    position += 1
                    return part.count < Self.chunkSize
                }
            }
            for record in part {
                guard body(record) else { return }
            }
            guard part.count == Self.chunkSize else { return }
            done += part.count
        }
    }

    private static let chunkSize = 500

    /// Calls `body` under the store's lock; without a lock if only the snapshot is known.
    private func exclusively<Result>(_ body: () -> Result) -> Result {
        guard let access else { return body() }
        return access.exclusively { _ in body() }
    }

    private func forget(_ removed: [UInt64: Int]) {
        var removed = removed
        progress.delivered.removeAll { hash in
            guard let count = removed[hash], count > 0 else { return false }
            removed[hash] = count - 1
            return true
        }
    }

    private static func hash(_ text: String) -> UInt64 {
        SHA256.hash(text.utf8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    func write(_ plan: UploadPlan?) throws(Failure) {
        progress.plan = plan
        try save()
    }

    private func save() throws(Failure) {
        try CustomStoreUploads.write(progress, of: store, target, in: environment, if: isPermitted)
    }

    func settle(_ entries: [UploadedEntry], _ session: UsageSession?) throws(Failure) {
        for entry in entries {
            switch entry {
            case .sent(let item):
                switch item.origin {
                case .position: progress.delivered.append(Self.hash(item.text))
                case .start:
                    if let last = progress.cuts.indices.last {
                        progress.cuts[last].session.isSent = true
                    } else {
                        progress.session?.isSent = true
                    }
                    if isStartStored { progress.delivered.append(Self.hash(item.text)) }
                case .end:
                    if let session { progress.cuts.append(.init(after: progress.delivered.count, session: session)) }
                case .log, .withheld: continue
                }
            case .withheld(let item, _, _):
                if case .position(let position, _) = item.origin { withheld.insert(position) }
            case .skipped, .retained: continue
            }
        }
        progress.sentThrough = session?.sentThrough ?? [:]
        progress.plan = nil
        try save()
    }

    func finish(_ trailingEntries: [UploadedEntry], _ last: UsageSession?) throws(Failure) {
        var session = last
        var hasRetainedStart = false
        for entry in trailingEntries {
            switch entry {
            case .withheld(let item, _, _):
                if case .position(let position, _) = item.origin { withheld.insert(position) }
            case .retained(let item):
                hasRetainedStart = true
                if case .position = item.origin {
                    session = UsageSession(start: item.text, isSent: false, isOpen: true)
                }
            case .sent, .skipped: continue
            }
        }
        guard !progress.delivered.isEmpty else { return }
        guard let access else {
            // Removing the delivered records would also remove the other records.
            guard withheld.count == 0, !hasRetainedStart else { return }
            snapshot.removeRecords()
            return try begin(session)
        }
        let isRemoved = access.exclusively { store -> Bool in
            guard isPermitted() else { return false }
            // If nothing was stored after the snapshot, store the start of the session that is about to begin.
            if let start = session?.unsentStart, store.snapshot(for: target).recordCount() == count {
                store.store(record: start, for: target)
            }
            var position = 0
            if withheld.count > 0 {
                snapshot.records { record in
                    defer { position += 1 }
                    guard withheld.contains(position) else { return true }
                    let info = record.info.merging([SAPcpmsUsageUploader.withheldKey: true]) { $1 }
                    store.store(record: UsageRecord(record.event, date: record.date, info: info), for: target)
                    return true
                }
            }
            snapshot.removeRecords()
            return true
        }
        guard isRemoved else { throw .outputDisabled }
        try begin(session)
    }

    /// Starts a new round after the delivered records were removed.
    private func begin(_ session: UsageSession?) throws(Failure) {
        progress.session = session
        progress.cuts = []
        progress.delivered = []
        progress.round += 1
        try save()
    }

    func close() {}
}

/// A set of positions, stored as runs.
///
/// The positions of retained records are close together, so there are few runs.
struct UsagePositions: Sendable {
    private var runs: [ClosedRange<Int>] = []
    /// The number of positions.
    private(set) var count = 0

    /// Adds a position; positions may be added in any order.
    mutating func insert(_ position: Int) {
        guard !contains(position) else { return }
        count += 1
        if let last = runs.last, last.upperBound == position - 1 {
            runs[runs.count - 1] = last.lowerBound...position
        } else {
            let index = runs.firstIndex { $0.lowerBound > position } ?? runs.count
            runs.insert(position...position, at: index)
        }
    }

    /// Whether a position was added.
    ///
    /// - Complexity: O(log runs).
    func contains(_ position: Int) -> Bool {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].upperBound < position { low = middle + 1 } else { high = middle }
        }
        return low < runs.count && runs[low].contains(position)
    }
}
