// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
public import TrackwayEvents
internal import TrackwayJournal

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
