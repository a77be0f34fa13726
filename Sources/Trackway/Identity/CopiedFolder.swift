// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayLifecycle
internal import TrackwayPlatform

/// Gives a copied installation folder its own identity.
///
/// A file in the folder stores the folder's location. A folder that is found elsewhere was copied, for example in a
/// container or machine image, or was restored from a backup. The first start in the new location that finds nothing
/// pending begins a new installation. While anything is pending, the copy keeps the former identity, so that a
/// collector recognizes events that the original also sends.
struct CopiedFolder: Sendable {
    /// The content of the file.
    private struct FileContent: Sendable, Codable {
        var version = 1
        var place: FolderFingerprint
        /// The former installation, while its state is being removed.
        ///
        /// The next start can then continue the removal.
        var leaving: String?
        /// The former installation, until `_installation_restored` is recorded.
        var former: String?
    }

    private let file: StateFile<FileContent>

    /// Returns nil on systems where copies are recognized in another way.
    init?(_ dependencies: Dependencies) {
        guard dependencies.folderFingerprint != nil else { return nil }
        // The file contains no secrets, and is read before keys are available.
        let disk = (dependencies.storage as? EncryptedStorage)?.base ?? dependencies.storage
        file = StateFile("place", in: dependencies.folder, of: disk, format: .json, maxBytes: 4096)
    }

    // MARK: Starting

    /// Begins a new installation if the folder is a copy.
    ///
    /// Call this before the folder is opened. If an error occurs, either it recurs when the folder is opened, or the
    /// next start retries.
    ///
    /// - Parameter open: Opens the folder.
    func startNewInstallationIfCopied(
        _ dependencies: Dependencies,
        rules: ConsentRules,
        open: () throws(TrackwayError) -> Journal
    ) {
        guard let fingerprint = dependencies.folderFingerprint?() else { return }
        if let content = file.storedValue, !fingerprint.isCopy(of: content.place) { return }
        // A folder that cannot be created is reported when it is opened.
        try? dependencies.storage.makeFolder(dependencies.folder)
        // Another process that starts in the same copy waits, and then finds the work done.
        _ = try? file.exclusively(.many) { () throws(StorageError) in
            guard var content = file.storedValue else { return try file.write(FileContent(place: fingerprint)) }
            guard fingerprint.isCopy(of: content.place) else { return }
            // If the folder cannot be opened, the error is reported the next time that it is opened.
            guard let journal = try? open() else { return }
            defer { journal.close() }
            guard content.leaving != nil || !hasUnsentEvents(journal, dependencies) else { return }
            let former = content.leaving ?? journal.installation.description
            content.leaving = former
            try file.write(content)
            if journal.installation.description == former {
                // The next start retries.
                _ = try? journal.relinquishIdentity()
            }
            guard journal.installation.description != former else { return }
            try removeUsers(dependencies, rules)
            try file.write(FileContent(place: fingerprint, former: former))
        }
    }

    /// Whether anything would be lost by giving up the former identity.
    private func hasUnsentEvents(_ journal: Journal, _ dependencies: Dependencies) -> Bool {
        // If the ledger cannot be read, events may be pending.
        guard let ledger = try? journal.ledger(), ledger.uncounted.isEmpty else { return true }
        let inspector = JournalInspector(folder: dependencies.folder, storage: dependencies.storage)
        // If the report cannot be read, there may be dead letters.
        guard let report = try? inspector.inspect() else { return true }
        let hasUnaddressedEvents = ledger.destinations.isEmpty && ledger.recorded > 0
        return hasUnaddressedEvents || report.deadLetters > 0 || ledger.destinations.values.contains { $0.pending > 0 }
    }

    /// Removes users, sessions and the first launch; device-wide decisions are kept.
    private func removeUsers(_ dependencies: Dependencies, _ rules: ConsentRules) throws(StorageError) {
        let (folder, storage) = (dependencies.folder, dependencies.storage)
        try SettingsFile.removeUsers(rules, folder: folder, storage: storage)
        for name in ["behavior", "snapshots"] { try storage.remove("\(folder)/\(name)") }
    }

    // MARK: After the start

    /// Records the former installation of a copied folder once.
    ///
    /// - Parameter record: Records the event; returns whether it was recorded.
    func recordFormerInstallation(_ record: (_ former: InstallationID) -> Bool) {
        guard file.storedValue?.former != nil else { return }
        // If this fails, a later start retries.
        _ = try? file.exclusively(.few) { () throws(StorageError) in
            guard var content = file.storedValue, let former = content.former.flatMap({ InstallationID($0) }),
                record(former)
            else { return }
            content.former = nil
            try file.write(content)
        }
    }

    /// Handles an erasure, after which no event may name the former installation.
    func discardFormerInstallation() {
        guard var content = file.storedValue, content.former != nil else { return }
        content.former = nil
        // If the file cannot be written, remove it, so that it does not name the former installation later.
        do { try file.write(content) } catch { try? file.remove() }
    }
}
