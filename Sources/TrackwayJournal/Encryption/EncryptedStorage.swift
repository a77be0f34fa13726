// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A storage in which small files are encrypted as they are written, and decrypted as they are read; logs encrypt their records
/// themselves, with the keys that they find here.
///
/// Without keys it writes plainly, and says of an encrypted file that its key is missing, where anybody else would take it for
/// a damaged one and begin anew. Plain files are read with and without keys: what an installation wrote before it had any stays
/// readable. Sizes, and what is read at an offset, are of the bytes as they are stored: ``EncryptedFile/overhead`` more than the
/// content of an encrypted file; only logs read so, and they decrypt. A note holds nothing but numbers and is written when there is
/// no key yet: it stays plain. Damaged files, and those that are in another's place, are handed out as they are: whoever reads them finds no
/// content of theirs, as in any damaged file.
package struct EncryptedStorage: ForwardingStorage {
    /// Where the bytes go.
    package let base: any JournalStorage
    /// The installation's folder.
    private let root: String
    /// nil to write plainly.
    let keys: FolderKeys?

    /// - Parameters:
    ///   - base: where the bytes go.
    ///   - root: the installation's folder; files are known by their paths below it.
    ///   - keys: nil to write plainly.
    package init(_ base: any JournalStorage, root: String, keys: FolderKeys?) {
        self.base = base
        self.root = JournalFolder(root).root
        self.keys = keys
    }

    /// A file's path below the installation's folder, which may be moved as a whole.
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

    /// What is written in a file's place.
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
    /// Looks whether the installation's files can be read with these keys, and writes the small ones anew that are plain or
    /// encrypted with a previous key. Call it before anything else is done with the folder.
    ///
    /// The installation's identity is written last: as long as it is not under the current key, the next start looks at
    /// everything again. Logs stay as they are; what waits in them is delivered and goes.
    ///
    /// - Throws: `encrypted`, naming the file and the key it needs; then nothing was changed.
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
        // Whoever delivers writes cursors and totals; it has done this already, or the next start will.
        guard let lock = try base.lock(folder.deliverLock) else { return }
        defer { lock.release() }
        var isWhole = true
        for path in files where path != folder.installation {
            if try !writeAnew(path, keys) { isWhole = false }
        }
        // Nobody else writes it without the same lock.
        if isWhole { _ = try writeAnew(folder.installation, keys) }
    }

    /// Files that several processes write in turns, each with a lock beside it.
    private static let writtenInTurns: Set<String> = ["settings", "streams", "intercepted"]

    /// Encrypts a file with the current key where it is not.
    ///
    /// What another process writes in between may be undone, as by a loss of power; not so with settings and the like, which are
    /// written in turns.
    ///
    /// - Returns: false when it was another process's turn.
    private func writeAnew(_ path: String, _ keys: FolderKeys) throws(StorageError) -> Bool {
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
        // Whoever reads it says so.
        case .damaged, .keyMissing: break
        }
        return true
    }

    /// The files that are no logs and no locks, the identity included.
    private func smallFiles(_ folder: JournalFolder) throws(StorageError) -> [String] {
        var files = try plainFiles(in: root)
        files += try plainFiles(in: root + "/taken")
        for name in try base.names(in: folder.writers) {
            let writer = folder.writers + "/" + name
            let (cursors, own) = (JournalFolder.cursorPrefix, ["gaps", "observed"])
            // What a living writer writes itself it writes under its own keys.
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
            .filter { !$0.hasPrefix(HeldNote.prefix) }
            .map { folder + "/" + $0 }
    }

    /// A file's bytes as they are stored; nil for a folder.
    private func fileContents(of path: String) throws(StorageError) -> [UInt8]? {
        do throws(StorageError) {
            return try base.contents(of: path)
        } catch {
            // What has names in it is a folder; a file has none to tell.
            guard (try? base.names(in: path)) != nil else { throw error }
            return nil
        }
    }

    /// What is no small file in the installation's folder.
    private static let folders: Set<String> = ["writers", "set-aside", "taken", "crashes"]
}
