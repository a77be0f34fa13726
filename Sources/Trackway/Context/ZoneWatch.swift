// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayEvents

/// The time zone's offset at each recorded time.
///
/// The context contains one offset for many events. This object knows the range of wall time for which that offset is
/// valid, so recording compares two numbers. It asks the system only at the end of the range: at a clock change, after
/// a jump of the wall clock, and every 15 minutes, because the device may be in another zone.
///
/// `@unchecked Sendable`: the words' address never changes during the object's lifetime, and they are read and written
/// with atomic operations only.
final class ZoneWatch: @unchecked Sendable {
    /// Returns the offset in seconds at a time; nil if unknown.
    typealias Offset = @Sendable (Timestamp) -> Int?

    /// The maximum length of the range, in milliseconds.
    static let longest: Int64 = 900_000

    /// The start and the length of the range, in milliseconds of wall time.
    private let words: UnsafeMutablePointer<UInt64>
    private let offset: Offset?

    /// - Parameter offset: Asks the system; nil if the offset never changes.
    init(_ offset: Offset?) {
        self.offset = offset
        words = .allocate(capacity: 2)
        words.initialize(to: 0)
        (words + 1).initialize(to: offset == nil ? .max : 0)
    }

    deinit {
        words.deallocate()
    }

    /// Whether the context's offset is valid at a time.
    ///
    /// Two loads.
    @inline(__always)
    func holds(_ wall: Timestamp) -> Bool {
        UInt64(bitPattern: wall.milliseconds) &- ctrackway_load_acquire_64(words) < ctrackway_load_acquire_64(words + 1)
    }

    /// Asks for the offset at a time, and stores its validity.
    ///
    /// - Returns: The offset; nil if unknown.
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
        // Between the two writes the range is empty, so that concurrent readers ask again.
        ctrackway_store_64(words + 1, 0)
        ctrackway_store_64(words, UInt64(bitPattern: wall.milliseconds))
        ctrackway_store_64(words + 1, UInt64(length))
        return now
    }
}
