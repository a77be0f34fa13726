// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How far a compressed body may go before it is refused.
public struct InflateLimits: Sendable, Hashable {
    /// The longest compressed body in bytes.
    public var wireBytes: Int
    /// The longest inflated body in bytes; inflating stops at the first byte beyond.
    public var inflatedBytes: Int
    /// The highest factor between the two. Looked at only once the inflated body has passed `ratioFloor`, because short
    /// repetitive bodies are honest.
    public var ratio: Int
    /// Inflated bytes up to which any ratio is allowed.
    public var ratioFloor: Int

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - wireBytes: 1 MiB by default: twice what the SDK sends before compression.
    ///   - inflatedBytes: 8 MiB by default.
    ///   - ratio: 100 by default; batches of real events stay under 20, gzip itself ends at 1,032.
    ///   - ratioFloor: 64 KiB by default.
    public init(
        wireBytes: Int = 1 << 20,
        inflatedBytes: Int = 8 << 20,
        ratio: Int = 100,
        ratioFloor: Int = 64 << 10
    ) {
        self.wireBytes = max(0, wireBytes)
        self.inflatedBytes = max(0, inflatedBytes)
        self.ratio = max(1, ratio)
        self.ratioFloor = max(0, ratioFloor)
    }

    /// The inflated length at which a body of this compressed length is refused, and as what.
    func bound(forWireBytes count: Int) -> (bytes: Int, error: GzipError) {
        let (product, overflow) = count.multipliedReportingOverflow(by: ratio)
        let byRatio = max(overflow ? Int.max : product, ratioFloor)
        return byRatio < inflatedBytes
            ? (byRatio, GzipError(.ratioTooHigh, limit: ratio))
            : (inflatedBytes, GzipError(.inflatedTooLarge, limit: inflatedBytes))
    }
}
