// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import TrackwayEvents

/// A stream for tests of people and their use of an app.
///
/// Has few people on few devices, with screens, clicks, starts, user traits, odd ids and names, late and repeated
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

    private static func one<Element>(_ list: [Element], _ chance: inout SeededChance) -> Element {
        list[chance.number(0...list.count - 1)]
    }

    /// Returns one of few times, so that many events share a millisecond.
    private static func moment(_ chance: inout SeededChance) -> Int64 {
        start + Int64(chance.number(0...200)) * (length / 200)
    }

    private static func user(_ chance: inout SeededChance) -> String {
        var parts: [String] = []
        if !chance.chance(3) { parts.append(#""id":\#(text(one(users, &chance)))"#) }
        if chance.chance(2) { parts.append(#""unique_id":\#(text("x\(chance.number(1...4))"))"#) }
        if chance.chance(3) { parts.append(#""anonymous_id":"anon\#(chance.number(1...3))""#) }
        if chance.chance(3) { parts.append(#""first_touch":\#(moment(&chance))"#) }
        if chance.chance(2) {
            let said = (0...chance.number(0...2)).map { _ in
                #"\#(text(one(names, &chance))):{"value":\#(one(values, &chance)),"set":\#(moment(&chance))}"#
            }
            parts.append(#""attributes":{\#(said.joined(separator: ","))}"#)
        }
        return #""user":{\#(parts.joined(separator: ","))}"#
    }

    private static func context(_ chance: inout SeededChance) -> String {
        var parts: [String] = []
        if !chance.chance(4) { parts.append(user(&chance)) }
        if chance.chance(12) { parts.append(user(&chance)) }
        if !chance.chance(5) {
            var session = [#""id":\#(text(one(sessions, &chance)))"#]
            if chance.chance(2) { session.append(#""number":\#(chance.number(0...5))"#) }
            if chance.chance(2) { session.append(#""start":\#(moment(&chance))"#) }
            parts.append(#""session":{\#(session.joined(separator: ","))}"#)
        }
        if !chance.chance(3) {
            let id = chance.chance(2) ? #","id":"/\#(chance.number(1...2))""# : ""
            parts.append(#""screen":{"name":\#(text(one(screens, &chance)))\#(id)}"#)
        }
        if !chance.chance(3) { parts.append(#""app":{"id":"app","version":"1.\#(chance.number(0...9))"}"#) }
        if chance.chance(2) {
            let (model, version) = (chance.number(1...3), chance.number(10...19))
            parts.append(#""device":{"model":"M\#(model)","os_name":"iOS","os_version":"\#(version)"}"#)
        }
        if chance.chance(3) { parts.append(#""global":{"tier":"gold"}"#) }
        return #"{"context":{\#(parts.joined(separator: ","))}}"#
    }

    private static func engagement(_ chance: inout SeededChance) -> String {
        let time = one(["0", "-5", "9223372036854775807", "\"9\"", "1.5", "700", "1200", "30", "45"], &chance)
        return #""_engagement_time_msec":\#(time)"#
    }

    private static func event(_ number: UInt64, _ chance: inout SeededChance) -> String {
        var attributes: [String] = []
        let name: String
        switch chance.number(0...13) {
        case 0...3:
            name = "_screen_view"
            if !chance.chance(4) { attributes.append(#""_screen_name":\#(text(one(screens, &chance)))"#) }
            if chance.chance(3) { attributes.append(#""_screen_id":"/\#(chance.number(1...2))""#) }
            if chance.chance(3) { attributes.append(#""_screen_unique_id":"""#) }
            if chance.chance(2) { attributes.append(engagement(&chance)) }
        case 4, 5:
            name = "_user_engagement"
            attributes.append(engagement(&chance))
        case 6, 7:
            name = "_click"
            if !chance.chance(4) { attributes.append(#""_element_id":\#(text(one(screens, &chance)))"#) }
            if chance.chance(2) { attributes.append(#""_element_content":"Buy""#) }
            if chance.chance(2) { attributes.append(#""_element_type":"\#(one(["Button", "", "Cell"], &chance))""#) }
            if chance.chance(2) { attributes.append(#""_screen_name":\#(text(one(screens, &chance)))"#) }
        case 8:
            name = one(["_app_start", "_app_end", "_app_exception"], &chance)
            attributes = [
                #""_start_kind":"\#(one(["cold", "hot"], &chance))""#, #""_is_first_start":\#(chance.chance(2))"#,
                #""_is_recovered":\#(one(["true", "false", "1"], &chance))"#,
                #""_foreground_duration_msec":\#(one(["5000", "-1", "9223372036854775807", "0"], &chance))"#,
            ]
        case 9, 10:
            name = one(operations, &chance)
            attributes = (0...chance.number(0...2)).map { _ in "\(text(one(names, &chance))):\(one(values, &chance))" }
            if chance.chance(6) { attributes.append(#""_signed_in":true"#) }
        default:
            name = one(ordinary, &chance)
            attributes.append(#""total":\#(chance.number(0...9))"#)
        }
        if chance.chance(10) { attributes.append(#""_session_id":\#(text(one(sessions, &chance)))"#) }
        return
            #"{"id":"\#(SentBatch.id(number))","name":\#(text(name)),"time":\#(moment(&chance)),"attributes":{\#(attributes.joined(separator: ","))}}"#
    }

    /// Fills a stream. Equal seeds give equal streams.
    static func fill(_ stream: StreamMemory, seed: UInt64, batches: Int = 70) {
        var chance = SeededChance(seed: seed)
        var next: UInt64 = 1
        var records: [[UInt8]] = []
        for batch in 1...batches {
            if !records.isEmpty, chance.chance(6) { stream.append(one(records, &chance)) }
            var lines: [String] = []
            if !chance.chance(7) {
                let installation = UInt64(chance.number(1...7))
                lines.append(
                    #"{"batch":{"id":"b\#(batch)","installation":"\#(SentBatch.installation(installation))","#
                        + #""writer":"\#(SentBatch.id(0xAA_0000 + UInt64(batch)))","first":1,"last":20,"recorded":20,"dropped":[],"skipped":[]}}"#
                )
            }
            if !chance.chance(10) { lines.append(context(&chance)) }
            for number in 0..<20 {
                if number == 8 || number == 14, chance.chance(2) { lines.append(context(&chance)) }
                lines.append(event(next, &chance))
                next += 1
            }
            if batch == batches / 3 { lines.append(SentBatch.tombstone(7)) }
            if batch == batches / 2 { lines.append(SentBatch.tombstone(6)) }
            // The context of a rejected event is still used.
            let faults = [0, 8].map { #"[\#($0),"invalid_name","name","Not a name."]"# }
            let refused = chance.chance(4) ? faults.joined(separator: ",") : ""
            let about =
                #"{"received":\#(start + Int64(batch) * 86_400_000),"key":"dev","encoding":"identity","rejected":[\#(refused)]}"#
            let record = Array((about + "\n" + lines.joined(separator: "\n")).utf8)
            records.append(record)
            stream.append(record)
        }
    }
}
