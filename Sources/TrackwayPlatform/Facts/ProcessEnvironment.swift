// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// The process's environment, read at the edge and handed on as a value.
package enum ProcessEnvironment {
    /// All variables. O(n) in their number.
    package static func current() -> [String: String] {
        ProcessInfo.processInfo.environment
    }
}
