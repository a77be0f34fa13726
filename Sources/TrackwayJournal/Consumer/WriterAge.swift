// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The guaranteed minimum age of one writer's segments.
///
/// Wall clocks jump, and monotonic clocks restart with each boot. The age of segments from an earlier boot is
/// therefore the time that delivering processes actually observed. This age is never too high; if it is too low, the
/// byte limit still applies. The observed time is stored in the file `observed` in the writer's folder.
struct WriterAge: Sendable {
    /// The interval at which observed time is stored.
    ///
    /// The interval is short enough because ages are measured in days.
    private static let saveInterval = Duration.seconds(600)

    private let folder: String
    private let storage: any JournalStorage
    /// The time that delivering processes have observed since the writer was found dead.
    private var observed: Duration = .zero
    /// The known origins of segments.
    ///
    /// An origin never changes.
    private var origins: [UInt32: SegmentOrigin] = [:]

    init(folder: String, storage: any JournalStorage) {
        self.folder = folder
        self.storage = storage
    }

    /// Loads the time that earlier delivering processes observed.
    ///
    /// - Parameter names: the names of the folder's files, just listed.
    mutating func load(_ names: [String]) throws(StorageError) {
        guard observed == .zero, names.contains("observed"), let bytes = try storage.contents(of: path),
            let seen = ChecksummedKeyValueFile(bytes)?.number("milliseconds")
        else { return }
        observed = .milliseconds(Int64(clamping: seen))
    }

    /// Adds the time since the last observation, and stores the total at intervals.
    mutating func observe(_ passed: Duration) throws(StorageError) {
        let before = observed
        observed += passed
        let interval = Self.saveInterval.wholeMilliseconds
        guard before.wholeMilliseconds / interval != observed.wholeMilliseconds / interval else { return }
        var lines = ChecksummedKeyValueFile()
        lines.add("milliseconds", observed.wholeMilliseconds)
        try storage.replace(path, with: lines.bytes, durably: false)
    }

    /// Returns the minimum age of a segment's youngest record.
    ///
    /// - Parameters:
    ///   - following: the next segment, started when the given segment was complete; nil if none.
    ///   - boot: the boot to which `moment` belongs.
    mutating func atLeast(before following: UInt32?, boot: String, at moment: DualTimestamp) -> Duration {
        guard let following, let origin = origin(of: following), origin.boot == boot else { return observed }
        return max(.zero, origin.begun.monotonic.duration(to: moment.monotonic))
    }

    /// Discards the ages of removed segments.
    mutating func forget(except numbers: [UInt32]) {
        let present = Set(numbers)
        origins = origins.filter { present.contains($0.key) }
    }

    private mutating func origin(of segment: UInt32) -> SegmentOrigin? {
        if let known = origins[segment] { return known }
        // Only the first record is needed, and it is short.
        let place = LogPosition(segment: segment, offset: 0)
        var reader = LogReader(folder: folder, storage: storage, from: place, window: 4096)
        // The origin of a segment that currently cannot be read is unknown; the next call reads it again.
        guard let entry = try? reader.next(), entry.start.segment == segment, entry.kind == .origin,
            let origin = SegmentOrigin(reader.payload(of: entry))
        else { return nil }
        origins[segment] = origin
        return origin
    }

    private var path: String { folder + "/observed" }
}
