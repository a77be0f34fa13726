// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc

/// The stage itself is not in order: a program is missing, a system call failed.
package struct StageError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, and the remedy.
    package let description: String

    /// An error with a sentence.
    package init(_ description: String) {
        self.description = description
    }

    /// A system call failed.
    init(_ call: String, errno code: Int32) {
        self.init("\(call) failed: \(String(cString: strerror(code)))")
    }
}
