// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayTesting
internal import TrackwayWire

@testable internal import SiftCompatibility
@testable internal import SiftSamples

/// The samples use the one instance: one after the other.
@Suite("The document's code samples do what the document says", .serialized)
struct DocumentSampleTests {
    private let app = SiftApp(collects: true)

    init() async throws {
        Sift.share(try await app.launch())
    }

    @Test("the sample in Swift configures the shared instance, and what is appended to it is sent")
    func swift() async throws {
        documentConfiguresInSwift()
        try await expectConfigured()
    }

    @Test("the sample in Objective-C does the same, statement by statement")
    func objectiveC() async throws {
        documentConfiguresInObjectiveC()
        try await expectConfigured()
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
        await sift.settle()
        #expect(try app.types.contains("checkout"))
        #expect(try app.received.contains { $0["ios_device_properties"]?["device_name"]?.string == "iPhone" })
        let request = try #require(app.network.requests.first)
        #expect(request.url == "https://api3.siftscience.com/v3/accounts/YOUR_ACCOUNT_ID/mobile_events")
    }
}
