// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How a process ended, as reported to its parent.
package enum ExitStatus: Sendable, Hashable {
    /// The process exited with this code.
    case exited(Int32)
    /// This signal terminated the process.
    case signalled(Int32)

    /// Decodes a wait status like the macros of wait.h.
    init(waitStatus status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }
}
