// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("Identities")
struct IdentityTests {
    static let text = "0190a5d0-ac96-774b-bcce-b302099a8057"

    @Test
    func `an identity is written as 36 lowercase characters and read in either case`() {
        let id = EventID(high: 0x0190_a5d0_ac96_774b, low: 0xbcce_b302_099a_8057)
        #expect(id.description == Self.text)
        #expect(EventID(Self.text) == id)
        #expect(EventID(Self.text.uppercased()) == id)
        #expect(InstallationID(Self.text)?.description == Self.text)
        #expect(WriterID(Self.text)?.description == Self.text)
    }

    @Test
    func `one wrong byte anywhere makes an identity invalid`() {
        let good = Array(Self.text.utf8)
        for place in good.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = good
                changed[place] = byte
                let isDash = [8, 13, 18, 23].contains(place)
                let isHex = (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
                let id = changed.withUnsafeBytes { EventID(utf8: $0) }
                #expect((id != nil) == (isDash ? byte == 0x2D : isHex))
            }
        }
        for length in [0, 1, 35, 37] {
            #expect(EventID(String(repeating: "0", count: length)) == nil)
        }
    }

    @Test
    func `random identities read back unchanged`() {
        var seed = SeededRandom(1)
        for _ in 0..<1000 {
            let id = EventID(high: seed.next(), low: seed.next())
            #expect(EventID(id.description) == id)
        }
    }

    @Test
    func `identities are UUIDs of version 7 and contain the time`() {
        let generator = EventIDGenerator(randomBits: 0x3FF_FFFF_FFFF, firstCounter: 5)
        let id = generator.next(at: Timestamp(milliseconds: 0x0190_a5d0_ac96))
        #expect(id.description == "0190a5d0-ac96-7fff-bfff-ffff00000005")
        #expect(id.time == Timestamp(milliseconds: 0x0190_a5d0_ac96))
        let writer = WriterID.generate(at: Timestamp(milliseconds: 0x0190_a5d0_ac96))
        #expect(writer.description.hasPrefix("0190a5d0-ac96-7"))
        #expect("89ab".contains(Array(writer.description)[19]))
        #expect(writer != WriterID.generate(at: Timestamp(milliseconds: 0x0190_a5d0_ac96)))
    }

    @Test(arguments: [0, 1_700_000_000_000, (1 << 48) - 1])
    func `an installation's secret proves only its own identity`(milliseconds: Int64) throws {
        let secret = InstallationSecret(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
        let id = secret.installation(at: Timestamp(milliseconds: milliseconds))
        #expect(secret.proves(id))
        #expect(Int64(id.high >> 16) == milliseconds)
        #expect(id.high >> 12 & 0xF == 7 && id.low >> 62 == 2)
        #expect(InstallationSecret(secret.description) == secret)
        for bit in 0..<64 {
            #expect(!secret.proves(InstallationID(high: id.high ^ 1 << UInt64(bit), low: id.low)))
            #expect(!secret.proves(InstallationID(high: id.high, low: id.low ^ 1 << UInt64(bit))))
            #expect(!InstallationSecret(high: secret.high ^ 1 << UInt64(bit), low: secret.low).proves(id))
        }
        #expect(!InstallationSecret.generate().proves(id))
        #expect(!InstallationSecret(high: id.high, low: id.low).proves(id))
    }

    @Test(arguments: [-1, Int64.min, .max])
    func `identities from times before 1970 and beyond 48 bits can be proved too`(milliseconds: Int64) {
        let secret = InstallationSecret.generate()
        #expect(secret.proves(secret.installation(at: Timestamp(milliseconds: milliseconds))))
    }

    @Test
    func `identities sort by creation time, then by creation order`() {
        let generator = EventIDGenerator(randomBits: 42)
        var last = generator.next(at: Timestamp(milliseconds: 0))
        for millisecond in 1..<1000 {
            let next = generator.next(at: Timestamp(milliseconds: Int64(millisecond / 10)))
            #expect(last < next)
            #expect(last.description < next.description)
            last = next
        }
    }

    @Test
    func `identities created on several threads are unique, and each thread's are in order`() async {
        let generator = EventIDGenerator()
        let time = Timestamp(milliseconds: 1_700_000_000_000)
        let made = await withTaskGroup(of: [EventID].self) { group in
            for _ in 0..<4 { group.addTask { (0..<5000).map { _ in generator.next(at: time) } } }
            return await group.reduce(into: [[EventID]]()) { $0.append($1) }
        }
        #expect(Set(made.joined()).count == 20_000)
        for ids in made { #expect(ids == ids.sorted()) }
    }

    @Test(arguments: [
        ("collector", true), ("a", true), ("a.b_c-9", true), (String(repeating: "x", count: 64), true),
        ("", false), ("A", false), ("a b", false), ("a/b", false), ("é", false), (".", false), ("..", false),
        (String(repeating: "x", count: 65), false),
    ])
    func `a destination id is short and valid as a file name`(_ name: String, _ isValid: Bool) {
        #expect((DestinationID(name) != nil) == isValid)
    }

    @Test
    func `an invalid literal becomes a valid destination id`() {
        let repaired: DestinationID = "My Collector/é"
        #expect(repaired.rawValue == "my-collector--")
        let empty: DestinationID = ""
        #expect(empty.rawValue == "unnamed")
        let parent: DestinationID = ".."
        #expect(DestinationID(parent.rawValue) == parent)
    }
}
