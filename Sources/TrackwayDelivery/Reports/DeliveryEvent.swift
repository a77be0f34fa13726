// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
package import TrackwayDestinationKit
package import TrackwayJournal

/// A delivery event reported to the app's developer.
package enum DeliveryEvent: Sendable, Hashable {
    /// This process now delivers for the installation.
    case elected
    /// The journal could not be opened or maintained for delivery.
    case journalFailed(String)
    /// One writer is skipped; delivery of the others continues.
    ///
    /// The writer's events are pending because they cannot be read, or the writer is finished and cannot be removed.
    case writerSkipped(String)
    /// A report from a destination.
    case destination(DestinationID, UploadMachine.Report)
    /// A destination accepted events from which parts were removed.
    ///
    /// The parts, at least one, are those that its format or its back end does not accept.
    case trimmed(DestinationID, [Rejection])

    /// A readable description.
    package var description: String {
        switch self {
        case .elected:
            "This process delivers the installation's events."
        case .journalFailed(let message):
            "The journal could not be opened or maintained: \(message)"
        case .writerSkipped(let message):
            "One writer is skipped: \(message)"
        case .trimmed(let id, let parts):
            "\(id) accepted events after \(parts.count) parts that it would reject were removed: "
                + (parts.first.map { "\($0.code): \($0.message)" } ?? "")
        case .destination(let id, let notice):
            switch notice {
            case .parked(let verdict):
                "\(id) is parked (\(verdict.label)): \(verdict.reason) Events are kept until its settings change."
            case .resumed:
                "\(id) accepts events again."
            case .down(let failures, let reason):
                "\(id) failed \(failures) times in a row and is considered down: \(reason)"
            case .recovered:
                "\(id) responds again."
            case .deadLetter(let refusal) where refusal.reason == .attemptsExhausted:
                "\(id) did not accept an event in the attempts its policy allows (\(refusal.message)). It is dropped."
            case .deadLetter(let refusal):
                "\(id) rejected an event (\(refusal.code)): \(refusal.message) It becomes a dead letter."
            case .journalFailed(let message):
                "The journal failed during delivery to \(id): \(message)"
            }
        }
    }
}

extension UploadMachine {
    /// A report from one destination.
    package enum Report: Sendable, Hashable {
        /// The settings are wrong; all events are kept until they change.
        case parked(Verdict)
        /// A parked destination accepts events again.
        case resumed
        /// The destination is considered down after this many failures.
        case down(failures: Int, reason: String)
        /// A destination that was considered down responds again.
        case recovered
        /// An event became a dead letter.
        case deadLetter(DeadLetter)
        /// A batch could not be read from the journal or settled.
        case journalFailed(String)
    }
}
