// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
package import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform
internal import TrackwayWire

/// Hands diagnostics to the app, or to the log when the app does not listen.
package final class DiagnosticReporter: Sendable {
    /// Takes one diagnostic.
    package typealias Handler = @Sendable (Diagnostic) -> Void

    /// The closure stands in a struct: a bare one in a generic place is wrapped once more with every access.
    private struct Listener: Sendable {
        var handler: Handler?
    }

    private let listener: Locked<Listener>
    private let unreported = Locked(UInt64(0))
    private let log: Handler
    /// What alone is told; nil for everything.
    private let only: Diagnostic.Code?
    private let fork = ForkMark()

    /// Makes a reporter.
    ///
    /// - Parameters:
    ///   - handler: the app's own; nil leaves it to the log.
    ///   - log: where diagnostics go while the app has no handler.
    ///   - only: what alone is told; nil for everything.
    package init(_ handler: Handler?, log: @escaping Handler, only: Diagnostic.Code? = nil) {
        listener = Locked(Listener(handler: handler))
        self.log = log
        self.only = only
    }

    /// From now on the app's handler is this one.
    package func replaceHandler(_ handler: Handler?) {
        listener.withLock { $0.handler = handler }
    }

    /// Reports one diagnostic on the calling thread, which must hold no lock.
    ///
    /// One that is caused inside the handler is counted and not reported: the handler would be called without end. In a forked child
    /// nothing is reported: the app's handler may wait there for a lock that nothing releases.
    package func report(_ diagnostic: Diagnostic) {
        guard !fork.isInChild, only == nil || diagnostic.code == only else { return }
        let handler = listener.withLock { $0.handler } ?? log
        let wasCalled: Void? = CallbackScope.call(CallbackScope.ID(of: self)) { handler(diagnostic) }
        if wasCalled == nil { unreported.withLock { $0 += 1 } }
    }

    /// The number of diagnostics caused inside the handler.
    package var unreportedCount: UInt64 { unreported.withLock { $0 } }

    /// Reports diagnostics in their order.
    package func report(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics { report(diagnostic) }
    }
}

extension Diagnostic {
    /// Screens are to be captured, and nothing reports any.
    static let screenCaptureMissing = Diagnostic(
        code: .screenCaptureMissing,
        field: "capture",
        value: "screens",
        message: "Configuration.capture contains .screens, but nothing reports screens.",
        recoverySuggestion: """
            Call analytics.captureUIKit() of TrackwayUIKit, add .trackScreen of TrackwaySwiftUI to the views that are screens, \
            call analytics.screen, or leave .screens out of the configuration's capture.
            """
    )

    /// A crash or hang report of the system could not be stored.
    init(systemReportDropped error: StorageError) {
        self.init(
            code: .systemReportDropped,
            field: "capture",
            value: "\(error)",
            message: "A crash or hang report of the system is lost because it could not be stored (\(error)). The "
                + "system does not send it again.",
            recoverySuggestion: "Free some space, or make the storage folder writable."
        )
    }

    /// Several images define a class.
    init(_ duplicate: DuplicateClass) {
        self.init(
            code: .classDefinedTwice,
            field: duplicate.name,
            value: duplicate.files.joined(separator: " and "),
            message: "The Objective-C class \(duplicate.name) is defined in "
                + "\(duplicate.files.joined(separator: " and ")). Which of the classes Objective-C calls reach is "
                + "undefined; calls in Swift reach the imported module.",
            recoverySuggestion: "Link one of them: remove the other SDK, or the compatibility module that replaces it."
        )
    }

    /// The folder was removed under the running app; `recorded` events of this process were recorded before.
    init(folderRemoved folder: String, recorded: UInt64) {
        self.init(
            code: .storageRemoved,
            field: "storage.folder",
            value: folder,
            message: "The storage folder \(folder) was removed while the app was running. It was created again, and "
                + "recording continues; of \(recorded) events recorded before, those not delivered yet are lost and "
                + "counted as storage_removed.",
            recoverySuggestion: "Leave the folder alone while the app runs."
        )
    }

    /// What delivery has to say, if it is a difficulty; nil for good news.
    init?(_ notice: DeliveryNotice) {
        if case .trimmed(let id, let parts) = notice, let first = parts.first {
            let more = parts.count > 1 ? " The same request has \(parts.count - 1) more." : ""
            self.init(
                code: .attributeTrimmed,
                field: "destinations.\(id)",
                value: "\(first.code): \(first.message)",
                message: "An event was delivered incompletely: \(first.message.sentence)\(more)",
                recoverySuggestion: "Keep to the limits of this destination's format."
            )
            return
        }
        switch notice {
        case .journalFailed(let message):
            self.init(
                code: .storageFailing,
                field: "storage.folder",
                value: message,
                message: "The storage folder cannot be used now (\(message)). Events are kept, and delivery continues "
                    + "when the folder can be read and written again.",
                recoverySuggestion: "Make the storage folder readable and writable."
            )
            return
        case .writerLeftOut(let message):
            self.init(
                code: .storageFailing,
                field: "storage.folder",
                value: message,
                message: "The events of one process cannot be read now (\(message)). Everything else is delivered, "
                    + "and these are retried every few seconds.",
                recoverySuggestion: "Make the folder readable."
            )
            return
        case .elected, .trimmed, .destination:
            break
        }
        guard case .destination(let id, let what) = notice else { return nil }
        let field = "destinations.\(id)"
        switch what {
        case .resumed, .recovered:
            return nil
        case .parked(let verdict):
            self.init(
                code: .destinationParked,
                field: field,
                value: verdict.reason,
                message: "The destination \"\(id)\" is misconfigured: \(verdict.reason.sentence) The events wait, and "
                    + "the destination is retried occasionally.",
                recoverySuggestion: "Correct its address and credentials in the configuration, or call "
                    + "Analytics.replaceDestination, which retries immediately."
            )
        case .down(let failures, let reason):
            self.init(
                code: .destinationDown,
                field: field,
                value: reason,
                message: "The destination \"\(id)\" failed \(failures) times in a row: \(reason.sentence) It is tried "
                    + "less often until it responds, and the events wait.",
                recoverySuggestion: "Check that the back end is reachable."
            )
        case .deadLetter(let refusal):
            self.init(
                code: .eventRefused,
                field: field,
                value: "\(refusal.code): \(refusal.message)",
                message: "The destination \"\(id)\" rejected an event (\(refusal.code)): \(refusal.message.sentence) "
                    + "It is kept as a dead letter in the storage folder.",
                recoverySuggestion: "Run \"trackway inspect\" to see the event."
            )
        case .journalFailed(let message):
            self.init(
                code: .storageFailing,
                field: field,
                value: message,
                message: "Delivery to \"\(id)\" is interrupted because the storage failed (\(message)). It continues "
                    + "when the storage works.",
                recoverySuggestion: "Free some space, or make the storage folder writable."
            )
        }
    }
}
