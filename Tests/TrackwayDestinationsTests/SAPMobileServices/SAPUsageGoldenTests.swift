// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayDestinations

@Suite("Usage reports, field by field")
struct SAPUsageGoldenTests {
    private static let interaction: Attributes = [
        "type": "userInteraction", "view": "Products Listing Screen", "element": "Products Table",
        "action": "Row Selected", "value": "Trail Shoe",
    ]
    private static let checkout: Attributes = [
        "type": "timer", "screen": "Checkout", "category": "Sales", "result": "success", "unit": "EUR",
        "measurement": "basket", "value": 99.9, "cases": "B",
    ]

    /// The example's session as an app records it.
    ///
    /// It consists of captured events and three of the app's own.
    static let native: [Event] = [
        SAPUsageSample.event(
            CapturedName.sessionStart,
            [
                CapturedKey.sessionID: "e9b51d0c-50b0-4f27-9d62-0c0b4e0c3a10",
                CapturedKey.sessionStart: 1_718_000_000_000,
            ]
        ),
        SAPUsageSample.event(
            CapturedName.screenView,
            [CapturedKey.screenName: "Products Listing Screen"],
            after: 3_120
        ),
        SAPUsageSample.event("BehaviorEvent", interaction, after: 9_480),
        SAPUsageSample.event(
            "CheckoutDuration",
            checkout.merging([CapturedKey.eventDuration: 88.75]),
            after: 20_000
        ),
        SAPUsageSample.event(CapturedName.appEnd, after: 110_250),
    ]

    /// The same session as records with the format's own attributes.
    ///
    /// The context has other values.
    static let spelled: [Event] = [
        SAPUsageSample.event("SessionStart", withReservedAttributes([:])),
        SAPUsageSample.event(
            "BehaviorEvent",
            withReservedAttributes(["type": "viewDisplayed", "view": "Products Listing Screen"]),
            after: 3_120
        ),
        SAPUsageSample.event("BehaviorEvent", withReservedAttributes(interaction), after: 9_480),
        SAPUsageSample.event(
            "_event",
            withReservedAttributes(checkout.merging(["duration": "88.75", "_sap_key": "CheckoutDuration"])),
            after: 20_000
        ),
        SAPUsageSample.event("SessionEnd", withReservedAttributes(["duration": 110.25]), after: 110_250),
    ]

    private static func withReservedAttributes(_ attributes: Attributes) -> Attributes {
        attributes.merging([
            "_sap_session": "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10", "_sap_application": "org.example.shop",
            "_sap_application_version": "3.2.0", "_sap_device": .string(SAPUsageSample.device),
            "_sap_device_model": "iPhone", "_sap_platform": "iOS", "_sap_platform_version": "17.5.1",
        ])
    }

    private static let otherContext = RecordedContext(
        app: ["version": "9"],
        device: ["id": "x", "platform": "Linux", "model": "m", "zone_offset_seconds": 7_200],
        session: .init(id: "another", number: 1, start: Timestamp(milliseconds: 0)),
        screen: .init(name: "Somewhere"),
        global: ["category": "global", "channel": "store"]
    )

    @Test(arguments: [(native, SAPUsageSample.context), (spelled, otherContext)])
    func `the format's example is matched by an app's events and by the format's own attributes`(
        _ events: [Event],
        _ context: RecordedContext
    ) throws {
        let expected = try SAPUsageSample.leaves(SAPUsageSample.fixture("report"))
        let request = try SAPUsageSample.request(SAPUsageSample.batch(events, in: context))
        let sent = try SAPUsageSample.leaves(JSONValue.parse(request.body))
        // The report's ID is ours.
        for (place, value) in expected where place != ".report" { #expect(sent[place] == value, "\(place)") }
        #expect(Set(sent.keys) == Set(expected.keys))
        let id = try #require(sent[".report"]?.string)
        #expect(InstallationID(id) != nil)
        #expect(id == id.uppercased())
        #expect(request.omitted.isEmpty)
        #expect(request.method == "POST")
        #expect(
            request.url
                == "https://mobile.test/mobileservices/application/org.example.shop/clientusage/v1/runtime/clientusage/application/org.example.shop/device/0C2A7C36-5D0B-4C6E-8C0F-6C1E2B7F90A4"
        )
        #expect(request.headers["content-type"] == "application/json")
    }

    @Test
    func `the policy is read as delivered and written back unchanged`() throws {
        let delivered = try SAPUsageSample.fixture("policy")
        let policy = try #require(SAPMobileServicesPolicy(delivered))
        #expect(policy.dataCollectionEnabled)
        #expect(policy.uploadDataAfterDays == 1)
        #expect(!policy.crashLogUploadEnabled)
        #expect(try JSONValue.parse(policy.settingsExchange) == delivered)
    }
}
