// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// Random bits from the kernel.
enum Entropy {
    /// Sixty-four fresh bits. One system call.
    static func bits() -> UInt64 {
        var value: UInt64 = 0
        if ctrackway_random_bytes(&value, MemoryLayout<UInt64>.size) == 0 { return value }
        // Only an ancient or locked-down kernel refuses. Identities must still differ between processes and calls,
        // so mix what differs: the process, the clock, and the standard library's own generator.
        var fallback = SystemRandomNumberGenerator()
        let time = UInt64(truncatingIfNeeded: ctrackway_monotonic_nanoseconds())
        return fallback.next() ^ time ^ UInt64(UInt32(bitPattern: ctrackway_process_id())) << 32
    }
}
