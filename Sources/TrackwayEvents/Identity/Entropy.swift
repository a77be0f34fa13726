// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// Random bits from the kernel.
enum Entropy {
    /// Sixty-four fresh bits. One system call.
    static func bits() -> UInt64 {
        var value: UInt64 = 0
        if ctrackway_random_bytes(&value, MemoryLayout<UInt64>.size) == 0 { return value }
        // Only a locked-down kernel refuses. Identities must still differ between processes and calls, so mix what
        // differs: the nanosecond, the process, and where this call's stack lies.
        let time = UInt64(truncatingIfNeeded: ctrackway_monotonic_nanoseconds())
        let process = UInt64(UInt32(bitPattern: ctrackway_process_id()))
        let place = withUnsafePointer(to: &value) { UInt64(UInt(bitPattern: $0)) }
        return (time ^ process << 40 ^ place << 20) &* 0x9E37_79B9_7F4A_7C15
    }
}
