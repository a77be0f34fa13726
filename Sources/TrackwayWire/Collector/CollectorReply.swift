// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A body that proves that the collector itself answered: `{"accepted":…,"durability":…}` or `{"error":{…}}`.
public enum CollectorReply: Sendable, Hashable {
    /// It has taken the batch.
    case answer(CollectorAnswer)
    /// It has taken nothing.
    case failure(CollectorFailure)
}
