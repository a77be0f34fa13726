// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// What is known of the installation outside of its folder.
///
/// The folder belongs to one device: it is left out of backups, so that two devices never count as one. Beside it lies a small file that
/// is backed up and names the installation, so that a device that was restored from a backup can say which one it was before. On
/// systems that empty the folder when they need room, a copy of the identity lies where they do not.
struct InstallationCopies: Sendable {
    /// What lies in the file.
    private struct Named: Sendable, Codable {
        var version = 1
        var installation: String
    }

    private let file: StateFile<Named>?
    private let identity: IdentityCopy?
    private let folder: CopiedFolder?
    private let journal: Journal

    init(_ dependencies: Dependencies, _ journal: Journal) {
        self.journal = journal
        // The file holds no secret, and is read where no key may be yet.
        let disk = (dependencies.storage as? EncryptedStorage)?.base ?? dependencies.storage
        file = dependencies.backup.map {
            StateFile($0.name, in: $0.folder, of: disk, format: .json, maxBytes: 4096)
        }
        identity = dependencies.identityCopy
        folder = CopiedFolder(dependencies)
    }

    /// Puts the identity back into a folder that has lost it. Call it before the folder is opened.
    static func restoreIdentity(_ dependencies: Dependencies) {
        guard let bytes = dependencies.identityCopy?.load() else { return }
        // Whatever keeps it from being written is met again where the folder is opened.
        try? Journal.restoreIdentity(bytes, in: dependencies.folder, of: dependencies.storage)
    }

    /// Looks, and tells once, whether this device was another installation before it was restored from a backup.
    ///
    /// - Parameter record: records what tells of it; true when it is recorded.
    func follow(_ record: (_ former: InstallationID) -> Bool) {
        guard !journal.isAwaitingStorage else { return }
        folder?.follow(record)
        let isErased = identity?.erasures?.contains(journal.installation) ?? false
        if let identity, !isErased, let bytes = journal.identityCopy { identity.save(bytes) }
        guard let file else { return }
        let installation = journal.installation
        do throws(StorageError) {
            _ = try file.exclusively(.few) { () throws(StorageError) in
                if let former = file.readable.flatMap({ InstallationID($0.installation) }), former != installation {
                    // Not allowed now: the next start tries again.
                    guard record(former) else { return }
                } else if file.readable != nil {
                    return
                }
                try file.write(Named(installation: installation.description))
            }
        } catch {
            // The next start tries again; until then a restored device says nothing.
        }
    }

    /// Whether others share the identity, who may have erased it.
    var areShared: Bool { identity?.erasures != nil }

    /// The identity that took the place of this one when another process of the app erased it; nil when none did.
    var successor: [UInt8]? {
        guard let identity, let erasures = identity.erasures, !journal.isAwaitingStorage,
            erasures.contains(journal.installation), let bytes = identity.load(), bytes != journal.identityCopy
        else { return nil }
        return bytes
    }

    /// The person erased the installation that was: nobody is to be told what it was before.
    func erased(_ former: InstallationID) {
        // First, so that nobody puts the former one back. Killed between the two, the next start of this process saves its own.
        identity?.erasures?.insert(former)
        if let identity, let bytes = journal.identityCopy { identity.save(bytes) }
        folder?.erased()
        guard let file else { return }
        do throws(StorageError) {
            try file.write(Named(installation: journal.installation.description))
        } catch {
            // A name that cannot be replaced must not be told later.
            try? file.remove()
        }
    }
}

extension Analytics {
    /// Records that this device was another installation before it was restored from a backup, if it was.
    func reportRestoration() {
        let moment = recording.clock.now()
        var isEarly = false
        storage.copies.follow { former in
            isEarly = lifecycle.behavior.isLaunching
            return !isEarly && recordRestoration(of: former, at: moment)
        }
        guard isEarly else { return }
        lifecycle.behavior.afterLaunch { [weak self] in
            self?.storage.copies.follow { self?.recordRestoration(of: $0, at: moment) ?? false }
        }
    }

    private func recordRestoration(of former: InstallationID, at moment: Moment) -> Bool {
        let attributes: Attributes = [CapturedKey.formerInstallation: .string(former.description)]
        return recordOwn(CapturedName.installationRestored, attributes, at: moment).durability != .none
    }
}
