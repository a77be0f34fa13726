// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import TrackwayCore

/// A stream for tests of queries.
///
/// Has events of a few people on a few days, with unusual JSON values, some late, some repeated, some rejected, and one
/// installation that is completely erased.
enum QueryStream {
    /// The earliest time of its events, shortly before the clocks of the test zone change.
    static let start: Int64 = 1_700_000_000_000
    /// The time from there to the latest time of its events.
    static let length: Int64 = 5 * 86_400_000
    /// A name with characters that are special in SQL, JSON and paths.
    static let hostile = "it's a \"name\".with, everything\\=數 "
    /// The names of its events, as JSON.
    static let names = ["n1", "n2", "n3", "it's", "名", "_screen_view", "_app_start"]
    static let screens = ["Home", "Cart", "O'Brien's \\\\ \\\"x\\\"", "名", ""]
    /// Values of the attribute `odd`, as JSON.
    static let values = [
        "0", "-0", "0.0", "-0.0", "1", "1.0", "1e0", "2.5", "-3.25", "0.1", "1e300", "-1e300", "5e-324",
        "9007199254740993",
        "9007199254740992", "9007199254740994", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
        "-9223372036854775807", "true", "false", "null", #""""#, #""a""#, #""A""#, #""\u00e9""#, #""e\u0301""#, #""1""#,
        #""1.0""#, #""true""#, #""it's""#, #""a\\'; DROP TABLE events; --""#, #""\u0000""#, #""a\u0000b""#, #""\n\t""#,
        #""😀""#, #""null""#, "[]", "[1,2]", "{}", #"{"b":[1.0,"x"]}"#, #""10""#, #""9""#, "10", "9",
    ]

    /// Returns a multiple of a quarter, so that sums of doubles are exact in any order.
    private static func quarters(_ random: inout SeededNumberGenerator) -> String {
        let number = random.number(-8...60)
        return number % 4 == 0 ? "\(number / 4)" : "\(Double(number) / 4)"
    }

    static func text(_ text: String) -> String { String(decoding: JSONValue.string(text).json(), as: UTF8.self) }

    private static func context(_ random: inout SeededNumberGenerator) -> String {
        var parts: [String] = []
        if random.oneIn(2) {
            parts.append(
                #""user":{"id":\#(["\"u1\"", "\"u2\"", "\"U1\"", "\"it's\"", "\"\"", "7"][random.number(0...5)])}"#
            )
        }
        if !random.oneIn(5) { parts.append(#""session":{"id":"s\#(random.number(1...3))"}"#) }
        if !random.oneIn(4) {
            let version = ["\"1\"", "\"2\"", "2", "2.0", "\"1.10\"", "\"1.9\"", "null"][random.number(0...6)]
            parts.append(
                #""app":{"version":\#(version),"deep":{"a":{"b":\#(random.number(0...2))}},"version":\#(version)}"#
            )
        }
        if random.oneIn(2) {
            parts.append(#""global":{"tier":"gold","odd":\#(values.randomElement(using: &random) ?? "1"),"run":7}"#)
        }
        if random.oneIn(2) { parts.append(#""boot":"b\#(random.number(1...2))""#) }
        if random.oneIn(3) { parts.append(#""screen":{"name":"\#(screens[random.number(0...4)])"}"#) }
        return #"{"context":{\#(parts.joined(separator: ","))}}"#
    }

    private static func event(_ number: UInt64, _ random: inout SeededNumberGenerator) -> String {
        var attributes: [String] = []
        if !random.oneIn(4) { attributes.append(#""total":\#(quarters(&random))"#) }
        if !random.oneIn(4) {
            attributes.append(#""currency":"\#(random.oneIn(3) ? "EUR" : "c\(random.number(1...14))")""#)
        }
        if random.oneIn(2) { attributes.append(#""odd":\#(values.randomElement(using: &random) ?? "1")"#) }
        // If a name occurs twice, its last value is used; a name may be written with escapes.
        if random.oneIn(6) { attributes.append(#""\u006fdd":\#(values.randomElement(using: &random) ?? "1")"#) }
        if random.oneIn(5) { attributes.append(#""tier":\#(random.oneIn(3) ? "null" : "\"silver\"")"#) }
        if random.oneIn(4) { attributes.append("\(text(hostile)):\(random.number(0...2))") }
        if random.oneIn(4) { attributes.append(#""context.x":"\#(random.number(0...1))""#) }
        if random.oneIn(5) { attributes.append(#""big":9223372036854775\#(random.number(100...807))"#) }
        let name = names.randomElement(using: &random) ?? "n1"
        if name == "_screen_view", !random.oneIn(4) {
            attributes.append(#""_screen_name":"\#(screens[random.number(0...4)])""#)
        }
        // Few distinct times, so that many events share a millisecond.
        let time = start + Int64(random.number(0...400)) * (length / 400)
        let mono = random.oneIn(2) ? #""mono":\#(random.number(0...9_000_000)),"# : ""
        let session = random.oneIn(12) ? #""_session_id":"other","# : ""
        return
            #"{"id":"\#(SentBatch.id(number))","name":\#(text(name)),"time":\#(time),\#(mono)"attributes":{\#(session)\#(attributes.isEmpty ? #""x":1"# : attributes.joined(separator: ","))}}"#
    }

    /// Fills a stream. Equal seeds give equal streams.
    static func fill(_ stream: InMemoryStream, seed: UInt64, batches: Int = 60) {
        var random = SeededNumberGenerator(seed: seed)
        var next: UInt64 = 1
        var records: [[UInt8]] = []
        for batch in 1...batches {
            if let again = records.randomElement(using: &random), random.oneIn(8) { stream.append(again) }
            let installation = random.oneIn(6) ? nil : UInt64(random.number(1...6))
            var lines: [String] = []
            let received = start + Int64(batch) * 86_400_000
            // Some clocks are wrong, by little or by much.
            let sent =
                random.oneIn(3) ? #""sent":\#(received + Int64(random.number(-200...200)) * 3_000_000),"# : ""
            if let installation {
                lines.append(
                    #"{"batch":{"id":"b\#(batch)","installation":"\#(SentBatch.installation(installation))","#
                        + #""writer":"\#(SentBatch.id(0xAA_0000 + UInt64(batch)))",\#(sent)"first":1,"last":20,"recorded":20,"dropped":[],"skipped":[]}}"#
                )
            }
            if !random.oneIn(10) { lines.append(context(&random)) }
            for number in 0..<20 {
                if number == 10, random.oneIn(4) { lines.append(context(&random)) }
                lines.append(event(next, &random))
                next += 1
            }
            if batch == batches / 2 { lines.append(SentBatch.tombstone(6)) }
            let rejected = random.oneIn(5) ? #"[3,"invalid_name","name","Not a name."]"# : ""
            let header =
                #"{"received":\#(received),"key":"dev","encoding":"identity","rejected":[\#(rejected)]}"#
            let record = Array((header + "\n" + lines.joined(separator: "\n")).utf8)
            records.append(record)
            stream.append(record)
        }
    }
}
