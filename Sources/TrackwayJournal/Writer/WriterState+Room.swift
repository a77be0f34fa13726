// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension WriterState {
    /// Begins a segment with room for a payload; why that cannot be done, or nil.
    mutating func beginSegment(payload: Int) -> DropReason? {
        do throws(StorageError) {
            guard try makeRoomInFolder() else { return .journalFull }
            try roll(payload: payload)
            return nil
        } catch {
            return error.code == .full ? .storageFull : .storageFailed
        }
    }

    /// Begins the next segment; one in a new folder when somebody removed the old one.
    mutating func roll(payload: Int) throws(StorageError) {
        if isFolderMissing { try restoreFolder() }
        do throws(StorageError) {
            try rollInFolder(payload: payload)
        } catch {
            guard error.code == .missing else { throw error }
            leaveFolder()
            try restoreFolder()
            try rollInFolder(payload: payload)
        }
    }

    private mutating func rollInFolder(payload: Int) throws(StorageError) {
        let before = log.lastSegment
        let opening = FrameHeader.stride(payload: writtenContext.json.count)
        let origin = SegmentOrigin(installation: installation, writer: id, boot: boot, begun: clock.now())
        try log.roll(payload: payload + opening, sequence: firstUnwritten - 1, origin: origin.bytes)
        if before > 0 { extents[before] = Extent(first: firstInSegment, last: firstUnwritten - 1) }
        firstInSegment = firstUnwritten
        if isSegmentDoubtful {
            flushes.failed(through: firstUnwritten - 1)
            isSegmentDoubtful = false
        }
        // Every segment stands alone: readers may start at any of them.
        if !writtenContext.json.isEmpty { writeContext(writtenContext) }
    }

    /// Gives up this writer's own oldest segments beyond what it may keep, so that the newest events always have room
    /// however long nobody trims.
    ///
    /// Segments with events on their way to a destination stay; those behind them may go. Why the numbers are missing is
    /// written down before they are.
    ///
    /// - Returns: false when there is no room and nothing may go.
    /// - Complexity: O(segments), once per segment begun.
    private mutating func makeRoomInFolder() throws(StorageError) -> Bool {
        let numbers = try SegmentName.all(in: log.folder, log.storage)
        // Whoever delivers removes what everybody has passed.
        if let oldest = numbers.first { extents = extents.filter { $0.key >= oldest } }
        // The one that is about to begin counts, too.
        guard numbers.count >= maxSegments else { return true }
        let protected = leased.withLock { $0 }
        let removable = numbers.filter { number in
            number != log.lastSegment && extents[number] != nil && !protected.contains { $0.contains(number) }
        }
        let leaving = removable.prefix(numbers.count - maxSegments + 1)
        guard !leaving.isEmpty else { return numbers.count < 2 * maxSegments }
        for number in leaving {
            guard let extent = extents[number], extent.first <= extent.last else { continue }
            gaps.insert(DroppedRange(sequences: extent.first...extent.last, reason: .journalFull))
        }
        var isWrittenDown = saveGaps()
        for number in leaving {
            try log.storage.remove(SegmentName.path(log.folder, number))
            extents[number] = nil
            // On a full disk there is room for the reason only now.
            if !isWrittenDown { isWrittenDown = saveGaps() }
        }
        return true
    }

    /// Writes down why numbers are missing; false when the storage refuses. Whoever finds no reason counts damage.
    func saveGaps() -> Bool {
        do throws(StorageError) {
            try GapFile.save(gaps, log.folder, log.storage)
            return true
        } catch {
            return false
        }
    }
}
