// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc

/// An error of the test environment: a missing program or a failed system call.
package struct TestSupportError: Error, Sendable, CustomStringConvertible {
    /// The problem and how to fix it.
    package let description: String

    /// Creates an error with this description.
    package init(_ description: String) {
        self.description = description
    }

    /// Creates an error for a failed system call.
    init(_ call: String, errno code: Int32) {
        self.init("\(call) failed: \(String(cString: strerror(code)))")
    }
}
