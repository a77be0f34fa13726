// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The file that says which installation this is.
///
/// It is made once. A file that is there but cannot be read is an error to be retried, never a reason for a new
/// identity; a damaged one is mended from what the writers' segments say.
enum InstallationFile {
    /// The identity, made when there is none yet. One that was made survives power loss only after
    /// ``synchronize(in:storage:)``: the app that starts does not wait for the disk.
    static func loadOrMake(
        in folder: JournalFolder,
        storage: any JournalStorage,
        at time: Timestamp
    ) throws(JournalError) -> InstallationID {
        do {
            if let known = try load(in: folder, storage: storage) { return known }
            let secret = InstallationSecret.generate()
            let fresh = secret.installation(at: time)
            if try storage.create(folder.installation, with: bytes(fresh, secret), durably: false) { return fresh }
            // Another process was quicker; its answer holds.
            if let known = try load(in: folder, storage: storage) { return known }
        } catch {
            throw JournalError(
                .identityUnreadable,
                "the installation's identity in \(folder.installation) cannot be read or made now: \(error); "
                    + "nothing was changed, try again when the folder is accessible",
                cause: error
            )
        }
        throw JournalError(.identityUnreadable, "\(folder.installation) vanished while it was being read; try again")
    }

    /// Sees to it that the identity, whichever process made it, survives power loss, with the folders above it. Comes before
    /// anything leaves the device under the identity, or is called durable.
    ///
    /// - Complexity: O(depth) flushes.
    static func synchronize(in folder: JournalFolder, storage: any JournalStorage) throws(StorageError) {
        do throws(StorageError) {
            try storage.synchronize(folder.installation)
        } catch {
            // A second flush would prove nothing: what may be lost is written anew.
            guard let bytes = try storage.contents(of: folder.installation) else { throw error }
            try storage.replace(folder.installation, with: bytes, durably: true)
        }
        try storage.synchronizeFolder(folder.root)
        try storage.synchronizeFolders(above: folder.root, from: folder.root)
    }

    /// The identity; nil when none was made yet.
    static func load(in folder: JournalFolder, storage: any JournalStorage) throws(StorageError) -> InstallationID? {
        guard let bytes = try storage.contents(of: folder.installation) else { return nil }
        if let id = CheckedLines(bytes)?["installation"].flatMap({ InstallationID($0) }) { return id }
        guard let id = try fromSegments(in: folder, storage: storage) else {
            // Damaged, and no segment remembers: the old bytes are kept beside, so that nothing is thrown away.
            try storage.rename(folder.installation, to: folder.installation + ".damaged")
            return nil
        }
        // The secret is lost with the damage: no segment has it, because segments are what others may get to see.
        try storage.replace(folder.installation, with: self.bytes(id, nil), durably: true)
        return id
    }

    /// The secret behind an installation's identity; nil when the file has none that proves it, as files of the
    /// first versions and mended ones.
    static func secret(
        of id: InstallationID,
        in folder: JournalFolder,
        storage: any JournalStorage
    ) throws(StorageError) -> InstallationSecret? {
        guard let bytes = try storage.contents(of: folder.installation) else { return nil }
        let secret = CheckedLines(bytes)?["secret"].flatMap { InstallationSecret($0) }
        return secret?.proves(id) == true ? secret : nil
    }

    static func bytes(_ id: InstallationID, _ secret: InstallationSecret?) -> [UInt8] {
        var lines = CheckedLines()
        lines.add("installation", id)
        if let secret { lines.add("secret", secret) }
        return lines.bytes
    }

    /// What the newest writer's first readable segment says.
    private static func fromSegments(
        in folder: JournalFolder,
        storage: any JournalStorage
    ) throws(StorageError) -> InstallationID? {
        for name in try storage.names(in: folder.writers).sorted().reversed() {
            var reader = LogReader(folder: folder.writers + "/" + name, storage: storage, isComplete: true)
            do {
                while let entry = try reader.next() {
                    guard entry.kind == .origin else { continue }
                    if let origin = SegmentOrigin(reader.payload(of: entry)) { return origin.installation }
                }
            } catch {
                // A segment that cannot be read has nothing to say here; the others may.
                continue
            }
        }
        return nil
    }
}

/// An identity with what proves it, as its file has them.
struct Identity: Sendable, Hashable {
    let installation: InstallationID
    let bytes: [UInt8]

    /// nil when these bytes do not name an identity and prove it.
    init?(_ bytes: [UInt8]) {
        guard let lines = CheckedLines(bytes), let id = lines["installation"].flatMap({ InstallationID($0) }),
            lines["secret"].flatMap({ InstallationSecret($0) })?.proves(id) == true
        else { return nil }
        installation = id
        self.bytes = bytes
    }

    private init(_ secret: InstallationSecret, at time: Timestamp) {
        installation = secret.installation(at: time)
        bytes = InstallationFile.bytes(installation, secret)
    }

    /// One that nobody had before.
    static func fresh(at time: Timestamp) -> Identity { Identity(.generate(), at: time) }
}
