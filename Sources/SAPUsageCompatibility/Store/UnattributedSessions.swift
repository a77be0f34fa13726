// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayEvents
internal import TrackwayJournal

/// The last session that nobody known had, for each target: read when a person's store comes into use, and stored there once.
final class UnattributedSessions: Sendable {
    /// Records of a longer session stay where they are.
    private static let longest = 10_000

    private struct Item: Sendable {
        let text: String
        let slot: UsageSnapshot.Slot
    }

    private let core: UsageStoreCore
    private let sessions: Locked<[String: [Item]]>

    /// Reads the sessions out of the store of nobody known beside a person's; nil when there is none, or it cannot be read.
    ///
    /// - Parameter key: the key of the person's store: that of nobody known may have the same, or none.
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
                    if isInSession, items.count <= Self.longest, let text = item.record.written().text {
                        items.append(Item(text: text, slot: item.slot))
                    }
                    return true
                }
            } catch {
                // Half a session would be stored for the person, and the rest never.
                environment.report(
                    error as? TrackwayError
                        ?? TrackwayError(.storageUnavailable, "The records cannot be read.", cause: error),
                    in: "configure(with:)"
                )
                continue
            }
            if !items.isEmpty, items.count <= Self.longest { found[target] = items }
        }
        let all = found
        sessions = Locked(all)
    }

    /// Stores a target's session in a person's store, and removes it from where it was. What a process that died in between
    /// had stored already is not stored again.
    ///
    /// - Parameters:
    ///   - target: the target; nothing happens when its session was stored before.
    ///   - access: the person's store.
    ///   - report: stores a record.
    func inject(_ target: String, into access: StoreAccess, report: (UsageRecord) -> DropReason?) {
        guard let items = sessions.withLock({ $0.removeValue(forKey: target) }) else { return }
        // Looked at only then: two records may say the same and be two.
        var present =
            core.beginLeaving(target) ? Self.present(Set(items.map(\.text)), for: target, in: access) : [:]
        var gone = RemovedRange()
        var goneWithheld: Set<UsagePlace> = []
        for (index, item) in items.enumerated() {
            if let count = present[item.text], count > 0 {
                present[item.text] = count - 1
            } else if let record = UsageRecord(written: item.text), report(record) != nil {
                // Refused: it stays, for a reporter that is asked for later.
                sessions.withLock { $0[target] = Array(items[index...]) }
                break
            }
            switch item.slot {
            case .log(let place): gone.add(place)
            case .withheld(let place, _): goneWithheld.insert(place)
            case .start: break
            }
        }
        core.endLeaving(gone, goneWithheld, of: target)
    }

    /// How often texts stand in a store.
    private static func present(_ texts: Set<String>, for target: String, in access: StoreAccess) -> [String: Int] {
        var counts: [String: Int] = [:]
        access.exclusively { store in
            store.snapshot(for: target).records { record in
                if let text = record.written().text, texts.contains(text) { counts[text, default: 0] += 1 }
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
            message: "The last unattributed session was not read because its store has another encryptionKey than the "
                + "user's store.",
            recoverySuggestion: "Open both stores with the same key, or the unattributed one without a key."
        )
    }
}
