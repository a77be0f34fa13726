// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClickstreamCompatibility
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinations
internal import TrackwayTesting

@testable internal import ClickstreamSamples

/// Tests of the samples with the static calls.
///
/// The calls use one shared instance, so the tests run one after another.
@Suite("Code samples in Clickstream's document", .serialized)
struct DocumentSampleTests {
    static let file = """
        {
          "analytics": {
            "plugins": {
              "awsClickstreamPlugin ": {
                "appId": "appId",
                "endpoint": "https://example.com/collect",
                "isCompressEvents": true,
                "autoFlushEventsInterval": 10000,
                "isTrackAppExceptionEvents": false
              }
            }
          }
        }
        """

    private let app = ClickstreamApp()

    init() {
        let app = app
        ClickstreamAnalytics.shared.restart(readFile: { Array(Self.file.utf8) }, makeAnalytics: { try app.open($0) })
    }

    private func start() throws {
        try ClickstreamAnalytics.initSDK()
    }

    @Test
    func `3. the SDK, started in the app delegate with the file's settings, records the events of a first start`()
        async throws
    {
        #expect(AppDelegate().application(UIApplication(), didFinishLaunchingWithOptions: nil))
        let names = try await app.sent().map(\.name)
        #expect(names == ["_first_open", "_app_start", "_session_start"])
        let request = try #require(app.network.requests.first)
        #expect(request.url.hasPrefix("https://example.com/collect?platform=Memory&appId=appId&compression=gzip&"))
        #expect(app.configuration?.delivery.policy.flushInterval == .seconds(10))
    }

    @Test
    func `4. events are recorded with attributes and with only a name`() async throws {
        try start()
        documentRecordsEvents()
        let events = try await app.sent("button_click")
        #expect(events.count == 2)
        #expect(events.first?.attribute("category")?.string == "shoes")
        #expect(events.first?.attribute("currency")?.string == "CNY")
        #expect(events.first?.attribute("value")?.double == 279.9)
        #expect(events.last?.attribute("value") == nil)
    }

