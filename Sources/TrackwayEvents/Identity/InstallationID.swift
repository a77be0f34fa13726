// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The identity of one installed copy of an app; it survives restarts.
public struct InstallationID: UniqueID {
    /// The first eight bytes.
    public let high: UInt64
    /// The last eight bytes.
    public let low: UInt64

    /// An identity of these sixteen bytes.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
