// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayEvents

/// The offset of the time zone at each moment that is recorded.
///
/// The context holds one offset for many events. This knows for which stretch of wall time that offset is right, so recording
/// compares two numbers, and asks the system only where the stretch ends: at a change of clocks, after a jump of the wall clock,
/// and every quarter of an hour, because the device may be in another zone.
///
/// `@unchecked Sendable`: the words' address never changes while this lives, and they are read and written with atomic operations
/// only.
final class ZoneWatch: @unchecked Sendable {
    /// Gives the offset in seconds at a moment; nil when it is not known.
    typealias Offset = @Sendable (Timestamp) -> Int?

    /// The longest stretch.
    static let longest: Int64 = 900_000

    /// Milliseconds of wall time: the stretch's first one, and its length.
    private let words: UnsafeMutablePointer<UInt64>
    private let offset: Offset?

    /// - Parameter offset: asks the system; nil where the offset never changes.
    init(_ offset: Offset?) {
        self.offset = offset
        words = .allocate(capacity: 2)
        words.initialize(to: 0)
        (words + 1).initialize(to: offset == nil ? .max : 0)
    }

    deinit {
        words.deallocate()
    }

    /// Whether the offset in the context is right at a moment. Two loads.
    @inline(__always)
    func holds(_ wall: Timestamp) -> Bool {
        UInt64(bitPattern: wall.milliseconds) &- ctrackway_load_acquire_64(words) < ctrackway_load_acquire_64(words + 1)
    }

    /// Asks for the offset at a moment, and how long it holds from then on.
    ///
    /// - Returns: the offset; nil when it is not known.
    func ask(at wall: Timestamp) -> Int? {
        guard let offset else { return nil }
        let now = offset(wall)
        var length = Self.longest
        if offset(wall.advanced(by: .milliseconds(length))) != now {
            // The first millisecond with another offset.
            var same: Int64 = 0
            while length - same > 1 {
                let middle = same + (length - same) / 2
                if offset(wall.advanced(by: .milliseconds(middle))) == now { same = middle } else { length = middle }
            }
        }
        // Between the two writes nothing holds, and whoever looks then asks once more.
        ctrackway_store_64(words + 1, 0)
        ctrackway_store_64(words, UInt64(bitPattern: wall.milliseconds))
        ctrackway_store_64(words + 1, UInt64(length))
        return now
    }
}
