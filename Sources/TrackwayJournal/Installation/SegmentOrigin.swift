// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The description of a segment's writer, stored in the segment's first record.
struct SegmentOrigin: Sendable, Equatable {
    var installation: InstallationID
    var writer: WriterID
    /// The boot in which the writer ran.
    ///
    /// Monotonic times are comparable only within one boot.
    var boot: String
    /// The time at which the segment was started.
    var begun: DualTimestamp

    var bytes: [UInt8] {
        var lines = ChecksummedKeyValueFile()
        lines.add("installation", installation)
        lines.add("writer", writer)
        lines.add("boot", boot.isEmpty ? "-" : boot)
        lines.add("wall", begun.wall.milliseconds)
        lines.add("monotonic", begun.monotonic.milliseconds)
        return lines.bytes
    }

    init(installation: InstallationID, writer: WriterID, boot: String, begun: DualTimestamp) {
        self.installation = installation
        self.writer = writer
        self.boot = boot
        self.begun = begun
    }

    init?(_ bytes: [UInt8]) {
        guard let lines = ChecksummedKeyValueFile(bytes),
            let installation = lines["installation"].flatMap({ InstallationID($0) }),
            let writer = lines["writer"].flatMap({ WriterID($0) }), let boot = lines["boot"],
            let wall = lines["wall"].flatMap({ Int64($0) }), let monotonic = lines["monotonic"].flatMap({ Int64($0) })
        else { return nil }
        self.init(
            installation: installation,
            writer: writer,
            boot: boot == "-" ? "" : boot,
            begun: DualTimestamp(
                wall: Timestamp(milliseconds: wall),
                monotonic: MonotonicTime(milliseconds: monotonic)
            )
        )
    }
}
