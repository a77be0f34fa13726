// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayBehavior
public import TrackwayEvents
internal import TrackwayJournal

extension Analytics {
    /// Takes a snapshot now, whatever the policy says.
    ///
    /// It records `_device_properties`, unless they were recorded recently and did not change, and then `_app_state`.
    ///
    /// ```swift
    /// analytics.collectSnapshot(title: "Checkout")
    /// ```
    /// The call returns at once and never waits for a source. The events are recorded when the sources have answered, a few seconds later at most,
    /// with the time of this call. Nothing is read or recorded while consent is denied, while the collection policy forbids it, while the SDK is
    /// disabled, or after ``shutdown(timeout:)``. Any thread may call.
    ///
    /// - Parameter title: the title of what is shown; nil asks the source of the app's state.
    public func collectSnapshot(title: String? = nil) {
        guard !isInChild else { return }
        guard let snapshots = lifecycle.snapshots else { return reportSnapshotsOff() }
        snapshots.collect(title)
    }

    /// Adds a motion reading that the app made itself.
    ///
    /// The next snapshot contains the last ten readings of each kind. ``RuntimeOptions/allowsMotion`` applies only to sensors that the SDK
    /// reads. Numbers that are infinite or not a number are left out with a `Diagnostic`. The call returns at once. Any thread may call.
    public func addSensorReading(_ reading: MotionReading) {
        guard !isInChild else { return }
        guard let snapshots = lifecycle.snapshots else { return reportSnapshotsOff() }
        snapshots.read(reading, run: nil)
    }

    /// Adds a compass reading that the app made itself.
    ///
    /// The next snapshot contains the last one. Numbers that are infinite or not a number are left out with a `Diagnostic`. The call returns at
    /// once. Any thread may call.
    public func addHeading(_ heading: Heading) {
        guard !isInChild else { return }
        guard let snapshots = lifecycle.snapshots else { return reportSnapshotsOff() }
        snapshots.read(heading, run: nil)
    }

    /// Takes a snapshot of the app's state alone now; see ``collectSnapshot(title:)``.
    ///
    /// - Parameter time: what the event says about when it happened; this moment when nil.
    package func collectAppState(title: String?, at time: Timestamp? = nil) {
        guard !isInChild else { return }
        guard let snapshots = lifecycle.snapshots else { return reportSnapshotsOff() }
        snapshots.collect(title, reportsProperties: false, at: time)
    }

    /// Takes a snapshot of what the device is alone now; see ``collectSnapshot(title:)``.
    package func collectDeviceProperties() {
        guard !isInChild else { return }
        guard let snapshots = lifecycle.snapshots else { return reportSnapshotsOff() }
        snapshots.collectProperties()
    }

    /// Takes a snapshot of the app's state as if a screen were shown: within the policy's limit, and only in the foreground.
    package func requestSnapshot(title: String?) {
        guard !isInChild else { return }
        lifecycle.snapshots?.screenShown(title)
    }

    /// Takes a snapshot of the app's state if there was none within the policy's longest pause, and only in the foreground.
    package func takeSnapshotIfDue() {
        guard !isInChild else { return }
        lifecycle.snapshots?.collectIfDue()
    }

    /// Whether a snapshot taken now would say where the device is. Asks the source on the calling thread.
    package var canCollectLocation: Bool {
        lifecycle.snapshots?.canCollectLocation ?? false
    }

    private func reportSnapshotsOff() {
        reporter.report(
            Diagnostic(
                code: .snapshotsOff,
                field: "snapshots",
                value: "nil",
                message: "The call was ignored because Configuration.snapshots is nil, so snapshots are switched off.",
                recoverySuggestion: "Set Configuration.snapshots to SnapshotOptions()."
            )
        )
    }
}

extension Diagnostic {
    /// A source does not answer.
    static func silent(_ part: SnapshotPart) -> Diagnostic {
        Diagnostic(
            code: .snapshotSourceSilent,
            field: "snapshots.sources.\(part.rawValue)",
            value: "no answer for \(SnapshotInquiry.timeout.components.seconds) s",
            message: "The snapshot source \"\(part.rawValue)\" did not respond within "
                + "\(SnapshotInquiry.timeout.components.seconds) s. Snapshots are taken without it until it does.",
            recoverySuggestion: "Let the source return immediately what it knows."
        )
    }

    /// A number that no receiver can read.
    static func reading(_ field: String, _ value: Double) -> Diagnostic {
        Diagnostic(
            code: .readingInvalid,
            field: field,
            value: "\(value)",
            message: "The reading \(value) was left out because it is not a finite number.",
            recoverySuggestion: "Provide finite numbers, and nil where a value is unknown."
        )
    }

    /// What earlier runs kept cannot be understood.
    static func snapshots(damaged what: String) -> Diagnostic {
        Diagnostic(
            code: .snapshotsDamaged,
            field: "snapshots",
            value: what,
            message: "The stored state of snapshots is damaged (\(what)). The limits are counted from zero, and the "
                + "device properties are recorded once more."
        )
    }

    /// The file cannot be written or read.
    static func snapshots(notKept error: StorageError) -> Diagnostic {
        Diagnostic(
            code: .snapshotsNotKept,
            field: "snapshots",
            value: "\(error)",
            message: "The state of snapshots could not be read or stored (\(error)). Snapshots are taken "
                + "nevertheless, and after a restart their limits are counted from zero.",
            recoverySuggestion: "Free some space, or make the storage folder readable and writable."
        )
    }
}
