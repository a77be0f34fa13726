// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayJournal
public import TrackwayLifecycle

extension Analytics {
    /// Takes a snapshot now, regardless of the policy.
    ///
    /// The snapshot records `_device_properties`, unless the properties were recorded recently and have not changed,
    /// and then `_app_state`.
    ///
    /// ```swift
    /// analytics.collectSnapshot(title: "Checkout")
    /// ```
    /// The call returns immediately and never waits for a source. The events are recorded when the sources have
    /// responded, a few seconds later at most, with the time of this call. Nothing is read or recorded while consent is
    /// denied, while the collection policy forbids it, while the SDK is disabled, or after ``shutdown(timeout:)``.
    /// Callable from any thread.
    ///
    /// - Parameter title: The title of the shown content; nil uses the title from the source of the app's state.
    public func collectSnapshot(title: String? = nil) {
        guard !isInChild else { return }
        guard let snapshots = lifecycle.snapshots else { return reportSnapshotsOff() }
        snapshots.collect(title)
    }

    /// Adds a motion reading that the app took itself.
    ///
    /// The next snapshot contains the last ten readings of each kind. ``RuntimeOptions/allowsMotion`` applies only to
    /// sensors that the SDK reads. Infinite numbers and NaN are left out with a `Diagnostic`. The call returns
    /// immediately. Callable from any thread.
    public func addSensorReading(_ reading: MotionReading) {
        guard !isInChild else { return }
        guard let snapshots = lifecycle.snapshots else { return reportSnapshotsOff() }
        snapshots.add(reading, run: nil)
    }

    /// Adds a compass reading that the app took itself.
    ///
    /// The next snapshot contains the last compass reading. Infinite numbers and NaN are left out with a `Diagnostic`.
    /// The call returns immediately. Callable from any thread.
    public func addHeading(_ heading: Heading) {
        guard !isInChild else { return }
        guard let snapshots = lifecycle.snapshots else { return reportSnapshotsOff() }
        snapshots.add(heading, run: nil)
    }

    /// Takes a snapshot of only the app's state; see ``collectSnapshot(title:)``.
    ///
    /// - Parameter time: The time in the event; nil for now.
    package func collectAppState(title: String?, at time: Timestamp? = nil) {
        guard !isInChild else { return }
        guard let snapshots = lifecycle.snapshots else { return reportSnapshotsOff() }
        snapshots.collect(title, reportsProperties: false, at: time)
    }

    /// Takes a snapshot of only the device properties; see ``collectSnapshot(title:)``.
    package func collectDeviceProperties() {
        guard !isInChild else { return }
        guard let snapshots = lifecycle.snapshots else { return reportSnapshotsOff() }
        snapshots.collectProperties()
    }

    /// Takes a snapshot of the app's state, as when a screen is shown.
    ///
    /// The snapshot is taken only in the foreground, and the policy's limit applies.
    package func requestSnapshot(title: String?) {
        guard !isInChild else { return }
        lifecycle.snapshots?.screenShown(title)
    }

    /// Takes a snapshot of the app's state if one is overdue.
    ///
    /// A snapshot is overdue if none was taken within the policy's longest interval. Snapshots are taken only in the
    /// foreground.
    package func takeSnapshotIfDue() {
        guard !isInChild else { return }
        lifecycle.snapshots?.collectIfDue()
    }

    /// Whether a snapshot taken now would contain the location.
    ///
    /// Queries the source on the calling thread.
    package var canCollectLocation: Bool {
        lifecycle.snapshots?.canCollectLocation ?? false
    }

    private func reportSnapshotsOff() {
        reporter.report(
            Diagnostic(
                code: .snapshotsOff,
                field: "snapshots",
                value: "nil",
                message: "The call was ignored. Snapshots are off because Configuration.snapshots is nil.",
                recoverySuggestion: "Set Configuration.snapshots to SnapshotOptions()."
            )
        )
    }
}

extension Diagnostic {
    /// Returns the diagnostic for a source that does not respond.
    static func silent(_ part: SnapshotPart) -> Diagnostic {
        Diagnostic(
            code: .snapshotSourceSilent,
            field: "snapshots.sources.\(part.rawValue)",
            value: "no response within \(PendingSourceQueries.timeout.components.seconds) s",
            message: "The snapshot source \"\(part.rawValue)\" did not respond within "
                + "\(PendingSourceQueries.timeout.components.seconds) s. Snapshots are taken without it until it does.",
            recoverySuggestion: "Make the source return known values immediately."
        )
    }

    /// Returns the diagnostic for a number that receivers cannot read.
    static func reading(_ field: String, _ value: Double) -> Diagnostic {
        Diagnostic(
            code: .readingInvalid,
            field: field,
            value: "\(value)",
            message: "The reading \(value) was left out because it is not a finite number.",
            recoverySuggestion: "Provide finite numbers, and nil where a value is unknown."
        )
    }

    /// Returns the diagnostic for stored state that cannot be decoded.
    static func snapshots(damaged what: String) -> Diagnostic {
        Diagnostic(
            code: .snapshotsDamaged,
            field: "snapshots",
            value: what,
            message: "The stored snapshot state is damaged (\(what)). Limits start again from zero, and the "
                + "device properties are recorded once more."
        )
    }

    /// Returns the diagnostic for a file that cannot be written or read.
    static func snapshots(notKept error: StorageError) -> Diagnostic {
        Diagnostic(
            code: .snapshotsNotKept,
            field: "snapshots",
            value: "\(error)",
            message: "The snapshot state could not be read or stored (\(error)). Snapshots are still "
                + "taken. After a restart, their limits start again from zero.",
            recoverySuggestion: "Free some space, or make the storage folder readable and writable."
        )
    }
}
