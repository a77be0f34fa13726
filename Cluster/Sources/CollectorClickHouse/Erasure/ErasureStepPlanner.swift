// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Decides the next step of an erasure in a cluster.
///
/// A value type: the caller reads ``nextStep``, carries it out, and passes in the result.
///
/// The request, the plan, and the receipt are stored in the cluster. If the process is killed, another one starts again
/// from what is stored, and every step can be repeated: replaced records contain nothing to replace, and removed rows
/// are not found. Records are replaced before rows are removed, so rows that are written again are without the person.
package struct ErasureStepPlanner: Sendable, Hashable {
    /// The next step.
    package enum Step: Sendable, Hashable {
        /// Check that no collector has an index, from which the person would not be removed.
        case checkReaders
        /// Store a record after all records that were accepted so far.
        case markEnd
        /// Wait until the tables have this record.
        case waitForTables(UInt64)
        /// Find the installations and times that belong to the person.
        case makePlan
        /// Store the plan.
        case savePlan
        /// Store the erasures of the installations that only the person used.
        case eraseInstallations
        /// Replace the person's records up to this one.
        case rewriteRecords(UInt64)
        /// Remove the person's rows.
        case removeRows
        /// Count the person's rows.
        case countRows
        /// Wait until the server deleted the files with the removed rows.
        case waitForParts
        /// Sign and store the receipt.
        case sign
        /// Delete the person's identifiers from the cluster.
        case forget
        /// End.
        case end
    }

    /// Why an erasure ended early.
    package enum StopReason: Sendable, Hashable {
        /// This collector has an index.
        case index(String)
    }

    /// The next step.
    package private(set) var nextStep: Step
    /// Why the erasure ended before it was complete; nil if it is complete.
    package private(set) var stopReason: StopReason?
    /// The sequence of the last record that was searched.
    package private(set) var end: UInt64 = 0
    private var isPlanned: Bool
    private let isFollowUp: Bool

    /// Creates the planner of an erasure.
    ///
    /// - Parameter isFollowUp: Whether to remove only what arrived after the erasure, without a receipt.
    package init(isPlanned: Bool, isSigned: Bool, isFollowUp: Bool = false) {
        self.isPlanned = isPlanned
        self.isFollowUp = isFollowUp
        nextStep = isSigned ? .forget : .checkReaders
    }

    /// Continues with the collectors that have an index.
    package mutating func readersChecked(_ readers: [String]) {
        guard nextStep == .checkReaders else { return }
        if let reader = readers.first {
            stopReason = .index(reader)
            nextStep = .end
        } else {
            nextStep = isPlanned ? .eraseInstallations : .markEnd
        }
    }

    /// Continues with the sequence of the stored record.
    package mutating func endMarked(_ sequence: UInt64) {
        guard nextStep == .markEnd else { return }
        nextStep = .waitForTables(sequence)
    }

    /// Continues after the tables have the record.
    package mutating func tablesReached() {
        guard case .waitForTables(let sequence) = nextStep else { return }
        end = sequence
        nextStep = isPlanned ? .rewriteRecords(sequence) : .makePlan
    }

    /// Continues after the plan was made.
    package mutating func planMade() {
        guard nextStep == .makePlan else { return }
        guard isFollowUp else { return nextStep = .savePlan }
        isPlanned = true
        nextStep = .rewriteRecords(end)
    }

    /// Continues after the plan was stored.
    package mutating func planSaved() {
        guard nextStep == .savePlan else { return }
        isPlanned = true
        nextStep = .eraseInstallations
    }

    /// Continues after the erasures of installations were stored.
    package mutating func installationsErased() {
        guard nextStep == .eraseInstallations else { return }
        // Their events, and the events that other collectors still accepted, must be searched, too.
        nextStep = .markEnd
    }

    /// Continues after records were replaced.
    package mutating func recordsRewritten() {
        guard case .rewriteRecords = nextStep else { return }
        nextStep = .removeRows
    }

    /// Continues after rows were removed.
    package mutating func rowsRemoved() {
        guard nextStep == .removeRows else { return }
        nextStep = .countRows
    }

    /// Continues with the number of rows that are left.
    package mutating func rowsCounted(_ rows: Int) {
        guard nextStep == .countRows else { return }
        // Events arrived after the last record that was searched.
        nextStep = rows > 0 ? .markEnd : .waitForParts
    }

    /// Continues after the files were deleted.
    package mutating func partsRemoved() {
        guard nextStep == .waitForParts else { return }
        nextStep = isFollowUp ? .end : .sign
    }

    /// Continues after the receipt was stored.
    package mutating func signed() {
        guard nextStep == .sign else { return }
        nextStep = .forget
    }

    /// Continues after the identifiers were deleted.
    package mutating func forgotten() {
        guard nextStep == .forget else { return }
        nextStep = .end
    }
}
