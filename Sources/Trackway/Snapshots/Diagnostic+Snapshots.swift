// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

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
