// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayBehavior
public import TrackwayEvents

extension Analytics {
    /// Takes a snapshot now, whatever the policy says and whether or not the app is in use: `_device_properties`, unless they
    /// were told lately and did not change, then `_app_state`.
    ///
    /// ```swift
    /// analytics.collectSnapshot(title: "Checkout")
    /// ```
    /// Returns at once and never waits for a source; the events are recorded when the sources have answered, at most seconds
    /// later, with the time of this call. Nothing is read or recorded while consent is denied, the collection policy forbids
    /// it or the SDK is switched off, nor after ``shutdown(within:)``. Any thread.
    ///
    /// - Parameter title: what is shown; nil leaves it to the source of the app's state.
    public func collectSnapshot(title: String? = nil) {
        guard let snapshots else { return reportSnapshotsOff() }
        snapshots.collect(title)
    }

    /// Hands a reading of motion over that the app made itself. The next snapshot takes the last ten of each kind with it.
    ///
    /// ``RuntimeOptions/allowsMotion`` is about sensors that the SDK reads: readings handed over count without it. Numbers
    /// that are infinite or none are left out, with a `Diagnostic`. Returns at once. Any thread.
    public func feed(_ reading: MotionReading) {
        guard let snapshots else { return reportSnapshotsOff() }
        snapshots.read(reading, run: nil)
    }

    /// Hands a reading of the compass over that the app made itself. The next snapshot takes the last one with it. Numbers
    /// that are infinite or none are left out, with a `Diagnostic`. Returns at once. Any thread.
    public func feed(_ heading: Heading) {
        guard let snapshots else { return reportSnapshotsOff() }
        snapshots.read(heading, run: nil)
    }

    /// Takes a snapshot of the app's state alone now; see ``collectSnapshot(title:)``.
    ///
    /// - Parameter time: what the event says about when it happened; this moment when nil.
    package func collectAppState(title: String?, at time: Timestamp? = nil) {
        guard let snapshots else { return reportSnapshotsOff() }
        snapshots.collect(title, reportsProperties: false, at: time)
    }

    /// Takes a snapshot of what the device is alone now; see ``collectSnapshot(title:)``.
    package func collectDeviceProperties() {
        guard let snapshots else { return reportSnapshotsOff() }
        snapshots.collectProperties()
    }

    /// Takes a snapshot of the app's state as if a screen were shown: within the policy's limit, and only in the foreground.
    package func requestSnapshot(title: String?) {
        snapshots?.screenShown(title)
    }

    /// Takes a snapshot of the app's state if there was none within the policy's longest pause, and only in the foreground.
    package func takeSnapshotIfDue() {
        snapshots?.collectIfDue()
    }

    /// Whether a snapshot taken now would say where the device is. Asks the source on the calling thread.
    package var canCollectLocation: Bool {
        snapshots?.canCollectLocation ?? false
    }

    private func reportSnapshotsOff() {
        reporter.report(
            Diagnostic(
                code: .snapshotsOff,
                field: "snapshots",
                value: "nil",
                remedy: "Set Configuration.snapshots to SnapshotOptions() to have snapshots taken."
            )
        )
    }
}
