// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

extension DeliveryService {
    /// How long a process that was not elected waits before it stands again.
    private static let electionInterval = Duration.seconds(2)
    /// How often the journal is maintained at most: after events were settled, and while other writers live, whose events nobody announces here.
    private static let minimumMaintenanceInterval = Duration.seconds(1)

    private enum Ending: Sendable {
        case worker(DestinationID)
        /// Destinations came or went, or the service was told to end.
        case changed
        case housekeeping
        case aborted
    }

    /// Delivers until `shutdown`, or until the task is cancelled. May be called again after its task was cancelled; it
    /// waits until the earlier run has ended.
    @concurrent
    package func run() async {
        await equipment.place.perform { await self.deliver() }
    }

    private func deliver() async {
        guard await begins() else { return }
        while !Task.isCancelled {
            switch state.withLock({ $0.phase }) {
            case .ending:
                return ended()
            case .suspended:
                await attention.wait()
            case .running:
                guard let consumer = elected() else {
                    wakeObservers()
                    let again = equipment.now.advanced(by: Self.electionInterval)
                    await equipment.sleeper.sleep(until: again, or: attention)
                    continue
                }
                await serve(consumer)
            }
        }
        ended()
    }

    /// The journal's consumer, if this process is elected now.
    private func elected() -> JournalConsumer? {
        do throws(JournalError) {
            let consumer = try journal.tryElection()
            if consumer == nil { state.withLock { $0.othersDeliver = true } }
            report([])
            return consumer
        } catch {
            // Nobody knows whether others deliver.
            state.withLock { $0.othersDeliver = false }
            report([.journalFailed(error.message)])
            return nil
        }
    }

    /// Tells what stands in the way of delivery, each obstacle once until it is gone or another.
    private func report(_ obstacles: [DeliveryNotice]) {
        let news = state.withLock { state in
            defer { state.toldObstacles = Set(obstacles) }
            return obstacles.filter { !state.toldObstacles.contains($0) }
        }
        for notice in news { equipment.report(notice) }
    }

    /// Waits for an earlier run to end; false when the task is cancelled meanwhile.
    private func begins() async -> Bool {
        let (key, signal) = beginObserving()
        defer { endObserving(key) }
        while !Task.isCancelled {
            let isFree = state.withLock { state -> Bool in
                guard !state.isAtWork else { return false }
                state.isAtWork = true
                return true
            }
            if isFree { return true }
            await signal.wait()
        }
        return false
    }

    private func ended() {
        state.withLock { $0.isAtWork = false }
        wakeObservers()
    }

    private func serve(_ consumer: JournalConsumer) async {
        abort.reset()
        equipment.trigger.forgetNumbers()
        let settled = SettledBefore(consumer)
        state.withLock { state in
            for worker in state.workers { worker.prepare(consumer) }
            state.settledAtElection = settled
            state.isElected = true
            state.consumer = consumer
            state.othersDeliver = false
        }
        equipment.report(.elected)
        let housekeeping = equipment.housekeeping
        consumer.tellChanges { housekeeping.signal() }
        await withTaskGroup(of: Ending.self) { group in
            group.addTask {
                await self.abort.wait()
                return .aborted
            }
            group.addTask { await self.untilChanged() }
            // By destination: whoever takes over from a worker that was removed waits until that one has ended.
            var atWork: [DestinationID: DestinationWorker] = [:]
            var isLeaving = false
            var isMaintained = false
            while true {
                isLeaving = isLeaving || Task.isCancelled || state.withLock { $0.phase != .running }
                if !isLeaving {
                    for worker in workers where atWork[worker.id] == nil {
                        worker.prepare(consumer)
                        atWork[worker.id] = worker
                        group.addTask {
                            await self.equipment.place.perform { await worker.run(consumer) }
                            return .worker(worker.id)
                        }
                    }
                    if !isMaintained {
                        // Behind the workers: the first requests are on their way while all writers are gone over.
                        isMaintained = true
                        group.addTask {
                            await self.untilBegun()
                            await self.equipment.place.perform { await self.performMaintenance(consumer) }
                            return .housekeeping
                        }
                    }
                    wakeObservers()
                    // Asked to stop before the workers were ready to hear it.
                    isLeaving = state.withLock { $0.phase != .running }
                }
                if isLeaving {
                    for worker in atWork.values { worker.requestStop() }
                    if atWork.isEmpty { break }
                }
                switch await group.next() {
                case .worker(let id)?:
                    // One that ends though nobody removed it was asked to, perhaps for a moment only: all do.
                    if let ended = atWork.removeValue(forKey: id), !ended.isRetired { isLeaving = true }
                case .changed?:
                    if !group.isCancelled { group.addTask { await self.untilChanged() } }
                case .aborted?:
                    isLeaving = true
                    group.cancelAll()
                case .housekeeping?, nil:
                    break  // It ends only when the task is cancelled; the workers end then too.
                }
            }
            group.cancelAll()
        }
        consumer.close()
        state.withLock { state in
            state.isElected = false
            state.consumer = nil
            state.settledAtElection = SettledBefore([:])
            // Some may have come too late to be begun with.
            for worker in state.workers { worker.rest() }
        }
        wakeObservers()
    }

    /// Waits until each worker has its first request on its way, or has none to send now.
    private func untilBegun() async {
        let (key, signal) = beginObserving()
        defer { endObserving(key) }
        while !Task.isCancelled, !workers.allSatisfy(\.hasBegun) { await signal.wait() }
    }

    private func untilChanged() async -> Ending {
        await changed.wait()
        return .changed
    }

    /// Maintains the journal, and looks for events that nobody announced: those of other processes, and orphans'.
    ///
    /// Sleeps until something is told or becomes due. While something cannot be told, or is to be tried again, it looks every
    /// now and then.
    private func performMaintenance(_ consumer: JournalConsumer) async {
        let housekeeping = equipment.housekeeping
        while !Task.isCancelled {
            let maintained = equipment.now
            // Another process may have changed what may leave, and what waits here may be held by what counted before.
            if consumer.hasOtherWriters { _ = equipment.isPermitted() }
            do throws(JournalError) {
                var round = consumer.beginMaintenance(at: equipment.clock.now())
                // Whoever wants to send or to count meanwhile has its turn between two parts.
                while try consumer.continueMaintenance(&round), !Task.isCancelled { await Task.yield() }
                report(consumer.obstacles.map { .writerLeftOut($0.message) })
            } catch {
                report([.journalFailed(error.message)])
            }
            let isUrgent = consumer.wasAsked()
            for worker in workers {
                // Whoever asks cannot say for which destinations.
                if isUrgent { _ = worker.requestFlush(forcesQueue: true) } else { worker.lookAgain() }
            }
            if !consumer.hasOtherWriters {
                let due =
                    switch consumer.nextMaintenance {
                    case .polled: maintained.advanced(by: maintenanceInterval)
                    case .due(let time): time
                    }
                await equipment.sleeper.sleep(until: due, or: housekeeping)
            }
            await equipment.sleeper.sleep(until: maintained.advanced(by: Self.minimumMaintenanceInterval))
        }
    }
}
