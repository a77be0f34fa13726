// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayBehavior
internal import TrackwayDelivery
public import TrackwayEvents

extension Analytics {
    /// Switches the SDK off: nothing is recorded and nothing is sent; what waits stays. Survives restarts.
    public func disable() {
        guard !isInChild else { return }
        settings.change { $0.isEnabled = false }
        consents.follow()
        snapshots?.permissionChanged()
    }

    /// Switches the SDK on again. Survives restarts.
    public func enable() {
        guard !isInChild else { return }
        settings.change { $0.isEnabled = true }
        consents.follow()
        behavior.beginAfterLaunch()
        snapshots?.permissionChanged()
    }

    /// The number of diagnostics that were caused inside ``Configuration/onDiagnostic``, and not reported to it.
    ///
    /// A handler that records, for example, causes one with each of its events while the disk is full.
    public var unreportedDiagnostics: UInt64 { reporter.unreportedCount }

    /// Whether the SDK is switched on.
    public var isEnabled: Bool { !isInChild && control.machine.isEnabled }

    /// Changes what may change at run time. A destination whose settings were found wrong is asked again.
    ///
    /// ```swift
    /// analytics.reconfigure { $0.logEvents = true }
    /// ```
    /// A number that no app means is brought within its bounds, as one of the ``Configuration`` is, and told as a
    /// `Diagnostic`.
    ///
    /// - Parameter change: is called once, at once, on the calling thread; it may call the SDK, except for this method.
    public func reconfigure(_ change: (inout RuntimeOptions) -> Void) {
        guard !isInChild else { return }
        var bounds = SettingBounds()
        var unknown: [DestinationID] = []
        let (before, options) = reconfigurations.withLock { _ in
            let before = self.options.withLock { $0 }
            var options = before
            // Only other calls of this method wait for it.
            change(&options)
            options = bounds.runtimeOptions(options)
            return self.options.withLock { [options] current in
                // A destination that was added meanwhile brought rules of its own.
                var changed = options
                for (id, rules) in current.rules where changed.rules[id] == before.rules[id] {
                    changed.rules[id] = rules
                }
                current = changed
                return (before, changed)
            }
        }
        let changed = Set(before.rules.keys).union(options.rules.keys).filter { before.rules[$0] != options.rules[$0] }
        for id in changed.sorted() {
            bounds.note(options.rules[id] ?? [], "rules.\(id)")
            // What counts by now: somebody else may have changed them since.
            let isKnown = destinationChanges.withLock { _ in
                delivery.setRules(self.options.withLock { $0.rules[id] ?? [] }, for: id)
                return registry.contains(id)
            }
            if !isKnown, options.rules[id]?.isEmpty == false { unknown.append(id) }
        }
        reporter.replaceHandler(options.onDiagnostic)
        reporter.report(bounds.diagnostics)
        for id in unknown {
            reporter.report(
                Diagnostic(
                    code: .unknownDestination,
                    field: "rules",
                    value: "\(id)",
                    remedy:
                        "Nobody is held to these rules now; they hold for a destination of this id once it is added."
                )
            )
        }
        recorder.log.use(options.eventLogForm)
        control.setGate(.logsEvents) { options.logEvents }
        delivery.wakeParked()
        applyCapture()
        snapshots?.allows(motion: options.allowsMotion, location: options.allowsLocation)
    }
}

/// What may change while an ``Analytics`` works; see ``Analytics/reconfigure(_:)``.
public struct RuntimeOptions: Sendable {
    /// Whether each event is also written to standard error as it is recorded.
    public var logEvents: Bool
    /// Handles every mistake and difficulty; see ``Configuration/onDiagnostic``.
    public var onDiagnostic: (@Sendable (Diagnostic) -> Void)?

    /// What is recorded without the app calling `record`. With `CaptureOptions.crashes` handlers go into the process, and out
    /// of it without; crashes of earlier runs that nobody has told yet are told at once.
    public var capture: CaptureOptions
    /// How long the app may stay in the background before the next use of it is another session.
    public var sessionTimeout: Duration
    /// The time without user activity in the foreground after which the next activity begins another session; see
    /// ``Configuration/sessionIdleTimeout``.
    public var sessionIdleTimeout: Duration?
    /// The age from which on a session is over; see ``Configuration/maximumSessionLength``.
    public var maximumSessionLength: Duration?

    /// Whether snapshots may read sensors of motion. What was read and not told yet is thrown away with the permission.
    /// Readings that the app hands over itself count either way. Without effect while ``Configuration/snapshots`` is nil.
    public var allowsMotion: Bool
    /// Whether snapshots may say where the device is, if the person allows the app to know. Without effect while
    /// ``Configuration/snapshots`` is nil.
    public var allowsLocation: Bool

    /// What leaves for single destinations, and how; holds for what is read from the journal from then on. What is on its
    /// way is sent as it was read.
    public var rules: [DestinationID: DestinationRules]

    /// How events are shown in the log; nil for as they are stored. For compatibility modules.
    package var eventLogForm: EventLogForm?

    init(_ configuration: Configuration) {
        eventLogForm = configuration.eventLogForm
        logEvents = configuration.logEvents
        onDiagnostic = configuration.onDiagnostic
        rules = configuration.rules
        capture = configuration.capture
        sessionTimeout = configuration.sessionTimeout
        sessionIdleTimeout = configuration.sessionIdleTimeout
        maximumSessionLength = configuration.maximumSessionLength
        let snapshots = configuration.snapshots ?? SnapshotOptions()
        allowsMotion = snapshots.allowsMotion
        allowsLocation = snapshots.allowsLocation
    }
}
