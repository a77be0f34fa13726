// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayCore
internal import TrackwayJournal

/// The last unattributed session of each target.
///
/// The sessions are read when a user's store is configured, and stored in that store once.
final class UnattributedSessions: Sendable {
    /// The maximum number of records in a session.
    ///
    /// A longer session is not moved.
    private static let maximumRecords = 10_000

    private struct Item: Sendable {
        let text: String
        let slot: UsageSnapshot.Slot
    }

    private let core: UsageStoreCore
    private let sessions: Locked<[String: [Item]]>

    /// Reads the sessions from the unattributed store.
    ///
    /// The unattributed store is next to the user's store. Returns nil if it does not exist or cannot be read.
    ///
    /// - Parameter key: the key of the user's store. The unattributed store may have the same key or none.
    init?(in folder: URL, key: Encryption?, of environment: UsageEnvironment) {
        let own = folder.appendingPathComponent(Usage.unattributedStorageID, isDirectory: true).standardizedFileURL
        do {
            let size = try environment.dependencies().storage.size(of: own.path + "/usage")
            guard size != nil else { return nil }
            core = try UsageStoreCore.open(
                folder,
                storageID: Usage.unattributedStorageID,
                plainOr: key,
                in: environment
            )
        } catch let error as TrackwayError where error.code == .encryptionKeyMissing {
            environment.report(.unattributedKeyMissing(error))
            return nil
        } catch {
            environment.report(
                error as? TrackwayError
                    ?? TrackwayError(.storageUnavailable, "The unattributed records cannot be read now.", cause: error),
                in: "configure(with:)"
            )
            return nil
        }
        var found: [String: [Item]] = [:]
        for target in core.targetIdentifiers() {
            var items: [Item] = []
            var isInSession = false
            do {
                try core.snapshot(for: target).read { item in
                    guard item.removed == nil else { return true }
                    if item.record.event == .sessionStart {
                        items = []
                        isInSession = true
                    }
                    if isInSession, items.count <= Self.maximumRecords, let text = item.record.encoded().text {
                        items.append(Item(text: text, slot: item.slot))
                    }
                    return true
                }
            } catch {
                // Skip the target; otherwise, only part of the session would be stored for the user.
                environment.report(
                    error as? TrackwayError
                        ?? TrackwayError(.storageUnavailable, "The records cannot be read.", cause: error),
                    in: "configure(with:)"
                )
                continue
            }
            if !items.isEmpty, items.count <= Self.maximumRecords { found[target] = items }
        }
        let all = found
        sessions = Locked(all)
    }

    /// Moves a target's session to a user's store.
    ///
    /// Records that a process stored before it was killed during the move are not stored again.
    ///
    /// - Parameters:
    ///   - target: the target; nothing happens if its session was already moved.
    ///   - access: the user's store.
    ///   - report: stores a record, and returns the reason if it was not stored.
    func inject(_ target: String, into access: SerializedStore, report: (UsageRecord) -> DropReason?) {
        guard let items = sessions.withLock({ $0.removeValue(forKey: target) }) else { return }
        // Check for duplicates only after an interrupted move, because two equal records may both be genuine.
        var present =
            core.beginMove(target) ? Self.occurrences(of: Set(items.map(\.text)), for: target, in: access) : [:]
        var removed = RemovedRange()
        var removedWithheld: Set<UsagePosition> = []
        for (index, item) in items.enumerated() {
            if let count = present[item.text], count > 0 {
                present[item.text] = count - 1
            } else if let record = UsageRecord(encoded: item.text), report(record) != nil {
                // Not stored: keep this and the remaining records until a reporter is requested or registered again.
                sessions.withLock { $0[target] = Array(items[index...]) }
                break
            }
            switch item.slot {
            case .log(let position): removed.add(position)
            case .withheld(let position, _): removedWithheld.insert(position)
            case .start: break
            }
        }
        core.endMove(removed, removedWithheld, of: target)
    }

    /// Returns the number of occurrences of each text in a store.
    private static func occurrences(of texts: Set<String>, for target: String, in access: SerializedStore) -> [String:
        Int]
    {
        var counts: [String: Int] = [:]
        access.exclusively { store in
            store.snapshot(for: target).records { record in
                if let text = record.encoded().text, texts.contains(text) { counts[text, default: 0] += 1 }
                return true
            }
        }
        return counts
    }
}

extension Diagnostic {
    fileprivate static func unattributedKeyMissing(_ error: TrackwayError) -> Diagnostic {
        Diagnostic(
            code: Diagnostic.Code(error.code),
            field: "configure(with:retainLastUnattributedSession:)",
            value: Usage.unattributedStorageID,
            message: "The last unattributed session was not read because its store has a different encryptionKey "
                + "from the user's store.",
            recoverySuggestion: "Open both stores with the same key, or the unattributed one without a key."
        )
    }
}
