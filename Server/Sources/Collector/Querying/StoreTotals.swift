// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The index as a whole, in numbers, and how it is doing.
package struct StoreTotals: Sendable, Hashable {
    /// Distinct events stored.
    package var events: UInt64
    /// Installations that have an account in the ledger.
    package var installations: UInt64
    /// Events, or whole batches, that admission refused.
    package var failed: UInt64
    /// Events that arrived again and were not counted twice.
    package var duplicates: UInt64
    /// Damaged stretches of the intake log that the index had to pass over.
    package var damaged: UInt64
    /// Installations that were erased.
    package var erasedInstallations: UInt64
    /// Their events, removed or not taken; repeats count.
    package var erasedEvents: UInt64
    /// Why the index does not follow at the moment, or is being made anew, one sentence; nil while all is well.
    package var trouble: String?

    /// Totals with all their numbers.
    package init(
        events: UInt64 = 0,
        installations: UInt64 = 0,
        failed: UInt64 = 0,
        duplicates: UInt64 = 0,
        damaged: UInt64 = 0,
        erasedInstallations: UInt64 = 0,
        erasedEvents: UInt64 = 0,
        trouble: String? = nil
    ) {
        self.events = events
        self.installations = installations
        self.failed = failed
        self.duplicates = duplicates
        self.damaged = damaged
        self.erasedInstallations = erasedInstallations
        self.erasedEvents = erasedEvents
        self.trouble = trouble
    }
}
