// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What every segment says about who wrote it, in its first record.
struct SegmentOrigin: Sendable, Hashable {
    var installation: InstallationID
    var writer: WriterID
    /// The boot the writer ran in; monotonic times compare within one boot only.
    var boot: String
    /// When the segment was begun.
    var begun: Moment

    var bytes: [UInt8] {
        var lines = CheckedLines()
        lines.add("installation", installation)
        lines.add("writer", writer)
        lines.add("boot", boot.isEmpty ? "-" : boot)
        lines.add("wall", begun.wall.milliseconds)
        lines.add("monotonic", begun.monotonic.milliseconds)
        return lines.bytes
    }

    init(installation: InstallationID, writer: WriterID, boot: String, begun: Moment) {
        self.installation = installation
        self.writer = writer
        self.boot = boot
        self.begun = begun
    }

    init?(_ bytes: [UInt8]) {
        guard let lines = CheckedLines(bytes), let installation = lines["installation"].flatMap({ InstallationID($0) }),
            let writer = lines["writer"].flatMap({ WriterID($0) }), let boot = lines["boot"],
            let wall = lines["wall"].flatMap({ Int64($0) }), let monotonic = lines["monotonic"].flatMap({ Int64($0) })
        else { return nil }
        self.init(
            installation: installation,
            writer: writer,
            boot: boot == "-" ? "" : boot,
            begun: Moment(
                wall: Timestamp(milliseconds: wall),
                monotonic: MonotonicTime(milliseconds: monotonic)
            )
        )
    }
}
