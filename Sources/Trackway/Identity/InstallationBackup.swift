// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayPlatform

/// The installation's data that is stored outside its folder.
///
/// The folder belongs to one device: it is excluded from backups, so that two devices are never counted as one. A small
/// file next to it is included in backups and names the installation, so that a device that was restored from a backup
/// can report which installation it was before. On systems that empty the folder when space is low, a copy of the
/// identity is stored in a location that they do not empty.
struct InstallationBackup: Sendable {
    /// The content of the file.
    private struct FileContent: Sendable, Codable {
        var version = 1
        var installation: String
    }

    private let file: StateFile<FileContent>?
    private let identity: IdentityBackup?
    private let folder: CopiedFolder?
    private let journal: Journal

    init(_ dependencies: Dependencies, _ journal: Journal) {
        self.journal = journal
        // The file contains no secrets and is read when keys may not be available yet.
        let disk = (dependencies.storage as? EncryptedStorage)?.base ?? dependencies.storage
        file = dependencies.backup.map {
            StateFile($0.name, in: $0.folder, of: disk, format: .json, maxBytes: 4096)
        }
        identity = dependencies.identityBackup
        folder = CopiedFolder(dependencies)
    }

    /// Restores the identity in a folder from which it was lost.
    ///
    /// Call this before the folder is opened.
    static func restoreIdentity(_ dependencies: Dependencies) {
        guard let bytes = dependencies.identityBackup?.load() else { return }
        // Any write error recurs when the folder is opened.
        try? Journal.restoreIdentity(bytes, in: dependencies.folder, of: dependencies.storage)
    }

    /// Records the former installation of a restored device once.
    ///
    /// - Parameter record: Records the event; returns whether it was recorded.
    func recordFormerInstallation(_ record: (_ former: InstallationID) -> Bool) {
        guard !journal.isAwaitingStorage else { return }
        folder?.recordFormerInstallation(record)
        let isErased = identity?.erasures?.contains(journal.installation) ?? false
        if let identity, !isErased, let bytes = journal.identityCopy { identity.save(bytes) }
        guard let file else { return }
        let installation = journal.installation
        do throws(StorageError) {
            _ = try file.exclusively(.few) { () throws(StorageError) in
                if let former = file.storedValue.flatMap({ InstallationID($0.installation) }), former != installation {
                    // If recording is currently not allowed, the next start retries.
                    guard record(former) else { return }
                } else if file.storedValue != nil {
                    return
                }
                try file.write(FileContent(installation: installation.description))
            }
        } catch {
            // The next start retries; until then, a restored device reports nothing.
        }
    }

    /// Whether other processes share the identity and may have erased it.
    var isShared: Bool { identity?.erasures != nil }

    /// The identity that replaced this one after another process's erasure.
    ///
    /// nil if no other process of the app erased the identity.
    var successor: [UInt8]? {
        guard let identity, let erasures = identity.erasures, !journal.isAwaitingStorage,
            erasures.contains(journal.installation), let bytes = identity.load(), bytes != journal.identityCopy
        else { return nil }
        return bytes
    }

    /// Handles an erasure of the former installation, which must never be reported.
    func installationErased(_ former: InstallationID) {
        // Insert the erased installation first, so that no process restores the former identity. If this process is
        // killed between the two steps, it saves its own identity at the next start.
        identity?.erasures?.insert(former)
        if let identity, let bytes = journal.identityCopy { identity.save(bytes) }
        folder?.discardFormerInstallation()
        guard let file else { return }
        do throws(StorageError) {
            try file.write(FileContent(installation: journal.installation.description))
        } catch {
            // If the name cannot be replaced, remove the file, so that the name is not reported later.
            try? file.remove()
        }
    }
}

extension Analytics {
    /// Records the former installation of a device restored from a backup.
    func reportRestoration() {
        let moment = recording.clock.now()
        var isEarly = false
        storage.backup.recordFormerInstallation { former in
            isEarly = lifecycle.controller.isLaunching
            return !isEarly && recordRestoration(of: former, at: moment)
        }
        guard isEarly else { return }
        lifecycle.controller.afterLaunch { [weak self] in
            self?.storage.backup.recordFormerInstallation { self?.recordRestoration(of: $0, at: moment) ?? false }
        }
    }

    private func recordRestoration(of former: InstallationID, at moment: DualTimestamp) -> Bool {
        let attributes: Attributes = [CapturedKey.formerInstallation: .string(former.description)]
        return recordSDKEvent(CapturedName.installationRestored, attributes, at: moment).durability != .none
    }
}
