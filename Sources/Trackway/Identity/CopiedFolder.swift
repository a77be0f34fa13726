// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// Gives a copied installation folder its own identity.
///
/// A file in the folder stores the folder's location. A folder that is found elsewhere was copied, for example with a
/// container's or a machine's image, or restored from a backup. The first start there that finds nothing pending begins
/// a new installation. While anything is pending, the copy keeps the former identity, by which a collector recognizes
/// events that the original sends, too.
struct CopiedFolder: Sendable {
    /// The content of the file.
    private struct Kept: Sendable, Codable {
        var version = 1
        var place: FolderFingerprint
        /// The former installation while its state is being removed.
        ///
        /// The next start can then continue the removal.
        var leaving: String?
        /// The former installation until `_installation_restored` is recorded.
        var former: String?
    }

    private let file: StateFile<Kept>

    /// nil on systems where copies are recognized in another way.
    init?(_ dependencies: Dependencies) {
        guard dependencies.place != nil else { return nil }
        // The file contains no secrets and is read before keys are.
        let disk = (dependencies.storage as? EncryptedStorage)?.base ?? dependencies.storage
        file = StateFile("place", in: dependencies.folder, of: disk, format: .json, maxBytes: 4096)
    }

    // MARK: Starting

    /// Begins a new installation if the folder is a copy.
    ///
    /// Call this before the folder is opened. Any error recurs when the folder is opened, or the next start tries
    /// again.
    ///
    /// - Parameter open: Opens the folder.
    func separate(
        _ dependencies: Dependencies,
        rules: ConsentRules,
        open: () throws(TrackwayError) -> Journal
    ) {
        guard let place = dependencies.place?() else { return }
        if let kept = file.readable, !place.isCopy(of: kept.place) { return }
        // A folder that cannot be created is reported when it is opened.
        try? dependencies.storage.makeFolder(dependencies.folder)
        // Another process that starts in the same copy waits and then finds it done.
        _ = try? file.exclusively(.many) { () throws(StorageError) in
            guard var kept = file.readable else { return try file.write(Kept(place: place)) }
            guard place.isCopy(of: kept.place) else { return }
            // A folder that cannot be opened is reported when it is opened next.
            guard let journal = try? open() else { return }
            defer { journal.close() }
            guard kept.leaving != nil || !holdsEvents(journal, dependencies) else { return }
            let former = kept.leaving ?? journal.installation.description
            kept.leaving = former
            try file.write(kept)
            if journal.installation.description == former {
                // The next start tries again.
                _ = try? journal.leaveInstallation()
            }
            guard journal.installation.description != former else { return }
            try forgetPeople(dependencies, rules)
            try file.write(Kept(place: place, former: former))
        }
    }

    /// Whether anything would be lost by giving up the former identity.
    private func holdsEvents(_ journal: Journal, _ dependencies: Dependencies) -> Bool {
        // If the ledger cannot be read, events may be pending.
        guard let ledger = try? journal.ledger(), ledger.uncounted.isEmpty else { return true }
        let inspector = JournalInspector(folder: dependencies.folder, storage: dependencies.storage)
        // If the report cannot be read, there may be dead letters.
        guard let report = try? inspector.inspect() else { return true }
        let isForNobody = ledger.destinations.isEmpty && ledger.recorded > 0
        return isForNobody || report.deadLetters > 0 || ledger.destinations.values.contains { $0.pending > 0 }
    }

    /// Removes users, sessions and the first launch; decisions for the device stay.
    private func forgetPeople(_ dependencies: Dependencies, _ rules: ConsentRules) throws(StorageError) {
        let (folder, storage) = (dependencies.folder, dependencies.storage)
        try SettingsFile.forgetPeople(rules, folder: folder, storage: storage)
        for name in ["behavior", "snapshots"] { try storage.remove("\(folder)/\(name)") }
    }

    // MARK: After the start

    /// Records the former installation of a copied folder, once.
    ///
    /// - Parameter record: Records the event; returns whether it was recorded.
    func follow(_ record: (_ former: InstallationID) -> Bool) {
        guard file.readable?.former != nil else { return }
        // If this fails, a later start tries again.
        _ = try? file.exclusively(.few) { () throws(StorageError) in
            guard var kept = file.readable, let former = kept.former.flatMap({ InstallationID($0) }), record(former)
            else { return }
            kept.former = nil
            try file.write(kept)
        }
    }

    /// Handles an erasure: no event may name the former installation.
    func erased() {
        guard var kept = file.readable, kept.former != nil else { return }
        kept.former = nil
        // If the file cannot be written, remove it, so that it does not name that installation later.
        do { try file.write(kept) } catch { try? file.remove() }
    }
}
