// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Something did not happen within the timeout of the stage. Patience is long: it tells a hang from a slow machine and
/// says nothing about speed.
package struct Overdue: Error, Sendable, CustomStringConvertible {
    /// What was waited for, and what was seen instead.
    package let description: String

    /// How long the stage waits for anything, in seconds.
    package static let timeout = 90.0

    /// An overdue happening.
    package init(_ description: String) {
        self.description = description
    }
}
