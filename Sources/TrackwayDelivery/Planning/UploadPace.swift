// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The spacing of uploads for a steady stream of events.
///
/// With spacing, each upload contains more events. The delay is derived from the stream: the time until a request is
/// full, up to ``longest``. Events after a quiet period are sent immediately, and so is a backlog, because waiting
/// would gain nothing.
package struct UploadPace: Sendable, Equatable {
    private struct Beginning: Sendable, Equatable {
        let time: MonotonicTime
        /// The number of events pending when the upload began.
        let waiting: UInt64
        /// The number of events in the upload, including any recorded during it.
        var carried: UInt64 = 0

        /// Whether all currently pending events were recorded after the upload began.
        var isSpent: Bool { carried >= waiting }
    }

    /// The maximum spacing between the starts of two uploads.
    ///
    /// Uploads may be further apart for other reasons.
    package static let longest = Duration.milliseconds(500)

    private var last: Beginning?
    private var pause = Duration.zero

    /// Creates a pace without a delay for the first upload.
    package init() {}

    /// Returns the time at which an upload should begin; nil means now.
    ///
    /// - Parameters:
    ///   - waiting: The number of pending events.
    ///   - full: The number of events that fill a request.
    ///   - due: The time at which the upload begins in any case.
    package func delayedStart(
        for waiting: UInt64,
        full: UInt64,
        at now: MonotonicTime,
        noLaterThan due: MonotonicTime
    ) -> MonotonicTime? {
        guard let last, last.isSpent, waiting < full else { return nil }
        let until = min(last.time.advanced(by: pause), due)
        return now < until ? until : nil
    }

    /// Records the beginning of an upload with this many pending events.
    package mutating func uploadBegan(with waiting: UInt64, full: UInt64, at now: MonotonicTime) {
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
    package mutating func addEvents(_ events: Int) {
        last?.carried += UInt64(events)
    }
}
