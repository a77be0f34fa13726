// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayJournal
import TrackwayLifecycle
import TrackwayTesting

@testable import Trackway

@Suite("Last-accepted files")
struct LastAcceptedFileTests {
    private let storage = FaultyStorage(MemoryStorage())
    private var files: LastAccepted { LastAccepted(folder: "/app", storage: storage) }

    private func taken(_ content: String, at time: Int64 = 1_234) -> DuplicateSuppression<String> {
        let at = DeviceTime(
            wall: Timestamp(milliseconds: -time),
            monotonic: MonotonicTime(milliseconds: time),
            boot: "5f05-3f00"
        )
        return DuplicateSuppression(last: .init(content: content, at: at))
    }

    @Test
    func `each queue reads back what was written for it`() throws {
        try files.write(taken("one"), of: "first")
        try files.write(taken("two", at: .max), of: "second")
        try files.write(taken("three"), of: "first")
        #expect(try files.read("first") == taken("three"))
        #expect(try files.read("second") == taken("two", at: .max))
        #expect(try files.read("third") == DuplicateSuppression())
        #expect(try files.known() == ["first", "second"])
        try files.remove("first")
        #expect(try files.read("first") == DuplicateSuppression())
        #expect(try files.known() == ["second"])
    }

    @Test
    func `an empty state has no file`() throws {
        try files.write(taken("one"), of: "first")
        try files.write(DuplicateSuppression(), of: "first")
        #expect(try files.known().isEmpty)
    }

    @Test
    func `a truncated or changed file counts as an empty state`() throws {
        try files.write(taken("one"), of: "first")
        let whole = try #require(try storage.contents(of: "/app/taken/first"))
        for length in whole.indices {
            try storage.overwrite("/app/taken/first", with: Array(whole[..<length]))
            #expect(try files.read("first") == DuplicateSuppression(), "truncated to \(length) bytes")
        }
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 1
            try storage.overwrite("/app/taken/first", with: bytes)
            #expect(try files.read("first") == DuplicateSuppression(), "byte \(index) changed")
        }
        try files.write(taken("two"), of: "first")
        #expect(try files.read("first") == taken("two"))
    }

    @Test(arguments: [StorageOperation.overwrite, .makeFolder])
    func `a disk failure is thrown to the caller`(operation: StorageOperation) {
        storage.fail(operation, with: .noSpace)
        #expect(throws: StorageError.self) { try files.write(taken("one"), of: "first") }
    }
}
