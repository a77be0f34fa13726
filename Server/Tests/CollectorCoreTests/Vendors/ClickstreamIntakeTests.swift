// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@testable import CollectorCore

@Suite("Bodies in the Clickstream format")
struct ClickstreamIntakeTests {
    /// Two events from the format's documentation, in compact form.
    static let golden = """
        [{"app_id":"shop_ios","app_package_name":"org.example.shop","app_title":"Shop","app_version":"3.2.0",\
        "attributes":{"_entrances":1,"_previous_timestamp":1717990000456,"_screen_id":"Nav/Home","_screen_name":"Home",\
        "_screen_unique_id":"4389210384","_session_duration":3120,"_session_id":"5B3C9F10-20240610-061320000",\
        "_session_number":4,"_session_start_timestamp":1718000000000},"brand":"apple","carrier":"UNKNOWN",\
        "country_code":"DE","device_id":"0C2A7C36-5D0B-4C6E-8C0F-6C1E2B7F90A4","device_unique_id":"",\
        "event_id":"8E0A8B62-8E58-4BFB-9D19-0D7D2A6A0F11","event_type":"_screen_view","locale":"en_DE (current)",\
        "make":"apple","model":"iPhone 15 Pro","network_type":"WIFI","os_version":"17.5.1","platform":"iOS",\
        "screen_height":2556,"screen_width":1179,"sdk_name":"aws-solution-clickstream-sdk","sdk_version":"0.12.5",\
        "system_language":"en","timestamp":1718000003120,"unique_id":"5B3C9F10-7A44-4E0B-9D2E-1F6A0C8B7D21",\
        "user":{"_user_first_touch_timestamp":{"set_timestamp":1717400000123,"value":1717400000123},\
        "_user_id":{"set_timestamp":1718000000001,"value":"carl-42"},\
        "tier":{"set_timestamp":1718000020495,"value":"gold"}},"zone_offset":7200000},\
        {"app_id":"shop_ios","attributes":{"_currency":"EUR","_screen_name":"Home","_screen_unique_id":"4389210384",\
        "_session_duration":9482,"_session_id":"5B3C9F10-20240610-061320000","_session_number":4,\
        "_session_start_timestamp":1718000000000,"_traffic_source_source":"newsletter","_value":99.9,"is_member":true},\
        "device_id":"0C2A7C36-5D0B-4C6E-8C0F-6C1E2B7F90A4","event_id":"B7F2C1D0-2B0E-4D53-8A6C-52C5F5E0A9E7",\
        "event_type":"view_item","items":[{"category":"shoes","colour":"green","id":"sku-17","name":"Trail Shoe",\
        "price":99.9,"quantity":1}],"timestamp":1718000009480}]
        """

