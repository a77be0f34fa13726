// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// The in-memory test storage loses as much as a real file system may.
@Suite("In-memory storage is as strict as real file systems")
struct StrictStorageTests {
    @Test
    func `a flushed file in a flushed folder is lost while a parent folder's entry is not flushed`() throws {
        let storage = MemoryStorage()
        storage.makeFolder("/a/b")
        try storage.replace("/a/b/file", with: [1], durably: true)
        #expect(storage.afterPowerLoss().paths == [])
        try storage.synchronizeFolder("/a")
        #expect(storage.afterPowerLoss().paths == [])
        try storage.synchronizeFolder("/")
        let after = storage.afterPowerLoss()
        #expect(after.contents(of: "/a/b/file") == [1])
        #expect(after.afterPowerLoss().contents(of: "/a/b/file") == [1])
    }

    @Test
    func `a rename survives once both folders are flushed, and the old name survives before that`() throws {
        let storage = MemoryStorage()
        for folder in ["/from", "/to"] { storage.makeFolder(folder) }
        try storage.replace("/from/file", with: [1], durably: true)
        try storage.synchronizeFolder("/")
        try storage.rename("/from/file", to: "/to/other")
        #expect(storage.afterPowerLoss().paths == ["/from/file"])
        try storage.synchronizeFolder("/to")
        #expect(storage.afterPowerLoss().paths == ["/from/file", "/to/other"])
        try storage.synchronizeFolder("/from")
        #expect(storage.afterPowerLoss().paths == ["/to/other"])
        #expect(storage.afterPowerLoss().contents(of: "/to/other") == [1])
    }

    @Test
    func `a removal survives once the folder is flushed`() throws {
        let storage = MemoryStorage()
        try storage.replace("/file", with: [1], durably: true)
        storage.remove("/file")
        #expect(storage.afterPowerLoss().paths == ["/file"])
        try storage.synchronizeFolder("/")
        #expect(storage.afterPowerLoss().paths == [])
    }

    @Test
    func `pages that a failed flush covered are lost, even if a later flush succeeds`() throws {
        let memory = MemoryStorage()
        let storage = FaultyStorage(memory)
        let segment = try storage.makeSegment("/segment", bytes: 16_384)
        try storage.synchronizeFolder("/")
        segment.memory[0] = 1
        try segment.synchronize()
        segment.memory[1] = 2
        segment.memory[5000] = 3
        storage.fail(.synchronizeSegment, with: .inputOutput, times: 1)
        #expect(throws: StorageError.self) { try segment.synchronize() }
        segment.memory[9000] = 4
        try segment.synchronize()
        try storage.synchronize("/segment")
        var left = try #require(memory.afterPowerLoss().contents(of: "/segment"))
        #expect([left[0], left[1], left[5000], left[9000]] == [1, 0, 0, 4])
        // A page that is written again is flushed as a whole.
        segment.memory[2] = 5
        try segment.synchronize()
        left = try #require(memory.afterPowerLoss().contents(of: "/segment"))
        #expect([left[0], left[1], left[2], left[5000]] == [1, 2, 5, 0])
        for seed in UInt64(0)..<20 {
            let torn = try #require(memory.afterPowerLoss(.someUnflushed(seed: seed)).contents(of: "/segment"))
            #expect(torn[5000] == 0)
        }
    }

    @Test
    func `a name that a failed flush covered is lost, and a later one is not`() throws {
        let memory = MemoryStorage()
        let storage = FaultyStorage(memory)
        for name in ["/one", "/two"] { try storage.replace(name, with: [1], durably: false) }
        try storage.synchronize("/one")
        storage.fail(.synchronizeFolder, with: .inputOutput, times: 1)
        #expect(throws: StorageError.self) { try storage.synchronizeFolder("/") }
        try storage.replace("/three", with: [1], durably: false)
        try storage.synchronizeFolder("/")
        #expect(memory.afterPowerLoss().paths == ["/three"])
        try storage.replace("/two", with: [2], durably: true)
        #expect(memory.afterPowerLoss().paths == ["/three", "/two"])
    }

    @Test
    func `files need an existing folder, as on a disk`() throws {
        let storage = MemoryStorage()
        #expect(throws: StorageError.self) { try storage.replace("/a/file", with: [1], durably: false) }
        #expect(throws: StorageError.self) { _ = try storage.create("/a/file", with: [1]) }
        #expect(throws: StorageError.self) { _ = try storage.lock("/a/lock") }
        #expect(throws: StorageError.self) { try storage.synchronizeFolder("/a") }
    }

    @Test
    func `a lock belongs to the file, not to its name`() throws {
        let storage = MemoryStorage()
        storage.makeFolder("/a")
        let first = try #require(try storage.lock("/a/lock"))
        storage.sweep("/a")
        storage.makeFolder("/a")
        let second = try #require(try storage.lock("/a/lock"))
        #expect(try storage.lock("/a/lock") == nil)
        first.release()
        #expect(try storage.lock("/a/lock") == nil)
        second.release()
        #expect(try storage.lock("/a/lock") != nil)
    }
}
