// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Why the index could not answer. Intake is never affected: the log is the source of truth.
package struct StoreError: Error, Hashable, CustomStringConvertible {
    /// One sentence with the file or statement at fault.
    package var message: String

    /// An error with its sentence.
    package init(_ message: String) {
        self.message = message
    }

    package var description: String { message }
}
