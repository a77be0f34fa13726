// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayJournal

extension StorageConformanceRun {
    mutating func checkSegments() throws {
        let path = folder + "/segment"
        let segment = try storage.makeSegment(path, bytes: 65_536)
        let memory = segment.memory
        require(memory.count == 65_536, "segment-size", "asked for 65536 bytes, got \(memory.count)")
        require(memory.allSatisfy { $0 == 0 }, "segment-zeroed", "a fresh segment must hold zeros only")
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
            "bytes written to a segment must be readable at once, before any flush, by everybody"
        )
        try segment.synchronize()
        try segment.finish(length: 16)
        require(try other.size(of: path) == 16, "segment-cut", "finish(length: 16) must leave 16 bytes")
        require(try other.contents(of: path) == Array(1...16), "segment-kept", "finishing changed the bytes")
        try segment.synchronize()
        try segment.finish(length: 16)
        do {
            _ = try storage.makeSegment(path, bytes: 65_536)
            require(false, "segment-never-replaces", "making a segment over an existing file must fail")
        } catch {
            // Refusing is what the rule asks for.
        }
        require(try other.size(of: path) == 16, "segment-never-replaces", "a refused segment must not change the file")
    }

    mutating func checkLocks() throws {
        let path = folder + "/lock"
        guard let held = try storage.lock(path) else {
            require(false, "lock-taken", "nobody holds the lock, yet it was refused")
            return
        }
        require(try other.lock(path) == nil, "lock-excludes", "a held lock was given a second time")
        require(try storage.lock(path) == nil, "lock-excludes", "a held lock was given twice to one holder")
        held.release()
        held.release()
        do {
            let again = try other.lock(path)
            require(again != nil, "lock-released", "a released lock must be free")
            _ = again
        }
        let last = try storage.lock(path)
        require(last != nil, "lock-dies-with-its-value", "a lock whose value is gone must be free")
        last?.release()
    }
}
