// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Thrown when an expected event does not happen within the timeout.
///
/// The timeout is long: it detects hangs on slow machines and does not measure speed.
package struct TimeoutError: Error, Sendable, CustomStringConvertible {
    /// The expected event, and what was observed instead.
    package let description: String

    /// The timeout of every wait, in seconds.
    package static let timeout = 90.0

    /// Creates an error with this description.
    package init(_ description: String) {
        self.description = description
    }
}
