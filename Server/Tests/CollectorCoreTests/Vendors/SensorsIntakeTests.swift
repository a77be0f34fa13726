// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@testable import CollectorCore

@Suite("Bodies in the Sensors Analytics format")
struct SensorsIntakeTests {
    private static let device = "A536A563-65BD-49BE-A6EC-6F3CE7AC8FBE"
    /// A cold start from the format's documentation.
    static let start = """
        {"type":"track","event":"$AppStart","time":1750000000123,"_track_id":3367591744,"_flush_time":1750000000480,\
        "distinct_id":"\(device)","anonymous_id":"\(device)","identities":{"$identity_idfv":"\(device)",\
        "$identity_anonymous_id":"\(device)"},"lib":{"$lib":"iOS","$lib_version":"4.9.1","$app_version":"3.8.1",\
        "$lib_method":"autoTrack"},"properties":{"$is_first_time":true,"$resume_from_background":false,\
        "$is_first_day":true,"$lib":"iOS","$lib_version":"4.9.1","$lib_method":"autoTrack","$app_version":"3.8.1",\
        "$app_id":"com.example.shop","$app_name":"Shop","$model":"iPhone15,2","$manufacturer":"Apple","$os":"iOS",\
        "$os_version":"18.1","$screen_width":393,"$screen_height":852,"$timezone_offset":-480,"$network_type":"WIFI",\
        "$wifi":true,"$device_id":"\(device)","$event_session_id":"5B0C3B3A-6A55-4B7E-8F7C-0C1D2E3F4A5B"}}
        """

    private static func record(_ type: String, _ more: String, properties: String = "{}") -> String {
        """
        {"type":"\(type)","time":1750000000500,"_track_id":7,"distinct_id":"user-42","login_id":"user-42",\
        "anonymous_id":"\(device)"\(more),"properties":\(properties)}
        """
    }

    private static func kept(_ json: String) throws -> [StoredVendorEvent] {
        try VendorEnvironment.visit(VendorEnvironment.sensors(VendorEnvironment.form("[\(json)]")))
    }

    @Test
    func `the documentation's cold start becomes ours, with its preset properties in the context`() throws {
        let event = try #require(try Self.kept(Self.start).first)
        #expect(event.name == "_app_start" && event.fault == nil)
        let attributes = Dictionary(
            uniqueKeysWithValues: event.attributes?.object?.members.map { ($0.key, $0.value) } ?? []
        )
        #expect(
            attributes == [
                "_is_first_time": .boolean(true), "_start_kind": .string("cold"), "_is_first_start": .boolean(true),
                "_resumed_from_background": .boolean(false), "$is_first_day": .boolean(true),
                "_session_id": .string("5B0C3B3A-6A55-4B7E-8F7C-0C1D2E3F4A5B"),
            ]
        )
        let context = RecordedContext(try #require(event.context))
        #expect(context.app["id"]?.string == "com.example.shop" && context.app["version"]?.string == "3.8.1")
        #expect(context.device["model"]?.string == "iPhone15,2" && context.device["make"]?.string == "Apple")
        #expect(context.device["zone_offset_seconds"]?.integer == 28_800)
        #expect(context.device["network"]?.string == "wifi" && context.device["id"]?.string == Self.device)
        #expect(context.user.id == nil && context.user.anonymousID == Self.device)
        #expect(context.user.identities["$identity_idfv"]?.string == Self.device)
    }