    @Test
    func `the documentation's example becomes events and contexts like those recorded natively`() throws {
        let batch = try VendorEnvironment.clickstream(Array(Self.golden.utf8))
        #expect(batch.accepted == 2 && batch.rejected.isEmpty && batch.records.count == 1)
        let kept = try VendorEnvironment.visit(batch)
        let view = try #require(kept.first)
        #expect(view.name == "_screen_view")
        #expect(view.id == "8e0a8b62-8e58-4bfb-9d19-0d7d2a6a0f11")
        #expect(view.json["time"] == .integer(1_718_000_003_120))
        #expect(
            view.attributes?.object?.members.map(\.key) == [
                "_entrances", "_previous_timestamp", "_screen_id", "_screen_name", "_screen_unique_id",
            ]
        )
        let context = RecordedContext(try #require(view.context))
        #expect(context.app["id"]?.string == "shop_ios" && context.app["package_name"]?.string == "org.example.shop")
        #expect(context.device["model"]?.string == "iPhone 15 Pro" && context.device["network"]?.string == "wifi")
        #expect(context.device["zone_offset_seconds"]?.integer == 7200)
        #expect(context.device["carrier"] == nil && context.device["advertising_id"] == nil)
        #expect(
            context.session
                == .init(
                    id: "5B3C9F10-20240610-061320000",
                    number: 4,
                    start: Timestamp(milliseconds: 1_718_000_000_000)
                )
        )
        #expect(context.screen == .init(name: "Home", id: "Nav/Home", uniqueID: "4389210384"))
        #expect(context.user.id == "carl-42" && context.user.uniqueID == "5B3C9F10-7A44-4E0B-9D2E-1F6A0C8B7D21")
        #expect(context.user.firstTouch?.milliseconds == 1_717_400_000_123)
        #expect(context.user.attributes.map(\.name) == ["tier"])
        #expect(context.user.attributes.first?.setAt.milliseconds == 1_718_000_020_495)
        let item = try #require(kept.last)
        #expect(item.name == "view_item" && item.installation == view.installation && item.installation != nil)
        // The session's duration is kept only because it differs from the difference of the two times (9,480).
        #expect(
            item.attributes?.object?.members.map(\.key) == [
                "_currency", "_session_duration", "_traffic_source_source", "_value", "is_member",
            ]
        )
        #expect(item.json["items"]?.array?.first?["id"]?.string == "sku-17")
        #expect(item.json["items"]?.array?.first?["attributes"]?["price"] == .double(99.9))
    }

    static let packings: [(String, @Sendable ([UInt8]) -> [UInt8], ContentEncoding)] = [
        ("unmodified", { $0 }, .identity),
        ("base64 of gzip", { Array(VendorEnvironment.base64(GzipCompressor().compress($0)).utf8) }, .identity),
        ("gzip that is not declared", { GzipCompressor().compress($0) }, .identity),
        ("gzip by the transport", { GzipCompressor().compress($0) }, .gzip),
        ("base64 of plain text", { Array(VendorEnvironment.base64($0).utf8) }, .identity),
        ("surrounding white space", { Array(" \n".utf8) + $0 + Array("\n".utf8) }, .identity),
    ]

    @Test(arguments: 0..<packings.count)
    func `the encoding of a body is detected from its bytes`(_ number: Int) throws {
        let (name, pack, encoding) = Self.packings[number]
        let batch = try VendorEnvironment.clickstream(pack(Array(Self.golden.utf8)), encoding: encoding)
        #expect(batch.accepted == 2, "\(name)")
        #expect(
            try VendorEnvironment.visit(batch)
                == VendorEnvironment.visit(VendorEnvironment.clickstream(Array(Self.golden.utf8)))
        )
    }

    @Test
    func `the hash covers the text as it was sent`() throws {
        let json = #"[{"app_id":"shop_ios","event_id":"E1","event_type":"ping","timestamp":1718000000000}]"#
        let packed = """
            H4sIAAAAAAACA4uuVkosKIjPTFGyUirOyAey8ouVdJRSy1LzSiCiroZwfkllQSpQpCAzLx0oVpKZm1pckphboGRlaG5oYQADtbEAj2nI/VUA\
            AAA=
            """
        #expect(try VendorEnvironment.clickstream(Array(json.utf8), hashCode: "ab2c87fe").accepted == 1)
        #expect(try VendorEnvironment.clickstream(Array(packed.utf8), hashCode: "3A6E4517").accepted == 1)
        let gzip = GzipCompressor().compress(Array(json.utf8))
        #expect(try VendorEnvironment.clickstream(gzip, encoding: .gzip, hashCode: "ab2c87fe").accepted == 1)
        let error = #expect(throws: AdmissionError.self) {
            try VendorEnvironment.clickstream(Array(packed.utf8), hashCode: "ab2c87fe")
        }
        #expect(error?.code == "hash_mismatch" && error?.field == "hashCode" && error?.kind == .malformed)
    }

    @Test
    func `an event id that is not a UUID gives the same UUID each time, and a different one for another app`() throws {
        func id(_ app: String) throws -> String? {
            let event = #"{"app_id":"\#(app)","event_id":"E1","event_type":"ping","timestamp":1718000000000}"#
            return try VendorEnvironment.visit(VendorEnvironment.clickstream(Array(event.utf8), app: app)).first?.id
        }
        let first = try #require(try id("shop_ios"))
        #expect(try id("shop_ios") == first)
        #expect(try id("shop_web") != first)
        #expect(first.dropFirst(14).first == "8")
        #expect(EventID(first)?.time.milliseconds == 1_718_000_000_000)
    }

    static let faults: [(String, String, String)] = [
        (#"{"event_id":"E","event_type":"a","timestamp":1}"#, "field_missing", "app_id"),
        (#"{"app_id":"other","event_id":"E","event_type":"a","timestamp":1}"#, "app_mismatch", "app_id"),
        (#"{"app_id":"shop_ios","event_type":"a","timestamp":1}"#, "field_missing", "event_id"),
        (#"{"app_id":"shop_ios","event_id":7,"event_type":"a","timestamp":1}"#, "field_invalid", "event_id"),
        (#"{"app_id":"shop_ios","event_id":"E","timestamp":1}"#, "field_missing", "event_type"),
        (#"{"app_id":"shop_ios","event_id":"E","event_type":"","timestamp":1}"#, "field_invalid", "event_type"),
        (#"{"app_id":"shop_ios","event_id":"E","event_type":"a"}"#, "field_missing", "timestamp"),
        (#"{"app_id":"shop_ios","event_id":"E","event_type":"a","timestamp":"now"}"#, "field_invalid", "timestamp"),
        (#"{"app_id":"shop_ios","event_id":"E","event_type":"a","timestamp":1e300}"#, "field_invalid", "timestamp"),
        (#"{"app_id":"shop_ios","event_id":"E","event_type":"a","timestamp":1,"user":[]}"#, "field_invalid", "user"),
        (
            #"{"app_id":"shop_ios","event_id":"E","event_type":"a","timestamp":1,"attributes":7}"#, "field_invalid",
            "attributes"
        ),
        ("17", "field_invalid", ""), ("null", "field_invalid", ""),
        (
            #"{"app_id":"shop_ios","event_id":"E","event_type":"a","timestamp":1,"attributes":{"":1}}"#, "key_empty",
            "attributes"
        ),
    ]

    @Test(arguments: faults)
    func `a faulty event is stored as received with the reason, without affecting the others`(
        _ event: String,
        _ code: String,
        _ field: String
    ) throws {
        let good = #"{"app_id":"shop_ios","event_id":"G","event_type":"good","timestamp":1}"#
        let batch = try VendorEnvironment.clickstream(Array("[\(event),\(good)]".utf8))
        #expect(batch.accepted == 1 && batch.rejected.map(\.code) == [code])
        #expect(batch.rejected.first?.field == field && batch.rejected.first?.index == 0)
        let kept = try VendorEnvironment.visit(batch)
        let faulty = try #require(kept.first { $0.fault != nil })
        #expect(faulty.fault == code)
        #expect(faulty.json["clickstream"] == (try JSONValue.parse(Array(event.utf8))))
        #expect(kept.first { $0.fault == nil }?.name == "good")
    }

    static let malformed: [(String, String)] = [
        ("", "empty_batch"), (" \n", "empty_batch"), ("hello!", "malformed_base64"), ("[{\"a\":1},", "malformed_json"),
        ("[{\"a\":1}] x", "malformed_json"), ("{\"a\":\"\u{1}\"}", "malformed_json"), ("bm8=", "malformed_json"),
        ("H4sIAAAAAAACA4uuVg==", "gzip_truncated"),
    ]

    @Test(arguments: malformed)
    func `an unreadable body is rejected as a whole`(_ body: String, _ code: String) {
        let error = #expect(throws: AdmissionError.self) { try VendorEnvironment.clickstream(Array(body.utf8)) }
        #expect(error?.code == code && error?.kind == .malformed)
    }

    @Test
    func `an empty array stores nothing, and is not an error`() throws {
        let batch = try VendorEnvironment.clickstream(Array("[]".utf8))
        #expect(batch.count == 0 && batch.records.isEmpty)
    }

    @Test
    func `each installation in a body has a separate header, and a long body becomes several records`() throws {
        let events = (0..<2_500).map { number in
            #"{"app_id":"shop_ios","device_id":"D\#(number % 3)","event_id":"E\#(number)","event_type":"e","timestamp":1}"#
        }
        let batch = try VendorEnvironment.clickstream(Array("[\(events.joined(separator: ","))]".utf8))
        #expect(batch.accepted == 2_500 && batch.records.count == 3)
        let kept = try VendorEnvironment.visit(batch)
        #expect(kept.count == 2_500 && Set(kept.map(\.id)).count == 2_500)
        #expect(Set(kept.compactMap(\.installation)).count == 3)
    }

    @Test(arguments: [("9223372036854775807", "-1"), ("-9223372036854775808", "1")])
    func `a session with times too far apart to subtract keeps its stated duration`(_ time: String, _ start: String)
        throws
    {
        let event = """
            {"app_id":"shop_ios","event_id":"E","event_type":"a","timestamp":\(time),"attributes":{"_session_id":"s",\
            "_session_start_timestamp":\(start),"_session_duration":1}}
            """
        let kept = try #require(try VendorEnvironment.visit(VendorEnvironment.clickstream(Array(event.utf8))).first)
        #expect(kept.fault == nil && kept.attributes?["_session_duration"] == .integer(1))
    }

    @Test
    func `an item without an id is kept, and known misspellings in exceptions are accepted`() throws {
        let event = """
            {"app_id":"shop_ios","event_id":"E","event_type":"_app_exception","timestamp":1,"items":[{"name":"x"},{"id":9}],\
            "attributes":{"_exception_reason":"why","_excepiton_stack":"where"},"hidden":true}
            """
        let kept = try #require(try VendorEnvironment.visit(VendorEnvironment.clickstream(Array(event.utf8))).first)
        #expect(kept.attributes?["_exception_message"]?.string == "why")
        #expect(kept.attributes?["_exception_stack"]?.string == "where")
        #expect(kept.attributes?["_items_without_id"]?.array?.count == 1)
        #expect(kept.attributes?["hidden"]?.boolean == true)
        #expect(kept.json["items"]?.array?.map { $0["id"]?.string } == ["9"])
    }
}
