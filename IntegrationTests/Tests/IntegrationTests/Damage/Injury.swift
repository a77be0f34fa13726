// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Stage

/// One way in which a disk or a crash damages a log.
enum Injury: CustomStringConvertible {
    /// The file ends here, this far into the record of this event.
    case cut(event: Int, at: Double)
    /// From here on the file holds zeros.
    case zeroed(event: Int, at: Double)
    /// From here on the file holds chance.
    case garbage(event: Int, at: Double, seed: UInt64)
    /// One bit of this event's record is wrong.
    case flipped(event: Int, at: Double, bit: UInt8)

    /// What must be left of the log.
    struct Expectation {
        var injury: Injury
        /// Numbers that must be delivered.
        var intact: Set<UInt64>
        /// What must be counted.
        var dropped: [String: UInt64]
    }

    /// A set of injuries, drawn.
    static func all(using chance: inout SeededGenerator) -> [Injury] {
        var injuries: [Injury] = []
        func event() -> Int { Int.random(in: 2...InjuredWriter.events, using: &chance) }
        for step in 0..<12 { injuries.append(.cut(event: event(), at: Double(step) / 12)) }
        for step in 0..<4 { injuries.append(.zeroed(event: event(), at: Double(step) / 4)) }
        for step in 0..<4 { injuries.append(.garbage(event: event(), at: Double(step) / 4, seed: chance.next())) }
        for step in 0..<16 {
            injuries.append(.flipped(event: event(), at: Double(step) / 16, bit: UInt8(chance.next() & 7)))
        }
        return injuries
    }

    /// Damages the log.
    func inflict(on writer: InjuredWriter) throws -> Expectation {
        let all = Set(1...UInt64(InjuredWriter.events))
        switch self {
        case .cut(let event, let share):
            let place = place(event, share, writer)
            try writer.change { $0 = $0.prefix(place) }
            return tail(event, isTorn: place > writer.records[event - 1].lowerBound)
        case .zeroed(let event, let share):
            let place = place(event, share, writer)
            try writer.change { $0.resetBytes(in: place..<$0.count) }
            return tail(event, isTorn: place > writer.records[event - 1].lowerBound)
        case .garbage(let event, let share, let seed):
            let place = place(event, share, writer)
            var chance = SeededGenerator(seed: seed)
            try writer.change { bytes in
                for index in place..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: chance.next()) }
            }
            return tail(event, isTorn: true)
        case .flipped(let event, let share, let bit):
            let place = place(event, share, writer)
            try writer.change { $0[place] ^= 1 << bit }
            return Expectation(injury: self, intact: all.subtracting([UInt64(event)]), dropped: ["damaged": 1])
        }
    }

    private func place(_ event: Int, _ share: Double, _ writer: InjuredWriter) -> Int {
        let record = writer.records[event - 1]
        return record.lowerBound + Int(Double(record.count) * share)
    }

    /// Everything before the event is left. The event itself, when something of it is, is one damaged record; of those behind
    /// it nothing is left that could tell of them.
    private func tail(_ event: Int, isTorn: Bool) -> Expectation {
        Expectation(
            injury: self,
            intact: Set(1..<UInt64(event)),
            dropped: isTorn ? ["damaged": 1] : [:]
        )
    }

    var description: String {
        switch self {
        case .cut(let event, let share): "cut in event \(event) at \(share)"
        case .zeroed(let event, let share): "zeroed from event \(event) at \(share)"
        case .garbage(let event, let share, _): "garbage from event \(event) at \(share)"
        case .flipped(let event, let share, let bit): "bit \(bit) flipped in event \(event) at \(share)"
        }
    }
}
