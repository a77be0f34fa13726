// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

// Where the identity lies outside of the installation's folder.

extension Journal {
    /// Sees to it that the identity survives power loss, once for this process; see
    /// ``InstallationFile/synchronize(in:storage:)``. Blocks until done.
    ///
    /// - Throws: when a flush failed. A folder above the log may be among what could not be flushed: then this process calls nothing
    ///   durable any more.
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

    /// What ``restoreIdentity(_:in:of:)`` takes; nil for an identity that nobody can prove, or that lies encrypted in its folder and
    /// must not lie elsewhere plainly.
    package var identityCopy: [UInt8]? {
        guard storage.folderKeys == nil else { return nil }
        return state.withLock { state in state.secret.map { InstallationFile.bytes(state.installation, $0) } }
    }

    /// Whether an installation was made in a folder, or begun to be.
    package static func wasMade(in folder: String, of storage: any JournalStorage) throws(StorageError) -> Bool {
        let folder = JournalFolder(folder)
        guard try storage.size(of: folder.installation) == nil else { return true }
        return try !storage.names(in: folder.writers).isEmpty
    }

    /// Puts an identity back into a folder that has none any more. Does nothing when the folder has one, or the bytes do not prove
    /// what they say.
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
    /// The identity in a folder that holds nothing else, made with the first call of whatever process; what
    /// ``restoreIdentity(_:in:of:)`` takes, or nil when it was damaged.
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

    /// Puts another identity there: the installation was erased.
    package static func saveIdentity(
        _ bytes: [UInt8],
        in folder: String,
        of storage: any JournalStorage
    ) throws(StorageError) {
        let path = JournalFolder(folder).installation
        if try storage.contents(of: path) != bytes { try storage.replace(path, with: bytes, durably: true) }
    }
}
