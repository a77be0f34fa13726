// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDelivery
public import TrackwayLifecycle

extension Analytics {
    /// Whether the SDK is enabled.
    ///
    /// The setting survives restarts. While it is false, nothing is recorded, nothing is sent, and pending events are
    /// kept.
    public var isEnabled: Bool {
        get { !isInChild && delivery.control.machine.isEnabled }
        set {
            guard !isInChild, !storage.dependencies.isInert else { return }
            storage.settings.change { $0.isEnabled = newValue }
            delivery.consents.applySettings()
            if newValue { lifecycle.controller.beginAfterLaunch() }
            lifecycle.snapshots?.permissionChanged()
        }
    }

    /// The number of diagnostics caused inside ``Configuration/onDiagnostic``.
    ///
    /// Such diagnostics are not reported to the handler. For example, a handler that records events causes a diagnostic
    /// with each event while the disk is full.
    public var unreportedDiagnostics: Int { reporter.unreportedCount }

    /// The settings that can change at run time.
    ///
    /// Changes do not survive a restart.
    ///
    /// ```swift
    /// analytics.options.logEvents = true
    /// ```
    /// A number outside its range is clamped, as in ``Configuration``, and reported as a `Diagnostic`. Any thread may
    /// read and set the options; each assignment replaces all of them. An assignment also retries destinations that are
    /// parked because of their settings.
    public var options: RuntimeOptions {
        get { isInChild ? forkedChildValues.options : runtimeOptions.withLock { $0 } }
        set { change(to: newValue) }
    }

    private func change(to requested: RuntimeOptions) {
        guard !isInChild else { return }
        var bounds = SettingsClamp()
        var unknown: [DestinationID] = []
        let (before, options) = optionsLock.withLock { _ in
            let before = runtimeOptions.withLock { $0 }
            let options = bounds.runtimeOptions(requested)
            return runtimeOptions.withLock { current in
                // A destination added since then has its own rules.
                var changed = options
                for (id, rules) in current.rules where changed.rules[id] == before.rules[id] {
                    changed.rules[id] = rules
                }
                current = changed
                return (before, changed)
            }
        }
        let changed = Set(before.rules.keys).union(options.rules.keys).filter { before.rules[$0] != options.rules[$0] }
        for id in changed.ordered() {
            bounds.note(options.rules[id] ?? [], "rules.\(id)")
            // Use the current rules: another caller may have changed them since.
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
        recording.recorder.log.setForm(options.eventLogForm)
        delivery.control.setGate(.logsEvents) { options.logEvents }
        delivery.service.probeParkedDestinations()
        applyCapture()
        lifecycle.snapshots?.setAllowed(motion: options.allowsMotion, location: options.allowsLocation)
    }
}

/// The settings of an ``Analytics`` that can change at run time.
///
/// See ``Analytics/options``.
public struct RuntimeOptions: Sendable {
    /// Whether each recorded event is also written to standard error.
    public var logEvents: Bool
    /// The handler that receives every diagnostic.
    ///
    /// See ``Configuration/onDiagnostic``.
    public var onDiagnostic: (@Sendable (Diagnostic) -> Void)?

    /// The events that the SDK records automatically.
    ///
    /// With `CaptureOptions.crashes`, crash handlers are installed, and crashes of earlier runs that were not recorded
    /// yet are recorded immediately. Without `CaptureOptions.crashes`, the handlers are removed.
    public var capture: CaptureOptions
    /// The conditions under which a session ends.
    public var sessions: Configuration.Sessions

    /// Whether snapshots may read motion sensors.
    ///
    /// Setting this to false discards readings that have not been recorded yet. Readings that the app adds itself do
    /// not require it. This setting has no effect while ``Configuration/snapshots`` is nil.
    public var allowsMotion: Bool
    /// Whether snapshots may contain the location.
    ///
    /// The system must also permit the app to read the location. This setting has no effect while
    /// ``Configuration/snapshots`` is nil.
    public var allowsLocation: Bool

    /// The rules of destinations, by id.
    ///
    /// Rules determine which events a destination receives, and in which form.
    ///
    /// A change applies to events that are read from the journal afterward. A request in flight does not change.
    public var rules: [DestinationID: DestinationRules]

    /// The form of events in the log.
    ///
    /// nil logs events as they are stored. For compatibility modules.
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
