// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A filter for repeats of the last accepted event within a window.
///
/// Only the last accepted event is compared, so content that alternates is never a repeat. Repeats do not restart the
/// window, so unchanged content is accepted again once the window has passed. The state outlives uploads and processes.
package struct DuplicateSuppression<Content: Sendable & Equatable & Codable>: Sendable, Equatable, Codable {
    /// An event that was accepted.
    package struct AcceptedEvent: Sendable, Equatable, Codable {
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
    package private(set) var last: AcceptedEvent?

    /// Restores the last accepted event of an earlier process, if any.
    package init(last: AcceptedEvent? = nil) {
        self.last = last
    }

    /// Accepts an event with this content, or rejects it as a repeat.
    ///
    /// - Parameters:
    ///   - content: The event's content without its time.
    ///   - window: The time for which repeats are suppressed. With zero or less, no repeats are suppressed.
    /// - Returns: False if the event is a repeat and was rejected.
    package mutating func accept(_ content: Content, within window: Duration, at now: DeviceTime) -> Bool {
        if let last, window > .zero, last.content == content, let age = now.elapsed(since: last.at), age < window {
            return false
        }
        last = AcceptedEvent(content: content, at: now)
        return true
    }
}
