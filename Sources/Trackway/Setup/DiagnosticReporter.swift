// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayPlatform

/// Passes diagnostics to the app's handler or, if there is none, to the log.
package final class DiagnosticReporter: Sendable {
    /// A closure that receives one diagnostic.
    package typealias Handler = @Sendable (Diagnostic) -> Void

    /// Boxed in a struct to avoid reabstraction thunks.
    private struct Listener: Sendable {
        var handler: Handler?
    }

    private let listener: Locked<Listener>
    private let unreported = Locked(0)
    private let log: Handler
    /// The only code that is reported; nil for all codes.
    private let only: Diagnostic.Code?
    private let fork = ForkDetector()

    /// Creates a reporter.
    ///
    /// - Parameters:
    ///   - handler: The app's handler; nil uses the log.
    ///   - log: The log, which receives diagnostics while the app has no handler.
    ///   - only: The only code that is reported; nil for all codes.
    package init(_ handler: Handler?, log: @escaping Handler, only: Diagnostic.Code? = nil) {
        listener = Locked(Listener(handler: handler))
        self.log = log
        self.only = only
    }

    /// Replaces the app's handler.
    package func replaceHandler(_ handler: Handler?) {
        listener.withLock { $0.handler = handler }
    }

    /// Reports one diagnostic on the calling thread, which must hold no lock.
    ///
    /// A diagnostic that is caused inside the handler is counted but not reported, because the handler could otherwise
    /// be called endlessly. Nothing is reported in a forked child, because the app's handler could wait for a lock that
    /// is never released there.
    package func report(_ diagnostic: Diagnostic) {
        guard !fork.isInChild, only == nil || diagnostic.code == only else { return }
        let handler = listener.withLock { $0.handler } ?? log
        let wasCalled: Void? = CallbackScope.call(CallbackScope.ID(of: self)) { handler(diagnostic) }
        if wasCalled == nil { unreported.withLock { $0 += 1 } }
    }

    /// The number of diagnostics caused inside the handler.
    package var unreportedCount: Int { unreported.withLock { $0 } }

    /// Reports diagnostics in order.
    package func report(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics { report(diagnostic) }
    }
}

extension Diagnostic {
    /// The diagnostic for screen capture without a source.
    static let screenCaptureMissing = Diagnostic(
        code: .screenCaptureMissing,
        field: "capture",
        value: "screens",
        message: "Configuration.capture contains .screens, but nothing reports screens.",
        recoverySuggestion: """
            Call analytics.captureUIKit() from TrackwayUIKit, add .trackScreen from TrackwaySwiftUI to the views that \
            are screens, call analytics.screen, or leave .screens out of the configuration's capture.
            """
    )

    /// Creates the diagnostic for a system report that could not be stored.
    init(systemReportDropped error: StorageError) {
        self.init(
            code: .systemReportDropped,
            field: "capture",
            value: "\(error)",
            message: "A crash or hang report from the system is lost because it could not be stored (\(error)). The "
                + "system does not send it again.",
            recoverySuggestion: "Free some space, or make the storage folder writable."
        )
    }

    /// Creates the diagnostic for a class that several images define.
    init(_ duplicate: DuplicateClass) {
        self.init(
            code: .classDefinedTwice,
            field: duplicate.name,
            value: duplicate.files.joined(separator: " and "),
            message: "The Objective-C class \(duplicate.name) is defined in "
                + "\(duplicate.files.joined(separator: " and ")). Objective-C calls may reach either "
                + "class; Swift calls reach the imported module.",
            recoverySuggestion: "Link one of them: remove the other SDK, or the compatibility module that replaces it."
        )
    }

    /// Creates the diagnostic for a folder removed while the app was running.
    ///
    /// This process had recorded `recorded` events by then.
    init(folderRemoved folder: String, recorded: UInt64) {
        self.init(
            code: .storageRemoved,
            field: "storage.folder",
            value: folder,
            message: "The storage folder \(folder) was removed while the app was running. It was created again, and "
                + "recording continues. Of the \(recorded) events recorded before the removal, those that were not "
                + "delivered are lost and counted as storage_removed.",
            recoverySuggestion: "Do not remove the folder while the app runs."
        )
    }

    /// Creates the diagnostic for a delivery problem; nil for other delivery events.
    init?(_ event: DeliveryEvent) {
        if case .trimmed(let id, let parts) = event, let first = parts.first {
            let more = parts.count > 1 ? " The same request has \(parts.count - 1) more such problems." : ""
            self.init(
                code: .attributeTrimmed,
                field: "destinations.\(id)",
                value: "\(first.code): \(first.message)",
                message: "An event was delivered incompletely: \(first.message.sentence)\(more)",
                recoverySuggestion: "Stay within the limits of this destination's format."
            )
            return
        }
        switch event {
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
        case .writerSkipped(let message):
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
        guard case .destination(let id, let what) = event else { return nil }
        let field = "destinations.\(id)"
        switch what {
        case .resumed, .recovered:
            return nil
        case .parked(let verdict):
            self.init(
                code: .destinationParked,
                field: field,
                value: verdict.reason,
                message: "The destination \"\(id)\" is misconfigured: \(verdict.reason.sentence) Events stay "
                    + "pending, and the destination is retried occasionally.",
                recoverySuggestion: "Correct its address and credentials in the configuration, or call "
                    + "Analytics.replaceDestination, which retries immediately."
            )
        case .down(let failures, let reason):
            self.init(
                code: .destinationDown,
                field: field,
                value: reason,
                message: "The destination \"\(id)\" failed \(failures) times in a row: \(reason.sentence) It is tried "
                    + "less often until it responds, and events stay pending.",
                recoverySuggestion: "Check that the back end is reachable."
            )
        case .deadLetter(let refusal):
            self.init(
                code: .eventRefused,
                field: field,
                value: "\(refusal.code): \(refusal.message)",
                message: "The destination \"\(id)\" rejected an event (\(refusal.code)): \(refusal.message.sentence) "
                    + "It is kept as a dead letter in the storage folder.",
                recoverySuggestion: "Run \"trackway journal inspect\" to see the event."
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
