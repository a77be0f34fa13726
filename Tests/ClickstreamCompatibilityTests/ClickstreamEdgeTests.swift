// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinations
internal import TrackwayTesting

@testable internal import ClickstreamCompatibility

@Suite("Clickstream log, file, concurrency and limits")
struct ClickstreamEdgeTests {
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

    // MARK: The log

    @Test
    func `the log shows exactly what is sent, including session, user, global attributes and device`() async throws {
        let core = try started(usual.withLogEvents(true).withInitialGlobalAttributes(["channel": "store"]))
        core.setUser("carl")
        core.addUserAttributes(["age": 21])
        core.record("_screen_view", ["_screen_name": "Home"], [])
        core.record("button_click", ["value": 279.9, "bad": Double.nan], [["id": "1", "price": 2.5]])
        try core.liveConfiguration().withAppId("second")
        core.record("later", [:], [])
        let sent = try await app.sent()
        let logged = try app.log.map { line in
            try JSONValue.parse(Array(try #require(line.firstIndex(of: "{").map { line[$0...] }).utf8))
        }
        #expect(app.log.allSatisfy { $0.hasPrefix("EventRecorder {") })
        #expect(logged.count == sent.count)
        // The app ID is set when an event is sent; it was changed once.
        for (logged, sent) in zip(logged, sent) where sent.name != "later" {
            var logged = logged
            if var object = logged.object {
                for index in object.members.indices where object.members[index].key == "app_id" {
                    object.members[index].value = .string("second")
                }
                logged = .object(object)
            }
            #expect(String(decoding: logged.json(), as: UTF8.self) == String(decoding: sent.json(), as: UTF8.self))
        }
        #expect(logged.last?["app_id"]?.string == "second")
        let click = try #require(logged.first { $0.name == "button_click" })
        #expect(click.attribute("channel")?.string == "store")
        #expect(click.attribute("_session_id") != nil)
        #expect(click.attribute("_screen_name")?.string == "Home")
        #expect(click.attribute("_error_code")?.integer == 2_005)
        #expect(click.user("_user_id")?.string == "carl")
        #expect(click["platform"] != nil)
    }

    @Test
    func `isLogEvents can be set as a property and in the file`() throws {
        let configuration = ClickstreamConfiguration()
        #expect(!configuration.isLogEvents)
        configuration.isLogEvents = true
        #expect(configuration.isLogEvents)
        let file = #"{"analytics":{"plugins":{"awsClickstreamPlugin":{"isLogEvents":true}}}}"#
        try app.core(file: file).start(usual)
        #expect(app.configuration?.logEvents == true)
        try app.core(file: file).start(usual.withLogEvents(false))
        #expect(app.configuration?.logEvents == false)
    }

    @Test
    func `an unknown key in the file is reported with its name and location`() throws {
        let file =
            #"{"analytics":{"plugins":{"awsClickstreamPlugin":{"appID":"x","endpoint":"https://e.test/c","":1}}}}"#
        try app.core(file: file).start(ClickstreamConfiguration().withAppId("shop"))
        let unknownKeyDiagnostics = app.diagnostics.filter { $0.code == .configurationKeyUnknown }
        #expect(unknownKeyDiagnostics.map(\.value) == ["appID", ""])
        #expect(unknownKeyDiagnostics.first?.field.contains("amplifyconfiguration.json") == true)
        #expect(unknownKeyDiagnostics.first?.recoverySuggestion?.isEmpty == false)
    }

    @Test
    func `the live configuration starts and stops crash capture immediately`() throws {
        let core = try started()
        #expect(app.configuration?.capture.contains(.crashes) == false)
        try core.liveConfiguration().withTrackAppExceptionEvents(true)
        #expect(app.analytics?.runtimeCapture.contains(.crashes) == true)
        try core.liveConfiguration().withTrackAppExceptionEvents(false)
        #expect(app.analytics?.runtimeCapture.contains(.crashes) == false)
    }

    // MARK: Concurrency

    @Test
    func `the app may call the SDK while it handles a diagnostic about the start`() async throws {
        let app = ClickstreamApp()
        let coreBox = Locked<ClickstreamCore?>(nil)
        let core = ClickstreamCore(
            readFile: { nil },
            makeAnalytics: { configuration in
                var configuration = configuration
                configuration.onDiagnostic = { _ in coreBox.withLock { $0 }?.deleteGlobalAttributes(["a"]) }
                return try app.open(configuration)
            }
        )
        coreBox.withLock { $0 = core }
        core.flush()
        try core.start(usual.withInitialGlobalAttributes(["a": 1, "b": 2]))
        core.record("one", [:], [])
        let event = try #require(try await app.sent("one").first)
        #expect(event.attribute("a") == nil, "the diagnostic came after the attribute was set")
        #expect(event.attribute("b")?.integer == 2)
    }

    @Test
    func `concurrent starts create one SDK, with the attributes of the start that created it`() async throws {
        let core = app.core()
        let configurations = (0..<8).map { usual.withInitialGlobalAttributes(["only\($0)": 1]) }
        await withTaskGroup(of: Void.self) { group in
            for configuration in configurations {
                group.addTask { try? core.start(configuration) }
            }
        }
        #expect(app.starts == 1)
        core.record("one", [:], [])
        let event = try #require(try await app.sent("one").first)
        #expect((0..<8).filter { event.attribute("only\($0)") != nil }.count == 1)
        #expect(app.diagnostics.filter { $0.code == .initializedTwice }.count == 7)
    }

    // MARK: Unsupported values and sizes

    @Test
    func `a non-finite user attribute is omitted from the profile, with an error event and a diagnostic`() async throws
    {
        let core = try started()
        core.addUserAttributes(["rate": Double.nan])
        core.addUserAttributes(["rate": -Double.infinity, "name": "carl"])
        let profiles = try await app.sent("_profile_set")
        #expect(profiles.count == 2)
        #expect(profiles.allSatisfy { $0.user("rate") == nil })
        #expect(profiles.last?.user("name")?.string == "carl")
        #expect(try await errors() == [2_005, 2_005])
        #expect(app.diagnostics.filter { $0.code == .limitBroken }.count == 2)
    }

    @Test
    func `attributes that together exceed the maximum event size are omitted with an error code`() async throws {
        let core = try started()
        var attributes: ClickstreamAttribute = [:]
        for number in 0..<440 { attributes["a\(number)"] = String(repeating: "x", count: 1_000) }
        core.record("huge", attributes, [])
        let event = try #require(try await app.sent("huge").first)
        #expect(event.attribute("_error_code")?.integer == 2_004)
        #expect(event.attribute("_error_message")?.string?.isEmpty == false)
        #expect(app.diagnostics.map(\.code).contains(.eventTooLarge))
    }

    @Test
    func `request numbers increase, even across processes`() async throws {
        var core = try started()
        for round in 0..<3 {
            for _ in 0..<3 {
                core.record("event", [:], [])
                app.clock.advance(by: .milliseconds(1))
                _ = try await app.sent()
            }
            if round < 2 { core = try started() }
        }
        let numbers = app.network.requests.compactMap { request in
            request.url.split(separator: "&").first { $0.hasPrefix("event_bundle_sequence_id=") }
                .flatMap { Int64($0.split(separator: "=")[1]) }
        }
        #expect(numbers.count >= 9)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test
    func `attributes that a closure adds to events do not change user attributes`() async throws {
        let core = try started()
        app.analytics?.setGlobalAttributesProvider { ["page": "cart", "n": 1] }
        core.setUser("carl")
        core.addUserAttributes(["age": 21])
        core.setUser("carl")
        core.record("one", [:], [])
        let profiles = try await app.sent("_profile_set")
        #expect(profiles.count == 3)
        for event in profiles {
            #expect(event.user("page") == nil)
            #expect(event.user("n") == nil)
        }
        #expect(profiles.map { $0.attribute("page")?.string } == ["cart", nil, nil])
        #expect(try await app.sent("one").first?.attribute("page")?.string == "cart")
    }
}
