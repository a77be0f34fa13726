// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinations
internal import TrackwayTesting

@testable internal import ClickstreamCompatibility

@Suite("Clickstream calls beyond the samples")
struct ClickstreamCallsTests {
    private let app = ClickstreamApp()

    private var usual: ClickstreamConfiguration {
        ClickstreamConfiguration().withAppId("shop").withEndpoint("https://example.com/collect").withCompressEvents(
            false
        )
    }

    private func started(_ configuration: ClickstreamConfiguration? = nil) throws -> ClickstreamCore {
        let core = app.core()
        try core.start(configuration ?? usual)
        return core
    }

    private func errors() async throws -> [Int64?] {
        try await app.sent("_clickstream_error").map { $0.attribute("_error_code")?.integer }
    }

    // MARK: Start

    @Test
    func `calls before the start have no effect and are reported once the SDK is running`() async throws {
        let core = app.core()
        core.record("early", [:], [])
        core.addGlobalAttributes(["early": 1])
        core.deleteGlobalAttributes(["early"])
        core.addUserAttributes(["early": 1])
        core.setUser("early")
        core.flush()
        core.disable()
        core.enable()
        #expect(throws: ClickstreamError.self) { try core.liveConfiguration() }
        try core.start(usual)
        core.record("late", [:], [])
        let events = try await app.sent()
        #expect(events.map(\.name) == ["_first_open", "_app_start", "_session_start", "late"])
        #expect(events.allSatisfy { $0.attribute("early") == nil && $0.user("_user_id") == nil })
        #expect(app.diagnostics.map(\.code).contains(.calledBeforeInitialization))
        #expect(app.diagnostics.first { $0.code == .calledBeforeInitialization }?.value == "8 calls")
    }

    @Test
    func `a second start is reported, and the first one stays in effect`() async throws {
        let core = try started()
        try core.start(usual.withAppId("other"))
        #expect(app.starts == 1)
        #expect(app.diagnostics.map(\.code).contains(.initializedTwice))
        core.record("one", [:], [])
        #expect(try await app.sent("one").first?["app_id"]?.string == "shop")
    }

    @Test
    func `a failed start can be retried`() throws {
        let core = app.core()
        let error = #expect(throws: ClickstreamError.self) { try core.start(nil) }
        #expect(error?.code == .incomplete)
        try core.start(usual)
        #expect(app.starts == 1)
    }

    @Test
    func `unusable storage is an error, not a trap`() {
        let core = ClickstreamCore(
            readFile: { nil },
            makeAnalytics: { _ in throw ClickstreamError(.invalidFile, "no disk") }
        )
        let error = #expect(throws: ClickstreamError.self) { try core.start(usual) }
        #expect(error?.code == .notStarted)
    }

    @Test
    func `code overrides the file, and the file overrides defaults`() throws {
        let core = app.core(file: DocumentSampleTests.file)
        try core.start(ClickstreamConfiguration().withAppId("mine").withSendEventInterval(0))
        #expect(app.configuration?.appID == "mine")
        let destination = try #require(app.configuration?.destinations.first?.destination as? ClickstreamDestination)
        #expect(destination.endpoint == "https://example.com/collect")
        #expect(destination.isCompressed)
    }

