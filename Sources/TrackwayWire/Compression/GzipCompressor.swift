// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CZlib
internal import TrackwayEvents

/// Writes gzip with a deflate state that is made once and used again (making one costs about as much as compressing
/// fifty events).
///
/// May be used from any thread; callers take turns.
public final class GzipCompressor: Sendable {
    /// How hard to try, 1 (fast) to 9 (small).
    public let level: Int
    private let stream: Locked<DeflateStream>

    /// Makes a compressor.
    ///
    /// - Parameter level: 1...9; others are clamped. The default, 3, is the best for batches of events: a few
    ///   percent larger than the next levels at half their time.
    public init(level: Int = 3) {
        let level = min(9, max(1, level))
        self.level = level
        stream = Locked(DeflateStream(level: level))
    }

    /// Compresses a body into one gzip member.
    ///
    /// - Complexity: O(bytes), about 2 µs per event.
    public func compress(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        // The pointer is used only while the lock is held, inside this call.
        let address = UInt(bitPattern: bytes.baseAddress)
        let count = bytes.count
        return stream.withLock { stream in
            stream.compress(UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count))
        }
    }

    /// Compresses a body into one gzip member; see `compress(_:)` for bytes in memory of the caller's.
    public func compress(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { compress($0) }
    }
}
