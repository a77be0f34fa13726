// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// How long uploads of a steady stream of events wait for each other, so that each carries more of them.
///
/// Learned from the stream: as long as it takes until a request is full, and never long. What comes after a quiet time leaves
/// at once, and so does a backlog, which nothing need be gathered for.
package struct UploadPace: Sendable, Hashable {
    private struct Beginning: Sendable, Hashable {
        let time: MonotonicTime
        /// Events that waited then.
        let waiting: UInt64
        /// Events that the upload took of them, and of those that came meanwhile.
        var carried: UInt64 = 0

        /// Whether everything that waits now has come since.
        var isSpent: Bool { carried >= waiting }
    }

    /// The longest time between the beginnings of two uploads that this asks for.
    package static let longest = Duration.milliseconds(500)

    private var last: Beginning?
    private var pause = Duration.zero

    /// Before the first upload nothing waits.
    package init() {}

    /// Until when an upload of so many waiting events had better wait; nil when it may begin.
    ///
    /// - Parameters:
    ///   - full: so many fill a request.
    ///   - due: when it begins in any case.
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

    /// An upload begins while so many events wait.
    package mutating func began(with waiting: UInt64, full: UInt64, at now: MonotonicTime) {
        let passed = last.map { $0.time.duration(to: now) } ?? .seconds(60)
        if passed >= Self.longest * 2 {
            pause = .zero
        } else if passed > .zero, waiting > 0, last?.isSpent == true {
            // A time too short to be measured teaches nothing.
            pause = min(Self.longest, passed * Double(full) / Double(waiting))
        }
        last = Beginning(time: now, waiting: waiting)
    }

    /// The upload that began last has taken so many events more.
    package mutating func carried(_ events: Int) {
        last?.carried += UInt64(events)
    }
}
