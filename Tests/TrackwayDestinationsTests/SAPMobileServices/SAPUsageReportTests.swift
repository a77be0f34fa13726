// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayDestinations
import TrackwayTesting

@Suite("Batches as usage reports")
struct SAPUsageReportTests {
    private typealias Sample = SAPUsageSample

    private static func sessions(_ batch: EventBatch) throws -> [(id: String, keys: [String])] {
        try (Sample.report(batch)["sessions"]?.array ?? []).map { session in
            (
                session["sessionInfo"]?["sessionId"]?.string ?? "",
                (session["events"]?.array ?? []).compactMap { $0["key"]?.string }
            )
        }
    }

    @Test
    func `events are grouped by session, in order, and those outside a session have a separate one`() throws {
        var second = Sample.context
        second.session?.id = "second, which is not a UUID"
        let batch = Sample.batch([
            (Sample.event("early"), Sample.contextWithoutSession), (Sample.event("a"), Sample.context),
            (Sample.event("b"), second),
            (Sample.event("c"), Sample.context), (Sample.event("late"), Sample.contextWithoutSession),
            (Sample.event("d", ["_sap_session": ""]), Sample.context),
        ])
        let sessions = try Self.sessions(batch)
        #expect(sessions.map(\.keys) == [["early", "late", "d"], ["a", "c"], ["b"]])
        #expect(sessions[1].id == "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")
        #expect(sessions.allSatisfy { InstallationID($0.id) != nil })
        // The ID is the same in every report of the process, however the batch is split.
        #expect(try Self.sessions(batch.slice(4..<5)).map(\.id) == [sessions[0].id])
        #expect(try Self.sessions(batch.slice(2..<3)).map(\.id) == [sessions[2].id])
        var other = batch
        other.writer = WriterID(high: 1, low: 3)
        #expect(try Self.sessions(other)[0].id != sessions[0].id)
    }

    @Test
    func `the same batch produces the same request, and a differently split one has another ID`() throws {
        let batch = Sample.batch(["a", "b", "c"].map { Sample.event($0) })
        let request = try Sample.request(batch)
        #expect(try Sample.destination.request(for: batch, sentAt: Timestamp(milliseconds: 0)) == request)
        func id(_ batch: EventBatch) throws -> String? { try Sample.report(batch)["report"]?.string }
        let ids = try [batch, batch.slice(0..<2), batch.slice(1..<3), batch.slice(0..<1)].map(id)
        #expect(Set(ids).count == ids.count)
        // Equal events at other positions produce another report.
        #expect(try id(Sample.batch(["a", "b", "c"].map { Sample.event($0) }, first: 4)) != ids[0])
    }

    @Test
    func `a report covers one version and device, and later events go into the next report`() throws {
        var newer = Sample.context
        newer.app["version"] = "3.3.0"
        let batch = Sample.batch([
            (Sample.event("a"), Sample.context), (Sample.event("b"), Sample.context), (Sample.event("c"), newer),
            (Sample.event("d"), Sample.context),
        ])
        #expect(Sample.destination.maximumEventsPerRequest(for: batch) == 2)
        #expect(throws: WireEncodingError.self) { try Sample.request(batch) }
        #expect(try Self.sessions(batch.slice(0..<2)).map(\.keys) == [["a", "b"]])
        #expect(try Sample.report(batch.slice(2..<3))["appInfo"]?["appVersion"]?.string == "3.3.0")
    }