    @Test(
        arguments: [
            (#"{"appId":7}"#, "appId"), (#"{"endpoint":true}"#, "endpoint"),
            (#"{"isCompressEvents":"yes"}"#, "isCompressEvents"),
            (#"{"isTrackAppExceptionEvents":1}"#, "isTrackAppExceptionEvents"),
            (#"{"autoFlushEventsInterval":-1}"#, "autoFlushEventsInterval"),
            (#"{"autoFlushEventsInterval":"10"}"#, "autoFlushEventsInterval"), ("7", "awsClickstreamPlugin"),
        ],
        ["awsClickstreamPlugin", "awsClickstreamPlugin "]
    )
    func `a file with an invalid value is rejected with the value's name`(_ plugin: (String, String), _ key: String) {
        let file = #"{"analytics":{"plugins":{"\#(key)":\#(plugin.0)}}}"#
        let error = #expect(throws: ClickstreamError.self) { try app.core(file: file).start(usual) }
        #expect(error?.code == .invalidFile)
        #expect(error?.message.contains(plugin.1) == true)
    }

    @Test
    func `a file that is not JSON is rejected, and one without the plugin has no effect`() throws {
        #expect(throws: ClickstreamError.self) { try app.core(file: "nonsense").start(usual) }
        #expect(throws: ClickstreamError.self) { try app.core(file: #"{"analytics":{}}"#).start(nil) }
        try app.core(file: #"{"analytics":{"plugins":{}}}"#).start(usual)
    }

    @Test(arguments: [(500, 500), (0, 10_000), (-5, 10_000)])
    func `both spellings of the interval set the same option, and values below 1 are ignored`(
        _ milliseconds: Int,
        _ expected: Int
    ) throws {
        for configuration in [usual.withSendEventInterval(milliseconds), usual.withSendEventsInterval(milliseconds)] {
            let core = app.core()
            try core.start(configuration)
            #expect(app.configuration?.delivery.policy.flushInterval == .milliseconds(expected))
        }
    }

    @Test
    func `options select the automatic events, and crash capture is off by default`() throws {
        _ = try started()
        #expect(app.configuration?.capture == .standard)
        _ = try started(
            usual.withTrackScreenViewEvents(false).withTrackUserEngagementEvents(false).withTrackAppExceptionEvents(
                true
            )
        )
        #expect(app.configuration?.capture == [.launches, .sessions, .updates, .crashes])
        #expect(app.configuration?.sessions.timeout == .seconds(1_800))
        _ = try started(usual.withSessionTimeoutDuration(60_000))
        #expect(app.configuration?.sessions.timeout == .seconds(60))
    }

    // MARK: While the SDK works

    @Test
    func `the endpoint, app ID, compression, cookie and log option can change while the SDK is running`() async throws {
        let core = try started()
        core.record("one", [:], [])
        _ = try await app.sent()
        try core.liveConfiguration().withAppId("second").withEndpoint("https://second.test/in").withCompressEvents(true)
            .withAuthCookie("c=1").withLogEvents(true)
        core.record("two", [:], [])
        #expect(try await app.sent("two").first?["app_id"]?.string == "second")
        let requests = app.network.requests
        #expect(requests.first?.url.hasPrefix("https://example.com/collect?") == true)
        #expect(
            requests.last?.url.hasPrefix("https://second.test/in?platform=Memory&appId=second&compression=gzip&")
                == true
        )
        #expect(requests.last?.headers["cookie"] == "c=1")
        #expect(app.log.count == 1)
    }

    @Test
    func `an invalid setting is reported, and the previous one stays in effect`() async throws {
        let core = try started()
        try core.liveConfiguration().withAppId("")
        #expect(app.diagnostics.map(\.code).contains(.configurationInvalid))
        core.record("one", [:], [])
        #expect(try await app.sent("one").first?["app_id"]?.string == "shop")
    }

    @Test
    func `the disabled state and the global attributes do not outlive the process`() async throws {
        let first = try started()
        first.addGlobalAttributes(["channel": "store"])
        first.disable()
        let second = try started()
        second.record("one", [:], [])
        let event = try #require(try await app.sent("one").first)
        #expect(event.attribute("channel") == nil)
    }

    // MARK: Values

    @Test
    func `every documented type is sent unchanged, without rounding errors`() async throws {
        let core = try started()
        core.record(
            "types",
            [
                "int": 12, "int64": Int64(26_854_775_808), "double": 3.14, "price": 279.9, "bool": true,
                "string": "clickstream", "decimal": Decimal(string: "0.1") ?? 0, "whole": Decimal(7),
                "large": Decimal(UInt64.max),
            ],
            []
        )
        let event = try #require(try await app.sent("types").first)
        #expect(event.attribute("int")?.integer == 12)
        #expect(event.attribute("int64")?.integer == 26_854_775_808)
        #expect(event.attribute("double") == .double(3.14))
        #expect(event.attribute("price") == .double(279.9))
        #expect(event.attribute("bool")?.boolean == true)
        #expect(event.attribute("string")?.string == "clickstream")
        #expect(event.attribute("decimal") == .double(0.1))
        #expect(event.attribute("whole")?.integer == 7)
        #expect(event.attribute("large")?.string == "18446744073709551615")
        #expect(String(decoding: app.network.requests[0].body, as: UTF8.self).contains(#""price":279.9,"#))
    }

    @Test
    func `2005: a number that is not finite loses only its attribute`() async throws {
        let core = try started()
        core.record("e", ["bad": Double.infinity, "decimal": Decimal.nan, "good": 1], [])
        let event = try #require(try await app.sent("e").first)
        #expect(event.attribute("bad") == nil)
        #expect(event.attribute("decimal") == nil)
        #expect(event.attribute("good")?.integer == 1)
        #expect(event.attribute("_error_code")?.integer == 2005)
    }

    @Test
    func `an item without an ID is omitted, and the others remain`() async throws {
        let core = try started()
        core.record("e", [:], [["name": "nobody"], ["id": 7], ["id": ""]])
        let event = try #require(try await app.sent("e").first)
        #expect(event["items"]?.array?.map { $0["id"]?.string } == ["7"])
        #expect(event.attribute("_error_code") == nil)
        #expect(app.diagnostics.contains { $0.code == .itemInvalid })
    }

    // MARK: Limits

    @Test(arguments: ["9lives", "", "名前", "a-b"])
    func `1001: an event with an invalid name is reported by an error event`(_ name: String) async throws {
        let core = try started()
        core.record(name, ["own": 1], [])
        #expect(try await errors() == [1001])
    }

    @Test(arguments: ["n", "名", "👩‍👩‍👧‍👦"])
    func `1002: a name of 51 characters is too long in any script`(_ character: String) async throws {
        let core = try started()
        core.record(String(repeating: character, count: 51), [:], [])
        #expect(try await errors() == [1002])
    }

    @Test
    func `2001 to 2003: an invalid global attribute is reported by an error event, and the others remain`() async throws
    {
        let core = try started()
        core.addGlobalAttributes([
            String(repeating: "k", count: 51): 1, "9k": 1, "long": String(repeating: "汉", count: 1_025), "fine": "yes",
        ])
        core.record("e", [:], [])
        #expect(Set(try await errors()) == [2001, 2002, 2003])
        let event = try #require(try await app.sent("e").first)
        #expect(event.attribute("fine")?.string == "yes")
        #expect(event.attribute("long") == nil)
        #expect(event.attribute("_error_code") == nil)
    }

    @Test(arguments: [-1, 0, 1])
    func `2004: 500 global attributes are accepted, and one more is reported as an error`(_ offset: Int) async throws {
        let core = try started()
        var attributes: ClickstreamAttribute = [:]
        for number in 0..<(500 + offset) { attributes["g\(1_000 + number)"] = number }
        core.addGlobalAttributes(attributes)
        #expect(app.analytics?.recordedContext.global.count == min(500, 500 + offset))
        let limitDiagnostics = app.diagnostics.filter { $0.code == .limitBroken }
        #expect(limitDiagnostics.map(\.field) == (offset > 0 ? ["2004"] : []))
        core.addGlobalAttributes(["g1000": "again"])
        #expect(app.analytics?.recordedContext.global["g1000"]?.string == "again")
    }

    @Test
    func `3002 to 3004: an invalid user attribute is reported by an error event, and the others remain`() async throws {
        let core = try started()
        core.addUserAttributes([
            String(repeating: "k", count: 51): 1, "9k": 1, "long": String(repeating: "汉", count: 257), "fine": "yes",
        ])
        #expect(Set(try await errors()) == [3002, 3003, 3004])
        let event = try #require(try await app.sent("_profile_set").first)
        #expect(event.user("fine")?.string == "yes")
        #expect(event.user("long") == nil)
    }

    @Test(arguments: [-1, 0, 1])
    func `3001: a user has up to 100 attributes, and one more causes an error event`(_ offset: Int) async throws {
        let core = try started()
        var attributes: ClickstreamAttribute = [:]
        for number in 0..<(100 + offset) { attributes["u\(1_000 + number)"] = number }
        core.addUserAttributes(attributes)
        #expect(try await errors() == (offset > 0 ? [3001] : []))
        let event = try #require(try await app.sent("_profile_set").last)
        let userAttributes = event["user"]?.object?.members.filter { $0.key.hasPrefix("u1") } ?? []
        #expect(userAttributes.count == min(100, 100 + offset))
    }

    @Test
    func `5001: a screen view whose name is missing or not text is reported by an error event`()
        async throws
    {
        let core = try started()
        core.record("_screen_view", [:], [])
        core.record("_screen_view", ["_screen_name": 7], [])
        core.record("_screen_view", ["_screen_name": ""], [])
        #expect(try await errors() == [5001, 5001, 5001])
        #expect(try await app.sent("_screen_view").isEmpty)
    }

    @Test
    func `of 1,500 attributes, only those beyond the limit are lost`() async throws {
        let core = try started()
        var attributes: ClickstreamAttribute = [:]
        for number in 0..<1_500 { attributes["a\(number)"] = number }
        core.record("e", attributes, [])
        core.addUserAttributes(attributes)
        let event = try #require(try await app.sent("e").first)
        #expect(event.attribute("_error_code")?.integer == 2004)
        #expect((event["attributes"]?.object?.members.count ?? 0) <= 477)
    }

    // MARK: Screens

    @Test
    func `manual screens are recorded while automatic ones are off, and a repeated screen is one view`() async throws {
        let core = try started(usual.withTrackScreenViewEvents(false))
        core.record("_screen_view", ["_screen_name": "Home", "_screen_unique_id": "1", "shelf": 3], [])
        core.record("_screen_view", ["_screen_name": "Home", "_screen_unique_id": "1"], [])
        app.clock.advance(by: .seconds(2))
        core.record("_screen_view", ["_screen_name": "Detail", "_screen_unique_id": 7], [])
        let views = try await app.sent("_screen_view")
        #expect(views.map { $0.attribute("_screen_name")?.string } == ["Home", "Detail"])
        #expect(views.first?.attribute("shelf")?.integer == 3)
        #expect(views.map { $0.attribute("_entrances")?.integer } == [1, 0])
        #expect(views.last?.attribute("_previous_screen_name")?.string == "Home")
        #expect(views.last?.attribute("_previous_screen_unique_id")?.string == "1")
        #expect(views.last?.attribute("_previous_timestamp") != nil)
        let engagement = try await app.sent("_user_engagement")
        #expect(engagement.map { $0.attribute("_engagement_time_msec")?.integer } == [2_000])
    }

    @Test
    func `a screen shown again with different attributes is a separate view`() async throws {
        let core = try started()
        for sku in ["s0", "s1", "s2", "s2"] {
            core.record("_screen_view", ["_screen_name": "Product", "sku": sku], [])
        }
        let views = try await app.sent("_screen_view")
        #expect(views.map { $0.attribute("sku")?.string } == ["s0", "s1", "s2"])
    }

    // MARK: The user

    @Test
    func `signing out removes all user data except the unique ID from later events`() async throws {
        let core = try started()
        core.setUser("john")
        core.addUserAttributes(["name": "John", "age": 20])
        core.setUser(nil)
        core.record("after", [:], [])
        let after = try #require(try await app.sent("after").first)
        #expect(after.user("name") == nil)
        #expect(after.user("age") == nil)
        #expect(after.user("_user_id") == nil)
    }

    @Test
    func `each call records an event, even if it changes nothing, and an empty ID means no signed-in user`()
        async throws
    {
        let core = try started()
        core.setUser("a")
        core.setUser("a")
        core.setUser("")
        core.setUser(nil)
        core.addUserAttributes([:])
        let events = try await app.sent("_profile_set")
        #expect(events.map { $0.user("_user_id")?.string } == ["a", "a", nil, nil, nil])
    }

    @Test
    func `user attributes survive a restart`() async throws {
        let first = try started()
        first.setUser("carl")
        first.addUserAttributes(["tier": "gold"])
        let second = try started()
        second.record("later", [:], [])
        let event = try #require(try await app.sent("later").first)
        #expect(event.user("tier")?.string == "gold")
        #expect(event.user("_user_id")?.string == "carl")
    }

    @Test(arguments: [(59, 1), (60, 2), (61, 2)])
    func `the configured session timeout applies`(_ seconds: Int, _ sessions: Int) async throws {
        let core = try started(usual.withSessionTimeoutDuration(60_000))
        core.record("one", [:], [])
        let analytics = try #require(app.analytics)
        analytics.lifecycleChanged(to: .didEnterBackground)
        app.clock.advance(by: .seconds(seconds))
        analytics.lifecycleChanged(to: .willEnterForeground)
        analytics.lifecycleChanged(to: .didBecomeActive)
        core.record("two", [:], [])
        let starts = try await app.sent("_session_start")
        #expect(starts.count == sessions)
        let two = try #require(try await app.sent("two").first)
        #expect(two.attribute("_session_number")?.integer == Int64(sessions))
        let id = try #require(two.attribute("_session_id")?.string)
        let unique = try #require(two["unique_id"]?.string)
        #expect(id.hasPrefix(String(unique.suffix(8)) + "-"))
    }

    @Test
    func `unique IDs follow the users: visitor 1, A 1, sign-out 1, B 2, sign-out 2, A 1, C 3`() async throws {
        let core = try started()
        for (number, user) in [nil, "A", nil, "B", nil, "A", "C"].enumerated() {
            if number > 0 { core.setUser(user) }
            core.record("visit", [:], [])
        }
        let ids = try await app.sent("visit").compactMap { $0["unique_id"]?.string }
        var seen: [String] = []
        let numbers = ids.map { id -> Int in
            if !seen.contains(id) { seen.append(id) }
            return (seen.firstIndex(of: id) ?? 0) + 1
        }
        #expect(numbers == [1, 1, 1, 2, 2, 1, 3])
    }
}
