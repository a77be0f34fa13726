// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("Hostile input")
struct HostileInputTests {
    /// Reads the bytes with every parser; those that accept them must agree.
    static func read(_ bytes: [UInt8]) {
        let value: JSONValue?
        do throws(JSONError) {
            value = try JSONValue.parse(bytes)
        } catch {
            value = nil
            #expect((0...bytes.count).contains(error.offset))
        }
        #expect((JSONConformanceTests.skips(bytes) == nil) == (value != nil))
        bytes.withUnsafeBytes { raw in
            do throws(JSONError) {
                let event = try Event(json: raw)
                #expect(value != nil)
                #expect(event.json().isEmpty == false)
            } catch {
                #expect((0...bytes.count).contains(error.offset))
            }
            do throws(EventFault) {
                let scan = try EventScan(raw)
                #expect(value != nil)
                #expect((0...bytes.count).contains(scan.name.range.upperBound))
            } catch {
                #expect((0...bytes.count).contains(error.offset))
                #expect(!error.message.isEmpty)
            }
        }
    }

    @Test(arguments: 0..<8)
    func `random bytes never trap`(_ seed: Int) {
        var seed = SeededRandom(UInt64(seed) + 1000)
        for _ in 0..<1500 {
            Self.read((0..<seed.below(60)).map { _ in UInt8(truncatingIfNeeded: seed.next()) })
        }
    }

    @Test(arguments: 0..<8)
    func `random JSON tokens never trap`(_ seed: Int) {
        let tokens = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "d83d", "1", "0", "-", ".", "e", "+", "true", "null", " ",
            "\"id\"", "\"name\":\"x\"", "\"attributes\":{", "\"items\":[{\"id\":\"1\"", "\"time\":", "\u{e9}", "\n",
        ]
        var seed = SeededRandom(UInt64(seed) + 2000)
        for _ in 0..<1500 {
            Self.read(Array((0..<seed.below(30)).map { _ in tokens[seed.below(tokens.count)] }.joined().utf8))
        }
    }

    @Test(arguments: 0..<8)
    func `events with a few bytes changed never trap`(_ seed: Int) {
        var random = RandomEvents(seed: SeededRandom(UInt64(seed) + 3000))
        for _ in 0..<150 {
            let json = random.event().json()
            for _ in 0..<10 {
                var bytes = json
                for _ in 0...random.seed.below(3) { Self.mutate(&bytes, &random.seed) }
                Self.read(bytes)
            }
        }
    }

    @Test
    func `an event truncated anywhere is rejected`() {
        var random = RandomEvents(seed: SeededRandom(4000))
        for _ in 0..<10 {
            let json = random.event().json()
            for length in 0..<json.count {
                #expect(throws: JSONError.self) { try Event(json: Array(json.prefix(length))) }
            }
        }
    }

    static func mutate(_ bytes: inout [UInt8], _ seed: inout SeededRandom) {
        guard !bytes.isEmpty else { return }
        let place = seed.below(bytes.count)
        switch seed.below(5) {
        case 0: bytes[place] ^= 1 << UInt8(seed.below(8))
        case 1: bytes[place] = UInt8(truncatingIfNeeded: seed.next())
        case 2: bytes.remove(at: place)
        case 3: bytes.insert(Array("{}[]\",:\\0e.-u".utf8)[seed.below(13)], at: place)
        default: bytes.removeSubrange(place..<min(bytes.count, place + 1 + seed.below(20)))
        }
    }
}
