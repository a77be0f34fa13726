// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayJournal
import TrackwayTesting

@testable import Trackway

@Suite("State files")
struct StateFileTests {
    private struct Counter: Sendable, Codable, Hashable {
        var version = 1
        var count: Int
    }

    private let disk = MemoryStorage()
    private let path = "/app/counter"

    init() {
        disk.makeFolder("/app")
    }

    private func opening(
        _ storage: any JournalStorage,
        _ mode: StateFile<Counter>.WriteMode = .atomic,
        maxBytes: Int? = 1_024
    ) -> StateFile<Counter> {
        StateFile("counter", in: "/app", of: storage, format: .json, mode: mode, maxBytes: maxBytes)
    }

    private func count(_ file: StateFile<Counter>) throws -> Int? {
        guard case .stored(let counter, _) = try file.read() else { return nil }
        return counter.count
    }

    private func put(_ text: String) throws {
        try disk.replace(path, with: Array(text.utf8), durably: true)
    }

    @Test(arguments: [true, false])
    func `a written state is read back, with its bytes, until it is removed`(inPlace: Bool) throws {
        let file = opening(disk, inPlace ? .inPlace : .atomic)
        guard case .missing = try file.read() else { return #expect(Bool(false), "nothing was written") }
        try file.write(Counter(count: 1))
        try file.write(Counter(count: 2))
        guard case .stored(let counter, let bytes) = try file.read() else {
            return #expect(Bool(false), "a state was written")
        }
        #expect(counter == Counter(count: 2))
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"count":2,"version":1}"#)
        #expect(try file.bytes(of: counter) == bytes)
        try file.remove()
        try file.remove()
        #expect(file.storedValue == nil)
        #expect(disk.contents(of: path) == nil)
    }

