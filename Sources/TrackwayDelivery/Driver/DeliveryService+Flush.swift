// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayWire

extension DeliveryService {
    /// How often a process that does not deliver looks whether its events are settled.
    private static let lookInterval = Duration.milliseconds(50)
    /// What stands in the way of events that may not leave yet.
    private static let held = "Events wait for consent."
    /// The same where a queue is not forced.
    private static let gathering = "Events wait until their queue is worth an upload."
    /// How many looks pass before the deliverer is asked again.
    private static let looksPerRequest = 20

    /// Delivers everything that waits now, as far as that is possible in time.
    ///
    /// Returns as soon as nothing is left to wait for: everything is settled, or every destination that still has events
    /// cannot move before the deadline. A flush shortens an ordinary wait after a failure, but never one the back-end
    /// asked for, nor the wait while a destination is taken for down, nor parking.
    ///
    /// Destinations that are added meanwhile take part, those removed do not count any more.
    ///
    /// - Parameters:
    ///   - timeout: The longest wait.
    ///   - forcesQueues: False to leave in queues what they have not released.
    /// - Returns: What was achieved.
    @concurrent
    package func flush(timeout: Duration, forcesQueues: Bool = true) async -> FlushReport {
        await equipment.place.perform { await self.flushHere(timeout: timeout, forcesQueues: forcesQueues) }
    }

    private func flushHere(timeout: Duration, forcesQueues: Bool) async -> FlushReport {
        // nil says that nothing can be counted now: what this flush delivers is then not told apart.
        let before = try? journal.counts()
        var deadline = Deadline(after: timeout, at: equipment.now)
        let (key, signal) = beginObserving()
        state.withLock { $0.flushes += 1 }
        var asked: Set<ObjectIdentifier> = []
        var looks = 0
        while !Task.isCancelled, !deadline.isOver(at: equipment.now) {
            let workers = workers
            for worker in workers where !asked.contains(ObjectIdentifier(worker)) {
                if worker.requestFlush(forcesQueue: forcesQueues) { asked.insert(ObjectIdentifier(worker)) }
            }
            let (isElected, othersDeliver, phase) = state.withLock { ($0.isElected, $0.othersDeliver, $0.phase) }
            guard phase == .running else { break }
            let wakeAt: MonotonicTime
            if isElected {
                // A worker that has not begun yet says so when it has.
                let isComplete = workers.allSatisfy { asked.contains(ObjectIdentifier($0)) }
                guard let next = isComplete ? nextMove(of: workers, before: deadline.time) : deadline.time else {
                    break
                }
                wakeAt = next
            } else {
                // Another process delivers, or nobody does yet. Should the office fall vacant, this process takes it. What
                // other writers left is this flush's business too until it is known that somebody else delivers it.
                let own = workers.lazy.filter { forcesQueues || $0.queue == nil }
                if othersDeliver, own.allSatisfy({ journal.ownWaiting(for: $0.id) == 0 }) { break }
                if looks % Self.looksPerRequest == 0 { journal.askDeliverer() }
                looks += 1
                attention.signal()
                wakeAt = min(deadline.time, equipment.now.advanced(by: Self.lookInterval))
            }
            await equipment.sleeper.sleep(until: wakeAt, or: signal)
        }
        endObserving(key)
        state.withLock { state in
            state.flushes -= 1
            // Another flush may still wait for what it asked for. Given up under the same lock: one that begins now counts
            // itself first and asks afterwards, so what it asks for is never taken for what this one asked for.
            if state.flushes == 0 { for worker in state.workers { worker.giveUpFlush() } }
        }
        return report(since: before)
    }

    /// When to look again at the latest; nil when nothing can move before the deadline.
    private func nextMove(of workers: [DestinationWorker], before deadline: MonotonicTime) -> MonotonicTime? {
        var earliest: MonotonicTime?
        for worker in workers {
            switch worker.progress.flush {
            case .done, .blocked(until: nil):
                continue
            case .moving:
                earliest = min(earliest ?? deadline, deadline)
            case .blocked(let until?):
                // The worker itself moves then and wakes us; looking at the deadline is early enough.
                if until < deadline { earliest = min(earliest ?? deadline, deadline) }
            }
        }
        return earliest
    }

    private func report(since before: Ledger?) -> FlushReport {
        var after: Ledger
        do throws(Ledger.Uncounted) {
            after = try journal.counts()
        } catch {
            after = before ?? Ledger()
            after.uncounted = [error]
        }
        let before = before ?? after
        var report = FlushReport(uncounted: after.uncounted)
        for worker in workers {
            let old = before.destinations[worker.id] ?? Ledger.Account()
            let new = after.destinations[worker.id] ?? Ledger.Account()
            let outcome = worker.progress.outcome
            report.destinations[worker.id] = FlushReport.Part(
                delivered: new.delivered &- min(old.delivered, new.delivered),
                pending: new.pending,
                dropped: new.droppedTotal &- min(old.droppedTotal, new.droppedTotal),
                lastVerdict: outcome?.verdict,
                obstacle: new.pending > 0
                    ? outcome?.obstacle ?? Self.obstacle(of: worker) : after.uncounted.first?.reason
            )
        }
        return report
    }
}

extension DeliveryService {
    /// Why events wait though nothing failed; nil when they are about to go.
    private static func obstacle(of worker: DestinationWorker) -> String? {
        if worker.isHolding { return held }
        return worker.isGathering ? gathering : nil
    }
}

extension UploadMachine.Outcome {
    /// The verdict, if an answer was judged.
    var verdict: Verdict? {
        if case .verdict(let verdict) = self { verdict } else { nil }
    }

    /// What stands in the way, in a sentence; nil when nothing does.
    var obstacle: String? {
        switch self {
        case .verdict(.accepted), .verdict(.acceptedExcept): nil
        case .verdict(let verdict): verdict.reason
        case .transport(let error): error.description
        case .encoding(let error): error.message
        }
    }
}
