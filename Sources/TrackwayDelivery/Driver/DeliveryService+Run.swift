// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

extension DeliveryService {
    /// The delay before the next attempt to be elected.
    private static let electionInterval = Duration.seconds(2)
    /// The minimum interval of journal maintenance.
    ///
    /// It applies after events were settled and while other writers are alive, because their events are not announced
    /// here.
    private static let minimumMaintenanceInterval = Duration.seconds(1)

    private enum Ending: Sendable {
        case worker(DestinationID)
        /// Destinations were added or removed, or the service is to stop.
        case changed
        case housekeeping
        case aborted
    }

    /// Delivers until `shutdown` is called or the task is canceled.
    ///
    /// May be called again after its task was canceled; it waits until the earlier run has ended.
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

    /// Returns the journal's consumer if this process is elected now.
    private func elected() -> JournalConsumer? {
        do throws(JournalError) {
            let consumer = try journal.tryElection()
            if consumer == nil { state.withLock { $0.othersDeliver = true } }
            report([])
            return consumer
        } catch {
            // It is unknown whether another process delivers.
            state.withLock { $0.othersDeliver = false }
            report([.journalFailed(error.message)])
            return nil
        }
    }

    /// Reports obstacles to delivery, each once until it changes or ends.
    private func report(_ obstacles: [DeliveryEvent]) {
        let news = state.withLock { state in
            defer { state.toldObstacles = Set(obstacles) }
            return obstacles.filter { !state.toldObstacles.contains($0) }
        }
        for notice in news { equipment.report(notice) }
    }

    /// Waits for an earlier run to end; false if canceled.
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
        let settled = FlushBaseline(consumer)
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
            // By destination: the successor of a removed worker waits until the removed one has ended.
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
                        // This follows the start of the workers, so that the first requests run while all writers are
                        // checked.
                        isMaintained = true
                        group.addTask {
                            await self.untilBegun()
                            await self.equipment.place.perform { await self.performMaintenance(consumer) }
                            return .housekeeping
                        }
                    }
                    wakeObservers()
                    // The request to stop may have come before the workers could receive it.
                    isLeaving = state.withLock { $0.phase != .running }
                }
                if isLeaving {
                    for worker in atWork.values { worker.requestStop() }
                    if atWork.isEmpty { break }
                }
                switch await group.next() {
                case .worker(let id)?:
                    // A worker that ended without being removed was asked to stop, perhaps only briefly: stop all.
                    if let ended = atWork.removeValue(forKey: id), !ended.isRetired { isLeaving = true }
                case .changed?:
                    if !group.isCancelled { group.addTask { await self.untilChanged() } }
                case .aborted?:
                    isLeaving = true
                    group.cancelAll()
                case .housekeeping?, nil:
                    break  // It ends only when the task is canceled; then the workers end too.
                }
            }
            group.cancelAll()
        }
        consumer.close()
        state.withLock { state in
            state.isElected = false
            state.consumer = nil
            state.settledAtElection = FlushBaseline([:])
            // Some workers may have been added too late to be started.
            for worker in state.workers { worker.rest() }
        }
        wakeObservers()
    }

    /// Waits until each worker is sending its first request or has none.
    private func untilBegun() async {
        let (key, signal) = beginObserving()
        defer { endObserving(key) }
        while !Task.isCancelled, !workers.allSatisfy(\.hasBegun) { await signal.wait() }
    }

    private func untilChanged() async -> Ending {
        await changed.wait()
        return .changed
    }

    /// Maintains the journal and checks for events that were not announced.
    ///
    /// These are events of other processes and of orphaned writers. Sleeps until it is notified or maintenance is due.
    /// If notifications are unavailable, or something must be retried, it polls.
    private func performMaintenance(_ consumer: JournalConsumer) async {
        let housekeeping = equipment.housekeeping
        while !Task.isCancelled {
            let maintained = equipment.now
            // Another process may have changed what may be sent, and events here may be held under the old rules.
            if consumer.hasOtherWriters { _ = equipment.isPermitted() }
            do throws(JournalError) {
                var round = consumer.beginMaintenance(at: equipment.clock.now())
                // Sends and counts that are requested in the meantime run between two parts.
                while try consumer.continueMaintenance(&round), !Task.isCancelled { await Task.yield() }
                report(consumer.obstacles.map { .writerLeftOut($0.message) })
            } catch {
                report([.journalFailed(error.message)])
            }
            let isUrgent = consumer.consumeDeliveryRequest()
            for worker in workers {
                // The requesting process cannot specify destinations.
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
