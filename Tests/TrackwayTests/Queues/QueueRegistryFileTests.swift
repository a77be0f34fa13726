// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDelivery
import TrackwayLifecycle
import TrackwayTesting

@testable import Trackway

@Suite("Queue registry file")
struct QueueRegistryFileTests {
    private let policy = QueueFixture.policy(same: .seconds(3600))
    private static let path = InMemoryAnalytics.usualFolder + "/streams"

    @Test(arguments: ["", "no JSON", "{}", #"{"version":1,"streams":{"added":[1]}}"#])
    func `a damaged file is reported, loses nothing, and is replaced`(content: String) async throws {
        let first = try InMemoryAnalytics()
        try first.analytics.addDestination(QueueFixture.destination("queue").configured(delivery: policy))
        first.analytics.record("state", to: ["queue"])
        let disk = first.storageAfterKill()
        try disk.replace(Self.path, with: Array(content.utf8), durably: true)
        // The second process starts later, so its log is read after the first one's.
        first.clock.advance(by: .milliseconds(1))
        let second = try InMemoryAnalytics(storage: disk, clock: first.clock)
        #expect(second.diagnostics.map(\.code) == [.streamsDamaged])
        try second.analytics.addDestination(QueueFixture.destination("queue").configured(delivery: policy))
        #expect(second.analytics.record("state", to: ["queue"]).dropped == .duplicate)
        second.analytics.record("another", to: ["queue"])
        #expect((await second.analytics.flush()).isComplete)
        #expect(second.arrived(at: "queue") == ["state", "another"])
        let third = try InMemoryAnalytics(storage: second.storageAfterKill(), clock: first.clock)
        #expect(third.diagnostics.isEmpty)
        try third.analytics.addDestination(QueueFixture.destination("queue").configured(delivery: policy))
        #expect(third.analytics.record("another", to: ["queue"]).dropped == .duplicate)
    }

    @Test
    func `after damage to its last-accepted file a queue accepts the next event, and no other queue is affected`()
        throws
    {
        let first = try InMemoryAnalytics()
        for queue: DestinationID in ["one", "two"] {
            try first.analytics.addDestination(QueueFixture.destination(queue).configured(delivery: policy))
            first.analytics.record("state", to: [queue])
        }
        let disk = first.storageAfterKill()
        try disk.overwrite(InMemoryAnalytics.usualFolder + "/taken/one", with: [1, 2, 3])
        let second = try InMemoryAnalytics(storage: disk, clock: first.clock)
        for queue: DestinationID in ["one", "two"] {
            try second.analytics.addDestination(QueueFixture.destination(queue).configured(delivery: policy))
        }
        #expect(second.analytics.record("state", to: ["one"]).dropped == nil)
        #expect(second.analytics.record("state", to: ["one"]).dropped == .duplicate)
        #expect(second.analytics.record("state", to: ["two"]).dropped == .duplicate)
        #expect(second.diagnostics.isEmpty)
    }

    @Test
    func `accepting an event overwrites one small file, no matter how many queues there are`() throws {
        let memory = try InMemoryAnalytics()
        for number in 0..<50 {
            let id = try #require(DestinationID("queue-\(number)"))
            try memory.analytics.addDestination(QueueFixture.destination(id).configured(delivery: policy))
        }
        // The first event creates the folder.
        memory.analytics.record("first", to: ["queue-8"])
        let replaced = memory.storage.count(of: .replace)
        let overwritten = memory.storage.count(of: .overwrite)
        for number in 0..<10 { memory.analytics.record("event-\(number)", to: ["queue-7"]) }
        #expect(memory.storage.count(of: .replace) == replaced)
        #expect(memory.storage.count(of: .overwrite) == overwritten + 10)
    }

    @Test
    func `above the maximum number of files, those of removed queues are deleted when a process starts`() throws {
        let first = try InMemoryAnalytics()
        try first.analytics.addDestination(QueueFixture.destination("stays").configured(delivery: policy))
        first.analytics.record("state", to: ["stays"])
        let folder = InMemoryAnalytics.usualFolder + "/taken/"
        for number in 0..<RepeatFilter.maximumQueues - 1 {
            try first.storage.overwrite(folder + "gone-\(number)", with: [1])
        }
        var disk = first.storageAfterKill()
        let second = try InMemoryAnalytics(storage: disk, clock: first.clock)
        #expect(try second.storage.names(in: folder.dropLast().description).count == RepeatFilter.maximumQueues)
        try second.storage.overwrite(folder + "one-more", with: [1])
        disk = second.storageAfterKill()
        let third = try InMemoryAnalytics(storage: disk, clock: first.clock)
        #expect(try third.storage.names(in: folder.dropLast().description) == ["stays"])
        try third.analytics.addDestination(QueueFixture.destination("stays").configured(delivery: policy))
        #expect(third.analytics.record("state", to: ["stays"]).dropped == .duplicate)
    }

    @Test
    func `each file that cannot be written is reported once, recording works, and the file is written when possible`()
        async throws
    {
        let memory = try InMemoryAnalytics()
        memory.storage.fail(.replace, with: .noSpace, paths: Self.path)
        memory.storage.fail(.overwrite, with: .noSpace)
        try memory.analytics.addDestination(QueueFixture.destination("queue").configured(delivery: policy))
        #expect(memory.analytics.record("one", to: ["queue"]).durability == .kernel)
        #expect(memory.analytics.record("one", to: ["queue"]).dropped == .duplicate)
        memory.analytics.record("two", to: ["queue"])
        #expect(memory.diagnostics.map(\.code) == [.streamsNotKept, .streamsNotKept])
        memory.storage.clearFaults()
        memory.analytics.record("three", to: ["queue"])
        #expect((await memory.analytics.flush()).isComplete)
        #expect(memory.arrived(at: "queue") == ["one", "two", "three"])
        let next = try InMemoryAnalytics(storage: memory.storageAfterKill(), clock: memory.clock)
        next.analytics.record("early")
        try next.analytics.addDestination(QueueFixture.destination("queue").configured(delivery: policy))
        #expect(next.analytics.record("three", to: ["queue"]).dropped == .duplicate)
        #expect((await next.analytics.flush()).isComplete)
        #expect(next.arrived(at: "queue") == ["early"])
    }

    @Test
    func `an unreadable file is reported and not overwritten with less data`() throws {
        let first = try InMemoryAnalytics()
        try first.analytics.addDestination(QueueFixture.destination("queue").configured(delivery: policy))
        first.analytics.record("state", to: ["queue"])
        let disk = first.storageAfterKill()
        disk.fail(.contents, with: .denied, paths: Self.path)
        let second = try InMemoryAnalytics(storage: disk, clock: first.clock)
        try second.analytics.addDestination(QueueFixture.destination("other").configured(delivery: policy))
        #expect(second.diagnostics.map(\.code) == [.streamsNotKept])
        disk.clearFaults()
        second.analytics.record("mine", to: ["other"])
        let third = try InMemoryAnalytics(storage: second.storageAfterKill(), clock: first.clock)
        try third.analytics.addDestination(QueueFixture.destination("queue").configured(delivery: policy))
        try third.analytics.addDestination(QueueFixture.destination("other").configured(delivery: policy))
        #expect(third.analytics.record("state", to: ["queue"]).dropped == .duplicate)
        #expect(third.analytics.record("mine", to: ["other"]).dropped == .duplicate)
    }

    @Test
    func `two processes of one installation keep each other's destinations`() async throws {
        let one = try InMemoryAnalytics()
        let two = try InMemoryAnalytics(storage: one.storage, clock: one.clock)
        try one.analytics.addDestination(QueueFixture.destination("first"))
        try two.analytics.addDestination(QueueFixture.destination("second"))
        let next = try InMemoryAnalytics(storage: two.storageAfterKill(), clock: one.clock)
        next.analytics.record("early")
        try next.analytics.addDestination(QueueFixture.destination("first"))
        try next.analytics.addDestination(QueueFixture.destination("second"))
        #expect((await next.analytics.flush()).isComplete)
        #expect(next.arrived(at: "first") == ["early"])
        #expect(next.arrived(at: "second") == ["early"])
    }

    @Test
    func `the stored state grows with the existing queues, not with all queues that ever existed`() throws {
        let time = DeviceTime(wall: Timestamp(milliseconds: 1), monotonic: MonotonicTime(milliseconds: 1), boot: "b")
        var memory = QueueRegistryMemory()
        memory.apply(.added("stays"))
        memory.apply(.uploaded("stays", time))
        for number in 0..<2_000 {
            memory.apply(.uploaded(try #require(DestinationID("gone-\(number)")), time))
        }
        #expect(memory.lastUpload(of: "stays") == time)
        #expect(memory.lastUpload(of: "gone-1999") == time)
        #expect(memory.lastUpload(of: "gone-0") == nil)
    }

    @Test
    func `a later change replaces only earlier changes of the same state`() {
        let time = DeviceTime(wall: Timestamp(milliseconds: 1), monotonic: MonotonicTime(milliseconds: 1), boot: "b")
        let changes: [QueueRegistryMemory.Change] = [
            .added("a"), .removed("a"), .added("b"), .uploaded("a", time), .erased([]),
        ]
        let table = changes.map { later in changes.map { later.replaces($0) } }
        #expect(table[0] == [true, true, false, false, false])
        #expect(table[1] == [true, true, false, false, false])
        #expect(table[2] == [false, false, true, false, false])
        #expect(table[3] == [false, false, false, true, false])
        #expect(table[4] == [true, true, true, true, true])
    }

    @Test
    func `if an app adds new destinations in each run and removes none, the last added ones are remembered`() throws {
        let ids = try (0..<300).map { try #require(DestinationID("queue-\($0)")) }
        var memory = QueueRegistryMemory()
        for id in ids[..<256] { memory.apply(.added(id)) }
        #expect(memory.destinations == Array(ids[..<256]))
        // This destination is added in each run.
        memory.apply(.added(ids[0]))
        #expect(memory.destinations.count == 256)
        for id in ids[256...] { memory.apply(.added(id)) }
        #expect(memory.destinations == Array(ids[45..<256]) + [ids[0]] + Array(ids[256...]))
    }

    @Test
    func `a destination that is added again in each run stays among the last added ones`() throws {
        var memory = try InMemoryAnalytics()
        try memory.analytics.addDestination(QueueFixture.destination("first"))
        try memory.analytics.addDestination(QueueFixture.destination("second"))
        memory = try InMemoryAnalytics(storage: memory.storageAfterKill(), clock: memory.clock)
        try memory.analytics.addDestination(QueueFixture.destination("first"))
        let bytes = try #require(try memory.storage.contents(of: Self.path))
        #expect(String(decoding: bytes, as: UTF8.self).contains(#""added":["second","first"]"#))
    }

    @Test
    func `the time of another process's last upload request is known`() async throws {
        let one = try InMemoryAnalytics()
        // The second process must not deliver: it does not know the queue.
        try await Deadline.wait(while: !one.analytics.delivery.service.isDelivering)
        let two = try InMemoryAnalytics(storage: one.storage, clock: one.clock)
        try await one.addQueue(QueueFixture.policy(olderThan: .seconds(60)))
        #expect(two.analytics.lastUpload(of: "queue") == nil)
        one.analytics.record("first", to: ["queue"])
        try await Deadline.wait(while: one.analytics.lastUpload(of: "queue") == nil)
        #expect(two.analytics.lastUpload(of: "queue") == one.clock.now().wall)
    }
}
