// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayBehavior
internal import TrackwayDelivery
public import TrackwayEvents

extension Analytics {
    /// Whether the SDK is enabled. Survives restarts.
    ///
    /// While it is false nothing is recorded and nothing is sent; pending events stay.
    public var isEnabled: Bool {
        get { !isInChild && delivery.control.machine.isEnabled }
        set {
            guard !isInChild, !storage.dependencies.isInert else { return }
            storage.settings.change { $0.isEnabled = newValue }
            delivery.consents.follow()
            if newValue { lifecycle.behavior.beginAfterLaunch() }
            lifecycle.snapshots?.permissionChanged()
        }
    }

    /// The number of diagnostics that were caused inside ``Configuration/onDiagnostic``, and not reported to it.
    ///
    /// A handler that records, for example, causes one with each of its events while the disk is full.
    public var unreportedDiagnostics: UInt64 { reporter.unreportedCount }

    /// The settings that may change at run time. They do not survive a restart.
    ///
    /// ```swift
    /// analytics.options.logEvents = true
    /// ```
    /// A number outside its range is replaced by the nearest valid one, as in ``Configuration``, and reported as a `Diagnostic`.
    /// Any thread may read and set; each assignment replaces all options. A destination that is parked because of its settings is
    /// tried again.
    public var options: RuntimeOptions {
        get { isInChild ? childAnswers.options : runtimeOptions.withLock { $0 } }
        set { change(to: newValue) }
    }

    private func change(to wanted: RuntimeOptions) {
        guard !isInChild else { return }
        var bounds = SettingBounds()
        var unknown: [DestinationID] = []
        let (before, options) = reconfigurations.withLock { _ in
            let before = runtimeOptions.withLock { $0 }
            let options = bounds.runtimeOptions(wanted)
            return runtimeOptions.withLock { current in
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
            let isKnown = delivery.destinationChanges.withLock { _ in
                delivery.service.setRules(runtimeOptions.withLock { $0.rules[id] ?? [] }, for: id)
                return storage.registry.contains(id)
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
                    message: "No destination has the id \"\(id)\" yet. Its rules will apply when one is added.",
                    recoverySuggestion: "Add the destination, or correct the id."
                )
            )
        }
        recording.recorder.log.use(options.eventLogForm)
        delivery.control.setGate(.logsEvents) { options.logEvents }
        delivery.service.wakeParked()
        applyCapture()
        lifecycle.snapshots?.allows(motion: options.allowsMotion, location: options.allowsLocation)
    }
}

/// The settings of an ``Analytics`` that may change at run time; see ``Analytics/options``.
public struct RuntimeOptions: Sendable {
    /// Whether each recorded event is also written to standard error.
    public var logEvents: Bool
    /// Receives every diagnostic; see ``Configuration/onDiagnostic``.
    public var onDiagnostic: (@Sendable (Diagnostic) -> Void)?

    /// What is recorded without a call of the app.
    ///
    /// With `CaptureOptions.crashes`, crash handlers are installed, and without it they are removed; crashes of earlier runs that were not yet
    /// recorded are recorded at once.
    public var capture: CaptureOptions
    /// When a session ends.
    public var sessions: Configuration.Sessions

    /// Whether snapshots may read motion sensors.
    ///
    /// Setting it to false discards readings that are not yet recorded. Readings that the app adds itself do not need it. Without effect while
    /// ``Configuration/snapshots`` is nil.
    public var allowsMotion: Bool
    /// Whether snapshots may contain the location.
    ///
    /// The system must permit the app to know it. Without effect while ``Configuration/snapshots`` is nil.
    public var allowsLocation: Bool

    /// Which events a destination receives, and in which form, by its id.
    ///
    /// A change applies to events that are read from the journal afterwards. A request in flight is sent as it was made.
    public var rules: [DestinationID: DestinationRules]

    /// How events are shown in the log; nil for as they are stored. For compatibility modules.
    package var eventLogForm: EventLogForm?

    init(_ configuration: Configuration) {
        eventLogForm = configuration.eventLogForm
        logEvents = configuration.logEvents
        onDiagnostic = configuration.onDiagnostic
        rules = [:]
        for destination in configuration.destinations { rules[destination.id] = destination.rules }
        capture = configuration.capture
        sessions = configuration.sessions
        let snapshots = configuration.snapshots ?? SnapshotOptions()
        allowsMotion = snapshots.allowsMotion
        allowsLocation = snapshots.allowsLocation
    }
}
