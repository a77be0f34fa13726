// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@testable import CollectorCore

@Suite("Intake of SAP Mobile Services usage reports")
struct SAPUsageIntakeTests {
    private typealias Samples = SAPUsageSamples

    private static func admit(
        _ body: String,
        device: String? = Samples.device,
        salt: String? = nil,
        limits: AdmissionLimits = AdmissionLimits()
    ) throws(AdmissionError) -> SAPUsageIntake.Report {
        try admit(Array(body.utf8), device: device, salt: salt, limits: limits)
    }

    private static func admit(
        _ body: [UInt8],
        device: String? = Samples.device,
        salt: String? = nil,
        limits: AdmissionLimits = AdmissionLimits()
    ) throws(AdmissionError) -> SAPUsageIntake.Report {
        try SAPUsageIntake(limits: limits).admit(
            body,
            of: .init(application: Samples.application, device: device),
            salt: salt,
            grant: VendorEnvironment.grant,
            received: VendorEnvironment.received
        )
    }

    /// Returns the events stored for a report.
    private static func kept(_ events: String...) throws -> [StoredVendorEvent] {
        try VendorEnvironment.visit(admit(Samples.report(events: events)).batch)
    }

    private static func refusal(_ body: String) -> AdmissionError? {
        do throws(AdmissionError) {
            _ = try admit(body)
            return nil
        } catch {
            return error
        }
    }

