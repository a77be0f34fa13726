// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import TrackwayCore

/// A stream for tests of people and their use of an app.
///
/// Has a few people on a few devices, with screens, clicks, starts, user traits, odd ids and names, late and repeated
/// batches, rejected events, and erased installations.
enum PeopleStream {
    /// The earliest time of its events.
    static let start: Int64 = 1_700_000_000_000
    /// The time from there to the latest time of its events.
    static let length: Int64 = 3 * 86_400_000
    /// The signed-in users. Some differ only in their bytes.
    static let users = [
        "u1", "u2", "U1", "it's", "\u{e9}", "e\u{301}", "a\u{0}b", "a\u{0}c",
        "名 \"x\"\\", "7",
    ]
    /// The session ids.
    static let sessions = ["s1", "s2", "s3", "\u{e9}", "e\u{301}", "a\u{0}", "it's"]
    /// The installations; the last two are erased.
    static let installations: ClosedRange<UInt64> = 1...7

    private static let screens = ["Home", "Cart", "Caf\u{e9}", "Cafe\u{301}", "O'Brien's \\ \"x\"", "a\u{0}b", ""]
    private static let names = ["color", "plan", "visits", "tags", "a\u{0}b", "it's", "\u{e9}", "e\u{301}"]
    private static let operations = [
        "_profile_set", "_profile_set_once", "_profile_increment", "_profile_append", "_profile_unset",
        "_profile_delete",
    ]
    private static let values = [
        "1", "2.5", "-3", "true", "null", #""gold""#, #""Gold card""#, #"["a","b"]"#, #"["b","c"]"#,
        "9223372036854775807", #"{"x":1}"#, #""it's""#, "1e300",
    ]
    private static let ordinary = ["n1", "n2", "it's", "名"]

    private static func text(_ text: String) -> String {
        String(decoding: JSONValue.string(text).json(), as: UTF8.self)
    }

    private static func one<Element>(_ list: [Element], _ random: inout SeededNumberGenerator) -> Element {
        list[random.number(0...list.count - 1)]
    }

    /// Returns one of a few times, so that many events share a millisecond.
    private static func time(_ random: inout SeededNumberGenerator) -> Int64 {
        start + Int64(random.number(0...200)) * (length / 200)
    }

