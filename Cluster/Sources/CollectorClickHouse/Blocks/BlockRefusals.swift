// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents
internal import TrackwayWire

/// What a block refuses, and what it says about what was refused before, step by step in the order of the stream.
struct BlockRefusals {
    /// What a step is, by the number that it has in a table.
    enum Kind: UInt8 {
        /// An event, a batch or a record was refused at its own place, which has no other such step.
        case refused = 0
        /// What was refused at a place was admitted.
        case admitted = 1
        /// What was refused at a place was looked at again, and is refused for another reason now.
        case refusedAgain = 2
        /// While what was refused at a place was admitted again, this of it was refused.
        case refusedInReplay = 3
    }

    /// A step.
    struct Step {
        /// Which of the block's steps it is, from 0.
        let number: Int64
        let kind: Kind
        var installation: InstallationID?
        /// The writer's number of what was refused: one that blocks before this one refused is not kept twice.
        var sequence: (account: BlockBuilder.AccountKey, number: UInt64)?
        /// What is told of it: of what was admitted only the place.
        let failure: FailedEvent
    }

    private(set) var steps: [Step] = []
    private var next: Int64 = 0
    /// Where the steps of the record begin, and whether it admits again.
    private var record = 0
    private var isReplay = false

    /// A record begins.
    mutating func beginRecord(inReplay: Bool) {
        record = steps.count
        isReplay = inReplay
    }

    /// What the record says belongs to this installation, also what came before that was known.
    mutating func belong(to installation: InstallationID) {
        for index in record..<steps.count where steps[index].installation == nil {
            steps[index].installation = installation
        }
    }

    mutating func refuse(
        _ failure: FailedEvent,
        of installation: InstallationID?,
        number: (account: BlockBuilder.AccountKey, number: UInt64)?
    ) {
        add(isReplay ? .refusedInReplay : .refused, installation, failure, number)
    }

    mutating func admit(_ place: EventPosition, of installation: InstallationID?) {
        add(.admitted, installation, Self.told(place, code: "", field: "", message: ""), nil)
    }

    mutating func refuseAgain(_ fault: RejectedEvent, _ place: EventPosition, of installation: InstallationID?) {
        let told = Self.told(place, code: fault.code, field: fault.field, message: fault.message)
        add(.refusedAgain, installation, told, nil)
    }

    /// Everything of an installation is to go. Numbers of steps stay as they were.
    mutating func erase(_ installation: InstallationID) {
        let before = steps[..<record].count { $0.installation == installation }
        steps.removeAll { $0.installation == installation }
        record -= before
    }

    /// Those that something refused belongs to.
    var installations: Set<InstallationID> { Set(steps.compactMap(\.installation)) }

    /// The writers whose numbers were refused.
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

    private static func told(_ place: EventPosition, code: String, field: String, message: String) -> FailedEvent {
        FailedEvent(
            position: place,
            received: Timestamp(milliseconds: 0),
            key: "",
            code: code,
            field: field,
            message: message,
            content: []
        )
    }
}
