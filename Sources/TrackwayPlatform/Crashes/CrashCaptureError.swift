// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Crashes cannot be captured. The app runs on unharmed.
package struct CrashCaptureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system's error number.
    package var systemCode: Int32

    /// A sentence with the remedy.
    package var description: String {
        "crashes cannot be captured (error \(systemCode)): no file, pipe or handler could be made for them, or eight "
            + "are captured into already; make the storage folder writable, or close unused files"
    }
}
