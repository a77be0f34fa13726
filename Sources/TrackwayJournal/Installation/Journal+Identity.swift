// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

// Durability of the identity, and copies of it outside the installation's folder.

extension Journal {
    /// Makes the identity survive power loss, once per process; blocks until done.
    ///
    /// See ``InstallationFile/synchronize(in:storage:)``.
    ///
    /// - Throws: an error if a flush failed. A folder above the log may be affected, so this process no longer
    ///   reports anything as durable.
    package func synchronizeIdentity() throws(StorageError) {
        guard !isAwaitingStorage else { return }
        try isIdentityDurable.withLock { (isDurable) throws(StorageError) in
            guard !isDurable else { return }
            do throws(StorageError) {
                try InstallationFile.synchronize(in: folder, storage: storage)
            } catch {
                state.withLock { $0.isPathDoubtful = true }
                throw error
            }
            isDurable = true
        }
    }

    /// The bytes for ``restoreIdentity(_:in:of:)``, if a copy is allowed.
    ///
    /// Nil for an identity that cannot be proven, or that is encrypted in its folder and must therefore not be stored
    /// unencrypted elsewhere.
    package var identityCopy: [UInt8]? {
        guard storage.folderKeys == nil else { return nil }
        return state.withLock { state in state.secret.map { InstallationFile.bytes(state.installation, $0) } }
    }

    /// Whether a folder contains an installation, even if only partially created.
    package static func installationExists(in folder: String, of storage: any JournalStorage) throws(StorageError)
        -> Bool
    {
        let folder = JournalFolder(folder)
        guard try storage.size(of: folder.installation) == nil else { return true }
        return try !storage.names(in: folder.writers).isEmpty
    }

    /// Restores an identity in a folder that no longer has one.
    ///
    /// Does nothing if the folder has an identity, if the folder is encrypted, or if the bytes do not prove their
    /// identity.
    package static func restoreIdentity(
        _ bytes: [UInt8],
        in folder: String,
        of storage: any JournalStorage
    ) throws(StorageError) {
        guard Identity(bytes) != nil, storage.folderKeys == nil else { return }
        let folder = JournalFolder(folder)
        try storage.makeFolder(folder.writers)
        guard try storage.contents(of: folder.installation) == nil else { return }
        _ = try storage.create(folder.installation, with: bytes)
    }
}

extension Journal {
    /// Returns the identity in a folder that contains nothing else.
    ///
    /// The first call by any process creates the identity. Returns the bytes for ``restoreIdentity(_:in:of:)``, or
    /// nil if the identity was damaged.
    package static func sharedIdentity(
        in folder: String,
        of storage: any JournalStorage,
        at time: Timestamp
    ) throws(JournalError) -> [UInt8]? {
        let folder = JournalFolder(folder)
        try JournalError.wrap { () throws(StorageError) in try storage.makeFolder(folder.root) }
        let known = try InstallationFile.loadOrMake(in: folder, storage: storage, at: time)
        return try JournalError.wrap { () throws(StorageError) in
            try InstallationFile.synchronize(in: folder, storage: storage)
            let secret = try InstallationFile.secret(of: known, in: folder, storage: storage)
            return secret.map { InstallationFile.bytes(known, $0) }
        }
    }

    /// Replaces the identity in a folder after the installation was erased.
    package static func saveIdentity(
        _ bytes: [UInt8],
        in folder: String,
        of storage: any JournalStorage
    ) throws(StorageError) {
        let path = JournalFolder(folder).installation
        if try storage.contents(of: path) != bytes { try storage.replace(path, with: bytes, durably: true) }
    }
}
