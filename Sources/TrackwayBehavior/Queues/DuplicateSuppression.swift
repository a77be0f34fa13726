// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Suppresses events that repeat the last accepted one within a time window.
///
/// Only the last accepted event is compared, so content that alternates is never a repeat. Repeats do not restart the
/// window, so unchanged content is accepted again once the window has passed. The memory outlives uploads and
/// processes.
package struct DuplicateSuppression<Content: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
    /// An event that was accepted.
    package struct Taken: Sendable, Hashable, Codable {
        /// The event's content.
        package var content: Content
        /// The time at which the event was accepted.
        package var at: DeviceTime

        /// Creates an accepted event with this content and time.
        package init(content: Content, at: DeviceTime) {
            self.content = content
            self.at = at
        }
    }

    /// The last accepted event; nil before the first.
    package private(set) var last: Taken?

    /// Restores the last accepted event of an earlier process, if any.
    package init(last: Taken? = nil) {
        self.last = last
    }

    /// Accepts an event with this content, or rejects it as a repeat.
    ///
    /// - Parameters:
    ///   - content: The event's content without its time.
    ///   - window: The time for which repeats are suppressed. Zero or less suppresses none.
    /// - Returns: False when the event is a repeat, which is not accepted.
    package mutating func takes(_ content: Content, within window: Duration, at now: DeviceTime) -> Bool {
        if let last, window > .zero, last.content == content, let age = now.elapsed(since: last.at), age < window {
            return false
        }
        last = Taken(content: content, at: now)
        return true
    }
}