    private static func user(_ random: inout SeededNumberGenerator) -> String {
        var parts: [String] = []
        if !random.oneIn(3) { parts.append(#""id":\#(text(one(users, &random)))"#) }
        if random.oneIn(2) { parts.append(#""unique_id":\#(text("x\(random.number(1...4))"))"#) }
        if random.oneIn(3) { parts.append(#""anonymous_id":"anon\#(random.number(1...3))""#) }
        if random.oneIn(3) { parts.append(#""first_touch":\#(time(&random))"#) }
        if random.oneIn(2) {
            let attributes = (0...random.number(0...2)).map { _ in
                #"\#(text(one(names, &random))):{"value":\#(one(values, &random)),"set":\#(time(&random))}"#
            }
            parts.append(#""attributes":{\#(attributes.joined(separator: ","))}"#)
        }
        return #""user":{\#(parts.joined(separator: ","))}"#
    }

    private static func context(_ random: inout SeededNumberGenerator) -> String {
        var parts: [String] = []
        if !random.oneIn(4) { parts.append(user(&random)) }
        if random.oneIn(12) { parts.append(user(&random)) }
        if !random.oneIn(5) {
            var session = [#""id":\#(text(one(sessions, &random)))"#]
            if random.oneIn(2) { session.append(#""number":\#(random.number(0...5))"#) }
            if random.oneIn(2) { session.append(#""start":\#(time(&random))"#) }
            parts.append(#""session":{\#(session.joined(separator: ","))}"#)
        }
        if !random.oneIn(3) {
            let id = random.oneIn(2) ? #","id":"/\#(random.number(1...2))""# : ""
            parts.append(#""screen":{"name":\#(text(one(screens, &random)))\#(id)}"#)
        }
        if !random.oneIn(3) { parts.append(#""app":{"id":"app","version":"1.\#(random.number(0...9))"}"#) }
        if random.oneIn(2) {
            let (model, version) = (random.number(1...3), random.number(10...19))
            parts.append(#""device":{"model":"M\#(model)","os_name":"iOS","os_version":"\#(version)"}"#)
        }
        if random.oneIn(3) { parts.append(#""global":{"tier":"gold"}"#) }
        return #"{"context":{\#(parts.joined(separator: ","))}}"#
    }

    private static func engagement(_ random: inout SeededNumberGenerator) -> String {
        let time = one(["0", "-5", "9223372036854775807", "\"9\"", "1.5", "700", "1200", "30", "45"], &random)
        return #""_engagement_time_msec":\#(time)"#
    }

    private static func event(_ number: UInt64, _ random: inout SeededNumberGenerator) -> String {
        var attributes: [String] = []
        let name: String
        switch random.number(0...13) {
        case 0...3:
            name = "_screen_view"
            if !random.oneIn(4) { attributes.append(#""_screen_name":\#(text(one(screens, &random)))"#) }
            if random.oneIn(3) { attributes.append(#""_screen_id":"/\#(random.number(1...2))""#) }
            if random.oneIn(3) { attributes.append(#""_screen_unique_id":"""#) }
            if random.oneIn(2) { attributes.append(engagement(&random)) }
        case 4, 5:
            name = "_user_engagement"
            attributes.append(engagement(&random))
        case 6, 7:
            name = "_click"
            if !random.oneIn(4) { attributes.append(#""_element_id":\#(text(one(screens, &random)))"#) }
            if random.oneIn(2) { attributes.append(#""_element_content":"Buy""#) }
            if random.oneIn(2) { attributes.append(#""_element_type":"\#(one(["Button", "", "Cell"], &random))""#) }
            if random.oneIn(2) { attributes.append(#""_screen_name":\#(text(one(screens, &random)))"#) }
        case 8:
            name = one(["_app_start", "_app_end", "_app_exception"], &random)
            attributes = [
                #""_start_kind":"\#(one(["cold", "hot"], &random))""#, #""_is_first_start":\#(random.oneIn(2))"#,
                #""_is_recovered":\#(one(["true", "false", "1"], &random))"#,
                #""_foreground_duration_msec":\#(one(["5000", "-1", "9223372036854775807", "0"], &random))"#,
            ]
        case 9, 10:
            name = one(operations, &random)
            attributes = (0...random.number(0...2)).map { _ in "\(text(one(names, &random))):\(one(values, &random))" }
            if random.oneIn(6) { attributes.append(#""_signed_in":true"#) }
        default:
            name = one(ordinary, &random)
            attributes.append(#""total":\#(random.number(0...9))"#)
        }
        if random.oneIn(10) { attributes.append(#""_session_id":\#(text(one(sessions, &random)))"#) }
        return
            #"{"id":"\#(SentBatch.id(number))","name":\#(text(name)),"time":\#(time(&random)),"attributes":{\#(attributes.joined(separator: ","))}}"#
    }

    /// Fills a stream. Equal seeds give equal streams.
    static func fill(_ stream: InMemoryStream, seed: UInt64, batches: Int = 70) {
        var random = SeededNumberGenerator(seed: seed)
        var next: UInt64 = 1
        var records: [[UInt8]] = []
        for batch in 1...batches {
            if !records.isEmpty, random.oneIn(6) { stream.append(one(records, &random)) }
            var lines: [String] = []
            if !random.oneIn(7) {
                let installation = UInt64(random.number(1...7))
                lines.append(
                    #"{"batch":{"id":"b\#(batch)","installation":"\#(SentBatch.installation(installation))","#
                        + #""writer":"\#(SentBatch.id(0xAA_0000 + UInt64(batch)))","first":1,"last":20,"recorded":20,"dropped":[],"skipped":[]}}"#
                )
            }
            if !random.oneIn(10) { lines.append(context(&random)) }
            for number in 0..<20 {
                if number == 8 || number == 14, random.oneIn(2) { lines.append(context(&random)) }
                lines.append(event(next, &random))
                next += 1
            }
            if batch == batches / 3 { lines.append(SentBatch.tombstone(7)) }
            if batch == batches / 2 { lines.append(SentBatch.tombstone(6)) }
            // The context of a rejected event is still used.
            let faults = [0, 8].map { #"[\#($0),"invalid_name","name","Not a name."]"# }
            let rejected = random.oneIn(4) ? faults.joined(separator: ",") : ""
            let header =
                #"{"received":\#(start + Int64(batch) * 86_400_000),"key":"dev","encoding":"identity","rejected":[\#(rejected)]}"#
            let record = Array((header + "\n" + lines.joined(separator: "\n")).utf8)
            records.append(record)
            stream.append(record)
        }
    }
}
