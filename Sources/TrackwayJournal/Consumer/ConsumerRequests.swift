// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Requests to a consumer that are pending until its next step.
///
/// They come from threads that must not wait for the consumer's disk. They are stored in the ``ConsumerSnapshot``,
/// under its lock, and take effect there at once: callers see their requests in every count, before anything is read or
/// written.
struct ConsumerRequests: Sendable {
    /// A request to drop what a rule rejects.
    ///
    /// A struct, because a bare closure would be wrapped on every access.
    struct Discard: Sendable {
        let rule: Admission.Rule
    }

    /// Destinations whose held events must be read again.
    fileprivate var held: Set<DestinationID> = []
    /// The last number to report, by destination and writer.
    ///
    /// It is reported even if no event is left to report it with.
    fileprivate var reports: [DestinationID: [WriterID: UInt64]] = [:]
    /// The last released number, by queue and writer.
    fileprivate var releases: [DestinationID: [WriterID: UInt64]] = [:]
    /// The rules for events that may no longer be sent, by destination.
    fileprivate var discards: [DestinationID: Discard] = [:]

    /// Takes the discard requests.
    mutating func takeDiscards() -> [DestinationID: Discard] {
        defer { discards = [:] }
        return discards
    }

    /// Takes the release requests, for one queue or for all.
    mutating func takeReleases(for destination: DestinationID? = nil) -> [DestinationID: [WriterID: UInt64]] {
        guard let destination else {
            defer { releases = [:] }
            return releases
        }
        return releases.removeValue(forKey: destination).map { [destination: $0] } ?? [:]
    }
}

extension ConsumerSnapshot {
    /// Applies all requests to the counts as if they were done.
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
    /// Requests that a destination's held events be read again.
    ///
    /// Its rule may have changed. Callable from any thread; waits for no file.
    package func forgetHeld(for destination: DestinationID) {
        request { view in view.requests.held.insert(destination) }
    }

    /// Requests that all numbers so far be reported to a destination.
    ///
    /// Skipped numbers no longer wait for an event. Callable from any thread; waits for no file.
    package func reportAll(to destination: DestinationID) {
        request { [journal] view in
            for id in view.order { view.requests.reports[destination, default: [:]][id] = journal.knownLast(of: id) }
        }
    }

    /// Requests to drop events that a rule rejects.
    ///
    /// Works as ``discardDropped(for:admitting:)``, with the next ``handleRequests()`` or maintenance. Callable from
    /// any thread; waits for no file.
    package func requestDiscard(for destination: DestinationID, admitting rule: @escaping Admission.Rule) {
        request { view in view.requests.discards[destination] = ConsumerRequests.Discard(rule: rule) }
    }

    /// Requests the release of all waiting events of a queue to delivery.
    ///
    /// Works as ``transfer(for:)``: it takes effect in every count at once, and on disk with
    /// ``writeReleaseMarks(for:)``, at the latest when the consumer is closed. If the process dies before that, the
    /// release is undone. Callable from any thread; reads what was recorded since the last count, and waits for nothing
    /// that delivery writes.
    ///
    /// - Returns: the number of events released.
    /// - Throws: `closed` when this process no longer delivers, `storage` when the waiting events cannot be counted.
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

    /// Carries out pending requests now.
    ///
    /// Reads held events again, reports numbers, and drops events that may no longer be sent. Requests that need no
    /// file are handled by every other step too.
    package func handleRequests() throws(JournalError) {
        try change { (state) throws(JournalError) in try state.handleDiscards() }
    }

    /// Writes the release marks requested by ``requestTransfer(for:)``.
    ///
    /// - Returns: false when nothing was requested.
    /// - Throws: `storage` when no mark could be written: the events to be released then wait again.
    package func writeReleaseMarks(for destination: DestinationID) throws(JournalError) -> Bool {
        try change { (state) throws(JournalError) in try state.handleReleases(for: destination) }
    }
}

extension ConsumerState {
    /// Handles requests that need no file.
    mutating func handleMarks() {
        let (held, reports) = view.withLock { view in
            defer {
                view.requests.held = []
                view.requests.reports = [:]
            }
            return (view.requests.held, view.requests.reports)
        }
        // The view already counted these as done; their real state appears with the next publication.
        if !held.isEmpty || !reports.isEmpty { progressByWriter.changeAll() }
        for destination in held {
            for id in order { progressByWriter[id]?.forgetHeld(for: destination) }
        }
        for (destination, lasts) in reports {
            for (id, last) in lasts { progressByWriter[id]?.cursors.want(destination, through: last) }
        }
    }

    /// Carries out discard requests.
    ///
    /// Those that fail are retried by the next call.
    mutating func handleDiscards() throws(JournalError) {
        let discards = view.withLock { $0.requests.takeDiscards() }
        var problem: JournalError?
        for (destination, discard) in discards {
            do throws(JournalError) {
                try discardDropped(for: destination, admitting: discard.rule)
            } catch {
                problem = error
                view.withLock { view in
                    // A newer request replaces this one.
                    if view.requests.discards[destination] == nil { view.requests.discards[destination] = discard }
                }
            }
        }
        if let problem { throw problem }
    }

    /// Writes the requested release marks, of one queue or of all.
    ///
    /// - Returns: whether there were any.
    /// - Throws: `storage` when no mark could be written: nothing is released then, and the request is discarded.
    @discardableResult
    mutating func handleReleases(for destination: DestinationID? = nil) throws(JournalError) -> Bool {
        let releases = view.withLock { $0.requests.takeReleases(for: destination) }
        guard !releases.isEmpty else { return false }
        progressByWriter.changeAll()
        var isReleased = false
        var problem: JournalError?
        // The caller may have found a writer or a queue that a concurrent step has not loaded.
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

extension WriterReadState {
    /// Moves a queue's release mark past a number.
    ///
    /// - Returns: false when it was already there.
    fileprivate mutating func release(_ queue: DestinationID, through last: UInt64) throws(JournalError) -> Bool {
        let cursor = try cursor(of: queue)
        guard last >= cursor.firstWaiting else { return false }
        try JournalError.wrap { () throws(StorageError) in try cursors.release(queue, before: last + 1) }
        return true
    }
}
