// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayTesting

@testable import CollectorCore

@Suite("The queue of erasures")
struct ErasureQueueTests {
    private static let folder = "/data/erasures"
    private static let key = ErasureReceiptTests.key

    /// Returns an empty storage with the folder above the queue's folder.
    private static func storage() throws -> MemoryStorage {
        let storage = MemoryStorage()
        storage.makeFolder("/data")
        try storage.synchronizeFolder("/")
        return storage
    }

    private static func queue(_ storage: any JournalStorage) throws -> ErasureQueue {
        try ErasureQueue(ErasureFiles(folder: folder, storage: storage), key: key)
    }

    private static func plan(_ user: String, requested: Int64) -> ErasurePlan {
        ErasureReceiptTests.plan(user, requested: requested)
    }

    @Test
    func `plans and their progress survive a restart, oldest first`() throws {
        let storage = try Self.storage()
        let queue = try Self.queue(storage)
        #expect(queue.plans.isEmpty)
        // Numbers with fewer digits are sorted by value.
        var (late, early) = (Self.plan("anna", requested: 10_000), Self.plan("bob", requested: 9_000))
        try queue.add([late, early])
        late.segments[9] = ErasedCounts()
        early.shared = []
        for plan in [late, early] { try queue.update(plan) }
        #expect(queue.plans == [late, early])
        for storage in [storage, storage.afterKill(), storage.afterPowerLoss()] {
            #expect(try Self.queue(storage).plans == [early, late])
        }
    }

    @Test
    func `a plan that is already stored is not changed`() throws {
        let storage = try Self.storage()
        let queue = try Self.queue(storage)
        let plan = Self.plan("anna", requested: 1)
        try queue.add([plan])
        var poorer = plan
        poorer.installations = []
        try queue.add([poorer, Self.plan("bob", requested: 2)])
        #expect(queue.plans.map(\.installations.count) == [1, 1] && queue.plans.first == plan)
        #expect(try Self.queue(storage).plans.first == plan)
        let again = try Self.queue(storage)
        try again.add([poorer])
        #expect(again.plans.first == plan)
    }

    @Test
    func `a receipt is hidden while its plan exists, and an earlier receipt stays as it is`() throws {
        let storage = try Self.storage()
        let queue = try Self.queue(storage)
        let plan = Self.plan("anna", requested: 1)
        try queue.add([plan])
        let receipt = ErasureReceiptTests.receipt(plan)
        try queue.save(receipt)
        for queue in [queue, try Self.queue(storage.afterPowerLoss())] {
            #expect(try queue.receipts().isEmpty && queue.receipt(plan.id) == nil && queue.isComplete(plan.id))
        }
        var second = plan
        second.segments = [:]
        try queue.save(ErasureReceiptTests.receipt(second))
        try queue.remove(plan)
        for queue in [queue, try Self.queue(storage.afterPowerLoss())] {
            #expect(try queue.receipts() == [receipt] && queue.receipt(plan.id) == receipt)
            #expect(queue.plans.isEmpty && queue.isComplete(plan.id))
        }
    }

    @Test
    func `a complete erasure leaves no id of the person in any file`() throws {
        let storage = try Self.storage()
        let queue = try Self.queue(storage)
        let plan = Self.plan("anna", requested: 1)
        try queue.add([plan])
        try queue.save(ErasureReceiptTests.receipt(plan))
        try queue.remove(plan)
        #expect(storage.paths == ["\(Self.folder)/\(plan.id).json"])
        for path in storage.paths {
            let text = String(decoding: storage.contents(of: path) ?? [], as: UTF8.self)
            #expect(!text.contains("anna") && text.hasSuffix("}\n"))
        }
    }

    @Test
    func `receipts are listed newest first`() throws {
        let queue = try Self.queue(Self.storage())
        for (user, time) in [("a", 9_000), ("b", 10_000), ("c", 1)] as [(String, Int64)] {
            try queue.save(ErasureReceiptTests.receipt(Self.plan(user, requested: time)))
        }
        #expect(try queue.receipts().map(\.requested.milliseconds) == [10_000, 9_000, 1])
    }

    @Test
    func `an erasure is waiting until it is started, and again after a restart`() throws {
        let storage = try Self.storage()
        let queue = try Self.queue(storage)
        let plan = Self.plan("anna", requested: 1)
        #expect(!queue.isWaiting(plan.identity))
        try queue.add([plan])
        #expect(queue.isWaiting(plan.identity) && !queue.isWaiting(Self.key.hash(user: "bob")))
        #expect(queue.start() == [plan])
        #expect(!queue.isWaiting(plan.identity))
        // A second request for the same person, or a follow-up, waits for the next pass.
        try queue.add([Self.plan("anna", requested: 2)])
        #expect(queue.isWaiting(plan.identity))
        #expect(try Self.queue(storage).isWaiting(plan.identity))
    }

    @Test(arguments: [".plan", ".json"])
    func `an unreadable file throws an error that names it`(_ suffix: String) throws {
        let storage = try Self.storage()
        _ = try Self.queue(storage)
        let path = "\(Self.folder)/12-abc\(suffix)"
        try storage.replace(path, with: Array("{}".utf8), durably: true)
        let error = #expect(throws: ErasureError.self) { try Self.queue(storage) }
        #expect(error?.description.hasPrefix("\(path): The ") == true)
        #expect(storage.contents(of: path) == Array("{}".utf8))
    }

    @Test(arguments: ["12-abc.plan~1", "notes.txt", "~12-abc.json"])
    func `other files in the folder are ignored`(_ name: String) throws {
        let storage = try Self.storage()
        _ = try Self.queue(storage)
        try storage.replace("\(Self.folder)/\(name)", with: Array("{}".utf8), durably: true)
        let queue = try Self.queue(storage)
        #expect(try queue.plans.isEmpty && queue.receipts().isEmpty)
    }

    @Test(arguments: ["", "..", "../keys", "a/b", "12-ABC", "12-abc.json", String(repeating: "1", count: 65)])
    func `a text that is not an id is never used in a path`(_ id: String) throws {
        let storage = try Self.storage()
        let files = try ErasureFiles(folder: Self.folder, storage: storage)
        storage.makeFolder("\(Self.folder)/a")
        for path in ["/data/keys", "\(Self.folder)/a/b", "\(Self.folder)/12-ABC", "\(Self.folder)/12-abc.json"] {
            try storage.replace(path + ".json", with: ErasureReceiptTests.receipt().json, durably: true)
            try storage.replace(path + ".plan", with: ErasureReceiptTests.plan().json, durably: true)
        }
        #expect(try files.receipt(id) == nil && files.plan(id) == nil)
    }

    @Test
    func `a plan that cannot be stored is not in the queue`() throws {
        let storage = FaultyStorage(try Self.storage())
        let queue = try Self.queue(storage)
        storage.fail(.replace, with: .noSpace)
        #expect(throws: (any Error).self) { try queue.add([Self.plan("anna", requested: 1)]) }
        #expect(queue.plans.isEmpty)
        storage.clearFaults()
        try queue.add([Self.plan("anna", requested: 1)])
        #expect(queue.plans.count == 1)
    }
}
