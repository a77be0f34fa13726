// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@testable import CollectorCore

@Suite("Erasure plans")
struct ErasurePlanTests {
    private static let key = ErasureReceiptTests.key

    private static var byInstallation: ErasurePlan {
        let header = IntakeHeader(received: Timestamp(milliseconds: 12), key: "shop", encoding: .identity)
        return ErasurePlan(DeletionRequest(SentBatch.installation(4), header), key: key)
    }

    private static func request(_ user: String = "anna") -> UserErasureRecord {
        UserErasureRecord(
            received: Timestamp(milliseconds: 1_764_500_000_000),
            key: "officer",
            identity: key.hash(user: user),
            user: user
        )
    }

    private static func status(_ plan: ErasurePlan) -> String {
        String(
            decoding: JSONWriter.withThreadBuffer { writer in
                plan.writeStatus(to: &writer)
                return writer.array()
            },
            as: UTF8.self
        )
    }

    @Test
    func `a plan has a stable text, which is read back as the same plan`() throws {
        let plan = ErasureReceiptTests.plan()
        let (first, second, third) = (1, 2, 3) as (UInt64, UInt64, UInt64)
        #expect(
            String(decoding: plan.json, as: UTF8.self) == """
                {"id":"1764500000000-e95a377db3c8","requested":1764500000000,"key":"officer","operator":true,\
                "subject":"user","identity":"e95a377db3c881a1a2fca48a3504e058d4cce835e93336e7f70595d105b82cac",\
                "user":"anna","installations":["\(SentBatch.installation(first))"],\
                "shared":[{"installation":"\(SentBatch.installation(second))","times":[[1,2],[5,9]]},\
                {"installation":"\(SentBatch.installation(third))","times":[]}],\
                "segments":[{"segment":7,"records":4,"events":5,"shared_events":2,"rejected":0,"uninspected":0},\
                {"segment":8,"records":3,"events":1,"shared_events":1,"rejected":2,"uninspected":1}]}
                """
        )
        #expect(try ErasurePlan(json: plan.json) == plan)
    }

    @Test
    func `plans of every kind are read back unchanged`() throws {
        let place = EventPosition(segment: 3, offset: 88_213, ordinal: 7)
        let order = DeletionRequest(
            ErasureRecord(
                received: Timestamp(milliseconds: 9),
                key: "ops \"1\"",
                installation: SentBatch.installation(4)
            )
        )
        let plans = [
            Self.byInstallation, ErasurePlan(order, key: Self.key),
            ErasurePlan(order, key: Self.key, followUp: place),
            ErasurePlan(Self.request("a/b \"☃\"\n"), user: "a/b \"☃\"\n"),
            ErasurePlan(Self.request(), user: "anna", followUp: place),
        ]
        for plan in plans { #expect(try ErasurePlan(json: plan.json) == plan) }
        #expect(plans.map(\.isByOperator) == [false, true, true, true, true])
        #expect(plans.map(\.isFollowUp) == [false, false, true, false, true])
        #expect(plans.map(\.subject) == [.installation, .installation, .installation, .user, .user])
        #expect(plans.map(\.installations.count) == [1, 1, 1, 0, 0])
    }

    @Test
    func `the id consists of the time, the hash and the position of a follow-up`() {
        func plan(_ place: EventPosition?) -> ErasurePlan {
            ErasurePlan(Self.request(), user: "anna", followUp: place)
        }
        let place = EventPosition(segment: 3, offset: 88_213, ordinal: 7)
        #expect(plan(nil).id == "1764500000000-e95a377db3c8")
        #expect(plan(place).id == "1764500000000-e95a377db3c8-3-88213")
        // The index finds one follow-up for a record, whatever its first event is.
        #expect(plan(EventPosition(segment: 3, offset: 88_213, ordinal: 9)).id == plan(place).id)
        #expect(plan(EventPosition(segment: 4, offset: 88_213, ordinal: 7)).id != plan(place).id)
        #expect(ErasurePlan(Self.request("bob"), user: "bob").id != plan(nil).id)
        #expect(Self.byInstallation.id.hasPrefix("12-"))
    }

    @Test
    func `the counts of a plan are the sums over its segments`() {
        let counts = ErasureReceiptTests.plan().counts
        #expect(counts.records == 7 && counts.events == 6 && counts.sharedEvents == 3)
        #expect(counts.rejected == 2 && counts.uninspected == 1 && !counts.isEmpty)
        #expect(Self.byInstallation.counts.isEmpty)
    }

    @Test
    func `a plan includes its own and its shared installations`() {
        let plan = ErasureReceiptTests.plan()
        let included = (UInt64(1)...4).map { plan.includes(SentBatch.installation($0)) }
        #expect(included == [true, true, true, false])
    }

    @Test
    func `the state of an erasure contains no id of the person`() {
        let status = Self.status(ErasureReceiptTests.plan())
        #expect(
            status == """
                {"erasure":"1764500000000-e95a377db3c8","subject":"user","requested":1764500000000,"by":"operator",\
                "key":"officer","completed":null,\
                "log":{"records":7,"events":6,"shared_events":3,"rejected":2,"uninspected":1}}
                """
        )
        #expect(Self.status(Self.byInstallation).contains(#""by":"installation""#))
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"requested":1,"key":"k","subject":"user","identity":"e9"}"#,
        #"{"requested":1,"key":"k","subject":"person","identity":"IDENTITY"}"#,
        #"{"requested":"1","key":"k","subject":"user","identity":"IDENTITY"}"#,
        #"{"requested":1,"subject":"user","identity":"IDENTITY"}"#,
    ])
    func `a text without the required members is not a plan`(_ text: String) {
        let identity = Self.key.hash(user: "anna").description
        let json = Array(text.replacing("IDENTITY", with: identity).utf8)
        let error = #expect(throws: ErasureError.self) { try ErasurePlan(json: json) }
        #expect(error?.description.hasPrefix("The erasure plan cannot be read: ") == true)
    }

    @Test
    func `a request is read back as it was written, with or without the user`() throws {
        var record = Self.request("a\"b")
        func read(_ bytes: [UInt8]) throws -> UserErasureRecord {
            try bytes.withUnsafeBytes { bytes in Result { try UserErasureRecord(payload: bytes) } }.get()
        }
        let length = record.bytes.count
        #expect(try read(record.bytes) == record)
        record.user = nil
        record.events = 1_000_000
        let bytes = try #require(record.bytes(count: length))
        #expect(bytes.count == length)
        #expect(try read(bytes) == record)
        #expect(record.bytes(count: 20) == nil)
        for text in ["", "{}", #"{"identity":"x"}"#] {
            #expect(throws: RecordError.self) { try read(Array(text.utf8)) }
        }
    }

    @Test(arguments: ["a", "ü", "\u{1}"])
    func `a request with the shortest id has room for the greatest number of events`(_ user: String) throws {
        var record = Self.request(user)
        let length = record.bytes.count
        record.user = nil
        record.events = .max
        #expect(record.bytes(count: length)?.count == length)
    }

    @Test
    func `the preview's sum includes events without an installation`() {
        let preview = ErasurePreview(
            user: "anna",
            installations: [
                .init(SentBatch.installation(1), isShared: false, events: 4),
                .init(SentBatch.installation(2), isShared: true, events: 3),
            ],
            eventsWithoutInstallation: 2
        )
        #expect(preview.events == 9)
        let text = JSONWriter.withThreadBuffer { writer in
            preview.write(to: &writer)
            return String(decoding: writer.array(), as: UTF8.self)
        }
        #expect(
            text == """
                {"user":"anna","events":9,"installations":[{"installation":"\(SentBatch.installation(1))",\
                "shared":false,"events":4},{"installation":"\(SentBatch.installation(2))","shared":true,"events":3}],\
                "events_without_installation":2}
                """
        )
    }
}
