// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// Gives a copy of an installation's folder an identity of its own.
///
/// A file in the folder says where the folder is. A folder that is found somewhere else was copied, with a container's or a machine's
/// image for example, or restored from a backup. The first start there that finds nothing waiting begins a new installation. While
/// something waits, the copy keeps the former identity, under which a collector recognizes events that the original sends, too.
struct CopiedFolder: Sendable {
    /// What is in the file.
    private struct Kept: Sendable, Codable {
        var version = 1
        var place: FolderPlace
        /// The former installation while its state is being removed, so that the next start can continue.
        var leaving: String?
        /// The former installation until `_installation_restored` is recorded.
        var former: String?
    }

    private let file: StateFile<Kept>

    /// nil on systems where copies are recognized in another way.
    init?(_ dependencies: Dependencies) {
        guard dependencies.place != nil else { return nil }
        // The file holds no secret, and is read before keys are.
        let disk = (dependencies.storage as? EncryptedStorage)?.base ?? dependencies.storage
        file = StateFile("place", in: dependencies.folder, of: disk, format: .json, maxBytes: 4096)
    }

    // MARK: Starting

    /// Begins a new installation if the folder is a copy. Call it before the folder is opened.
    ///
    /// Whatever keeps it from being done is met again where the folder is opened, or is tried again by the next start.
    ///
    /// - Parameter open: opens the folder.
    func separate(
        _ dependencies: Dependencies,
        rules: ConsentRules,
        open: () throws(TrackwayError) -> Journal
    ) {
        guard let place = dependencies.place?() else { return }
        if let kept = file.readable, !place.isCopy(of: kept.place) { return }
        // A folder that cannot be made is reported where it is opened.
        try? dependencies.storage.makeFolder(dependencies.folder)
        // Another process that starts in the same copy waits, and finds it done.
        _ = try? file.exclusively(.many) { () throws(StorageError) in
            guard var kept = file.readable else { return try file.write(Kept(place: place)) }
            guard place.isCopy(of: kept.place) else { return }
            // A folder that cannot be opened is reported where it is opened next.
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

    /// Whether anything would be lost with the former identity.
    private func holdsEvents(_ journal: Journal, _ dependencies: Dependencies) -> Bool {
        // What cannot be read may be waiting.
        guard let ledger = try? journal.ledger(), ledger.uncounted.isEmpty else { return true }
        let inspector = JournalInspector(folder: dependencies.folder, storage: dependencies.storage)
        // As above.
        guard let report = try? inspector.inspect() else { return true }
        let isForNobody = ledger.destinations.isEmpty && ledger.recorded > 0
        return isForNobody || report.deadLetters > 0 || ledger.destinations.values.contains { $0.pending > 0 }
    }

    /// Forgets who used the app, its sessions, and its first launch; what was decided for the device stays.
    private func forgetPeople(_ dependencies: Dependencies, _ rules: ConsentRules) throws(StorageError) {
        let (folder, storage) = (dependencies.folder, dependencies.storage)
        try SettingsFile.forgetPeople(rules, folder: folder, storage: storage)
        for name in ["behavior", "snapshots"] { try storage.remove("\(folder)/\(name)") }
    }

    // MARK: Afterwards

    /// Records, once, which installation this one was before it was copied.
    ///
    /// - Parameter record: true when the event is recorded.
    func follow(_ record: (_ former: InstallationID) -> Bool) {
        guard file.readable?.former != nil else { return }
        // Another start does it otherwise.
        _ = try? file.exclusively(.few) { () throws(StorageError) in
            guard var kept = file.readable, let former = kept.former.flatMap({ InstallationID($0) }), record(former)
            else { return }
            kept.former = nil
            try file.write(kept)
        }
    }

    /// The person erased the installation: no event may tell which one it was before.
    func erased() {
        guard var kept = file.readable, kept.former != nil else { return }
        kept.former = nil
        // A file that cannot be written must not tell of it later.
        do { try file.write(kept) } catch { try? file.remove() }
    }
}
