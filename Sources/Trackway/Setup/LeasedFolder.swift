// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayEvents
internal import TrackwayJournal
package import TrackwayPlatform

extension Dependencies {
    /// Has analytics work in a folder of the process's own container without holding a lock there for longer than a moment.
    ///
    /// - Parameters:
    ///   - folder: the installation's folder.
    ///   - isAlone: whether no other process ever works there: then a lease that this one does not hold is nobody's. Otherwise it ends
    ///     with the process that it names.
    ///   - process: this process's number.
    package mutating func leaseOwn(
        folder: StorageLocation,
        isAlone: Bool,
        process: Int32 = ctrackway_process_id()
    ) {
        let holder = LeasedStorage.Holder(process: process, boot: facts.boot)
        storage =
            isAlone
            ? LeasedStorage(storage, root: folder.path, holder: holder) { _ in false }
            : LeasedStorage(storage, root: folder.path, holder: holder)
    }

    /// Has analytics work in a container that several processes of an app share, without holding a lock there as long as they live.
    ///
    /// Each process has a folder of its own, in which it delivers what it recorded; the identity is one for all, in a folder beside
    /// them. One that is erased by one process is erased by every other one when it starts next. Where files are encrypted each process has an identity of its own: the shared one would lie there plainly.
    ///
    /// - Parameters:
    ///   - folder: the folder of this process.
    ///   - container: the folder that all of them lie in.
    ///   - process: this process's number.
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
        identityCopy = IdentityCopy(
            load: {
                // Like the installation's folder it is no part of backups. What cannot be made now is met where that one is opened.
                try? shared.prepare()
                // Without it this process has an identity of its own until the next start.
                return try? Journal.sharedIdentity(in: shared.path, of: disk, at: clock.now().wall)
            },
            // What cannot be saved is the identity of this process alone, until the next start.
            save: { bytes in try? Journal.saveIdentity(bytes, in: shared.path, of: disk) },
            erasures: IdentityCopy.Erasures(
                // What cannot be read now is looked for by the next start.
                contains: { (try? disk.size(of: mark($0))) != nil },
                // Without the mark the other processes go on as who they were.
                insert: { try? disk.replace(mark($0), with: [], durably: true) }
            )
        )
    }
}
