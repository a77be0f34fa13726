// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How a process ended, as its parent learns it.
package enum ExitStatus: Sendable, Hashable {
    /// It ended by itself, with this code.
    case exited(Int32)
    /// It died of this signal.
    case signalled(Int32)

    /// Reads a status as the macros of wait.h do.
    init(waitStatus status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }
}