    @Test
    func `global attributes in the configuration are in every event, including the first`() async throws {
        try documentStartsWithGlobalAttributes()
        ClickstreamAnalytics.recordEvent("later")
        let events = try await app.sent()
        #expect(events.map(\.name) == ["_first_open", "_app_start", "_session_start", "later"])
        let expected = [
            "_traffic_source_source": "amazon", "_traffic_source_medium": "cpc",
            "_traffic_source_campaign": "summer_promotion", "_traffic_source_campaign_id": "summer_promotion_01",
            "_traffic_source_term": "running_shoes", "_traffic_source_content": "banner_ad_1",
            "_traffic_source_clid": "amazon_ad_123", "_traffic_source_clid_platform": "amazon_ads",
            "_app_install_channel": "App Store",
        ]
        for event in events {
            for (name, value) in expected { #expect(event.attribute(name)?.string == value, "\(event.name) \(name)") }
        }
        #expect(app.network.requests.first?.url.contains("appId=your%20appId&") == true)
    }

    @Test
    func `global attributes added later are in all later events, except a deleted one`() async throws {
        try start()
        ClickstreamAnalytics.recordEvent("before")
        documentAddsGlobalAttributes()
        ClickstreamAnalytics.recordEvent("after")
        let before = try #require(try await app.sent("before").first)
        let after = try #require(try await app.sent("after").first)
        #expect(before.attribute("class") == nil)
        #expect(after.attribute("_app_install_channel")?.string == "App Store")
        #expect(after.attribute("class")?.integer == 6)
        #expect(after.attribute("isOpenNotification")?.boolean == true)
        #expect(after.attribute("level") == nil)
    }

    @Test
    func `a deleted global attribute is in no later event`() async throws {
        try start()
        ClickstreamAnalytics.addGlobalAttributes(["level": 5.1])
        ClickstreamAnalytics.recordEvent("before")
        documentDeletesGlobalAttributes()
        ClickstreamAnalytics.recordEvent("after")
        #expect(try await app.sent("before").first?.attribute("level")?.double == 5.1)
        #expect(try await app.sent("after").first?.attribute("level") == nil)
    }

    @Test
    func `signing in and out records one event each, and events in between have the user ID`() async throws {
        try start()
        documentSignsInAndOut()
        let events = try await app.sent("_profile_set")
        #expect(events.map { $0.user("_user_id")?.string } == ["userId", nil])
        let signedIn = try #require(events.first)
        #expect(signedIn["user"]?["_user_id"]?["set_timestamp"] == signedIn["timestamp"])
        #expect(events.allSatisfy { $0.user("_user_first_touch_timestamp") != nil })
    }

    @Test
    func `user attributes are recorded by an event and included in all later ones`() async throws {
        try start()
        documentAddsUserAttributes()
        ClickstreamAnalytics.recordEvent("later")
        for name in ["_profile_set", "later"] {
            let event = try #require(try await app.sent(name).last)
            #expect(event.user("_user_age")?.integer == 21)
            #expect(event.user("_user_name")?.string == "carl")
            #expect(event["user"]?["_user_name"]?["set_timestamp"]?.integer == event["timestamp"]?.integer)
        }
    }

    @Test
    func `an event contains its items with their custom attributes`() async throws {
        try start()
        documentRecordsItems()
        let event = try #require(try await app.sent("view_item").first)
        #expect(event.attribute("_value")?.double == 99.9)
        #expect(event.attribute("_currency")?.string == "USD")
        #expect(event.attribute("event_category")?.string == "recommended")
        let item = try #require(event["items"]?.array?.first)
        #expect(item["id"]?.string == "123")
        #expect(item["name"]?.string == "Nature")
        #expect(item["category"]?.string == "book")
        #expect(item["price"]?.double == 99.9)
        #expect(item["book_publisher"]?.string == "Nature Research")
    }

    @Test
    func `a manual screen view is recorded, and later events have its screen`() async throws {
        try start()
        documentRecordsScreenView()
        ClickstreamAnalytics.recordEvent("later")
        let view = try #require(try await app.sent("_screen_view").first)
        #expect(view.attribute("_screen_name")?.string == "HomeView")
        #expect(view.attribute("_screen_unique_id")?.string == "your screen uniqueId")
        #expect(view.attribute("_entrances")?.integer == 1)
        let later = try #require(try await app.sent("later").first)
        #expect(later.attribute("_screen_name")?.string == "HomeView")
        #expect(later.attribute("_screen_unique_id")?.string == "your screen uniqueId")
    }

    @Test
    func `flushing sends pending events immediately`() async throws {
        try start()
        ClickstreamAnalytics.recordEvent("waits")
        documentFlushesEvents()
        await app.network.untilRequested(1)
        #expect(app.network.requests.count == 1)
    }

    @Test
    func `nothing is recorded while disabled, and recording resumes when enabled`() async throws {
        try start()
        ClickstreamAnalytics.recordEvent("before")
        ClickstreamAnalytics.disable()
        ClickstreamAnalytics.recordEvent("between")
        documentDisablesAndEnables()
        ClickstreamAnalytics.recordEvent("after")
        let names = try await app.sent().map(\.name).filter { !$0.hasPrefix("_") }
        #expect(names == ["before", "after"])
    }

    @Test
    func `every option of the configuration takes effect`() async throws {
        try documentChoosesAllOptions()
        ClickstreamAnalytics.recordEvent("one")
        let event = try #require(try await app.sent("one").first)
        #expect(event.attribute("_traffic_source_source")?.string == "amazon")
        let request = try #require(app.network.requests.first)
        #expect(request.url.hasPrefix("https://example.com/collect?"))
        #expect(request.url.contains("appId=your%20appId&compression=gzip&"))
        #expect(request.headers["cookie"] == "your authentication cookie")
        #expect(app.log.contains { $0.hasPrefix("EventRecorder {") && $0.contains(#""event_type":"one""#) })
        let configuration = try #require(app.configuration)
        #expect(configuration.delivery.policy.flushInterval == .seconds(10))
        #expect(configuration.sessions.timeout == .seconds(1_800))
        #expect(configuration.capture == CaptureOptions.standard.union(.crashes))
    }

    @Test
    func `changes to the live configuration take effect immediately`() async throws {
        try start()
        documentChangesTheConfiguration()
        ClickstreamAnalytics.recordEvent("one")
        _ = try await app.sent()
        let request = try #require(app.network.requests.last)
        #expect(request.url.contains("appId=your%20appId&"))
        #expect(request.headers["cookie"] == "your authentication cookie")
        #expect(app.log.contains { $0.hasPrefix("EventRecorder {") && $0.contains(#""event_type":"one""#) })
    }
}
