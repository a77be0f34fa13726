// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Consecutive events that were not delivered, and why.
public struct DroppedRange: Sendable, Hashable {
    /// Their sequence numbers in one writer's journal.
    public var sequences: ClosedRange<UInt64>
    /// Why they were not delivered.
    public var reason: DropReason

    /// Consecutive events that were not delivered for one reason.
    public init(sequences: ClosedRange<UInt64>, reason: DropReason) {
        self.sequences = sequences
        self.reason = reason
    }
}
