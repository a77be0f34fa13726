// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import TrackwayCore

/// Random events within the default limits.
///
/// All of them survive encoding unchanged.
struct RandomEvents {
    var seed: SeededRandom

    mutating func event() -> Event {
        Event(
            id: EventID(high: seed.next(), low: seed.next()),
            name: text(1...20, isName: true),
            time: Timestamp(milliseconds: Int64(bitPattern: seed.next())),
            monotonic: MonotonicTime(milliseconds: Int64(bitPattern: seed.next())),
            attributes: attributes(seed.below(12), depth: 1),
            items: (0..<seed.below(4)).map { _ in item() }
        )
    }

    mutating func item() -> Item {
        Item(id: text(1...8), name: seed.oneIn(2) ? nil : text(0...8), attributes(seed.below(4), depth: 1))
    }

    mutating func attributes(_ count: Int, depth: Int) -> Attributes {
        var attributes: Attributes = [:]
        for _ in 0..<count { attributes[text(1...12)] = value(depth: depth) }
        return attributes
    }

    mutating func value(depth: Int) -> AttributeValue {
        switch seed.below(depth < 6 ? 9 : 7) {
        case 0: return .string(text(0...30))
        case 1: return .integer(Int64(bitPattern: seed.next()))
        case 2: return .integer(Int64(seed.below(1000)) - 500)
        case 3: return .double(double())
        case 4: return .double(Double(seed.below(100_000)) / 100)
        case 5: return .boolean(seed.oneIn(2))
        case 6: return .date(Timestamp(milliseconds: Int64(seed.next() % 315_569_519_999_999) - 62_167_219_200_000))
        case 7: return .array((0..<seed.below(4)).map { _ in value(depth: depth + 1) })
        default: return .object(attributes(seed.below(4), depth: depth + 1))
        }
    }

    mutating func double() -> Double {
        while true {
            let value = Double(bitPattern: seed.next())
            if value.isFinite { return value }
        }
    }

    mutating func text(_ length: ClosedRange<Int>, isName: Bool = false) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: length, using: &seed) { text.append(scalar(isName: isName)) }
        return String(text)
    }

    private mutating func scalar(isName: Bool) -> Unicode.Scalar {
        switch seed.below(8) {
        case 0 where !isName: Unicode.Scalar(UInt8(seed.below(32)))
        case 1: seed.oneIn(2) ? "\"" : "\\"
        case 2: Unicode.Scalar(UInt32(0x4E00 + seed.below(0x5000))) ?? "中"
        case 3: Unicode.Scalar(UInt32(0x1F300 + seed.below(0x300))) ?? "🙂"
        case 4: Unicode.Scalar(UInt32(0x80 + seed.below(0x700))) ?? "é"
        default: Unicode.Scalar(UInt8(0x20 + seed.below(0x5F)))
        }
    }
}
