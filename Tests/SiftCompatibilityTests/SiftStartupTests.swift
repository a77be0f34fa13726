// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import SiftCompatibility
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayTesting

@Suite("Processes that are not delivering yet")
struct SiftStartupTests {
    private static let resting = SiftQueueConfig(uploadWhenMoreThan: -1)

    private func sift(in environment: InMemoryEnvironment) -> Sift {
        let sift = Sift(rootDirPath: InMemoryEnvironment.usualFolder) { $0.run(in: environment) }
        sift.accountId = "acct_1"
        sift.beaconKey = "beacon123"
        sift.addEventQueue("q", config: Self.resting)
        return sift
    }

    @Test
    func `the first call reads events of earlier processes, and a forced upload happens later`() async throws {
        let clock = ManualClock()
        var environment = InMemoryEnvironment(clock: clock)
        for round in 1...5 {
            // The test does not wait for delivery to start.
            let sift = sift(in: environment)
            let queue = try #require(sift.eventQueue("q"))
            let earlier = (1..<round).map { "\($0)" }
            #expect(queue.queue.map(\.type) == earlier)
            #expect(queue.lastEvent?.type == earlier.last)
            #expect(sift.append(SiftEvent(type: "\(round)"), toQueue: "q"))
            #expect(queue.queue.map(\.type) == earlier + ["\(round)"])
            clock.advance(by: .milliseconds(1))
            if round < 5 { environment = environment.nextProcess() }
        }
        let last = sift(in: environment.nextProcess())
        #expect(last.upload(true))
        await environment.transport.untilRequested(1)
        await last.deliverAll()
        #expect(last.eventQueue("q")?.queue.isEmpty == true)
        #expect(!last.upload(true))
        // A request contains events from only one process.
        let types = try environment.transport.requests.flatMap { request in
            try #require(try JSONValue.parse(Gzip.inflate(request.body))["data"]?.array)
                .map { $0["mobile_event_type"]?.string }
        }
        #expect(types == ["1", "2", "3", "4", "5"])
    }

    @Test
    func `a process that does not deliver reads the other process's events and can have them sent`() async throws {
        let clock = ManualClock()
        let first = InMemoryEnvironment(clock: clock)
        let deliverer = sift(in: first)
        try await Deadline.wait(while: deliverer.analytics?.delivery.service.isDelivering != true)
        clock.advance(by: .milliseconds(1))
        // Both processes use the same disk, and neither was killed.
        let second = sift(in: InMemoryEnvironment(storage: first.storage, clock: clock, transport: first.transport))
        #expect(deliverer.append(SiftEvent(type: "theirs"), toQueue: "q"))
        #expect(second.append(SiftEvent(type: "mine"), toQueue: "q"))
        #expect(second.eventQueue("q")?.queue.map(\.type) == ["theirs", "mine"])
        #expect(deliverer.eventQueue("q")?.queue.map(\.type) == ["theirs", "mine"])
        #expect(second.eventQueue("q")?.readyForUpload() == false)
        #expect(!second.upload())
        #expect(second.upload(true))
    }
}
