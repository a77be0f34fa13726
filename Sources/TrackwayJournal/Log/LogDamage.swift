// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a reader had to step over. Nothing here was thrown away: the bytes stay where they are.
public struct LogDamage: Sendable, Hashable {
    /// Places where damaged bytes lay between intact records. How many records they held, the sequence numbers tell.
    public var gaps = 0
    /// Records that were begun at a log's very end and are not whole.
    public var tornTails = 0
    /// Bytes stepped over.
    public var bytes = 0

    /// No damage.
    public init() {}

    /// Whether anything was stepped over.
    public var isEmpty: Bool { gaps == 0 && tornTails == 0 }
}
