// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayCore

/// Tracks whether the recorded time zone offset is still valid.
///
/// The context contains one offset for many events. This object stores the range of wall time for which that offset is
/// valid, so recording only compares two numbers. It queries the system only outside the range: after a clock change,
/// after a jump of the wall clock, and every 15 minutes, because the device may be in another time zone.
///
/// `@unchecked Sendable`: the words' address never changes during the object's lifetime, and they are read and written
/// with atomic operations only.
final class TimeZoneTracker: @unchecked Sendable {
    /// Returns the offset in seconds at a time; nil if unknown.
    typealias Offset = @Sendable (Timestamp) -> Int?

    /// The maximum length of the range, in milliseconds.
    static let maximumRange: Int64 = 900_000

    /// The start and the length of the range, in milliseconds of wall time.
    private let validRange: UnsafeMutablePointer<UInt64>
    private let offset: Offset?

    /// - Parameter offset: Returns the system's offset; nil if the offset never changes.
    init(_ offset: Offset?) {
        self.offset = offset
        validRange = .allocate(capacity: 2)
        validRange.initialize(to: 0)
        (validRange + 1).initialize(to: offset == nil ? .max : 0)
    }

    deinit {
        validRange.deallocate()
    }

    /// Whether the context's offset is valid at a time.
    ///
    /// Costs two loads.
    @inline(__always)
    func isValid(at wall: Timestamp) -> Bool {
        UInt64(bitPattern: wall.milliseconds) &- ctrackway_load_acquire_64(validRange)
            < ctrackway_load_acquire_64(validRange + 1)
    }

    /// Queries the offset at a time, and stores its range of validity.
    ///
    /// - Returns: The offset; nil if unknown.
    func refresh(at wall: Timestamp) -> Int? {
        guard let offset else { return nil }
        let now = offset(wall)
        var length = Self.maximumRange
        if offset(wall.advanced(by: .milliseconds(length))) != now {
            // The first millisecond with another offset.
            var same: Int64 = 0
            while length - same > 1 {
                let middle = same + (length - same) / 2
                if offset(wall.advanced(by: .milliseconds(middle))) == now { same = middle } else { length = middle }
            }
        }
        // Between the two writes the range is empty, so that concurrent readers query again.
        ctrackway_store_64(validRange + 1, 0)
        ctrackway_store_64(validRange, UInt64(bitPattern: wall.milliseconds))
        ctrackway_store_64(validRange + 1, UInt64(length))
        return now
    }
}
