// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayCore

/// A storage in the file system.
///
/// A forked child of the process that created this value cannot change files through it, because the files belong to
/// the parent.
public struct DiskStorage: JournalStorage {
    private let watcher: (any FolderWatcher)?
    private let fork = ForkDetector()

    /// Creates a storage that reports no folder changes.
    public init() {
        watcher = nil
    }

    /// Creates a storage that reports folder changes.
    package init(watcher: any FolderWatcher) {
        self.watcher = watcher
    }

    public func makeFolder(_ path: String) throws(StorageError) {
        try checkProcess(path)
        if ctrackway_mkdir(path, 0o700) == 0 { return }
        let error = StorageError.system("create the folder", path)
        if error.number == Self.exists { return }
        guard error.code == .missing, let parent = Self.parent(of: path) else { throw error }
        try makeFolder(parent)
        if ctrackway_mkdir(path, 0o700) != 0 {
            let second = StorageError.system("create the folder", path)
            if second.number != Self.exists { throw second }
        }
    }

    public func names(in folder: String) throws(StorageError) -> [String] {
        var names: [String] = []
        let code = withUnsafeMutablePointer(to: &names) { names in
            ctrackway_list(folder, names) { context, name in
                guard let context, let name else { return }
                context.assumingMemoryBound(to: [String].self).pointee.append(String(cString: name))
            }
        }
        if code != 0 {
            let error = StorageError.system("list", folder)
            if error.code == .missing { return [] }
            throw error
        }
        return names
    }

    public func contents(of path: String) throws(StorageError) -> [UInt8]? {
        guard let file = try open(path) else { return nil }
        defer { _ = ctrackway_close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let got = chunk.withUnsafeMutableBytes {
                ctrackway_read_at(file, $0.baseAddress, $0.count, Int64(bytes.count))
            }
            if got < 0 { throw StorageError.system("read", path) }
            bytes.append(contentsOf: chunk[..<Int(got)])
            // A read of a regular file returns fewer bytes than requested only at the file's end.
            if got < chunk.count { return bytes }
        }
    }

    public func size(of path: String) throws(StorageError) -> Int? {
        let size = ctrackway_path_size(path)
        guard size < 0 else { return Int(size) }
        let error = StorageError.system("get the size of", path)
        if error.code == .missing { return nil }
        throw error
    }

    public func read(
        _ path: String,
        at offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(StorageError) -> Int? {
        guard let file = try open(path) else { return nil }
        defer { _ = ctrackway_close(file) }
        var filled = 0
        while filled < buffer.count, let start = buffer.baseAddress {
            let got = ctrackway_read_at(file, start + filled, buffer.count - filled, Int64(offset + filled))
            if got < 0 { throw StorageError.system("read", path) }
            if got == 0 { break }
            filled += Int(got)
        }
        return filled
    }

    public func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) {
        try checkProcess(path)
        let temporary = Self.temporaryName(for: path)
        try write(temporary, bytes, durably: durably)
        if ctrackway_rename(temporary, path) != 0 {
            let error = StorageError.system("replace", path)
            _ = ctrackway_unlink(temporary)
            throw error
        }
        if durably, let folder = Self.parent(of: path) { try synchronizeFolder(folder) }
    }

    public func overwrite(_ path: String, with bytes: [UInt8]) throws(StorageError) {
        try checkProcess(path)
        let file = ctrackway_open_write(path, false)
        if file < 0 { throw StorageError.system("open", path) }
        defer { _ = ctrackway_close(file) }
        let written = bytes.withUnsafeBytes { ctrackway_write_at(file, $0.baseAddress, $0.count, 0) }
        if written != 0 { throw StorageError.system("write", path) }
        // If the length is unchanged, no second file system operation is needed.
        let size = ctrackway_file_size(file)
        if size != bytes.count, ctrackway_truncate(file, Int64(bytes.count)) != 0 {
            throw StorageError.system("truncate", path)
        }
    }

    public func create(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) -> Bool {
        try checkProcess(path)
        let temporary = Self.temporaryName(for: path)
        try write(temporary, bytes, durably: durably)
        defer { _ = ctrackway_unlink(temporary) }
        if ctrackway_rename_exclusive(temporary, path) == 0 {
            if durably, let folder = Self.parent(of: path) { try synchronizeFolder(folder) }
            return true
        }
        let error = StorageError.system("create", path)
        if error.number == Self.exists { return false }
        throw error
    }

    /// Gives a file another name unless a file has that name already.
    ///
    /// Also works on file systems without hard links.
    ///
    /// - Returns: False if a file has the other name; both files are then unchanged.
    public func renameExclusively(_ path: String, to other: String) throws(StorageError) -> Bool {
        try checkProcess(path)
        if ctrackway_rename_exclusive(path, other) == 0 { return true }
        let error = StorageError.system("rename", path)
        if error.number == Self.exists { return false }
        throw error
    }

