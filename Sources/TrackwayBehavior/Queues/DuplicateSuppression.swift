// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Recognises an event that says nothing new: the same content as the last one taken, within a time of it.
///
/// Compared is with the last one taken only, so that content which changes to and fro is never a repeat; and repeats do
/// not renew the time, so that content which stays is told again once the time is over. The memory outlives uploads and
/// processes.
package struct DuplicateSuppression<Content: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
    /// An event that was taken.
    package struct Taken: Sendable, Hashable, Codable {
        /// What it says.
        package var content: Content
        /// When it was taken.
        package var at: DeviceTime

        /// An event of this content, taken at a time.
        package init(content: Content, at: DeviceTime) {
            self.content = content
            self.at = at
        }
    }

    /// The last event taken; nil before the first.
    package private(set) var last: Taken?

    /// The memory of an earlier process, or none.
    package init(last: Taken? = nil) {
        self.last = last
    }

    /// An event with this content, its time left out, is to be taken.
    ///
    /// - Parameter window: Repeats are recognised for so long; without any, never.
    /// - Returns: False when it is a repeat, and is not taken.
    package mutating func takes(_ content: Content, within window: Duration, at now: DeviceTime) -> Bool {
        if let last, window > .zero, last.content == content, let age = now.elapsed(since: last.at), age < window {
            return false
        }
        last = Taken(content: content, at: now)
        return true
    }
}
