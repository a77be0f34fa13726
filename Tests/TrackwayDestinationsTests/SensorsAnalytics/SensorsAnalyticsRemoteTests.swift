// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayDestinations
import TrackwayTesting

@Suite("Sensors Analytics remote configuration")
struct SensorsAnalyticsRemoteTests {
    private typealias Configuration = SensorsAnalyticsRemoteConfiguration
    private typealias Exchange = SensorsAnalyticsRemoteExchange

    static let example = #"""
        {"v":"12","configs":{"nv":"20250601.3","disableSDK":false,"disableDebugMode":true,"autoTrackMode":3,
         "event_blacklist":["Scroll"],"effect_mode":1,"supportTransportEncrypt":false}}
        """#

    private static func read(_ text: String) throws -> Configuration { try Configuration(json: Array(text.utf8)) }

    @Test
    func `the known example is read member by member and survives being saved`() throws {
        let read = try Self.read(Self.example)
        #expect(read.version == "12")
        #expect(read.newVersion == "20250601.3")
        #expect(!read.disablesSDK)
        #expect(read.disablesDebugMode)
        #expect(read.autoTrackMode == 3)
        #expect(read.blockedEvents == ["Scroll"])
        #expect(read.effect == .now)
        #expect(try Configuration(json: read.json) == read)
    }

    @Test(arguments: [(-1, nil), (0, 0), (1, 1), (15, 15), (16, nil), (-2, nil)] as [(Int, UInt?)])
    func `the capture mode is one of fifteen masks, none, or left to the app`(_ mode: Int, _ mask: UInt?) throws {
        let read = try Self.read(#"{"v":"1","configs":{"autoTrackMode":\#(mode)}}"#)
        #expect(read.autoTrackMode == mask)
        #expect(try Configuration(json: read.json).autoTrackMode == mask)
    }

    @Test(arguments: [
        "{}", #"{"configs":null}"#, #"{"configs":[]}"#,
        #"{"v":[],"configs":{"disableSDK":"yes","event_blacklist":"all","autoTrackMode":"3","effect_mode":"1"}}"#,
        #"{"configs":{"effect_mode":7,"key":{"pkv":1}}}"#,
    ])
    func `a missing or mistyped member changes nothing`(_ text: String) throws {
        #expect(try Self.read(text) == Configuration())
    }

    @Test
    func `versions may be numbers`() throws {
        #expect(try Self.read(#"{"v":12,"configs":{"nv":7}}"#).version == "12")
    }

    @Test(arguments: ["", "<html>", "[]", "7", "{", "null"])
    func `bytes that are not a JSON object are not a configuration`(_ text: String) {
        #expect(throws: JSONError.self) { try Self.read(text) }
    }

    @Test
    func `blocked names that are not strings are ignored`() throws {
        let read = try Self.read(#"{"configs":{"event_blacklist":["a",1,null,"b"]}}"#)
        #expect(read.blockedEvents == ["a", "b"])
    }

    // MARK: Requests

    @Test
    func `the request contains the known versions`() throws {
        let first = try #require(
            Exchange.request(serverURL: "https://sa.test/sa?project=production&token=t", appID: "com.shop", known: nil)
        )
        #expect(first.method == "GET")
        #expect(first.url == "https://sa.test/config/iOS.conf?v=&nv=&app_id=com.shop&project=production")
        #expect(first.body.isEmpty)
        let next = try #require(
            Exchange.request(
                serverURL: "https://sa.test/sa",
                configurationURL: "https://cdn.test/sa.conf?x=1",
                appID: "a&b=c",
                known: Self.read(Self.example)
            )
        )
        #expect(next.url == "https://cdn.test/sa.conf?x=1&v=12&nv=20250601.3&app_id=a%26b%3Dc&project=")
        #expect(Exchange.request(serverURL: "nowhere", appID: "a", known: nil) == nil)
        #expect(
            Exchange.request(serverURL: "https://sa.test", configurationURL: "nowhere", appID: "a", known: nil) == nil
        )
    }

    @Test
    func `only JSON with status 200 is a configuration, and 304 means unchanged`() throws {
        let request = try #require(Exchange.request(serverURL: "https://sa.test/sa", appID: "a", known: nil))
        func answer(_ status: Int, _ body: String = "", url: String? = nil) -> Exchange.Answer {
            Exchange.answer(in: WireResponse(status: status, body: Array(body.utf8), url: url), to: request)
        }
        #expect(try answer(200, Self.example) == .received(Self.read(Self.example)))
        #expect(answer(304) == .unchanged)
        for (status, body) in [(200, "<html>"), (200, ""), (201, Self.example), (404, "{}"), (503, ""), (302, "{}")] {
            guard case .failed = answer(status, body) else {
                Issue.record("\(status) \(body) was taken for a configuration")
                continue
            }
        }
        guard case .failed = answer(200, Self.example, url: "https://portal.test/x") else {
            Issue.record("another host's response was accepted")
            return
        }
    }
}
