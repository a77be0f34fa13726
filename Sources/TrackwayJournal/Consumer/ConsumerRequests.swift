// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// What was asked of a consumer by threads that must not wait for its disk, until its next step takes it up.
///
/// It lies in the ``ConsumerView``, behind that lock, and counts there at once: whoever asks sees what it asked for in every
/// count, before anything is read or written.
struct ConsumerRequests: Sendable {
    /// Drops what a rule drops. A struct, because a bare closure would be wrapped with every access.
    struct Discard: Sendable {
        let rule: Admission.Rule
    }

    /// Destinations whose held events are to be read again.
    fileprivate var held: Set<DestinationID> = []
    /// By destination and writer the last number that is to be told, even where no event is left to carry it.
    fileprivate var reports: [DestinationID: [WriterID: UInt64]] = [:]
    /// By queue and writer the last number that is released.
    fileprivate var releases: [DestinationID: [WriterID: UInt64]] = [:]
    /// By destination what may not leave any more.
    fileprivate var discards: [DestinationID: Discard] = [:]

    /// Takes what is to be dropped.
    mutating func takeDiscards() -> [DestinationID: Discard] {
        defer { discards = [:] }
        return discards
    }

    /// Takes what is to be released, for one queue or for all.
    mutating func takeReleases(for destination: DestinationID? = nil) -> [DestinationID: [WriterID: UInt64]] {
        guard let destination else {
            defer { releases = [:] }
            return releases
        }
        return releases.removeValue(forKey: destination).map { [destination: $0] } ?? [:]
    }
}

extension ConsumerView {
    /// Counts everything that was asked for as done.
    mutating func applyRequests() {
        for destination in requests.held {
            for id in order { writers[id]?.heldFor.remove(destination) }
        }
        for (destination, lasts) in requests.reports where !untold.contains(destination) {
            let isDue = lasts.contains { id, last in
                guard let writer = writers[id], writer.problem == nil, let cursor = writer.cursors[destination],
                    cursor.owesSkips, let first = cursor.untoldSkips.ranges.first
                else { return false }
                return first.lowerBound <= last
            }
            if isDue { untold.insert(destination) }
        }
        for (destination, lasts) in requests.releases {
            for (id, last) in lasts {
                guard let cursor = writers[id]?.cursors[destination] else { continue }
                writers[id]?.cursors[destination]?.mark = max(cursor.mark ?? cursor.base, last + 1)
            }
        }
    }
}

extension JournalConsumer {
    /// The rule for a destination may have changed: what was found held is read again. Any thread; waits for no file.
    package func forgetHeld(for destination: DestinationID) {
        request { view in view.requests.held.insert(destination) }
    }

    /// Somebody wants a destination told of everything now: numbers that were for others wait for no event any more. Any
    /// thread; waits for no file.
    package func reportAll(to destination: DestinationID) {
        request { [journal] view in
            for id in view.order { view.requests.reports[destination, default: [:]][id] = journal.knownLast(of: id) }
        }
    }

    /// Gives up what a rule drops, as ``discardDropped(for:admitting:)`` does, with the next ``takeUpRequests()`` or
    /// maintenance. Any thread; waits for no file.
    package func requestDiscard(for destination: DestinationID, admitting rule: @escaping Admission.Rule) {
        request { view in view.requests.discards[destination] = ConsumerRequests.Discard(rule: rule) }
    }

    /// Releases everything that waits for a queue to delivery, as ``transfer(for:)`` does: in every count at once, on disk
    /// with ``carryOutTransfer(for:)``, at the latest when the consumer is closed. Until then the death of the process undoes
    /// it. Any thread; reads what was recorded since the last count, and waits for nothing that delivery writes.
    ///
    /// - Returns: how many events that released.
    /// - Throws: `closed` when this process no longer delivers, `storage` when what waits cannot be counted.
    package func requestTransfer(for destination: DestinationID) throws(JournalError) -> UInt64 {
        let waiting = try tallies(of: destination)
        let isTaken = request { view in
            guard view.isOpen else { return false }
            for (id, tally) in waiting {
                guard let last = tally.last else { continue }
                let known = view.requests.releases[destination]?[id] ?? 0
                view.requests.releases[destination, default: [:]][id] = max(known, last)
            }
            return true
        }
        guard isTaken else {
            throw JournalError(.closed, "this process no longer delivers for \(journal.folder.root)")
        }
        return waiting.reduce(0) { $0 + $1.tally.count }
    }

