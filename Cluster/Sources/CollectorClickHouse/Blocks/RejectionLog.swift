// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore
internal import TrackwayDestinationKit

/// A block's rejections and changes to earlier rejections, as steps in stream order.
struct RejectionLog {
    /// The kind of a step.
    ///
    /// The raw value is the number in the table.
    enum Kind: UInt8 {
        /// An event, a batch, or a record was rejected at its own position; each position has only one such step.
        case rejected = 0
        /// The content rejected at a position was admitted.
        case admitted = 1
        /// The content rejected at a position was checked again, and was rejected for another reason.
        case rejectedAgain = 2
        /// A part of the content rejected at a position was rejected while that content was replayed.
        case rejectedDuringReplay = 3
    }

    /// One rejection, or one change to an earlier rejection.
    struct Step {
        /// The index of the step within the block, from 0.
        let number: Int64
        let kind: Kind
        var installation: InstallationID?
        /// The writer and sequence number of the rejected content.
        ///
        /// A number that earlier blocks rejected is not stored again.
        var sequence: (account: BlockBuilder.AccountKey, number: UInt64)?
        /// The details of the rejection; for an admission, only the position.
        let failure: FailedEvent
    }

    private(set) var steps: [Step] = []
    private var next: Int64 = 0
    /// The index of the current record's first step.
    private var record = 0
    private var isReplay = false

    /// Begins a log record.
    mutating func beginRecord(inReplay: Bool) {
        record = steps.count
        isReplay = inReplay
    }

    /// Assigns the record's steps to an installation.
    ///
    /// Includes steps that were added before the installation was known.
    mutating func assignRecord(to installation: InstallationID) {
        for index in record..<steps.count where steps[index].installation == nil {
            steps[index].installation = installation
        }
    }

    mutating func reject(
        _ failure: FailedEvent,
        of installation: InstallationID?,
        number: (account: BlockBuilder.AccountKey, number: UInt64)?
    ) {
        add(isReplay ? .rejectedDuringReplay : .rejected, installation, failure, number)
    }

    mutating func admit(_ position: EventPosition, of installation: InstallationID?) {
        add(.admitted, installation, Self.changedFailure(position, code: "", field: "", message: ""), nil)
    }

    mutating func rejectAgain(_ fault: RejectedEvent, _ position: EventPosition, of installation: InstallationID?) {
        let failure = Self.changedFailure(position, code: fault.code, field: fault.field, message: fault.message)
        add(.rejectedAgain, installation, failure, nil)
    }

    /// Removes all steps of an installation.
    ///
    /// The remaining steps keep their numbers.
    mutating func erase(_ installation: InstallationID) {
        let before = steps[..<record].count { $0.installation == installation }
        steps.removeAll { $0.installation == installation }
        record -= before
    }

    /// The installations that own a step.
    var installations: Set<InstallationID> { Set(steps.compactMap(\.installation)) }

    /// The writers whose sequence numbers were rejected.
    var accounts: [BlockBuilder.AccountKey] { Array(Set(steps.compactMap(\.sequence?.account))) }

    private mutating func add(
        _ kind: Kind,
        _ installation: InstallationID?,
        _ failure: FailedEvent,
        _ sequence: (account: BlockBuilder.AccountKey, number: UInt64)?
    ) {
        steps.append(
            Step(number: next, kind: kind, installation: installation, sequence: sequence, failure: failure)
        )
        next += 1
    }

    private static func changedFailure(_ position: EventPosition, code: String, field: String, message: String)
        -> FailedEvent
    {
        FailedEvent(
            position: position,
            received: Timestamp(milliseconds: 0),
            key: "",
            code: code,
            field: field,
            message: message,
            content: []
        )
    }
}
