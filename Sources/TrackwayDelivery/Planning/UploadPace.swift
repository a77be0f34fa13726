// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Spaces out uploads of a steady stream of events.
///
/// Each upload then contains more events. The delay is derived from the stream: the time until a request is full, up to
/// ``longest``. Events after a quiet period are sent at once, and so is a backlog, because waiting would gain nothing.
package struct UploadPace: Sendable, Hashable {
    private struct Beginning: Sendable, Hashable {
        let time: MonotonicTime
        /// The number of events pending at the beginning.
        let waiting: UInt64
        /// Events in the upload, including any recorded during it.
        var carried: UInt64 = 0

        /// Whether all events pending now were recorded after it began.
        var isSpent: Bool { carried >= waiting }
    }

    /// The maximum time between the beginnings of two uploads.
    ///
    /// Uploads may be further apart for other reasons.
    package static let longest = Duration.milliseconds(500)

    private var last: Beginning?
    private var pause = Duration.zero

    /// Creates a pace without a delay for the first upload.
    package init() {}

    /// Returns when an upload should begin; nil if it may begin now.
    ///
    /// - Parameters:
    ///   - waiting: The number of pending events.
    ///   - full: The number of events that fill a request.
    ///   - due: The time at which the upload begins in any case.
    package func wait(
        for waiting: UInt64,
        full: UInt64,
        at now: MonotonicTime,
        noLaterThan due: MonotonicTime
    ) -> MonotonicTime? {
        guard let last, last.isSpent, waiting < full else { return nil }
        let until = min(last.time.advanced(by: pause), due)
        return now < until ? until : nil
    }

    /// Notes the beginning of an upload with this many pending events.
    package mutating func began(with waiting: UInt64, full: UInt64, at now: MonotonicTime) {
        let passed = last.map { $0.time.duration(to: now) } ?? .seconds(60)
        if passed >= Self.longest * 2 {
            pause = .zero
        } else if passed > .zero, waiting > 0, last?.isSpent == true {
            // A time too short to measure provides no information.
            pause = min(Self.longest, passed * Double(full) / Double(waiting))
        }
        last = Beginning(time: now, waiting: waiting)
    }

    /// Adds this many events to the current upload.
    package mutating func carried(_ events: Int) {
        last?.carried += UInt64(events)
    }
}
