// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
public import TrackwayEvents
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

extension Diagnostic.Code {
    /// An event was recorded after the SDK was shut down; it is kept and goes out after the next start.
    public static let recordedAfterShutdown = Diagnostic.Code(rawValue: "recorded_after_shutdown")
    /// An event was addressed to a destination that is not configured; it was not recorded.
    public static let unknownDestination = Diagnostic.Code(rawValue: "unknown_destination")
    /// A number of the configuration means nothing; one that does counts instead.
    public static let settingOutOfRange = Diagnostic.Code(rawValue: "setting_out_of_range")
    /// The storage folder was removed under the running app, with what waited there; it was made anew.
    public static let storageRemoved = Diagnostic.Code(rawValue: "storage_removed")
    /// An event could not be kept.
    public static let notKept = Diagnostic.Code(rawValue: "not_kept")
    /// Storage fails; events are held in memory until it works again.
    public static let storageFailing = Diagnostic.Code(rawValue: "storage_failing")
    /// A user id is empty or too long; the user stayed who it was.
    public static let userInvalid = Diagnostic.Code(rawValue: "user_invalid")
    /// What is known about sessions and launches cannot be kept or read now; events are recorded all the same.
    public static let behaviorNotKept = Diagnostic.Code(rawValue: "behavior_not_kept")
    /// What earlier runs had kept about sessions and launches could not be understood.
    public static let behaviorDamaged = Diagnostic.Code(rawValue: "behavior_damaged")
    /// Two images of the process define one class of Objective-C: a compatibility module, and the SDK that it stands for.
    public static let classDefinedTwice = Diagnostic.Code(rawValue: "class_defined_twice")
    /// A compatibility module could not make its analytics; nothing is recorded.
    public static let notStarted = Diagnostic.Code(rawValue: "not_started")
    /// A screen has no name; it stayed the one it was.
    public static let screenInvalid = Diagnostic.Code(rawValue: "screen_invalid")
    /// Screens are to be captured, and nothing reports any.
    public static let screensUnseen = Diagnostic.Code(rawValue: "screens_unseen")
    /// An element of the interface was named wrongly.
    public static let elementInvalid = Diagnostic.Code(rawValue: "element_invalid")
    /// A destination refuses the credentials, or its address is wrong; its events wait until
    /// `Analytics.replaceDestination(_:)` gives it new settings.
    public static let destinationParked = Diagnostic.Code(rawValue: "destination_parked")
    /// A destination failed several times in a row; it is asked seldom until it answers again.
    public static let destinationDown = Diagnostic.Code(rawValue: "destination_down")
    /// A destination refused an event, which is kept as a dead letter for inspection.
    public static let eventRefused = Diagnostic.Code(rawValue: "event_refused")
    /// A destination took an event without attributes, items or parts of texts that its format does not allow; other
    /// destinations got them.
    public static let attributeTrimmed = Diagnostic.Code(rawValue: "attribute_trimmed")
    /// The process's signals cannot be watched.
    public static let lifeCycleUnseen = Diagnostic.Code(rawValue: "life_cycle_unseen")
    /// Crashes of the process cannot be captured.
    public static let crashesUnseen = Diagnostic.Code(rawValue: "crashes_unseen")
    /// What the system told of a crash or a hang could not be kept.
    public static let systemReportLost = Diagnostic.Code(rawValue: "system_report_lost")
    /// A decision that must survive a restart could not be written down.
    public static let settingsNotSaved = Diagnostic.Code(rawValue: "settings_not_saved")
    /// A decision about consent was not taken: there are too many categories.
    public static let consentNotTaken = Diagnostic.Code(rawValue: "consent_not_taken")
    /// What waited could not be dropped after consent was denied; nothing is sent.
    public static let notDiscarded = Diagnostic.Code(rawValue: "not_discarded")
    /// What earlier runs had written down could not be understood.
    public static let settingsDamaged = Diagnostic.Code(rawValue: "settings_damaged")
}

extension Diagnostic {
    /// Screens are to be captured, and nothing reports any.
    static let screensUnseen = Diagnostic(
        code: .screensUnseen,
        field: "capture",
        value: "screens",
        remedy: """
            Make a UIKitCapture of TrackwayUIKit and keep it, put .trackScreen of TrackwaySwiftUI on the views that are screens, \
            call analytics.screen, or leave .screens out of the configuration's capture.
            """
    )

    /// What the system told of a crash or a hang could not be kept.
    init(systemReportLost error: StorageError) {
        self.init(
            code: .systemReportLost,
            field: "capture",
            value: "\(error)",
            remedy: "Free some space or make the storage folder writable; the system does not tell of it again."
        )
    }

    /// Several images define a class.
    init(_ duplicate: DuplicateClass) {
        self.init(
            code: .classDefinedTwice,
            field: duplicate.name,
            value: duplicate.files.joined(separator: " and "),
            remedy:
                "Link one of them: remove the other SDK, or the compatibility module that stands for it. Which of the two classes "
                + "answers calls of Objective-C is not defined; calls in Swift reach the module that is imported."
        )
    }

    /// The folder was removed under the running app; `recorded` events of this process were recorded before.
    init(folderRemoved folder: String, recorded: UInt64) {
        self.init(
            code: .storageRemoved,
            field: "storageFolder",
            value: folder,
            remedy:
                "Leave the folder alone while the app runs. It was made anew, and recording goes on; of \(recorded) events "
                + "recorded before, those not delivered yet are lost and counted as storage_removed."
        )
    }

    /// What delivery has to say, if it is a difficulty; nil for good news.
    init?(_ notice: DeliveryNotice) {
        if case .trimmed(let id, let parts) = notice, let first = parts.first {
            let more = parts.count > 1 ? " (\(parts.count - 1) more in the same request.)" : ""
            self.init(
                code: .attributeTrimmed,
                field: "destinations.\(id)",
                value: "\(first.code): \(first.message)",
                remedy: "The event was delivered without it; keep to the limits of this destination's format.\(more)"
            )
            return
        }
        switch notice {
        case .journalFailed(let message):
            self.init(
                code: .storageFailing,
                field: "storageFolder",
                value: message,
                remedy: "Events are kept; delivery goes on when the storage folder can be read and written again."
            )
            return
        case .writerLeftOut(let message):
            self.init(
                code: .storageFailing,
                field: "storageFolder",
                value: message,
                remedy: "Everything else is delivered; this is looked at again every few seconds."
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
                remedy:
                    "Correct its address and credentials in the configuration, or with Analytics.replaceDestination, which has "
                    + "it tried again at once. The events wait; it is tried again now and then."
            )
        case .down(let failures, let reason):
            self.init(
                code: .destinationDown,
                field: field,
                value: reason,
                remedy: "It failed \(failures) times in a row and is asked seldom until it answers; the events wait."
            )
        case .deadLetter(let refusal):
            self.init(
                code: .eventRefused,
                field: field,
                value: "\(refusal.code): \(refusal.message)",
                remedy: "The event is set aside in the storage folder; see what it holds with trackway inspect."
            )
        case .journalFailed(let message):
            self.init(
                code: .storageFailing,
                field: field,
                value: message,
                remedy: "Free some space or make the storage folder writable; delivery goes on when storage works."
            )
        }
    }
}
