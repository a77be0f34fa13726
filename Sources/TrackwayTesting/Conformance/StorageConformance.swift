// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayJournal

/// Checks that an implementation of `JournalStorage` meets the journal's requirements.
///
/// The check does not depend on a test framework: it returns its findings.
/// ```swift
/// @Test("my storage follows the journal's rules")
/// func conforms() {
///     let findings = StorageConformance.findings(in: "/tmp/fresh-folder") { MyStorage() }
///     #expect(findings.isEmpty, "\(findings)")
/// }
/// ```
/// The check cannot determine whether a flush reaches the device, because only a real power loss shows that.
public enum StorageConformance {
    /// Returns all violations; empty if the storage conforms.
    ///
    /// - Parameters:
    ///   - folder: The absolute path of a writable folder that does not exist yet. It is not removed afterward.
    ///   - makeStorage: Creates an instance of the storage; all instances must see the same files.
    public static func findings(
        in folder: String,
        _ makeStorage: () -> any JournalStorage
    ) -> [ConformanceFinding] {
        var run = StorageConformanceRun(folder: folder, storage: makeStorage(), other: makeStorage())
        run.check("folders") { try $0.checkFolders() }
        run.check("files") { try $0.checkFiles() }
        run.check("replace") { try $0.checkReplace() }
        run.check("overwrite") { try $0.checkOverwrite() }
        run.check("create") { try $0.checkCreate() }
        run.check("rename") { try $0.checkRename() }
        run.check("remove") { try $0.checkRemove() }
        run.check("segment") { try $0.checkSegments() }
        run.check("lock") { try $0.checkLocks() }
        return run.findings
    }
}

/// One run of ``StorageConformance``, with one function per group of rules.
private struct StorageConformanceRun {
    let folder: String
    let storage: any JournalStorage
    /// Another instance of the same storage, as in another process.
    let other: any JournalStorage
    private(set) var findings: [ConformanceFinding] = []

    init(folder: String, storage: any JournalStorage, other: any JournalStorage) {
        self.folder = folder
        self.storage = storage
        self.other = other
    }

    mutating func check(_ part: String, _ body: (inout Self) throws -> Void) {
        do {
            try storage.makeFolder(folder)
            try body(&self)
        } catch {
            findings.append(ConformanceFinding(part + "-works", "a call that must succeed failed: \(error)"))
        }
    }

    mutating func require(_ condition: Bool, _ rule: String, _ detail: @autoclosure () -> String) {
        if !condition { findings.append(ConformanceFinding(rule, detail())) }
    }

    // MARK: Rules

    mutating func checkFolders() throws {
        let deep = folder + "/a/b/c"
        try storage.makeFolder(deep)
        try storage.makeFolder(deep)
        require(
            try other.names(in: folder + "/a") == ["b"],
            "folder-made-with-those-above",
            "after creating a/b/c, the folder a must contain exactly b"
        )
        require(
            try storage.names(in: folder + "/nowhere").isEmpty,
            "missing-folder-is-empty",
            "listing a folder that does not exist must return no names"
        )
        try storage.replace(deep + "/file", with: [1], durably: false)
        do {
            try storage.removeFolder(deep)
            require(false, "full-folder-stays", "removing a folder that contains a file must fail")
        } catch {
            // The rule requires this failure.
        }
        try storage.remove(deep + "/file")
        try storage.removeFolder(deep)
        try storage.removeFolder(deep)
        require(try other.names(in: folder + "/a/b").isEmpty, "folder-removed", "a removed folder is still listed")
        try storage.synchronizeFolder(folder)
    }

    mutating func checkFiles() throws {
        let path = folder + "/file"
        require(try storage.contents(of: path) == nil, "missing-file-is-nil", "contents of a missing file must be nil")
        require(try storage.size(of: path) == nil, "missing-file-is-nil", "size of a missing file must be nil")
        var room = [UInt8](repeating: 0xAA, count: 8)
        let nothing = try room.withUnsafeMutableBytes { try storage.read(path, at: 0, into: $0) }
        require(nothing == nil, "missing-file-is-nil", "reading a missing file must return nil")
        let content = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try storage.replace(path, with: content, durably: true)
        require(try other.contents(of: path) == content, "contents-whole", "10,000 bytes were not read back as written")
        require(try other.size(of: path) == content.count, "size-exact", "the size must be 10000")
        let middle = try room.withUnsafeMutableBytes { try other.read(path, at: 5_000, into: $0) }
        require(middle == 8 && room == Array(content[5_000..<5_008]), "read-at-offset", "bytes 5000..<5008 differ")
        let tail = try room.withUnsafeMutableBytes { try other.read(path, at: 9_996, into: $0) }
        require(
            tail == 4 && room[..<4] == content[9_996...],
            "read-short-at-end",
            "only 4 bytes remain at offset 9996; got \(String(describing: tail))"
        )
        let end = try room.withUnsafeMutableBytes { try other.read(path, at: 10_000, into: $0) }
        require(end == 0, "read-zero-at-end", "reading at the end must return 0; got \(String(describing: end))")
        try other.synchronize(path)
        try other.synchronize(folder + "/nowhere")
        try storage.replace(path, with: [], durably: false)
        require(try other.contents(of: path) == [], "empty-file-exists", "an empty file must exist and be empty")
    }

