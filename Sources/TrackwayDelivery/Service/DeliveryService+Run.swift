// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

extension DeliveryService {
    /// The delay before the next attempt to be elected.
    private static let electionInterval = Duration.seconds(2)
    /// The minimum interval of journal maintenance.
    ///
    /// It applies after events were settled and while other writers are alive, because this process is not notified of
    /// their events.
    private static let minimumMaintenanceInterval = Duration.seconds(1)

    private enum TaskResult: Sendable {
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
        await dependencies.executorContext.perform { await self.deliver() }
    }

    private func deliver() async {
        guard await waitForEarlierRun() else { return }
        while !Task.isCancelled {
            switch state.withLock({ $0.phase }) {
            case .ending:
                return finishRun()
            case .suspended:
                await electionSignal.wait()
            case .running:
                guard let consumer = tryElection() else {
                    wakeObservers()
                    let nextAttempt = dependencies.now.advanced(by: Self.electionInterval)
                    await dependencies.sleeper.sleep(until: nextAttempt, or: electionSignal)
                    continue
                }
                await serve(consumer)
            }
        }
        finishRun()
    }

    /// Returns the journal's consumer if this process is elected now.
    private func tryElection() -> JournalConsumer? {
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
    private func report(_ problems: [DeliveryEvent]) {
        let unreported = state.withLock { state in
            defer { state.reportedProblems = Set(problems) }
            return problems.filter { !state.reportedProblems.contains($0) }
        }
        for event in unreported { dependencies.report(event) }
    }

    /// Waits for an earlier run to end; false if canceled.
    private func waitForEarlierRun() async -> Bool {
        let (key, signal) = beginObserving()
        defer { endObserving(key) }
        while !Task.isCancelled {
            let isFree = state.withLock { state -> Bool in
                guard !state.isRunning else { return false }
                state.isRunning = true
                return true
            }
            if isFree { return true }
            await signal.wait()
        }
        return false
    }

    private func finishRun() {
        state.withLock { $0.isRunning = false }
        wakeObservers()
    }

    private func serve(_ consumer: JournalConsumer) async {
        abort.reset()
        dependencies.trigger.resetSequence()
        let settled = FlushBaseline(consumer)
        state.withLock { state in
            for worker in state.workers { worker.prepare(consumer) }
            state.settledAtElection = settled
            state.isElected = true
            state.consumer = consumer
            state.othersDeliver = false
        }
        dependencies.report(.elected)
        let housekeeping = dependencies.housekeeping
        consumer.onChange { housekeeping.signal() }
        await withTaskGroup(of: TaskResult.self) { group in
            group.addTask {
                await self.abort.wait()
                return .aborted
            }
            group.addTask { await self.waitForChange() }
            // By destination: the successor of a removed worker waits until the removed one has ended.
            var runningWorkers: [DestinationID: DestinationWorker] = [:]
            var isStopping = false
            var isMaintained = false
            while true {
                isStopping = isStopping || Task.isCancelled || state.withLock { $0.phase != .running }
                if !isStopping {
                    for worker in workers where runningWorkers[worker.id] == nil {
                        worker.prepare(consumer)
                        runningWorkers[worker.id] = worker
                        group.addTask {
                            await self.dependencies.executorContext.perform { await worker.run(consumer) }
                            return .worker(worker.id)
                        }
                    }
                    if !isMaintained {
                        // Must come after the workers have started, so that the first requests run while all writers
                        // are checked.
                        isMaintained = true
                        group.addTask {
                            await self.waitUntilBegun()
                            await self.dependencies.executorContext.perform { await self.performMaintenance(consumer) }
                            return .housekeeping
                        }
                    }
                    wakeObservers()
                    // The request to stop may have come before the workers could receive it.
                    isStopping = state.withLock { $0.phase != .running }
                }
                if isStopping {
                    for worker in runningWorkers.values { worker.requestStop() }
                    if runningWorkers.isEmpty { break }
                }
                switch await group.next() {
                case .worker(let id)?:
                    // A worker that ended without being removed was asked to stop, perhaps only briefly: stop all.
                    if let ended = runningWorkers.removeValue(forKey: id), !ended.isRetired { isStopping = true }
                case .changed?:
                    if !group.isCancelled { group.addTask { await self.waitForChange() } }
                case .aborted?:
                    isStopping = true
                    group.cancelAll()
                case .housekeeping?, nil:
                    break  // This task ends only when it is canceled; the workers end at the same time.
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
            for worker in state.workers { worker.deliveryEnded() }
        }
        wakeObservers()
    }

    /// Waits until each worker is sending its first request or has none.
    private func waitUntilBegun() async {
        let (key, signal) = beginObserving()
        defer { endObserving(key) }
        while !Task.isCancelled, !workers.allSatisfy(\.hasBegun) { await signal.wait() }
    }

    private func waitForChange() async -> TaskResult {
        await workersChanged.wait()
        return .changed
    }

    /// Maintains the journal and checks for events recorded without a notification.
    ///
    /// These are events of other processes and of orphaned writers. The loop sleeps until it is notified or maintenance
    /// is due. If notifications are unavailable, or something must be retried, it polls.
    private func performMaintenance(_ consumer: JournalConsumer) async {
        let housekeeping = dependencies.housekeeping
        while !Task.isCancelled {
            let maintained = dependencies.now
            // Another process may have changed what may be sent, and events here may be held under the old rules.
            if consumer.hasOtherWriters { _ = dependencies.isPermitted() }
            do throws(JournalError) {
                var round = consumer.beginMaintenance(at: dependencies.clock.now())
                // Sends and counts requested during maintenance run between two parts of it.
                while try consumer.continueMaintenance(&round), !Task.isCancelled { await Task.yield() }
                report(consumer.writerProblems.map { .writerSkipped($0.message) })
            } catch {
                report([.journalFailed(error.message)])
            }
            let isUrgent = consumer.consumeDeliveryRequest()
            for worker in workers {
                // The requesting process cannot specify destinations.
                if isUrgent { _ = worker.requestFlush(forcesQueue: true) } else { worker.requestCheck() }
            }
            if !consumer.hasOtherWriters {
                let due =
                    switch consumer.nextMaintenance {
                    case .polled: maintained.advanced(by: maintenanceInterval)
                    case .due(let time): time
                    }
                await dependencies.sleeper.sleep(until: due, or: housekeeping)
            }
            await dependencies.sleeper.sleep(until: maintained.advanced(by: Self.minimumMaintenanceInterval))
        }
    }
}
