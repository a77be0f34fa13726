// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What becomes of events that wait when somebody refuses.
public enum ConsentDenial: String, Sendable, Hashable, CaseIterable {
    /// They are dropped and counted.
    case purge
    /// They wait, in case the person thinks better of it, as long as nobody else's events wait behind them.
    case keep
}