    @Test(arguments: ["", "{", "[1]", "{}"])
    func `damage is reported with the path, yields no value, and is repaired by the next write`(content: String) throws
    {
        let file = opening(disk)
        try put(content)
        guard case .damaged(let what) = try file.read() else { return #expect(Bool(false), "the file is damaged") }
        #expect(what.hasPrefix("\(path): "))
        #expect(file.storedValue == nil)
        try file.write(Counter(count: 3))
        #expect(try count(file) == 3)
    }

    @Test
    func `a file truncated at any length is damaged`() throws {
        let file = opening(disk)
        let whole = try file.bytes(of: Counter(count: 1_000))
        for length in whole.indices {
            try disk.replace(path, with: Array(whole[..<length]), durably: true)
            #expect(file.storedValue == nil, "truncated to \(length) bytes")
        }
    }

    @Test
    func `a file of a newer version is read if the known fields exist, and counts as damaged otherwise`() throws {
        let file = opening(disk)
        try put(#"{"count":7,"unit":"sheep","version":2}"#)
        #expect(try count(file) == 7)
        try put(#"{"counts":[7],"version":2}"#)
        guard case .damaged = try file.read() else { return #expect(Bool(false), "the known field is missing") }
    }

    @Test
    func `an oversized file is treated as damaged and not read, and an oversized state is not written`() throws {
        let storage = FaultyStorage(disk)
        let file = opening(storage, maxBytes: 24)
        try file.write(Counter(count: 10))
        #expect(try count(file) == 10)
        try put(#"{"count":10,"version":1}"# + String(repeating: " ", count: 100_000))
        let reads = storage.count(of: .contents)
        guard case .damaged(let what) = try file.read() else { return #expect(Bool(false), "the file is too large") }
        #expect(what == "\(path): 100024 bytes; the maximum is 24")
        #expect(storage.count(of: .contents) == reads)
        #expect(try count(opening(disk, maxBytes: nil)) == 10)
        let error = #expect(throws: StorageError.self) { try file.write(Counter(count: 100)) }
        #expect(error?.path == path)
        #expect(storage.count(of: .replace) == 1)
    }

    @Test
    func `on a full disk the old content stays, the error names the file, and later writes succeed`() throws {
        let storage = FaultyStorage(disk)
        let file = opening(storage)
        try file.write(Counter(count: 1))
        storage.fail(.replace, with: .noSpace)
        let error = #expect(throws: StorageError.self) { try file.write(Counter(count: 2)) }
        #expect(error?.code == .full)
        #expect(try count(file) == 1)
        storage.clearFaults()
        try file.write(Counter(count: 3))
        #expect(try count(file) == 3)
    }

    @Test
    func `a file that is currently unreadable is an error, neither missing nor damaged`() throws {
        let storage = FaultyStorage(disk)
        let file = opening(storage)
        try file.write(Counter(count: 1))
        storage.fail(.contents, with: .denied)
        #expect(throws: StorageError.self) { try file.read() }
        #expect(file.storedValue == nil)
    }

    @Test
    func `without its folder, a state is missing, replacing fails, and writing in place recreates the folder`() throws {
        let disk = MemoryStorage()
        let replacing = opening(disk)
        guard case .missing = try replacing.read() else { return #expect(Bool(false), "the folder is missing") }
        #expect(throws: StorageError.self) { try replacing.write(Counter(count: 1)) }
        let inPlace = opening(disk, .inPlace)
        try inPlace.write(Counter(count: 2))
        #expect(try count(replacing) == 2)
    }

    @Test
    func `a synchronized state survives power loss, and every state survives a kill`() throws {
        let file = opening(disk)
        try file.write(Counter(count: 1))
        #expect(try count(opening(disk.afterKill())) == 1)
        try file.synchronize()
        try disk.synchronizeFolder("/")
        #expect(try count(opening(disk.afterPowerLoss(.everythingUnflushed))) == 1)
    }

    // MARK: Two processes

    @Test
    func `two processes that count concurrently lose none of each other's counts`() async throws {
        let files = (0..<2).map { _ in opening(disk) }
        try files[0].write(Counter(count: 0))
        await withTaskGroup(of: Void.self) { group in
            for (number, file) in files.enumerated() {
                group.addTask {
                    await StorageQueue(label: "process \(number)").run {
                        for _ in 0..<100 {
                            do {
                                let isOurs = try file.exclusively(.many) { () throws(StorageError) in
                                    guard let counter = file.storedValue else { return }
                                    try file.write(Counter(count: counter.count + 1))
                                }
                                #expect(isOurs)
                            } catch {
                                Issue.record(error)
                            }
                        }
                    }
                }
            }
        }
        #expect(try count(files[0]) == 200)
    }

    @Test
    func `while another process holds the lock, no callback runs, and waiting gives up`() throws {
        let file = opening(disk)
        let lock = try #require(try file.lock())
        #expect(try file.lock() == nil)
        #expect(try !file.exclusively(.once) { Issue.record("the lock is held") })
        #expect(try !file.exclusively(.few) { Issue.record("the lock is held") })
        #expect(file.lockUnavailable.path == path)
        lock.release()
        var calls = 0
        #expect(try file.exclusively(.once) { calls += 1 })
        #expect(try file.exclusively(.once) { calls += 1 })
        #expect(calls == 2)
    }

    @Test
    func `an error releases the lock, and a lock that cannot be opened does not prevent writing`() throws {
        let storage = FaultyStorage(disk)
        let file = opening(storage)
        storage.fail(.replace, with: .noSpace)
        #expect(throws: StorageError.self) {
            try file.exclusively(.once) { () throws(StorageError) in try file.write(Counter(count: 1)) }
        }
        storage.clearFaults()
        #expect(try file.lock() != nil)
        storage.fail(.lock, with: .denied)
        #expect(try file.exclusively(.once) { () throws(StorageError) in try file.write(Counter(count: 2)) })
        #expect(try count(file) == 2)
    }

    @Test
    func `a failure is reported once, and again after a success`() {
        var failure = ReportedFailure()
        #expect([failure.noteFailure(), failure.noteFailure(), failure.noteFailure()] == [true, false, false])
        failure.noteSuccess()
        failure.noteSuccess()
        #expect([failure.noteFailure(), failure.noteFailure()] == [true, false])
    }
}
