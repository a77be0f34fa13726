// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A storage that encrypts small files when writing and decrypts them when reading.
///
/// Logs encrypt their records themselves, with the keys from this storage. Without keys it writes plain files, and
/// reports that the key of an encrypted file is missing, where other code would treat the file as damaged and start
/// over. Plain files are readable with and without keys, so data that an installation wrote before it had keys stays
/// readable.
///
/// Sizes, and reads at an offset, refer to the stored bytes: ``EncryptedFile/overhead`` more than the content of an
/// encrypted file. Only logs read that way, and they decrypt. Marker files (``JournalStorage/makeNote(_:bytes:)``)
/// contain only numbers and are written before a key exists, so they stay plain.
///
/// Damaged files, and files in another file's place, are returned unchanged: a reader finds no valid content in them,
/// as in any damaged file.
package struct EncryptedStorage: ForwardingStorage {
    /// The underlying storage.
    package let base: any JournalStorage
    /// The installation's folder.
    private let root: String
    /// The keys; nil to write plain files.
    let keys: FolderKeys?

    /// - Parameters:
    ///   - base: the underlying storage.
    ///   - root: the installation's folder; files are identified by their paths below it.
    ///   - keys: nil to write plain files.
    package init(_ base: any JournalStorage, root: String, keys: FolderKeys?) {
        self.base = base
        self.root = JournalFolder(root).root
        self.keys = keys
    }

    /// Returns a file's path below the installation's folder.
    ///
    /// The folder may be moved as a whole.
    private func name(of path: String) -> String {
        path.hasPrefix(root + "/") ? String(path.dropFirst(root.utf8.count + 1)) : path
    }

    package func contents(of path: String) throws(StorageError) -> [UInt8]? {
        guard let bytes = try base.contents(of: path) else { return nil }
        switch EncryptedFile.content(of: bytes, of: name(of: path), keys) {
        case .plain, .damaged: return bytes
        case .decrypted(let content): return content
        case .keyMissing(let key): throw .keyMissing(key, path)
        }
    }

    /// Returns the bytes to write to a file.
    private func encrypted(_ bytes: [UInt8], for path: String) throws(StorageError) -> [UInt8] {
        guard let keys else { return bytes }
        guard let encrypted = EncryptedFile.bytes(bytes, of: name(of: path), keys) else {
            throw StorageError(.other, operation: "encrypt", path: path)
        }
        return encrypted
    }

    package func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) {
        try base.replace(path, with: encrypted(bytes, for: path), durably: durably)
    }

    package func overwrite(_ path: String, with bytes: [UInt8]) throws(StorageError) {
        try base.overwrite(path, with: encrypted(bytes, for: path))
    }

    package func create(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) -> Bool {
        try base.create(path, with: encrypted(bytes, for: path), durably: durably)
    }
}

// MARK: Before the folder is used

extension EncryptedStorage {
    /// Checks that these keys can read the installation's files, and re-encrypts the small ones.
    ///
    /// Rewrites small files that are plain or encrypted with a previous key. Call it before anything else is done with
    /// the folder. The installation's identity is written last: until it is under the current key, the next start
    /// checks everything again. Logs stay unchanged; their pending events are delivered and then removed.
    ///
    /// - Throws: `encrypted`, naming the file and the key it needs; nothing was changed then.
    package func prepare() throws(StorageError) {
        let folder = JournalFolder(root)
        let identity = try base.contents(of: folder.installation)
        let stated = try base.contents(of: root + "/settings")
        for (path, bytes) in [(folder.installation, identity), (root + "/settings", stated)] {
            guard let bytes, let key = EncryptedFile.key(of: bytes), keys?.root(key) == nil else { continue }
            throw .keyMissing(key, path)
        }
        guard let keys, let identity, EncryptedFile.key(of: identity) != keys.current.id else { return }
        let files = try smallFiles(folder)
        for path in files {
            guard let bytes = try fileContents(of: path), let key = EncryptedFile.key(of: bytes) else { continue }
            if keys.root(key) == nil { throw .keyMissing(key, path) }
        }
        // The delivering process writes cursors and totals; it has done this already, or the next start will.
        guard let lock = try base.lock(folder.deliverLock) else { return }
        defer { lock.release() }
        var isWhole = true
        for path in files where path != folder.installation {
            if try !reencrypt(path, keys) { isWhole = false }
        }
        // No other process writes it without the same lock.
        if isWhole { _ = try reencrypt(folder.installation, keys) }
    }

    /// Files that several processes write in turn, each with a lock file.
    private static let writtenInTurns: Set<String> = ["settings", "streams", "intercepted"]

    /// Encrypts a file with the current key if it is not yet.
    ///
    /// A concurrent write by another process may be undone, as by a power loss. This does not affect settings and
    /// similar files, which are written in turn.
    ///
    /// - Returns: false when another process holds the file's lock.
    private func reencrypt(_ path: String, _ keys: FolderKeys) throws(StorageError) -> Bool {
        var turn: (any StorageLock)?
        if Self.writtenInTurns.contains(name(of: path)) {
            turn = try base.lock(path + ".lock")
            if turn == nil { return false }
        }
        defer { turn?.release() }
        guard let bytes = try fileContents(of: path), EncryptedFile.key(of: bytes) != keys.current.id else {
            return true
        }
        switch EncryptedFile.content(of: bytes, of: name(of: path), keys) {
        case .plain: try replace(path, with: bytes, durably: true)
        case .decrypted(let content): try replace(path, with: content, durably: true)
        // The next reader of the file reports it.
        case .damaged, .keyMissing: break
        }
        return true
    }

    /// Returns the files that are not logs or locks, including the identity.
    private func smallFiles(_ folder: JournalFolder) throws(StorageError) -> [String] {
        var files = try plainFiles(in: root)
        files += try plainFiles(in: root + "/taken")
        for name in try base.names(in: folder.writers) {
            let writer = folder.writers + "/" + name
            let (cursors, own) = (JournalFolder.cursorPrefix, ["gaps", "observed"])
            // A living writer writes its own files under its own keys.
            guard let alive = try base.lock(writer + JournalFolder.aliveLock) else {
                files += try base.names(in: writer).filter { $0.hasPrefix(cursors) && !$0.contains("~") }
                    .map { writer + "/" + $0 }
                continue
            }
            alive.release()
            files += try base.names(in: writer)
                .filter { ($0.hasPrefix(cursors) || own.contains($0)) && !$0.contains("~") }.map { writer + "/" + $0 }
        }
        return files
    }

    private func plainFiles(in folder: String) throws(StorageError) -> [String] {
        try base.names(in: folder)
            .filter { !$0.hasSuffix(".lock") && !$0.contains("~") && !Self.folders.contains($0) }
            .filter { !$0.hasPrefix(UnpersistedMarker.prefix) }
            .map { folder + "/" + $0 }
    }

    /// Returns a file's stored bytes; nil for a folder.
    private func fileContents(of path: String) throws(StorageError) -> [UInt8]? {
        do throws(StorageError) {
            return try base.contents(of: path)
        } catch {
            // A path that can be listed is a folder.
            guard (try? base.names(in: path)) != nil else { throw error }
            return nil
        }
    }

    /// The entries of the installation's folder that are not small files.
    private static let folders: Set<String> = ["writers", "set-aside", "taken", "crashes"]
}
