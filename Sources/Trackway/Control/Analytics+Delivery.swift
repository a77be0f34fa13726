// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayDelivery
public import TrackwayEvents
internal import TrackwayJournal

extension Analytics {
    /// Sends pending events now, until they are delivered or time is up.
    ///
    /// A destination that named a time to retry is not asked before that time; one that seems to be down is tried with one event. Nothing is sent
    /// while consent or ``isEnabled`` forbids it. Queues are sent whatever their policy says. The report gives a reason for every pending event
    /// (`FlushReport.Part.obstacle`).
    ///
    /// - Parameter timeout: how long to try; events that are not sent by then stay pending.
    /// - Returns: for each destination what was delivered, is pending and was dropped, and the last verdict.
    public func flush(timeout: Duration = .seconds(10)) async -> FlushReport {
        lifecycle.behavior.begin()
        await delivery.control.untilSettled()
        let machine = delivery.control.machine
        guard machine.maySend else {
            // What was withdrawn is dropped by whoever delivers, before anything newer is sent.
            let consents = delivery.consents
            if machine.consent == .denied, !storage.settings.current.consent.rules.keepsRefused,
                await !storage.queue.run({ consents.discard() })
            {
                await delivery.service.untilDropped(timeout: timeout)
            }
            return await delivery.service.flush(
                timeout: .zero,
                obstacle: storage.journal.isAwaitingStorage ? nil : machine.obstacle
            )
        }
        let journal = storage.journal
        // What waits in memory because storage failed a moment ago.
        await storage.queue.run { _ = journal.drain() }
        return await delivery.service.flush(timeout: timeout)
    }

    /// Sends pending events inside a background task that the app requested.
    ///
    /// The process may otherwise be suspended: delivery runs until this returns, and then releases the folder unless the app came to the foreground.
    ///
    /// ```swift
    /// task.expirationHandler = { work.cancel() }   // work is the Task that runs this
    /// let report = await analytics.flushInBackground(timeout: .seconds(20))
    /// task.setTaskCompleted(success: report.isComplete)
    /// ```
    /// When its task is canceled, it cancels the request in flight and returns at once; events that were not sent stay pending. The SDK requests
    /// no background task of its own, because the app's property list must name them.
    ///
    /// - Parameter timeout: how long to try.
    /// - Returns: as ``flush(timeout:)`` does.
    public func flushInBackground(timeout: Duration) async -> FlushReport {
        await lifecycle.follower.untilSettled()
        let wasSuspended = delivery.control.machine.isSuspended
        if wasSuspended { delivery.control.change { $0.resumed() } }
        let report = await flush(timeout: timeout)
        await lifecycle.behavior.untilKept()
        if wasSuspended, !lifecycle.behavior.isForeground {
            delivery.control.change { $0.suspended(within: .zero) }
            await delivery.control.untilAtRest()
        }
        return report
    }

    /// The counts of all events of this installation, for each destination.
    ///
    /// They say how many were delivered, are pending, and were dropped for which reason. When storage cannot be read now, the counts are the last
    /// ones read, a `Diagnostic` is reported, and `Ledger.uncounted` names what could not be counted.
    public func ledger() -> Ledger {
        guard !isInChild else { return childAnswers.ledger }
        do throws(JournalError) {
            var ledger = try storage.journal.ledger()
            ledger.intercepted = recording.interception.counts?.all ?? [:]
            let counted = ledger
            lastLedger.withLock { $0 = counted }
            return ledger
        } catch {
            // That the folder cannot be used yet was told at the start.
            if !storage.journal.isAwaitingStorage {
                reporter.report(
                    Diagnostic(
                        code: .storageFailing,
                        field: "ledger",
                        value: "\(error)",
                        message: "The ledger could not be read (\(error)). The counts shown are older.",
                        recoverySuggestion: "Make the storage folder readable."
                    )
                )
            }
            var ledger = lastLedger.withLock { $0 }
            ledger.intercepted = recording.interception.counts?.all ?? [:]
            ledger.uncounted = [
                Ledger.Uncounted(path: error.cause?.path ?? storage.journal.configuration.folder, reason: error.message)
            ]
            return ledger
        }
    }

    /// Sends pending events as far as time allows, and ends delivery.
    ///
    /// A second call returns when the first is done. If the app is in the foreground, `_app_end` is recorded first. Events can still be recorded
    /// afterwards: they are stored, with a `Diagnostic`, and are sent after the next start.
    ///
    /// - Parameter timeout: how long the last flush may take; zero for none.
    public func shutdown(timeout: Duration = .seconds(5)) async {
        lifecycle.snapshots?.end()
        lifecycle.behavior.end()
        delivery.control.change { $0.shutDown(within: timeout) }
        await delivery.control.untilAtRest()
        await lifecycle.behavior.untilKept()
    }
}
