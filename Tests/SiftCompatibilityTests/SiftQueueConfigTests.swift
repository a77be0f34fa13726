// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import SiftCompatibility
internal import SiftObjectiveCSample
internal import Testing
internal import TrackwayBehavior
internal import TrackwayEvents

@testable internal import SiftCompatibility

@Suite("Queue configuration")
struct SiftQueueConfigTests {
    @Test("defaults are zero: every event is accepted and uploaded, and time does not matter")
    func zero() async throws {
        let config = SiftQueueConfig()
        #expect(config.acceptSameEventAfter == 0)
        #expect(config.uploadWhenMoreThan == 0)
        #expect(config.uploadWhenOlderThan == 0)
        #expect(try #require(config.policy) == QueuePolicy())
    }

    @Test("the with… calls change one member each and leave the original unchanged")
    func builders() {
        let config = SiftQueueConfig()
        let built = config.withAcceptSameEventAfter(3_600).withUploadWhenMoreThan(8).withUploadWhenOlderThan(30)
        let expected = SiftQueueConfig(acceptSameEventAfter: 3_600, uploadWhenMoreThan: 8, uploadWhenOlderThan: 30)
        #expect(built == expected)
        #expect(config == SiftQueueConfig())
    }

    @Test("the documented configurations have the documented numbers")
    func documented() {
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
        "times become milliseconds, negative ones become zero, and infinite ones a century",
        arguments: [
            (0, .zero), (-0.5, .zero), (-.infinity, .zero), (0.001, .milliseconds(1)), (60, .seconds(60)),
            (1e300, .seconds(100 * 365 * 86_400)), (.infinity, .seconds(100 * 365 * 86_400)),
        ] as [(Double, Duration)]
    )
    func times(seconds: Double, expected: Duration) async throws {
        let policy = try #require(SiftQueueConfig(acceptSameEventAfter: seconds, uploadWhenOlderThan: seconds).policy)
        #expect(policy.acceptSameEventAfter == expected)
        #expect(policy.uploadWhenOlderThan == expected)
    }

    @Test("a time that is NaN makes the policy invalid")
    func noNumber() {
        #expect(SiftQueueConfig(acceptSameEventAfter: .nan).policy == nil)
        #expect(SiftQueueConfig(uploadWhenOlderThan: .nan).policy == nil)
    }
}

@Suite("Destination IDs of queues")
struct SiftQueueNameTests {
    @Test(
        "a name that is a valid destination ID is kept",
        arguments: ["sift-default", "sift-devprops", "orders", "a.b_c-9"]
    )
    func kept(identifier: String) {
        #expect(DestinationID(queue: identifier).rawValue == "sift.\(identifier)")
    }

    static let strange: [String] = [
        "", "/", "orders/new", "../../etc/passwd", "Orders", "orders ", "🛒", "Käse", "\u{0}", "\n",
        String(repeating: "x", count: 60), String(repeating: "x", count: 100_000), "sift-q.0", "q.0",
    ]

    @Test("any other name is hashed, always to the same valid destination ID", arguments: strange)
    func hashed(identifier: String) {
        let id = DestinationID(queue: identifier)
        #expect(id == DestinationID(queue: identifier))
        #expect(DestinationID(id.rawValue) == id)
        #expect(id.rawValue.hasPrefix("sift.") || id.rawValue.count == 63)
    }

    @Test("more than ten thousand queues have distinct destination IDs")
    func different() {
        let names =
            Self.strange + (0..<5_000).map { "queue-\($0)" } + (0..<5_000).map { "Queue/\($0)" }
            // The hashed ID of another queue is not an alias for that queue.
            + Self.strange.map { DestinationID(queue: $0).rawValue }
        #expect(Set(names.map { DestinationID(queue: $0) }).count == Set(names).count)
    }

    @Test("the document's sample structure, filled in by C, is a valid configuration in Swift")
    func structure() async throws {
        let config = documentDevicePropertiesQueueConfig()
        #expect(config == SFIosDevicePropertiesCollectorQueueConfig)
        let sift = try await SiftApp().launch()
        #expect(sift.addEventQueue("as documented", config: config))
        #expect(sift.eventQueue("as documented")?.config == config)
    }

    @Test("members without a value are zero")
    func zeros() {
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
