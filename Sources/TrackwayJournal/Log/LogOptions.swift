// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How a log is laid out on disk.
public struct LogOptions: Sendable, Hashable {
    /// Bytes reserved for each segment. Larger segments roll less often; smaller ones give space back sooner.
    /// At least 4 KiB, at most 1 GiB; 1 MiB unless told otherwise.
    public var segmentBytes: Int

    /// Makes the options.
    public init(segmentBytes: Int = 1 << 20) {
        self.segmentBytes = min(max(segmentBytes, 4096), 1 << 30)
    }
}
