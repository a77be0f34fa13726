// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayBehavior
public import TrackwayEvents
internal import TrackwayJournal

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
        guard !isInChild else { return }
        guard let snapshots else { return reportSnapshotsOff() }
        snapshots.collect(title)
    }

    /// Hands a reading of motion over that the app made itself. The next snapshot takes the last ten of each kind with it.
    ///
    /// ``RuntimeOptions/allowsMotion`` is about sensors that the SDK reads: readings handed over count without it. Numbers
    /// that are infinite or none are left out, with a `Diagnostic`. Returns at once. Any thread.
    public func feed(_ reading: MotionReading) {
        guard !isInChild else { return }
        guard let snapshots else { return reportSnapshotsOff() }
        snapshots.read(reading, run: nil)
    }

    /// Hands a reading of the compass over that the app made itself. The next snapshot takes the last one with it. Numbers
    /// that are infinite or none are left out, with a `Diagnostic`. Returns at once. Any thread.
    public func feed(_ heading: Heading) {
        guard !isInChild else { return }
        guard let snapshots else { return reportSnapshotsOff() }
        snapshots.read(heading, run: nil)
    }

    /// Takes a snapshot of the app's state alone now; see ``collectSnapshot(title:)``.
    ///
    /// - Parameter time: what the event says about when it happened; this moment when nil.
    package func collectAppState(title: String?, at time: Timestamp? = nil) {
        guard !isInChild else { return }
        guard let snapshots else { return reportSnapshotsOff() }
        snapshots.collect(title, reportsProperties: false, at: time)
    }

    /// Takes a snapshot of what the device is alone now; see ``collectSnapshot(title:)``.
    package func collectDeviceProperties() {
        guard !isInChild else { return }
        guard let snapshots else { return reportSnapshotsOff() }
        snapshots.collectProperties()
    }

    /// Takes a snapshot of the app's state as if a screen were shown: within the policy's limit, and only in the foreground.
    package func requestSnapshot(title: String?) {
        guard !isInChild else { return }
        snapshots?.screenShown(title)
    }

    /// Takes a snapshot of the app's state if there was none within the policy's longest pause, and only in the foreground.
    package func takeSnapshotIfDue() {
        guard !isInChild else { return }
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

extension Diagnostic.Code {
    /// A snapshot was asked for, or a reading handed over, and snapshots are switched off.
    public static let snapshotsOff = Diagnostic.Code(rawValue: "snapshots_off")
    /// A source of snapshots does not answer; snapshots go on without it.
    public static let snapshotSourceSilent = Diagnostic.Code(rawValue: "snapshot_source_silent")
    /// A source or sensor gave a number that is infinite or none; it was left out.
    public static let readingInvalid = Diagnostic.Code(rawValue: "reading_invalid")
    /// When snapshots were taken cannot be kept or read now; they are taken all the same.
    public static let snapshotsNotKept = Diagnostic.Code(rawValue: "snapshots_not_kept")
    /// What earlier runs had kept about snapshots could not be understood.
    public static let snapshotsDamaged = Diagnostic.Code(rawValue: "snapshots_damaged")
}

extension Diagnostic {
    /// A source does not answer.
    static func silent(_ part: SnapshotPart) -> Diagnostic {
        Diagnostic(
            code: .snapshotSourceSilent,
            field: "snapshots.sources.\(part.rawValue)",
            value: "no answer for \(SnapshotInquiry.timeout.components.seconds) s",
            remedy: "Let the source return what it knows at once; until it answers, snapshots go on without it."
        )
    }

    /// A number that no receiver can read.
    static func reading(_ field: String, _ value: Double) -> Diagnostic {
        Diagnostic(
            code: .readingInvalid,
            field: field,
            value: "\(value)",
            remedy: "Give finite numbers, or nothing where nothing is known; the number was left out."
        )
    }

    /// What earlier runs kept cannot be understood.
    static func snapshots(damaged what: String) -> Diagnostic {
        Diagnostic(
            code: .snapshotsDamaged,
            field: "snapshots",
            value: what,
            remedy: "Nothing is to be done: the limits are counted anew, and what the device is, is told once more."
        )
    }

    /// The file cannot be written or read.
    static func snapshots(notKept error: StorageError) -> Diagnostic {
        Diagnostic(
            code: .snapshotsNotKept,
            field: "snapshots",
            value: "\(error)",
            remedy:
                "Free some space or make the storage folder readable and writable; snapshots are taken all the same, "
                + "and after a restart their limits are counted anew."
        )
    }
}
