// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import IntegrationTestSupport

/// A kind of damage that a disk or a crash causes to a log.
enum LogDamage: CustomStringConvertible {
    /// The file ends at this fraction of the event's record.
    case cut(event: Int, at: Double)
    /// The file contains zeros from this point on.
    case zeroed(event: Int, at: Double)
    /// The file contains random bytes from this point on.
    case garbage(event: Int, at: Double, seed: UInt64)
    /// One bit of the event's record is flipped.
    case flipped(event: Int, at: Double, bit: UInt8)

    /// The expected result for the damaged log.
    struct Expectation {
        var damage: LogDamage
        /// Sequence numbers that must be delivered.
        var intact: Set<UInt64>
        /// Expected counts by drop reason.
        var dropped: [String: UInt64]
    }

    /// Returns one set of random kinds of damage.
    static func all(using random: inout SeededGenerator) -> [LogDamage] {
        var damages: [LogDamage] = []
        func event() -> Int { Int.random(in: 2...DamagedLog.events, using: &random) }
        for step in 0..<12 { damages.append(.cut(event: event(), at: Double(step) / 12)) }
        for step in 0..<4 { damages.append(.zeroed(event: event(), at: Double(step) / 4)) }
        for step in 0..<4 { damages.append(.garbage(event: event(), at: Double(step) / 4, seed: random.next())) }
        for step in 0..<16 {
            damages.append(.flipped(event: event(), at: Double(step) / 16, bit: UInt8(random.next() & 7)))
        }
        return damages
    }

    /// Damages the log.
    func apply(to writer: DamagedLog) throws -> Expectation {
        let all = Set(1...UInt64(DamagedLog.events))
        switch self {
        case .cut(let event, let share):
            let offset = offset(event, share, writer)
            try writer.change { $0 = $0.prefix(offset) }
            return tail(event, isTorn: offset > writer.records[event - 1].lowerBound)
        case .zeroed(let event, let share):
            let offset = offset(event, share, writer)
            try writer.change { $0.resetBytes(in: offset..<$0.count) }
            return tail(event, isTorn: offset > writer.records[event - 1].lowerBound)
        case .garbage(let event, let share, let seed):
            let offset = offset(event, share, writer)
            var random = SeededGenerator(seed: seed)
            try writer.change { bytes in
                for index in offset..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
            }
            return tail(event, isTorn: true)
        case .flipped(let event, let share, let bit):
            let offset = offset(event, share, writer)
            try writer.change { $0[offset] ^= 1 << bit }
            return Expectation(damage: self, intact: all.subtracting([UInt64(event)]), dropped: ["damaged": 1])
        }
    }

    private func offset(_ event: Int, _ share: Double, _ writer: DamagedLog) -> Int {
        let record = writer.records[event - 1]
        return record.lowerBound + Int(Double(record.count) * share)
    }

    /// Everything before the event survives.
    ///
    /// If part of the event is left, it counts as one damaged record. Nothing is left of the later records, so they are
    /// not counted.
    private func tail(_ event: Int, isTorn: Bool) -> Expectation {
        Expectation(
            damage: self,
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
