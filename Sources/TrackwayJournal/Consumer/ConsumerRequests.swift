// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// Requests to a consumer that are pending until its next step.
///
/// Requests come from threads that must not wait for the consumer's disk access. They are stored in the
/// ``ConsumerSnapshot``, under its lock, and take effect there immediately: callers see the effect of their requests
/// in every count, before anything is read or written.
struct ConsumerRequests: Sendable {
    /// A request to drop the events that a rule rejects.
    ///
    /// This is a struct because a bare closure would be wrapped on every access.
    struct Discard: Sendable {
        let rule: Admission.Rule
    }

    /// Destinations whose held events must be read again.
    fileprivate var held: Set<DestinationID> = []
    /// The last sequence number to report, by destination and writer.
    ///
    /// The numbers are reported even if there are no more events to send with them.
    fileprivate var reports: [DestinationID: [WriterID: UInt64]] = [:]
    /// The last released sequence number, by queue and writer.
    fileprivate var releases: [DestinationID: [WriterID: UInt64]] = [:]
    /// The rules for events that may no longer be sent, by destination.
    fileprivate var discards: [DestinationID: Discard] = [:]

    /// Removes and returns the discard requests.
    mutating func takeDiscards() -> [DestinationID: Discard] {
        defer { discards = [:] }
        return discards
    }

    /// Removes and returns the release requests for one queue, or for all.
    mutating func takeReleases(for destination: DestinationID? = nil) -> [DestinationID: [WriterID: UInt64]] {
        guard let destination else {
            defer { releases = [:] }
            return releases
        }
        return releases.removeValue(forKey: destination).map { [destination: $0] } ?? [:]
    }
}

extension ConsumerSnapshot {
    /// Applies all requests to the counts as if they had been carried out.
    mutating func applyRequests() {
        for destination in requests.held {
            for id in order { writers[id]?.heldFor.remove(destination) }
        }
        for (destination, lasts) in requests.reports where !dueReports.contains(destination) {
            let isDue = lasts.contains { id, last in
                guard let writer = writers[id], writer.problem == nil, let cursor = writer.cursors[destination],
                    cursor.hasReportableSkips, let first = cursor.unreportedSkips.ranges.first
                else { return false }
                return first.lowerBound <= last
            }
            if isDue { dueReports.insert(destination) }
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
    /// The destination's rule may have changed. Callable from any thread; does not wait for file access.
    package func forgetHeld(for destination: DestinationID) {
        request { view in view.requests.held.insert(destination) }
    }

    /// Requests that all sequence numbers so far be reported to a destination.
    ///
    /// Skipped numbers are then reported without waiting for an event. Callable from any thread; does not wait for
    /// file access.
    package func reportAll(to destination: DestinationID) {
        request { [journal] view in
            for id in view.order { view.requests.reports[destination, default: [:]][id] = journal.knownLast(of: id) }
        }
    }

    /// Requests to drop events that a rule rejects.
    ///
    /// Has the effect of ``discardDropped(for:admitting:)``, at the next ``handleRequests()`` or maintenance.
    /// Callable from any thread; does not wait for file access.
    package func requestDiscard(for destination: DestinationID, admitting rule: @escaping Admission.Rule) {
        request { view in view.requests.discards[destination] = ConsumerRequests.Discard(rule: rule) }
    }

    /// Requests the release of all waiting events of a queue to delivery.
    ///
    /// Has the effect of ``transfer(for:)``. Every count reflects the release immediately.
    /// ``writeReleaseMarks(for:)`` writes it to disk, which happens at the latest when the consumer is closed. If the
    /// process dies before that, the release is undone. Callable from any thread; reads the events recorded since the
    /// last count, and does not wait for delivery's writes.
    ///
    /// - Returns: the number of events released.
    /// - Throws: `closed` if this process no longer delivers; `storage` if the waiting events cannot be counted.
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

    /// Carries out the pending requests.
    ///
    /// Reads held events again, reports numbers, and drops events that may no longer be sent. Every other step also
    /// handles the requests that require no file access.
    package func handleRequests() throws(JournalError) {
        try change { (state) throws(JournalError) in try state.handleDiscards() }
    }

    /// Writes the release marks requested by ``requestTransfer(for:)``.
    ///
    /// - Returns: false when nothing was requested.
    /// - Throws: `storage` if no mark could be written; the events to be released then wait again.
    package func writeReleaseMarks(for destination: DestinationID) throws(JournalError) -> Bool {
        try change { (state) throws(JournalError) in try state.handleReleases(for: destination) }
    }
}

extension ConsumerState {
    /// Handles the requests that require no file access.
    mutating func handleMarks() {
        let (held, reports) = view.withLock { view in
            defer {
                view.requests.held = []
                view.requests.reports = [:]
            }
            return (view.requests.held, view.requests.reports)
        }
        // The snapshot already counts these requests as done; the next publication shows the actual state.
        if !held.isEmpty || !reports.isEmpty { readStates.changeAll() }
        for destination in held {
            for id in order { readStates[id]?.forgetHeld(for: destination) }
        }
        for (destination, lasts) in reports {
            for (id, last) in lasts { readStates[id]?.cursors.requestReport(destination, through: last) }
        }
    }

    /// Carries out discard requests.
    ///
    /// The next call retries the requests that failed.
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

    /// Writes the requested release marks of one queue, or of all.
    ///
    /// - Returns: whether any marks were requested.
    /// - Throws: `storage` if no mark could be written; nothing is released, and the request is discarded.
    @discardableResult
    mutating func handleReleases(for destination: DestinationID? = nil) throws(JournalError) -> Bool {
        let releases = view.withLock { $0.requests.takeReleases(for: destination) }
        guard !releases.isEmpty else { return false }
        readStates.changeAll()
        var isReleased = false
        var problem: JournalError?
        // The caller may have found a writer that a concurrent step has not loaded.
        if releases.values.contains(where: { $0.keys.contains { readStates[$0] == nil } }) {
            _ = try? refresh()  // The events of a currently unreadable writer stay in the queue.
        }
        for (queue, lasts) in releases {
            for id in order {
                guard let last = lasts[id] else { continue }
                do throws(JournalError) {
                    let isMoved = try readStates[id]?.release(queue, through: last)
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
    /// - Returns: false when the mark was already past that number.
    fileprivate mutating func release(_ queue: DestinationID, through last: UInt64) throws(JournalError) -> Bool {
        let cursor = try cursor(of: queue)
        guard last >= cursor.firstWaiting else { return false }
        try JournalError.wrap { () throws(StorageError) in try cursors.release(queue, before: last + 1) }
        return true
    }
}
