// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// How old the segments of one writer may be called with certainty.
///
/// Wall clocks jump, and monotonic clocks start anew with each boot. So the age of what an earlier boot left is the time
/// that deliverers really saw pass: never too long, at worst too short, and then bytes decide. It is kept in the file
/// `observed` in the writer's folder.
struct WriterAge: Sendable {
    /// How often the time that was seen to pass is written down: often enough for an age that is counted in days.
    private static let saveInterval = Duration.seconds(600)

    private let folder: String
    private let storage: any JournalStorage
    /// Time deliverers have spent on this writer since its boot ended.
    private var observed: Duration = .zero
    /// What the segments say of their beginnings, as far as that was asked for: it never changes.
    private var origins: [UInt32: SegmentOrigin] = [:]

    init(folder: String, storage: any JournalStorage) {
        self.folder = folder
        self.storage = storage
    }

    /// Takes up what earlier deliverers have seen.
    ///
    /// - Parameter names: the folder's files, listed a moment ago.
    mutating func load(_ names: [String]) throws(StorageError) {
        guard observed == .zero, names.contains("observed"), let bytes = try storage.contents(of: path),
            let seen = CheckedLines(bytes)?.number("milliseconds")
        else { return }
        observed = .milliseconds(Int64(clamping: seen))
    }

    /// Adds the time since the last look, and writes the sum down now and then.
    mutating func observe(_ passed: Duration) throws(StorageError) {
        let before = observed
        observed += passed
        let interval = Self.saveInterval.wholeMilliseconds
        guard before.wholeMilliseconds / interval != observed.wholeMilliseconds / interval else { return }
        var lines = CheckedLines()
        lines.add("milliseconds", observed.wholeMilliseconds)
        try storage.replace(path, with: lines.bytes, durably: false)
    }

    /// How old a segment's youngest record is at least.
    ///
    /// - Parameters:
    ///   - following: the segment behind it, which was begun when it was complete; nil when there is none.
    ///   - boot: the boot that `moment` belongs to.
    mutating func atLeast(before following: UInt32?, boot: String, at moment: Moment) -> Duration {
        guard let following, let origin = origin(of: following), origin.boot == boot else { return observed }
        return max(.zero, origin.begun.monotonic.duration(to: moment.monotonic))
    }

    /// Forgets the segments that are gone.
    mutating func forget(except numbers: [UInt32]) {
        let present = Set(numbers)
        origins = origins.filter { present.contains($0.key) }
    }

    private mutating func origin(of segment: UInt32) -> SegmentOrigin? {
        if let known = origins[segment] { return known }
        // The first record is all that is wanted, and it is short.
        let place = LogPosition(segment: segment, offset: 0)
        var reader = LogReader(folder: folder, storage: storage, from: place, window: 4096)
        // A segment that cannot be read now has no age; it is looked at again next time.
        guard let entry = try? reader.next(), entry.start.segment == segment, entry.kind == .origin,
            let origin = SegmentOrigin(reader.payload(of: entry))
        else { return nil }
        origins[segment] = origin
        return origin
    }

    private var path: String { folder + "/observed" }
}