    mutating func checkReplace() throws {
        let path = folder + "/replaced"
        for durably in [false, true] {
            try storage.replace(path, with: [UInt8](repeating: 1, count: 4_000), durably: durably)
            try storage.replace(path, with: [2, 2], durably: durably)
            require(
                try other.contents(of: path) == [2, 2],
                "replace-is-whole",
                "shorter contents must replace longer ones completely (durably: \(durably))"
            )
        }
        let names = try other.names(in: folder).filter { $0 != "replaced" && $0.contains("replaced") }
        require(names.isEmpty, "replace-leaves-nothing", "temporary files were left behind: \(names)")
    }

    mutating func checkOverwrite() throws {
        let path = folder + "/overwritten"
        for content: [UInt8] in [[1, 2, 3], [4, 5, 6], [7, 8, 9, 10, 11], [12], []] {
            try storage.overwrite(path, with: content)
            require(
                try other.contents(of: path) == content,
                "overwrite-is-whole",
                "after overwriting with \(content) the file must contain exactly that"
            )
        }
        do {
            try storage.overwrite(folder + "/no such folder/file", with: [1])
            require(false, "overwrite-makes-no-folder", "overwriting a file in a folder that does not exist must fail")
        } catch {
            // The rule requires this failure.
        }
    }

    mutating func checkCreate() throws {
        let path = folder + "/created"
        require(try storage.create(path, with: [1, 2, 3]), "create-makes", "creating a new file must return true")
        require(try !other.create(path, with: [4]), "create-never-replaces", "an existing file must return false")
        require(try other.contents(of: path) == [1, 2, 3], "create-never-replaces", "the first content must remain")
    }

    mutating func checkRename() throws {
        let from = folder + "/from"
        let to = folder + "/to"
        try storage.replace(from, with: [7], durably: false)
        try storage.replace(to, with: [8, 8], durably: false)
        try storage.rename(from, to: to)
        require(try other.contents(of: to) == [7], "rename-replaces", "the renamed content must be under the new name")
        require(try other.contents(of: from) == nil, "rename-moves", "no file may remain under the old name")
    }

    mutating func checkRemove() throws {
        let path = folder + "/removed"
        try storage.replace(path, with: [1], durably: false)
        try storage.remove(path)
        try storage.remove(path)
        require(try other.contents(of: path) == nil, "remove-removes", "a removed file is still there")
    }

    mutating func checkSegments() throws {
        let path = folder + "/segment"
        let segment = try storage.makeSegment(path, bytes: 65_536)
        let memory = segment.memory
        require(memory.count == 65_536, "segment-size", "requested 65536 bytes, got \(memory.count)")
        require(memory.allSatisfy { $0 == 0 }, "segment-zeroed", "a new segment must contain only zeros")
        require(
            memory.baseAddress.map { Int(bitPattern: $0) % 8 == 0 } ?? false,
            "segment-aligned",
            "a segment's memory must begin at a multiple of 8"
        )
        guard memory.count >= 16 else { return }
        for index in 0..<16 { memory[index] = UInt8(index + 1) }
        var seen = [UInt8](repeating: 0, count: 16)
        _ = try seen.withUnsafeMutableBytes { try other.read(path, at: 0, into: $0) }
        require(
            seen == Array(1...16),
            "segment-seen-at-once",
            "bytes written to a segment must be readable by all instances immediately, before any flush"
        )
        try segment.synchronize()
        try segment.finish(length: 16)
        require(try other.size(of: path) == 16, "segment-cut", "finish(length: 16) must leave 16 bytes")
        require(try other.contents(of: path) == Array(1...16), "segment-kept", "finishing changed the bytes")
        try segment.synchronize()
        try segment.finish(length: 16)
        do {
            _ = try storage.makeSegment(path, bytes: 65_536)
            require(false, "segment-never-replaces", "creating a segment over an existing file must fail")
        } catch {
            // The rule requires this failure.
        }
        require(try other.size(of: path) == 16, "segment-never-replaces", "a failed call must not change the file")
    }

    mutating func checkLocks() throws {
        let path = folder + "/lock"
        guard let held = try storage.lock(path) else {
            require(false, "lock-taken", "the lock is free, but was not granted")
            return
        }
        require(try other.lock(path) == nil, "lock-excludes", "a held lock was granted to a second holder")
        require(try storage.lock(path) == nil, "lock-excludes", "a held lock was granted twice to one holder")
        held.release()
        held.release()
        do {
            let repeated = try other.lock(path)
            require(repeated != nil, "lock-released", "a released lock must be free")
            _ = repeated
        }
        let last = try storage.lock(path)
        require(last != nil, "lock-dies-with-its-value", "a lock must be free after its value was released")
        last?.release()
    }
}
