// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What of the unflushed writes is gone when the power fails.
public enum PowerLoss: Sendable, Hashable {
    /// Everything that was not flushed is gone: files and folders are as they were at their last flush.
    case everythingUnflushed
    /// Some is gone, in any order: every 512-byte sector, file length, new name and removal that was not flushed
    /// survives or not, as the seed decides. This tears writes in the middle and lets later ones survive earlier ones.
    case someUnflushed(seed: UInt64)
}
