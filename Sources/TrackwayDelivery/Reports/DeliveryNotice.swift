// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
package import TrackwayJournal
package import TrackwayWire

/// Something about delivery worth telling the app's developer.
package enum DeliveryNotice: Sendable, Hashable {
    /// This process delivers for the installation from now on.
    case elected
    /// The journal could not be opened for delivery, or not be maintained.
    case journalFailed(String)
    /// The events of one writer wait because they cannot be read, or one that is done with cannot be removed; the others go
    /// on.
    case writerLeftOut(String)
    /// Something happened at a destination.
    case destination(DestinationID, UploadMachine.Notice)
    /// A destination took events less what its format or its back-end would not take; at least one.
    case trimmed(DestinationID, [Rejection])

    /// A sentence for humans.
    package var description: String {
        switch self {
        case .elected:
            "This process delivers the installation's events."
        case .journalFailed(let message):
            "The journal could not be tended: \(message)"
        case .writerLeftOut(let message):
            "One writer is left out: \(message)"
        case .trimmed(let id, let parts):
            "\(id) took events without \(parts.count) parts that it would refuse: "
                + (parts.first.map { "\($0.code): \($0.message)" } ?? "")
        case .destination(let id, let notice):
            switch notice {
            case .parked(let verdict):
                "\(id) is parked (\(verdict.label)): \(verdict.reason) Events are kept until its settings change."
            case .resumed:
                "\(id) takes events again."
            case .down(let failures, let reason):
                "\(id) failed \(failures) times in a row and is taken for down: \(reason)"
            case .recovered:
                "\(id) answers again."
            case .deadLetter(let refusal) where refusal.reason == .attemptsExhausted:
                "\(id) took an event at none of the attempts its policy allows (\(refusal.message)). It is given up."
            case .deadLetter(let refusal):
                "\(id) refused an event (\(refusal.code)): \(refusal.message) It is set aside."
            case .journalFailed(let message):
                "The journal failed while serving \(id): \(message)"
            }
        }
    }
}

extension UploadMachine {
    /// Something worth telling.
    package enum Notice: Sendable, Hashable {
        /// The destination's settings are wrong; everything is kept until they change.
        case parked(Verdict)
        /// A parked destination took events again.
        case resumed
        /// The destination is taken for down after this many failures.
        case down(failures: Int, reason: String)
        /// A destination taken for down took events again.
        case recovered
        /// An event became a dead letter.
        case deadLetter(DeadLetter)
        /// The journal could not be read or settled.
        case journalFailed(String)
    }
}
