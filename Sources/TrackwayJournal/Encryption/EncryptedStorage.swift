// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A storage that encrypts and decrypts small files.
///
/// Logs encrypt their records themselves, with the keys from this storage. Without keys, this storage writes plain
/// files. On reading an encrypted file whose key is missing, it throws an error; otherwise, callers would treat the
/// file as damaged and start over. Plain files are readable with and without keys, so data that an installation wrote
/// before it had keys stays readable.
///
/// Sizes, and reads at an offset, refer to the stored bytes. An encrypted file is ``EncryptedFile/overhead`` bytes
/// longer than its content. Only logs read at an offset, and they decrypt their records themselves. Marker files
/// (``JournalStorage/makeMarkerFile(_:bytes:)``) contain only numbers and are written before a key exists, so they
/// stay plain.
///
/// Damaged files, and files moved to another file's path, are returned unchanged; readers find no valid content in
/// them.
package struct EncryptedStorage: ForwardingStorage {
    /// The underlying storage.
    package let base: any JournalStorage
    /// The installation's folder.
    private let root: String
    /// The keys for small files and logs; nil to write plain files.
    let keys: FolderKeys?

    /// - Parameters:
    ///   - base: the underlying storage.
    ///   - root: the installation's folder; files are identified by their paths relative to it.
    ///   - keys: nil to write plain files.
    package init(_ base: any JournalStorage, root: String, keys: FolderKeys?) {
        self.base = base
        self.root = JournalFolder(root).root
        self.keys = keys
    }

    /// Returns a file's path relative to the installation's folder.
    ///
    /// The relative path stays the same if the whole folder is moved.
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
    /// Checks that the keys can decrypt the files; re-encrypts small files.
    ///
    /// Rewrites small files that are plain or encrypted with a previous key. Call this method before using the folder
    /// in any other way. The installation's identity is written last: until it is encrypted with the current key, the
    /// next start checks everything again. Logs stay unchanged; their pending events are delivered and then removed.
    ///
    /// - Throws: `encrypted`, with the file and the key it requires; nothing was changed in that case.
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
        // If another process delivers, it writes cursors and totals itself. That process has already re-encrypted the
        // files, or the next start will do so.
        guard let lock = try base.lock(folder.deliverLock) else { return }
        defer { lock.release() }
        var isWhole = true
        for path in files where path != folder.installation {
            if try !reencrypt(path, keys) { isWhole = false }
        }
        // No other process writes the identity without holding the same lock.
        if isWhole { _ = try reencrypt(folder.installation, keys) }
    }

    /// Files that several processes write in turn; each has a lock file.
    private static let lockedFiles: Set<String> = ["settings", "streams", "intercepted"]

    /// Encrypts a file with the current key unless it already uses that key.
    ///
    /// This may undo a concurrent write by another process, as a power loss could. Settings and similar files are not
    /// affected, because only one process at a time writes them.
    ///
    /// - Returns: false when another process holds the file's lock.
    private func reencrypt(_ path: String, _ keys: FolderKeys) throws(StorageError) -> Bool {
        var turn: (any StorageLock)?
        if Self.lockedFiles.contains(name(of: path)) {
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
        // The next reader of the file reports the problem.
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
            // A living writer writes its own files with its own keys.
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
            // A path that can be listed is a folder, not an unreadable file.
            guard (try? base.names(in: path)) != nil else { throw error }
            return nil
        }
    }

    /// The subfolders of the installation's folder.
    private static let folders: Set<String> = ["writers", "set-aside", "taken", "crashes"]
}
