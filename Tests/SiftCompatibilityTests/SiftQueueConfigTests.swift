// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import SiftCompatibility
internal import SiftObjectiveCSample
internal import Testing
internal import TrackwayCore
internal import TrackwayLifecycle

@testable internal import SiftCompatibility

@Suite("Queue configuration")
struct SiftQueueConfigTests {
    @Test
    func `defaults are zero: every event is accepted and uploaded, and time does not matter`() async throws {
        let config = SiftQueueConfig()
        #expect(config.acceptSameEventAfter == 0)
        #expect(config.uploadWhenMoreThan == 0)
        #expect(config.uploadWhenOlderThan == 0)
        #expect(try #require(config.policy) == QueuePolicy())
    }

    @Test
    func `the with… calls change one member each and leave the original unchanged`() {
        let config = SiftQueueConfig()
        let built = config.withAcceptSameEventAfter(3_600).withUploadWhenMoreThan(8).withUploadWhenOlderThan(30)
        let expected = SiftQueueConfig(acceptSameEventAfter: 3_600, uploadWhenMoreThan: 8, uploadWhenOlderThan: 30)
        #expect(built == expected)
        #expect(config == SiftQueueConfig())
    }

    @Test
    func `the documented configurations have the documented numbers`() {
        let properties = SFIosDevicePropertiesCollectorQueueConfig
        #expect(properties.acceptSameEventAfter == 3_600)
        #expect(properties.uploadWhenMoreThan == 0)
        #expect(properties.uploadWhenOlderThan == 0)
        let state = SFIosAppStateCollectorQueueConfig
        #expect(state.acceptSameEventAfter == 0)
        #expect(state.uploadWhenMoreThan == 32)
        #expect(state.uploadWhenOlderThan == 60)
    }

    @Test(
        arguments: [
            (0, .zero), (-0.5, .zero), (-.infinity, .zero), (0.001, .milliseconds(1)), (60, .seconds(60)),
            (1e300, .seconds(100 * 365 * 86_400)), (.infinity, .seconds(100 * 365 * 86_400)),
        ] as [(Double, Duration)]
    )
    func `times become milliseconds, negative ones become zero, and infinite ones become a century`(
        seconds: Double,
        expected: Duration
    ) async throws {
        let policy = try #require(SiftQueueConfig(acceptSameEventAfter: seconds, uploadWhenOlderThan: seconds).policy)
        #expect(policy.acceptSameEventAfter == expected)
        #expect(policy.uploadWhenOlderThan == expected)
    }

    @Test
    func `a time that is NaN makes the policy invalid`() {
        #expect(SiftQueueConfig(acceptSameEventAfter: .nan).policy == nil)
        #expect(SiftQueueConfig(uploadWhenOlderThan: .nan).policy == nil)
    }
}

@Suite("Destination IDs of queues")
struct SiftQueueNameTests {
    @Test(arguments: ["sift-default", "sift-devprops", "orders", "a.b_c-9"])
    func `a name that is a valid destination ID is kept`(identifier: String) {
        #expect(DestinationID(queue: identifier).rawValue == "sift.\(identifier)")
    }

    static let invalidNames: [String] = [
        "", "/", "orders/new", "../../etc/passwd", "Orders", "orders ", "🛒", "Käse", "\u{0}", "\n",
        String(repeating: "x", count: 60), String(repeating: "x", count: 100_000), "sift-q.0", "q.0",
    ]

    @Test(arguments: invalidNames)
    func `any other name is hashed, always to the same valid destination ID`(identifier: String) {
        let id = DestinationID(queue: identifier)
        #expect(id == DestinationID(queue: identifier))
        #expect(DestinationID(id.rawValue) == id)
        #expect(id.rawValue.hasPrefix("sift.") || id.rawValue.count == 63)
    }

    @Test
    func `more than ten thousand queues have distinct destination IDs`() {
        let names =
            Self.invalidNames + (0..<5_000).map { "queue-\($0)" } + (0..<5_000).map { "Queue/\($0)" }
            // The hashed ID of another queue is not an alias for that queue.
            + Self.invalidNames.map { DestinationID(queue: $0).rawValue }
        #expect(Set(names.map { DestinationID(queue: $0) }).count == Set(names).count)
    }

    @Test
    func `the document's sample structure, filled in by C, is a valid configuration in Swift`() async throws {
        let config = documentDevicePropertiesQueueConfig()
        #expect(config == SFIosDevicePropertiesCollectorQueueConfig)
        let sift = try await SiftApp().launch()
        #expect(sift.addEventQueue("as documented", config: config))
        #expect(sift.eventQueue("as documented")?.config == config)
    }

    @Test
    func `members without a value are zero`() {
        #expect(SiftQueueConfig() == SiftQueueConfig(uploadWhenMoreThan: 0))
        #expect(SiftQueueConfig(acceptSameEventAfter: 1) == SiftQueueConfig().withAcceptSameEventAfter(1))
        #expect(SiftQueueConfig(uploadWhenOlderThan: 2) == SiftQueueConfig().withUploadWhenOlderThan(2))
        let all = SiftQueueConfig(acceptSameEventAfter: 1, uploadWhenMoreThan: 3, uploadWhenOlderThan: 2)
        #expect(SiftQueueConfig(acceptSameEventAfter: 1, uploadWhenMoreThan: 3).withUploadWhenOlderThan(2) == all)
        #expect(SiftQueueConfig(acceptSameEventAfter: 1, uploadWhenOlderThan: 2).withUploadWhenMoreThan(3) == all)
        #expect(SiftQueueConfig(uploadWhenMoreThan: 3, uploadWhenOlderThan: 2).withAcceptSameEventAfter(1) == all)
        #expect(Set([all, all, SiftQueueConfig()]).count == 2)
    }
}
