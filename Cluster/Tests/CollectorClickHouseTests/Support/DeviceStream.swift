// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import TrackwayCore

/// A stream for tests of devices, names and the plan.
///
/// Has repeated contexts, snapshots that arrive late or twice, states, impossible times, events that are rejected or
/// have no id, and one installation that is completely erased.
enum DeviceStream {
    static let installations: ClosedRange<UInt64> = 1...7
    /// The erased installation.
    static let erased: UInt64 = 7
    static let start = QueryStream.start
    static let names = ["buy", "Buy", "view", "it's %_", "名", "_screen_view", "_tap", "$odd", "free"]

    static let plan = """
        {"version":1,"title":"Shop","events":{"buy":{"attributes":{"required":["total"],"additionalProperties":false,\
        "properties":{"total":{"type":"number","minimum":0},"odd":{"type":"string","maxLength":3},\
        "list":{"type":"array","maxItems":1,"items":{"type":"integer"}}}},"items":{"type":"array","maxItems":2}},\
        "view":{},"free":{"attributes":{"additionalProperties":false}},"never":{}}}
        """

    private static let properties = [
        #""device_model":"P1""#, #""device_model":"P2""#, #""device_model":7"#, #""device_hardware_machine":"m,1""#,
        #""device_system_name":"OS""#, #""device_system_version":"1""#, #""device_system_version":"2""#, #""cpu":4"#,
        #""cpu":4.0"#, #""big":9007199254740993"#, #""big":9007199254740992"#, #""list":[1,2]"#, #""list":[1,2.0]"#,
        #""deep":{"a":{"b":null}}"#, #""_path":"/x""#, #""text":"\u00e9""#, #""text":"it's""#, #""none":null"#,
    ]
    private static let states = [
        #""application_state":"active""#, #""application_state":"background""#, #""battery_level":0.25"#,
        #""battery_level":1"#, #""battery_state":"charging""#, #""device_orientation":"portrait""#,
        #""proximity_state":true"#, #""network_addresses":["::1",7]"#,
        #""window_root_view_controller_titles":["A","B"]"#,
        #""location":{"latitude":1,"longitude":2.5}"#, #""heading":{"magnetic_heading":12}"#, #""motion":[{},{}]"#,
    ]

    private static func some(_ parts: [String], _ count: Int, _ random: inout SeededNumberGenerator) -> String {
        (0..<count).compactMap { _ in parts.randomElement(using: &random) }.joined(separator: ",")
    }

    /// Returns one of a few contexts, so that contexts repeat.
    private static func context(_ random: inout SeededNumberGenerator) -> String {
        let app = [
            #""app":{"id":"shop","version":"1.0"}"#, #""app":{"id":"shop","version":"2.0"}"#, #""app":{"id":"it's"}"#,
            "",
        ]
        let device = [
            #""device":{"model":"C1","os_name":"OS","os_version":"3","platform":"p"}"#, #""device":{"platform":"web"}"#,
            #""device":{"model":"","os_version":"9"}"#, #""device":"none""#, "",
        ]
        let user = [#""user":{"id":"u1"}"#, #""user":{"id":"u\u0000\u00e9"}"#, "", ""]
        let screen = [#""screen":{"name":"Home"}"#, #""screen":{"name":""}"#, ""]
        let global = [#""global":{"tier":"gold","n":1}"#, ""]
        let parts = [app, device, user, screen, global].compactMap { $0.randomElement(using: &random) }
        return #"{"context":{\#(parts.filter { !$0.isEmpty }.joined(separator: ","))}}"#
    }

    private static func time(_ random: inout SeededNumberGenerator) -> Int64 {
        if random.oneIn(60) { return [Int64.min, -1, 0, 899_999, 253_402_300_800_000, .max][random.number(0...5)] }
        // Few distinct times, so that many events share a millisecond.
        return start + Int64(random.number(0...300)) * 21_600_000 / 5
    }

    private static func event(_ number: UInt64, _ random: inout SeededNumberGenerator) -> String {
        var head = #""time":\#(time(&random)),"#
        // An event of a simple client: without an id or a time.
        if !random.oneIn(15) { head += #""id":"\#(SentBatch.id(number))","# }
        if random.oneIn(25) { head = #""id":"\#(SentBatch.id(number))","# }
        switch random.number(0...9) {
        case 0, 1:
            return
                #"{\#(head)"name":"_device_properties","attributes":{\#(some(properties, random.number(0...5), &random))}}"#
        case 2, 3:
            return #"{\#(head)"name":"_app_state","attributes":{\#(some(states, random.number(0...6), &random))}}"#
        case 4: return #"{\#(head)"name":"_app_\u0073tate"}"#
        default: break
        }
        let odd = QueryStream.values.randomElement(using: &random) ?? "1"
        var attributes: [String] = []
        if !random.oneIn(3) { attributes.append(#""total":\#(random.number(-2...9))"#) }
        if random.oneIn(2) { attributes.append(#""odd":\#(odd)"#) }
        if random.oneIn(3) { attributes.append(#""list":[1,\#(odd)]"#) }
        if random.oneIn(5) { attributes.append(#""x\#(random.number(1...9))":{}"#) }
        let items = random.oneIn(4) ? #","items":[{"id":"a"},{"id":"b"},{"id":"c"}]"# : ""
        let name = QueryStream.text(names.randomElement(using: &random) ?? "buy")
        return #"{\#(head)"name":\#(name),"attributes":{\#(attributes.joined(separator: ","))}\#(items)}"#
    }

    /// Fills a stream. Equal seeds give equal streams.
    static func fill(_ stream: InMemoryStream, seed: UInt64, batches: Int = 60) {
        var random = SeededNumberGenerator(seed: seed)
        var next: UInt64 = 1
        var records: [[UInt8]] = []
        var sent: [UInt64?: [UInt64]] = [:]
        for batch in 1...batches {
            if let again = records.randomElement(using: &random), random.oneIn(6) { stream.append(again) }
            let installation = random.oneIn(8) ? nil : UInt64(random.number(1...Int(erased)))
            var lines: [String] = []
            if let installation {
                lines.append(
                    #"{"batch":{"id":"b\#(batch)","installation":"\#(SentBatch.installation(installation))","#
                        + #""writer":"\#(SentBatch.id(0xAA_0000 + UInt64(batch)))","first":1,"last":20,"recorded":20,"dropped":[],"skipped":[]}}"#
                )
            }
            if !random.oneIn(10) { lines.append(context(&random)) }
            for _ in 0..<20 {
                if random.oneIn(7) { lines.append(context(&random)) }
                // The same event again, in a batch with different boundaries.
                let again = random.oneIn(30) ? sent[installation]?.randomElement(using: &random) : nil
                lines.append(event(again ?? next, &random))
                sent[installation, default: []].append(next)
                next += 1
            }
            if batch == batches * 2 / 3 { lines.append(SentBatch.tombstone(erased)) }
            let rejected = random.oneIn(5) ? #"[3,"invalid_name","name","Not a name."]"# : ""
            let header =
                #"{"received":\#(start + Int64(batch) * 43_200_000),"key":"dev","encoding":"identity","rejected":[\#(rejected)]}"#
            let record = Array((header + "\n" + lines.joined(separator: "\n")).utf8)
            records.append(record)
            stream.append(record)
        }
    }
}
