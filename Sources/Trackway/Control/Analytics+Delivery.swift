// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayDelivery
public import TrackwayEvents
internal import TrackwayJournal

extension Analytics {
    /// Sends what waits now, and returns when it has arrived or the time is over.
    ///
    /// A destination that named a time to come back is not asked before; one that is taken for down is asked with one event.
    /// While consent or switch forbid sending, nothing is sent. Queues are sent whatever their policy says.
    /// The report gives a reason for every event that waits (`FlushReport.Part.obstacle`).
    ///
    /// - Parameter timeout: how long to try; what is not sent by then stays and is sent later.
    /// - Returns: Per destination what was delivered, what waits, what was dropped, and the last verdict.
    public func flush(timeout: Duration = .seconds(10)) async -> FlushReport {
        behavior.begin()
        await control.untilSettled()
        let machine = control.machine
        guard machine.maySend else {
            // What was withdrawn is dropped by whoever delivers, before anything newer is sent.
            let consents = consents
            if machine.consent == .denied, !settings.current.consent.rules.keepsRefused,
                await !queue.run({ consents.discard() })
            {
                await delivery.untilDropped(timeout: timeout)
            }
            return await delivery.flush(timeout: .zero, obstacle: journal.isAwaitingStorage ? nil : machine.obstacle)
        }
        let journal = journal
        // What waits in memory because storage failed a moment ago.
        await queue.run { _ = journal.drain() }
        return await delivery.flush(timeout: timeout)
    }

    /// Sends what waits inside of a background task that the app asked the system for, while the process may be suspended
    /// otherwise: delivery runs until this returns, and gives the folder back then unless the app came to the front.
    ///
    /// ```swift
    /// task.expirationHandler = { work.cancel() }   // work is the Task that runs this
    /// let report = await analytics.flushInBackground(timeout: .seconds(20))
    /// task.setTaskCompleted(success: report.isComplete)
    /// ```
    /// Cancelled, it breaks off what is on its way and returns at once; what was not sent stays. The SDK asks the system for no
    /// background task of its own kind: which ones there are stands in the app's property list.
    ///
    /// - Parameter timeout: how long to try.
    /// - Returns: As ``flush(timeout:)`` does.
    public func flushInBackground(timeout: Duration) async -> FlushReport {
        await lifeCycle.untilSettled()
        let wasSuspended = control.machine.isSuspended
        if wasSuspended { control.change { $0.resumed() } }
        let report = await flush(timeout: timeout)
        await behavior.untilKept()
        if wasSuspended, !behavior.isForeground {
            control.change { $0.suspended(within: .zero) }
            await control.untilAtRest()
        }
        return report
    }

    /// What became of every event of this installation, as of now: per destination delivered, waiting, or dropped by
    /// reason. When storage cannot be read now, a `Diagnostic` tells, and the counts are the last ones read; what could not
    /// be counted is named in `Ledger.uncounted`.
    public func ledger() -> Ledger {
        guard !isInChild else { return ledgerInChild }
        do throws(JournalError) {
            var ledger = try journal.ledger()
            ledger.intercepted = interception.counts?.all ?? [:]
            let counted = ledger
            lastLedger.withLock { $0 = counted }
            return ledger
        } catch {
            // That the folder cannot be used yet was told at the start.
            if !journal.isAwaitingStorage {
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
            ledger.intercepted = interception.counts?.all ?? [:]
            ledger.uncounted = [
                Ledger.Uncounted(path: error.cause?.path ?? journal.configuration.folder, reason: error.message)
            ]
            return ledger
        }
    }

    /// Sends what waits, as far as it gets, and ends delivery. A second call returns when the first is done.
    ///
    /// Records `_app_end` first if the app is in the foreground: the exit of a program that shuts down is no exit of a killed one.
    /// Recording still works afterwards: such events are kept, with a `Diagnostic`, and go out after the next start.
    ///
    /// - Parameter timeout: how long the last flush may take; zero for none.
    public func shutdown(timeout: Duration = .seconds(5)) async {
        snapshots?.end()
        behavior.end()
        control.change { $0.shutDown(within: timeout) }
        await control.untilAtRest()
        await behavior.untilKept()
    }
}
