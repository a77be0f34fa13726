// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDestinationKit
internal import TrackwayTesting

@testable internal import SiftCompatibility
@testable internal import SiftSamples

/// The samples use the shared instance, so they run one after another.
@Suite("Code samples in Sift's document", .serialized)
struct DocumentSampleTests {
    private let app = SiftApp(collects: true)

    init() async throws {
        Sift.share(try await app.launch())
    }

    @Test
    func `the Swift sample configures the shared instance, and its events are sent`() async throws {
        documentConfiguresInSwift()
        try await expectConfigured()
    }

    @Test
    func `the Objective-C sample does the same, statement by statement`() async throws {
        documentConfiguresInObjectiveC()
        try await expectConfigured()
    }

    @Test
    func `every call of chapter 4 compiles with one import and returns the documented result`() async throws {
        documentConfiguresInSwift()
        let sift = Sift.sharedInstance()
        // No queue uploads automatically, so only calls upload events.
        let resting = SiftQueueConfig(uploadWhenMoreThan: -1)
        #expect(sift.removeEventQueue("sift-default"))
        for name in ["sift-default", "sift-devprops", "q"] { #expect(sift.addEventQueue(name, config: resting)) }
        // Known, added, two events appended, nothing ready, not ready, everything uploaded, removed.
        #expect(documentedCallsOfSift("orders") == [false, true, true, true, false, false, true, true])
        #expect(sift.disallowCollectingLocationData)
        #expect(sift.userId == nil)
        #expect(documentedCallsOfEvents() == [true, true, true, true])
        let queue = try #require(sift.eventQueue("q"))
        #expect(
            documentedCallsOfQueues(queue, appending: SiftEvent(type: "a"))
                == [true, false, false, false, true, false, false, false, true]
        )
        #expect(documentedCallsOfTheUploader() == [true, true])
        #expect(documentedCallsOfCollectors() == [false, true, false])
        await sift.deliverAll()
        #expect(try app.received.contains { $0["ios_app_state"]?["raw_gyro"] != nil })
        #expect(try app.types.contains("checkout"))
    }

    private func expectConfigured() async throws {
        let sift = Sift.sharedInstance()
        #expect(sift === Sift.sharedInstance())
        #expect(sift.accountId == "YOUR_ACCOUNT_ID")
        #expect(sift.beaconKey == "YOUR_JAVASCRIPT_SNIPPET_KEY")
        #expect(sift.append(SiftEvent(type: "checkout")))
        let event = SiftEvent(type: nil)
        event.iosDeviceProperties = ["device_name": "iPhone"]
        #expect(SiftEvent.appendDevicePropertiesEvent(event))
        await sift.deliverAll()
        #expect(try app.types.contains("checkout"))
        #expect(try app.received.contains { $0["ios_device_properties"]?["device_name"]?.string == "iPhone" })
        let request = try #require(app.network.requests.first)
        #expect(request.url == "https://api3.siftscience.com/v3/accounts/YOUR_ACCOUNT_ID/mobile_events")
    }
}