    @Test
    func `the format's example becomes a session, a screen, two events and an end, in one context`() throws {
        let report = try Self.admit(Samples.body)
        #expect(report.id == Samples.report)
        #expect(report.batch.accepted == 5 && report.batch.rejected.isEmpty)
        let kept = try VendorEnvironment.visit(report.batch)
        #expect(
            kept.map(\.name) == [
                CapturedName.sessionStart, CapturedName.screenView, "BehaviorEvent", "CheckoutDuration",
                CapturedName.appEnd,
            ]
        )
        #expect(kept[0].json["time"]?.integer == 1_718_000_000_000)
        #expect(kept[0].attributes?[CapturedKey.sessionID]?.string == Samples.session)
        #expect(kept[1].attributes?[CapturedKey.screenName]?.string == "Products Listing Screen")
        #expect(kept[1].attributes?["type"] == nil && kept[1].attributes?["view"] == nil)
        #expect(kept[2].attributes?["element"]?.string == "Products Table")
        #expect(kept[3].attributes?["duration"]?.string == "88.75" && kept[3].attributes?["cases"]?.string == "B")
        #expect(kept[4].attributes?[CapturedKey.foregroundDuration]?.integer == 110_250)
        #expect(Set(kept.map(\.installation)).count == 1 && kept[0].installation != nil)
        #expect(Set(kept.map(\.context)).count == 1)
        let context = try #require(kept[0].context)
        #expect(context["app"]?["id"]?.string == Samples.application)
        #expect(context["app"]?["version"]?.string == "3.2.0")
        for (key, value) in [
            ("id", Samples.device), ("platform", "iOS"), ("os_version", "17.5.1"), ("model", "iPhone"),
        ] {
            #expect(context["device"]?[key]?.string == value)
        }
        #expect(context["device"]?["zone_offset_seconds"]?.integer == 7_200)
        #expect(context["session"]?["id"]?.string == Samples.session)
        #expect(context["session"]?["start"]?.integer == 1_718_000_000_000)
    }

    @Test
    func `the same report has the same ids, compressed or not; equal events within one report remain separate`() throws
    {
        let plain = try Self.admit(Samples.body).batch
        #expect(try Self.admit(Samples.body).batch.records == plain.records)
        #expect(try Self.admit(GzipCompressor().compress(Array(Samples.body.utf8))).batch.records == plain.records)
        let twice = try Self.kept(Samples.events[2], Samples.events[2])
        #expect(twice.count == 2 && twice[0].id != twice[1].id)
        // The same event in another report, with its members in another order.
        let moved =
            #"{"time":"2024-06-10T08:13:29.480+02:00","value":"Trail Shoe","action":"Row Selected","element":"Products Table","view":"Products Listing Screen","key":"BehaviorEvent","type":"userInteraction"}"#
        #expect(try Self.kept(moved)[0].id == twice[0].id)
        let elsewhere = Samples.report(session: "another", events: [Samples.events[2]])
        #expect(try VendorEnvironment.visit(Self.admit(elsewhere).batch)[0].id != twice[0].id)
    }

    @Test(
        arguments: [
            ("2014-07-02T12:01:49.178+03", 1_404_291_709_178), ("2014-07-02T12:01:49.178+0300", 1_404_291_709_178),
            ("2014-07-02T12:01:49.178+03:00", 1_404_291_709_178), ("2014-07-02T09:01:49.178Z", 1_404_291_709_178),
            ("2014-07-02T09:01:49Z", 1_404_291_709_000), ("2014-07-02T12:01:49+03", 1_404_291_709_000),
            ("2014-07-02T05:31:49.1-03:30", 1_404_291_709_100), ("2014-07-02T09:01:49.178999999Z", 1_404_291_709_178),
            ("2014-07-02T09:01:49.17-00:00", 1_404_291_709_170),
        ] as [(String, Int64)]
    )
    func `times are accepted with every form of zone, with and without a fraction`(
        _ text: String,
        _ milliseconds: Int64
    ) {
        #expect(SAPUsageTime(text)?.moment.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2014-07-02", "2014-07-02T12:01:49", "2014-07-02T12:01:49.178", "2014-07-02 12:01:49Z",
        "2014-02-30T12:01:49Z", "2014-07-02T25:01:49Z", "2014-07-02T12:01:49.Z", "2014-07-02T12:01:49.1234567890Z",
        "2014-07-02T12:01:49+3", "2014-07-02T12:01:49+030", "2014-07-02T12:01:49+03:0", "2014-07-02T12:01:49+19",
        "2014-07-02T12:01:49+03:60", "2014-07-02T12:01:49z", "2014-07-02T12:01:49+0a", "+014-07-02T12:01:49Z",
        "2014-07-02T12:01:49Z ", "２０１４-07-02T12:01:49Z",
    ])
    func `an invalid time is rejected`(_ text: String) {
        #expect(SAPUsageTime(text) == nil)
    }

    @Test
    func `all missing members of a report are named at once, by their paths`() {
        let refusal = Self.refusal(#"{"sessions":[]}"#)
        #expect(refusal?.code == "field_missing" && refusal?.field == "report")
        #expect(refusal?.message == "The report lacks report, appInfo.application, deviceInfo.deviceID.")
        #expect(
            Self.refusal(
                #"{"report":"\#(Samples.report)","appInfo":{"application":""},"deviceInfo":{"deviceID":null}}"#
            )?
            .message == "The report lacks appInfo.application, deviceInfo.deviceID."
        )
    }

    @Test
    func `an incomplete event or session is rejected without affecting the others, and is named by its path`() throws {
        let good = Samples.events[0]
        let body =
            #"{"report":"\#(Samples.report)","appInfo":{"application":"org.example.shop"},"deviceInfo":{"deviceID":"d"},"#
            + #""sessions":[{"events":[\#(good)]},{"sessionInfo":{},"events":[\#(good)]},7,"#
            + #"{"events":[\#(good),{"key":"k"},3,{"time":5},{"time":"2024-06-10T06:13:20Z","view":[1]}],"sessionInfo":{"sessionId":"s"}},"#
            + #"{"sessionInfo":{"sessionId":"t"},"events":{}},{"sessionInfo":{"sessionId":"u"}},{"events":null}]}"#
        let batch = try Self.admit(body, device: nil).batch
        #expect(batch.accepted == 1)
        #expect(
            batch.rejected.map(\.field) == [
                "sessions[0].sessionInfo.sessionId", "sessions[1].sessionInfo.sessionId",
                "sessions[2].sessionInfo.sessionId", "sessions[3].events[1].time", "sessions[3].events[2]",
                "sessions[3].events[3].time", "sessions[3].events[4].view", "sessions[4].events",
            ]
        )
        #expect(try VendorEnvironment.visit(batch).filter { $0.fault != nil }.count == batch.rejected.count)
    }

    @Test(arguments: [
        ("", "empty_batch"), ("[]", "malformed_json"), ("7", "malformed_json"), ("{", "malformed_json"),
        (Samples.body + "x", "malformed_json"),
        (#"{"report":5}"#, "field_invalid"), (#"{"appInfo":[]}"#, "field_invalid"),
        (#"{"deviceInfo":{"deviceID":1}}"#, "field_invalid"),
        (Samples.report("not a UUID", events: []), "field_invalid"),
        (Samples.report(application: "other", events: []), "application_mismatch"),
        (Samples.report(device: "other", events: []), "device_mismatch"),
        (Samples.body.replacing(#""sessions":["#, with: #""sessions":7,"x":["#), "malformed_json"),
        // With two counts, it is unclear which one applies.
        (
            Samples.body.replacing("{\"report\"", with: #"{"report":"\#(Samples.report)","report""#),
            "malformed_json"
        ),
        (Samples.body.replacing(#""sessions":"#, with: #""sessions":[],"sessions":"#), "malformed_json"),
        (Samples.body.replacing(#""events":"#, with: #""events":[],"events":"#), "malformed_json"),
        (Samples.body.replacing(#""key":"SessionEnd""#, with: #""key":NaN"#), "malformed_json"),
        (
            Samples.report(events: [String(repeating: "[", count: 60) + String(repeating: "]", count: 60)]),
            "malformed_json"
        ),
    ])
    func `a body that is not a report is rejected as a whole`(_ body: String, _ code: String) {
        #expect(Self.refusal(body)?.code == code)
    }

    @Test
    func `invalid UTF-8 and a gzip bomb are rejected`() {
        #expect(throws: AdmissionError.self) {
            try Self.admit(Array(Samples.body.utf8).map { $0 == UInt8(ascii: "k") ? 0xFF : $0 })
        }
        let bomb = GzipCompressor(level: 9).compress([UInt8](repeating: 32, count: 30 << 20))
        #expect(throws: AdmissionError.self) { try Self.admit(bomb) }
    }

    @Test
    func `more sessions or events than any client sends are rejected; one that is too long does not affect the others`()
        throws
    {
        let many = Array(repeating: "1", count: SAPUsageBody.maximumElements + 1)
        #expect(Self.refusal(Samples.report(events: many))?.code == "too_many_events")
        let sessions = Samples.body.replacing(
            #""sessions":["#,
            with: #""sessions":[\#(many.joined(separator: ",")),"#
        )
        #expect(Self.refusal(sessions)?.code == "too_many_events")
        let long = #"{"time":"2024-06-10T06:13:20Z","value":"\#(String(repeating: "x", count: 300_000))"}"#
        let batch = try Self.admit(Samples.report(events: [long, Samples.events[0]])).batch
        #expect(batch.accepted == 1)
        #expect(batch.rejected.map(\.code) == ["event_too_large"])
        #expect(batch.rejected.map(\.field) == ["sessions[0].events[0]"])
    }

    @Test
    func `names repeated in every event have a maximum length, and so does the content of an event`() throws {
        let long = String(repeating: "x", count: 513)
        #expect(Self.refusal(Samples.report(session: long, events: Samples.events))?.kind == .tooLarge)
        #expect(
            try Self.admit(Samples.report(session: String(long.dropLast()), events: Samples.events)).batch.accepted == 5
        )
        let version = Samples.body.replacing("3.2.0", with: long)
        #expect(Self.refusal(version)?.field == "appInfo.appVersion")
        // Checking forty thousand members one by one would take seconds.
        let many = (0..<40_000).map { "\"\($0)\":1" }.joined(separator: ",")
        let event = "{\"time\":\"2024-06-10T06:13:20Z\",\(many)}"
        var limits = AdmissionLimits()
        limits.vendorEvent.eventBytes = 1 << 20
        let batch = try Self.admit(Samples.report(events: [event, Samples.events[0]]), limits: limits).batch
        #expect(batch.accepted == 1 && batch.rejected.map(\.code) == ["too_many_attributes"])
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `a damaged report is accepted or rejected, and its stored events are readable`(_ seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let bytes = Array("{}[]\",:0n\\ \u{0}\u{FF}".utf8)
        for _ in 0..<400 {
            var body = Array(Samples.body.utf8)
            for _ in 0...Int(random.next() % 3) {
                let place = Int(random.next() % UInt64(body.count))
                switch random.next() % 4 {
                case 0: body.remove(at: place)
                case 1: body.insert(bytes[Int(random.next() % UInt64(bytes.count))], at: place)
                case 2: body[place] = UInt8(truncatingIfNeeded: random.next())
                default: body.removeSubrange(place..<min(body.count, place + Int(random.next() % 40)))
                }
            }
            do {
                let batch = try Self.admit(body).batch
                #expect(try Self.admit(body).batch.records == batch.records)
                let kept = try VendorEnvironment.visit(batch)
                #expect(kept.filter { $0.fault == nil }.count == batch.accepted)
                #expect(kept.filter { $0.fault != nil }.count == batch.rejected.count)
            } catch let error as AdmissionError {
                #expect(!error.code.isEmpty && !error.message.isEmpty)
            }
        }
    }

    @Test
    func `an object in others becomes attributes again; any other value stays text`() throws {
        let time = #""time":"2024-06-10T06:13:20Z""#
        let kept = try Self.kept(
            #"{\#(time),"key":"a","view":"V","others":"{\"n\":1,\"view\":\"other\",\"deep\":{\"k\":[true]}}"}"#,
            #"{\#(time),"key":"b","others":"{broken"}"#,
            #"{\#(time),"key":"c","others":{"plain":1}}"#,
            #"{\#(time),"unknown":7,"value":99.9,"result":true}"#
        )
        #expect(kept[0].attributes?["n"]?.integer == 1)
        #expect(kept[0].attributes?["view"]?.string == "V")
        #expect(kept[0].attributes?["deep"]?["k"]?.array == [.boolean(true)])
        #expect(kept[1].attributes?["others"]?.string == "{broken")
        #expect(kept[2].attributes?["others"]?["plain"]?.integer == 1)
        #expect(kept[3].name == "Other")
        #expect(kept[3].attributes?["unknown"]?.integer == 7)
        #expect(kept[3].attributes?["value"]?.string == "99.9" && kept[3].attributes?["result"]?.string == "true")
    }

    @Test
    func `a report within a session does not state the session's start`() throws {
        let kept = try Self.kept(Samples.events[3])
        #expect(kept[0].context?["session"] == nil)
        #expect(kept[0].attributes?[CapturedKey.sessionID]?.string == Samples.session)
    }

    @Test
    func `an anonymous application's reports omit the user and use a different device id`() throws {
        let body = Samples.body.replacing(#""deviceID""#, with: #""registrationId":"user-42","deviceID""#)
        let open = try Self.admit(body).batch
        let user = try #require(VendorEnvironment.visit(open)[0].context)
        #expect(user["user"]?["id"]?.string == "user-42")
        let salted = try Self.admit(body, salt: "00112233445566778899aabbccddeeff").batch
        let again = try Self.admit(body, salt: "00112233445566778899aabbccddeeff").batch
        let other = try Self.admit(body, salt: "ffeeddccbbaa99887766554433221100").batch
        #expect(salted.records == again.records && salted.records != other.records)
        let kept = try VendorEnvironment.visit(salted)
        let named = try VendorEnvironment.visit(open)[0].installation
        #expect(kept.count == 5)
        for event in kept {
            let text = String(decoding: try #require(event.context).json() + event.json.json(), as: UTF8.self)
            #expect(!text.contains(Samples.device) && !text.contains("user-42"))
            #expect(event.installation != named)
        }
    }
}
