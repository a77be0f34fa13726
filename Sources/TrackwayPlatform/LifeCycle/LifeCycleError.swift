// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The process's life cycle cannot be observed. The app runs on unharmed; it is only not told.
package struct LifeCycleError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system's error number.
    package var systemCode: Int32

    /// A sentence with the remedy.
    package var description: String {
        "the process's signals cannot be observed (error \(systemCode)): no pipe or thread could be made for them; "
            + "close unused files or raise the limit (ulimit -n, ulimit -u)"
    }
}