    static let translations: [(String, String, [String: JSONValue])] = [
        (
            record("track", #","event":"$AppEnd""#, properties: #"{"event_duration":94.877}"#), "_app_end",
            ["_foreground_duration_msec": .integer(94_877)]
        ),
        (
            record("track", #","event":"$AppStart""#, properties: #"{"$resume_from_background":true}"#), "_app_start",
            [
                "_start_kind": .string("hot"), "_is_first_time": .boolean(false), "_is_first_start": .boolean(false),
                "_resumed_from_background": .boolean(true),
            ]
        ),
        (
            record(
                "track",
                #","event":"$AppViewScreen""#,
                properties: ##"{"$screen_name":"Home","$url":"a/Home","$title":"T"}"##
            ),
            "_screen_view",
            ["_screen_name": .string("Home"), "_screen_id": .string("a/Home"), "$title": .string("T")]
        ),
        (
            record(
                "track",
                #","event":"$AppClick""#,
                properties:
                    ##"{"$element_id":"buy","$element_type":"UIButton","$element_content":"Buy","$screen_name":"Home"}"##
            ),
            "_click",
            [
                "_element_id": .string("buy"), "_element_type": .string("UIButton"), "_element_content": .string("Buy"),
                "_screen_name": .string("Home"),
            ]
        ),
        (
            record("track", #","event":"AppCrashed""#, properties: ##"{"app_crashed_reason":"why\nwhere\nand"}"##),
            "_app_exception", ["_exception_message": .string("why"), "_exception_stack": .string("where\nand")]
        ),
        (
            record("track", #","event":"ViewProduct""#, properties: #"{"price":38.5}"#), "ViewProduct",
            ["price": .double(38.5)]
        ),
        (record("track", #","event":"购买 商品""#), "购买 商品", [:]),
        (
            record("track_signup", #","event":"$SignUp","original_id":"A5""#), "_profile_set",
            ["_signed_in": .boolean(true)]
        ),
        (record("profile_set", "", properties: #"{"tier":"gold"}"#), "_profile_set", [:]),
        (
            record("profile_set_once", "", properties: #"{"tier":"gold"}"#), "_profile_set_once",
            ["tier": .string("gold")]
        ),
        (record("profile_increment", "", properties: #"{"orders":1}"#), "_profile_increment", ["orders": .integer(1)]),
        (
            record("profile_append", "", properties: #"{"movies":["Alien","Heat"]}"#), "_profile_append",
            ["movies": .array([.string("Alien"), .string("Heat")])]
        ),
        (record("profile_unset", "", properties: #"{"nickname":""}"#), "_profile_unset", ["nickname": .string("")]),
        (record("profile_delete", ""), "_profile_delete", [:]),
        (
            record("item_set", #","item_type":"book","item_id":"0321714113""#, properties: #"{"price":38.5}"#),
            "_item_set",
            ["_item_type": .string("book"), "_item_id": .string("0321714113"), "price": .double(38.5)]
        ),
        (
            record("track_id_bind", #","event":"$BindID","identities":{"$identity_mobile":"123"}"#), "_identity_bound",
            ["_identity_key": .string("$identity_mobile"), "_identity_value": .string("123")]
        ),
        (
            record("track_id_unbind", #","event":"$UnbindID","identities":{"$identity_email":"a@b"}"#),
            "_identity_unbound", ["_identity_key": .string("$identity_email"), "_identity_value": .string("a@b")]
        ),
    ]

    @Test(arguments: translations)
    func `every kind of record is translated to our vocabulary`(
        _ record: String,
        _ name: String,
        _ attributes: [String: JSONValue]
    ) throws {
        let event = try #require(try Self.kept(record).first)
        #expect(event.fault == nil && event.name == name)
        let found = Dictionary(
            uniqueKeysWithValues: event.attributes?.object?.members.map { ($0.key, $0.value) } ?? []
        )
        #expect(found == attributes)
        if !record.contains("item_set") { #expect(event.context?["user"]?["id"]?.string == "user-42") }
    }

    @Test
    func `the attributes of a profile_set are in the context, with the time of setting`() throws {
        let event = try #require(try Self.kept(Self.record("profile_set", "", properties: #"{"tier":"gold"}"#)).first)
        let user = RecordedContext(try #require(event.context)).user
        #expect(user.attributes.map(\.name) == ["tier"] && user.attributes.first?.value == .string("gold"))
        #expect(user.attributes.first?.setAt.milliseconds == 1_750_000_000_500)
    }

    @Test
    func `a record is the same event whenever it is sent; a different number, time or project makes it another event`()
        throws
    {
        func id(_ json: String, project: String = "production") throws -> String? {
            try VendorEnvironment.visit(
                VendorEnvironment.sensors(VendorEnvironment.form("[\(json)]"), project: project)
            ).first?.id
        }
        let first = try id(Self.start)
        #expect(try id(Self.start.replacing("\"_flush_time\":1750000000480", with: "\"_flush_time\":9")) == first)
        #expect(try id(Self.start.replacing("3367591744", with: "3367591745")) != first)
        #expect(try id(Self.start.replacing("1750000000123", with: "1750000000124")) != first)
        #expect(try id(Self.start, project: "test") != first)
    }

    @Test
    func `equal records without a number are all stored, and are recognized when they are sent again`() throws {
        let record = #"{"type":"track","event":"e","time":1750000000000,"distinct_id":"d","properties":{}}"#
        let twice = try Self.kept("\(record),\(record)")
        #expect(Set(twice.map(\.id)).count == 2)
        #expect(try Self.kept("\(record),\(record)").map(\.id) == twice.map(\.id))
    }

    @Test
    func `one record may be sent as 'data', plain or compressed, and the checksum is optional`() throws {
        for body in [
            VendorEnvironment.form(Self.start, field: "data"),
            VendorEnvironment.form(Self.start, gzip: 0, field: "data"),
            Array(
                "gzip=1&data=\(VendorEnvironment.escaped(VendorEnvironment.base64(GzipCompressor().compress(Array(Self.start.utf8)))))"
                    .utf8
            ),
            Array("data_list=\(VendorEnvironment.escaped("[" + Self.start + "]"))".utf8),
        ] {
            #expect(try VendorEnvironment.sensors(body).accepted == 1)
        }
    }

    @Test(arguments: [("hello", 99_162_322), ("H4sIAAAAAAAA", -1_372_898_654), (#"[{"a":1}]"#, 1_268_267_898)])
    func `the checksum matches the documentation`(_ text: String, _ expected: Int32) {
        #expect(SensorsForm.checksum(of: Array(text.utf8)) == expected)
    }

    static let refusals: [(String, [UInt8], String, AdmissionError.Kind)] = [
        ("a wrong checksum", VendorEnvironment.form("[]", crc: 5), "crc_mismatch", .malformed),
        ("a checksum that is not a number", Array("crc=x&data_list=%5B%5D".utf8), "crc_mismatch", .malformed),
        ("encrypted events", VendorEnvironment.form("[]", gzip: 9), "encrypted", .forbidden),
        ("an encrypted transport", VendorEnvironment.form("[]", gzip: 13), "encrypted", .forbidden),
        ("nothing", [], "empty_batch", .malformed),
        ("another form", Array("a=b".utf8), "empty_batch", .malformed),
        ("invalid base64", Array("data_list=%7E%7E".utf8), "malformed_base64", .malformed),
        ("base64 of invalid JSON", Array("data_list=bm8%3D".utf8), "malformed_json", .malformed),
        ("a broken array", VendorEnvironment.form("[{}"), "malformed_json", .malformed),
    ]

    @Test(arguments: 0..<refusals.count)
    func `an unreadable body is rejected as a whole, with a code`(_ number: Int) {
        let (name, body, code, kind) = Self.refusals[number]
        let error = #expect(throws: AdmissionError.self) { try VendorEnvironment.sensors(body) }
        #expect(error?.code == code && error?.kind == kind, "\(name)")
    }

    static let faults: [(String, String, String)] = [
        (#"{"time":1,"distinct_id":"d","event":"e"}"#, "field_missing", "type"),
        (#"{"type":"visit","time":1,"distinct_id":"d","event":"e"}"#, "type_unknown", "type"),
        (#"{"type":"track","distinct_id":"d","event":"e"}"#, "field_missing", "time"),
        (#"{"type":"track","time":"x","distinct_id":"d","event":"e"}"#, "field_invalid", "time"),
        (#"{"type":"track","time":1,"event":"e"}"#, "field_missing", "distinct_id"),
        (#"{"type":"track","time":1,"distinct_id":"d"}"#, "field_missing", "event"),
        (#"{"type":"track","time":1,"distinct_id":"d","event":""}"#, "field_invalid", "event"),
        (#"{"type":"track","time":1,"distinct_id":"d","event":"e","properties":[]}"#, "field_invalid", "properties"),
        (#"{"type":"item_set","time":1,"item_id":"d"}"#, "field_missing", "item_type"),
        (#"{"type":"item_set","time":1,"item_type":"d"}"#, "field_missing", "item_id"),
        (#"{"type":"track","time":1,"distinct_id":"d","event":"e","project":"foreign"}"#, "project_unknown", "project"),
        ("[]", "field_invalid", ""),
    ]

    @Test(arguments: faults)
    func `a faulty record is stored as received with the reason, without affecting the others`(
        _ record: String,
        _ code: String,
        _ field: String
    ) throws {
        let batch = try VendorEnvironment.sensors(VendorEnvironment.form("[\(record),\(Self.start)]"))
        #expect(batch.accepted == 1 && batch.rejected.map(\.code) == [code] && batch.rejected.first?.field == field)
        let faulty = try #require(try VendorEnvironment.visit(batch).first { $0.fault != nil })
        #expect(faulty.json["sensors_analytics"] == (try JSONValue.parse(Array(record.utf8))))
    }

    static let people: [(String, user: String?, anonymous: String?, hasInstallation: Bool)] = [
        (#""type":"track","event":"e","distinct_id":"d""#, nil, "d", true),
        (#""type":"track","event":"e","distinct_id":"u","properties":{"$is_login_id":true}"#, "u", nil, false),
        (#""type":"track","event":"e","distinct_id":"u","login_id":"u","anonymous_id":"d""#, "u", "d", true),
        (#""type":"track","event":"e","distinct_id":"u","anonymous_id":"d""#, "u", "d", true),
        (#""type":"track","event":"e","distinct_id":"d","anonymous_id":"d""#, nil, "d", true),
        (#""type":"track_signup","event":"$SignUp","distinct_id":"u","original_id":"d""#, "u", "d", true),
        (
            #""type":"track","event":"e","distinct_id":"$identity_email+x@y","identities":{"$identity_email":"x@y"}"#,
            "$identity_email+x@y", nil, false
        ),
        (
            #""type":"track_id_bind","distinct_id":"u","identities":{"$identity_mobile":"1","$identity_login_id":"u"}"#,
            "u", nil, false
        ),
        (#""type":"track_id_unbind","distinct_id":"u","identities":{"$identity_mobile":"1"}"#, nil, nil, false),
        (#""type":"item_delete","item_type":"a","item_id":"b""#, nil, nil, false),
        (#""type":"track","event":"e","distinct_id":7"#, nil, "7", true),
    ]

    @Test(arguments: 0..<people.count)
    func `a record's user and device are determined`(_ number: Int) throws {
        let (record, user, anonymous, hasInstallation) = Self.people[number]
        let event = try #require(try Self.kept("{\"time\":1,\(record)}").first)
        let context = RecordedContext(event.context ?? .null)
        #expect(event.fault == nil && context.user.id == user && context.user.anonymousID == anonymous)
        #expect((event.installation != nil) == hasInstallation)
        if record.contains("bind") { #expect(event.attributes?["_identity_key"]?.string == "$identity_mobile") }
    }

    @Test
    func `an event may name a project of the same key`() throws {
        #expect(
            try Self.kept(Self.start.replacing("{\"type\"", with: "{\"project\":\"other\",\"type\"")).first?.fault
                == nil
        )
    }

    static let broken: [(String, [String])] = [
        (record("track", #","event":"9lives""#), ["name_invalid"]),
        (record("track", #","event":"time""#), ["name_reserved"]),
        (
            record("track", #","event":"ok""#, properties: #"{"user_tag_x":1,"a b":2,"good":[1]}"#),
            ["name_reserved", "name_invalid", "value_invalid"]
        ),
        (record("profile_increment", "", properties: #"{"a":"1"}"#), ["value_invalid"]),
        (record("profile_append", "", properties: #"{"a":1}"#), ["value_invalid"]),
        (record("profile_append", "", properties: #"{"a":["b"],"$is_login_id":true}"#), []),
        (record("profile_increment", "", properties: #"{"a":1,"$is_login_id":true}"#), []),
        (#"{"type":"track","time":1,"distinct_id":"d"}"#, ["field_missing"]),
        (start, []),
    ]

    @Test(arguments: broken)
    func `debug mode names every violated rule`(_ record: String, _ codes: [String]) throws {
        let faults = try SensorsIntake().inspect(
            VendorEnvironment.form(record, field: "data"),
            encoding: .identity,
            project: "production"
        )
        #expect(faults.map(\.code) == codes)
    }
}
