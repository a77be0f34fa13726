// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Draws numbers in 0..<1 from the generator that was handed in. Any thread.
final class JitterSource: Sendable {
    private let generator: Locked<any RandomNumberGenerator & Sendable>

    init(_ generator: any RandomNumberGenerator & Sendable) {
        self.generator = Locked(generator)
    }

    func next() -> Double {
        // 53 bits are what a double holds.
        generator.withLock { Double($0.next() >> 11) * 0x1p-53 }
    }
}
