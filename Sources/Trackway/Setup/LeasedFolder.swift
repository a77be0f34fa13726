// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayCore
internal import TrackwayJournal
package import TrackwayPlatform

extension Dependencies {
    /// Uses a folder in the process's own container, and holds no long-lived locks.
    ///
    /// No lock is held for longer than a moment.
    ///
    /// - Parameters:
    ///   - folder: The installation's folder.
    ///   - ownsContainer: Whether no other process ever uses the folder. If so, a lease held by another process is
    ///     stale; otherwise, a lease is valid while the process that it names runs.
    ///   - process: This process's id.
    package mutating func leaseOwn(
        folder: StorageLocation,
        ownsContainer: Bool,
        process: Int32 = ctrackway_process_id()
    ) {
        let holder = LeasedStorage.Holder(process: process, boot: facts.boot)
        storage =
            ownsContainer
            ? LeasedStorage(storage, root: folder.path, holder: holder) { _ in false }
            : LeasedStorage(storage, root: folder.path, holder: holder)
    }

    /// Uses a container shared by several processes, and holds no long-lived locks.
    ///
    /// Each process has its own folder, in which it delivers the events that it recorded. All processes share the
    /// identity, which is stored in a folder next to theirs. If one process erases the identity, every other process
    /// erases it at its next start. If files are encrypted, each process has its own identity, because the shared one
    /// would be stored unencrypted.
    ///
    /// - Parameters:
    ///   - folder: This process's folder.
    ///   - container: The folder that contains the folders of all processes.
    ///   - process: This process's id.
    package mutating func lease(
        folder: StorageLocation,
        in container: StorageLocation,
        process: Int32 = ctrackway_process_id()
    ) {
        let (disk, clock) = (storage, clock)
        let holder = LeasedStorage.Holder(process: process, boot: facts.boot)
        storage = LeasedStorage(disk, root: folder.path, holder: holder)
        self.folder = folder.path
        let shared = container.shared
        let mark: @Sendable (InstallationID) -> String = { "\(shared.path)/erased.\($0.description)" }
        identityBackup = IdentityBackup(
            load: {
                // Like the installation's folder, the shared folder is excluded from backups. Any error recurs when the
                // folder is opened.
                try? shared.prepare()
                // If this fails, the process has its own identity until the next start.
                return try? Journal.sharedIdentity(in: shared.path, of: disk, at: clock.now().wall)
            },
            // If this fails, only this process has the identity, until the next start.
            save: { bytes in try? Journal.saveIdentity(bytes, in: shared.path, of: disk) },
            erasures: IdentityBackup.Erasures(
                // If the mark currently cannot be read, the next start checks again.
                contains: { (try? disk.size(of: mark($0))) != nil },
                // Without the mark, the other processes keep the erased identity.
                insert: { try? disk.replace(mark($0), with: [], durably: true) }
            )
        )
    }
}