    @Test
    func `an event of another application is left out unless the address accepts any application`() throws {
        let events = [Sample.event("a"), Sample.event("b", ["_sap_application": "other"]), Sample.event("c")]
        let batch = Sample.batch(events)
        let request = try Sample.request(batch)
        #expect(Sample.destination.maximumEventsPerRequest(for: batch) == 3)
        #expect(request.omitted.map(\.code) == ["application_mismatch"])
        #expect(request.omitted.map(\.index) == [1])
        let proxy = SAPMobileServicesDestination(endpoint: "https://proxy.test/usage?x=1", applicationID: "shop")
        #expect(proxy.maximumEventsPerRequest(for: batch) == 1)
        let handedOn = try Sample.request(batch.slice(1..<2), by: proxy)
        #expect(handedOn.url == "https://proxy.test/usage?x=1")
        #expect(try JSONValue.parse(handedOn.body)["appInfo"]?["application"]?.string == "other")
        #expect(
            proxy.verdict(on: WireResponse(status: 200, url: "https://else.test/usage"), for: batch).label
                == "not_the_back_end"
        )
    }

    @Test(arguments: [
        ("a/b", "a%2Fb"), ("..", "%2E%2E"), (".", "%2E"), ("ü", "%C3%BC"), ("a.b", "a.b"), ("?#", "%3F%23"),
    ])
    func `names become one path component, with and without the device`(_ name: String, _ part: String) throws {
        var context = Sample.contextWithoutSession
        context.device["id"] = .string(name)
        let batch = Sample.batch([Sample.event("e")], in: context)
        let path = "/mobileservices/application/\(part)/clientusage/v1/runtime/clientusage/application/\(part)"
        for (names, ending) in [(true, "/device/\(part)"), (false, "")] {
            let destination = SAPMobileServicesDestination(
                backendURL: "https://mobile.test/below/",
                applicationID: name,
                namesDevice: names
            )
            #expect(try Sample.request(batch, by: destination).url == "https://mobile.test/below" + path + ending)
        }
    }

    @Test
    func `without a device ID, the installation ID is used`() throws {
        let report = try Sample.report(Sample.batch([Sample.event("e")], in: RecordedContext()))
        #expect(report["deviceInfo"]?["deviceID"]?.string == Sample.installation.description.uppercased())
        #expect(report["deviceInfo"]?.object?.members.count == 1)
        #expect(report["appInfo"]?.object?.members.map(\.key) == ["application"])
    }

    @Test
    func `a report that is too long fails as too large, so that the batch is split`() throws {
        let text = AttributeValue.string(String(repeating: "\u{1}", count: 8_000))
        let events = (0..<20).map { Sample.event("e\($0)", ["value": text, "a": text, "b": text]) }
        do throws(WireEncodingError) {
            _ = try Sample.destination.request(for: Sample.batch(events), sentAt: Sample.sentAt)
            Issue.record("expected an error")
        } catch {
            #expect(error.code == .tooLarge)
        }
    }

    @Test(arguments: ["", "ftp://x", "https://a b"])
    func `invalid settings are reported as misconfigured`(_ address: String) throws {
        let batch = Sample.batch([Sample.event("e")])
        for destination in [
            SAPMobileServicesDestination(backendURL: address, applicationID: "a"),
            SAPMobileServicesDestination(endpoint: address, applicationID: "a"),
            SAPMobileServicesDestination(backendURL: "https://a.test", applicationID: ""),
            SAPMobileServicesDestination(
                backendURL: "https://a.test",
                applicationID: "a",
                headers: ["authorization": "a\r\nb"]
            ),
        ] {
            do throws(WireEncodingError) {
                _ = try destination.request(for: batch, sentAt: Sample.sentAt)
                Issue.record("expected an error")
            } catch {
                #expect(error.code == .misconfigured)
            }
        }
    }

    @Test
    func `the app's own header fields are sent and replace ours`() throws {
        let destination = SAPMobileServicesDestination(
            backendURL: Sample.backEnd,
            applicationID: "a",
            headers: ["authorization": "Bearer t", "Content-Type": "application/json; charset=utf-8"]
        )
        let request = try Sample.request(Sample.batch([Sample.event("e")]), by: destination)
        #expect(request.headers["authorization"] == "Bearer t")
        #expect(request.headers["content-type"] == "application/json; charset=utf-8")
        #expect(request.headers.filter { $0.name.lowercased() == "content-type" }.count == 1)
    }

    /// Keys that have a meaning in some part of the format, and other keys.
    private static let keys =
        SAPUsageField.allCases.map(\.rawValue) + [
            "case", "behaviour", "_sap_key", "_sap_session", "_sap_device", "_sap_platform", "event_duration", "items",
            "_screen_name", "_session_id", "_start_kind", "plain", "", "\u{0}\"\\", "ключ", "😀",
        ]
    private static let values: [AttributeValue] = [
        "", "x", "2026-11-21T06:38:00.000Z", "\u{0}\u{1F}\"\\\u{2028}", 0, -1, .integer(.min), 0.1, 1e300, true,
        .date(Timestamp(milliseconds: 0)), [], ["a", 1, [:]], ["k": ["v"]], [:], "👩‍👩‍👧‍👦",
    ]
    private static let names = [
        "e", CapturedName.sessionStart, CapturedName.appEnd, CapturedName.appStart, CapturedName.screenView,
        CapturedName.userEngagement, CapturedName.profileSet, "SessionEnd",
    ]

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `random events become a report of the format's shape`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let events = (0..<10).map { number in
                var attributes = Attributes()
                for _ in 0..<random.next(below: 8) {
                    attributes[Self.keys[random.next(below: Self.keys.count)]] =
                        Self.values[random.next(below: Self.values.count)]
                }
                let context = random.nextBool() ? Sample.context : Sample.contextWithoutSession
                return (Sample.event(Self.names[random.next(below: Self.names.count)], attributes), context)
            }
            var batch = Sample.batch(events)
            var count = 0
            while !batch.isEmpty {
                let size = Sample.destination.maximumEventsPerRequest(for: batch)
                let report = try Sample.report(batch.slice(0..<size))
                #expect(report.object?.members.map(\.key) == ["report", "appInfo", "deviceInfo", "sessions"])
                #expect(report["deviceInfo"]?["deviceID"]?.string?.isEmpty == false)
                for session in try #require(report["sessions"]?.array) {
                    #expect(session["sessionInfo"]?["sessionId"]?.string?.isEmpty == false)
                    for event in try #require(session["events"]?.array) {
                        let members = try #require(event.object?.members)
                        #expect(Set(members.map(\.key)).count == members.count)
                        #expect(members.allSatisfy { $0.value.string != nil })
                        #expect(event["key"] != nil && event["time"] != nil)
                        count += 1
                    }
                }
                batch = batch.slice(size..<batch.records.count)
            }
            #expect(count == events.count)
        }
    }
}
