// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The file that contains the installation's identity.
///
/// The file is created once. If it exists but cannot be read, callers get an error and can retry; the identity is
/// never replaced for that reason. A damaged file is repaired from the writers' segments.
enum InstallationFile {
    /// Returns the identity, creating it if it does not exist yet.
    ///
    /// A new identity survives power loss only after ``synchronize(in:storage:)``, because a launching app does not
    /// wait for the disk.
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
            // Another process created an identity first; use that identity.
            if let known = try load(in: folder, storage: storage) { return known }
        } catch {
            throw JournalError(
                .identityUnreadable,
                "the installation's identity in \(folder.installation) currently cannot be read or created: \(error). "
                    + "Nothing was changed; try again when the folder is accessible",
                cause: error
            )
        }
        throw JournalError(.identityUnreadable, "\(folder.installation) disappeared while being read; try again")
    }

    /// Makes the identity and its parent folders survive power loss.
    ///
    /// Any process may have created the identity. Must be called before data leaves the device under the identity or
    /// is reported as durable.
    ///
    /// - Complexity: O(depth) flushes.
    static func synchronize(in folder: JournalFolder, storage: any JournalStorage) throws(StorageError) {
        do throws(StorageError) {
            try storage.synchronize(folder.installation)
        } catch {
            // A second flush would not prove durability, so the data, which may be lost, is rewritten.
            guard let bytes = try storage.contents(of: folder.installation) else { throw error }
            try storage.replace(folder.installation, with: bytes, durably: true)
        }
        try storage.synchronizeFolder(folder.root)
        try storage.synchronizeFolders(above: folder.root, from: folder.root)
    }

    /// Returns the identity; nil if none was created yet.
    static func load(in folder: JournalFolder, storage: any JournalStorage) throws(StorageError) -> InstallationID? {
        guard let bytes = try storage.contents(of: folder.installation) else { return nil }
        if let id = ChecksummedKeyValueFile(bytes)?["installation"].flatMap({ InstallationID($0) }) { return id }
        guard let id = try fromSegments(in: folder, storage: storage) else {
            // The file is damaged and no segment contains the identity. The old bytes are kept in a renamed file, so
            // no data is discarded.
            try storage.rename(folder.installation, to: folder.installation + ".damaged")
            return nil
        }
        // The damage destroyed the secret. No segment contains the secret, because other parties may see segments.
        try storage.replace(folder.installation, with: self.bytes(id, nil), durably: true)
        return id
    }

    /// Returns the secret that proves an installation's identity.
    ///
    /// Nil if the file has no such secret, as in files of the first versions and repaired files.
    static func secret(
        of id: InstallationID,
        in folder: JournalFolder,
        storage: any JournalStorage
    ) throws(StorageError) -> InstallationSecret? {
        guard let bytes = try storage.contents(of: folder.installation) else { return nil }
        let secret = ChecksummedKeyValueFile(bytes)?["secret"].flatMap { InstallationSecret($0) }
        return secret?.proves(id) == true ? secret : nil
    }

    static func bytes(_ id: InstallationID, _ secret: InstallationSecret?) -> [UInt8] {
        var lines = ChecksummedKeyValueFile()
        lines.add("installation", id)
        if let secret { lines.add("secret", secret) }
        return lines.bytes
    }

    /// Returns the installation named in the newest writer's first readable segment.
    ///
    /// If that writer has no readable segment, older writers are tried.
    private static func fromSegments(
        in folder: JournalFolder,
        storage: any JournalStorage
    ) throws(StorageError) -> InstallationID? {
        for name in try storage.names(in: folder.writers).ordered().reversed() {
            var reader = LogReader(folder: folder.writers + "/" + name, storage: storage, isComplete: true)
            do {
                while let entry = try reader.next() {
                    guard entry.kind == .origin else { continue }
                    if let origin = SegmentOrigin(reader.payload(of: entry)) { return origin.installation }
                }
            } catch {
                // Skip a writer whose segments cannot be read; other writers may have the identity.
                continue
            }
        }
        return nil
    }
}

/// An identity and its proof, as stored in its file.
struct Identity: Sendable, Equatable {
    let installation: InstallationID
    let bytes: [UInt8]

    /// Returns nil if the bytes do not contain an identity and its proof.
    init?(_ bytes: [UInt8]) {
        guard let lines = ChecksummedKeyValueFile(bytes),
            let id = lines["installation"].flatMap({ InstallationID($0) }),
            lines["secret"].flatMap({ InstallationSecret($0) })?.proves(id) == true
        else { return nil }
        installation = id
        self.bytes = bytes
    }

    private init(_ secret: InstallationSecret, at time: Timestamp) {
        installation = secret.installation(at: time)
        bytes = InstallationFile.bytes(installation, secret)
    }

    /// Creates a new identity.
    static func fresh(at time: Timestamp) -> Identity { Identity(.generate(), at: time) }
}