    public func rename(_ path: String, to other: String) throws(StorageError) {
        try checkProcess(path)
        if ctrackway_rename(path, other) != 0 { throw StorageError.system("rename", path) }
    }

    public func remove(_ path: String) throws(StorageError) {
        try checkProcess(path)
        if ctrackway_unlink(path) == 0 { return }
        let error = StorageError.system("remove", path)
        if error.code != .missing { throw error }
    }

    public func removeFolder(_ path: String) throws(StorageError) {
        try checkProcess(path)
        if ctrackway_rmdir(path) == 0 { return }
        let error = StorageError.system("remove the folder", path)
        if error.code != .missing { throw error }
    }

    public func makeSegment(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
        try checkProcess(path)
        return try DiskSegment(path: path, bytes: bytes)
    }

    public func makeMarkerFile(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
        try checkProcess(path)
        return try DiskSegment(path: path, bytes: bytes, isMarkerFile: true)
    }

    public func lock(_ path: String) throws(StorageError) -> (any StorageLock)? {
        try checkProcess(path)
        let file = ctrackway_open_write(path, false)
        if file < 0 { throw StorageError.system("open the lock", path) }
        switch ctrackway_try_lock_file(file) {
        case 1: return DiskLock(file: file)
        case 0:
            _ = ctrackway_close(file)
            return nil
        default:
            let error = StorageError.system("lock", path)
            _ = ctrackway_close(file)
            throw error
        }
    }

    public func synchronize(_ path: String) throws(StorageError) {
        guard let file = try open(path) else { return }
        defer { _ = ctrackway_close(file) }
        if ctrackway_synchronize(file) != 0 { throw StorageError.system("flush", path) }
    }

    public func synchronizeFolder(_ path: String) throws(StorageError) {
        if ctrackway_synchronize_folder(path) != 0 { throw StorageError.system("flush the folder", path) }
    }

    public func freeBytes(at path: String) -> Int? {
        let free = ctrackway_free_bytes(path)
        return free < 0 ? nil : Int(clamping: free)  // On watchOS, `Int` has 32 bits, so the result is at most 2 GiB.
    }

    public func watch(
        _ folder: String,
        for entries: WatchedEntries,
        onChange: @escaping @Sendable (StorageChange) -> Void
    ) -> (any StorageWatch)? {
        watcher?.watch(folder, for: entries, onChange: onChange)
    }

    /// `EEXIST` on every supported system.
    private static let exists: Int32 = 17

    private func checkProcess(_ path: String) throws(StorageError) {
        guard fork.isInChild else { return }
        throw StorageError(.other, operation: "change, from a forked child of the process that uses it,", path: path)
    }

    /// Returns a name next to `path` that no other thread or process uses.
    ///
    /// The tilde distinguishes it from every destination name, so a file left by a dead process is never mistaken for
    /// a cursor.
    private static func temporaryName(for path: String) -> String {
        "\(path)~\(ctrackway_process_id()).\(ctrackway_next_number()).new"
    }

    private static func parent(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
        return String(path[..<slash])
    }

    private func open(_ path: String) throws(StorageError) -> Int32? {
        let file = ctrackway_open_read(path)
        if file >= 0 { return file }
        let error = StorageError.system("open", path)
        if error.code == .missing { return nil }
        throw error
    }

    private func write(_ path: String, _ bytes: [UInt8], durably: Bool) throws(StorageError) {
        // An existing file of this name must be from a dead process with the same process ID; it is overwritten.
        let file = ctrackway_open_write(path, false)
        if file < 0 { throw StorageError.system("open", path) }
        defer { _ = ctrackway_close(file) }
        let written = bytes.withUnsafeBytes { ctrackway_write_at(file, $0.baseAddress, $0.count, 0) }
        guard written == 0, ctrackway_truncate(file, Int64(bytes.count)) == 0 else {
            let error = StorageError.system("write", path)
            _ = ctrackway_unlink(path)
            throw error
        }
        // An ordering barrier ensures that no name refers to content that is not written yet. A full flush is left to
        // callers that wait for it.
        if durably, ctrackway_order(file) != 0 { throw StorageError.system("flush", path) }
    }
}

/// Reports folder changes through the operating system; see ``JournalStorage/watch(_:for:onChange:)``.
package protocol FolderWatcher: Sendable {
    /// Starts a watch.
    ///
    /// Returns nil if the system currently cannot report this folder's changes.
    func watch(
        _ folder: String,
        for entries: WatchedEntries,
        onChange: @escaping @Sendable (StorageChange) -> Void
    ) -> (any StorageWatch)?
}