    // MARK: Steps

    /// Does now what was asked for without waiting: reads held events again, reports numbers, drops what may not leave any
    /// more. What is asked for without a file is taken up by every other step too.
    package func takeUpRequests() throws(JournalError) {
        try change { (state) throws(JournalError) in try state.takeUpDiscards() }
    }

    /// Writes the release marks that ``requestTransfer(for:)`` asked for.
    ///
    /// - Returns: false when nothing was asked for.
    /// - Throws: `storage` when no mark could be written: what was to be released waits again.
    package func carryOutTransfer(for destination: DestinationID) throws(JournalError) -> Bool {
        try change { (state) throws(JournalError) in try state.takeUpReleases(for: destination) }
    }
}

extension ConsumerState {
    /// Takes up what needs no file.
    mutating func takeUpMarks() {
        let (held, reports) = view.withLock { view in
            defer {
                view.requests.held = []
                view.requests.reports = [:]
            }
            return (view.requests.held, view.requests.reports)
        }
        // They counted for others as done; how they stand now is for the next look.
        if !held.isEmpty || !reports.isEmpty { progressByWriter.changeAll() }
        for destination in held {
            for id in order { progressByWriter[id]?.forgetHeld(for: destination) }
        }
        for (destination, lasts) in reports {
            for (id, last) in lasts { progressByWriter[id]?.cursors.want(destination, through: last) }
        }
    }

    /// Drops what was asked to be dropped. What cannot be dropped now is tried again with the next call.
    mutating func takeUpDiscards() throws(JournalError) {
        let discards = view.withLock { $0.requests.takeDiscards() }
        var problem: JournalError?
        for (destination, discard) in discards {
            do throws(JournalError) {
                try discardDropped(for: destination, admitting: discard.rule)
            } catch {
                problem = error
                view.withLock { view in
                    // A newer wish replaces this one.
                    if view.requests.discards[destination] == nil { view.requests.discards[destination] = discard }
                }
            }
        }
        if let problem { throw problem }
    }

    /// Writes the release marks that were asked for, of one queue or of all.
    ///
    /// - Returns: whether there were any.
    /// - Throws: `storage` when no mark could be written: nothing is released then, and what was asked for is forgotten.
    @discardableResult
    mutating func takeUpReleases(for destination: DestinationID? = nil) throws(JournalError) -> Bool {
        let releases = view.withLock { $0.requests.takeReleases(for: destination) }
        guard !releases.isEmpty else { return false }
        progressByWriter.changeAll()
        var isReleased = false
        var problem: JournalError?
        // Whoever asked may have found a writer or a queue beside a step that has not taken them in.
        if releases.values.contains(where: { $0.keys.contains { progressByWriter[$0] == nil } }) {
            _ = try? refresh()  // A writer that cannot be read now keeps its events in their queue.
        }
        for (queue, lasts) in releases {
            for id in order {
                guard let last = lasts[id] else { continue }
                do throws(JournalError) {
                    let isMoved = try progressByWriter[id]?.release(queue, through: last)
                    isReleased = isReleased || isMoved == true
                } catch {
                    problem = error
                }
            }
        }
        if !isReleased, let problem { throw problem }
        return true
    }
}

extension WriterProgress {
    /// Moves a queue's release mark behind a number.
    ///
    /// - Returns: false when it was there.
    fileprivate mutating func release(_ queue: DestinationID, through last: UInt64) throws(JournalError) -> Bool {
        let cursor = try cursor(of: queue)
        guard last >= cursor.firstWaiting else { return false }
        try JournalError.wrap { () throws(StorageError) in try cursors.release(queue, before: last + 1) }
        return true
    }
}
