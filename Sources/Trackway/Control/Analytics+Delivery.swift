// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayDelivery
internal import TrackwayJournal

extension Analytics {
    /// Sends pending events until they are delivered or the timeout expires.
    ///
    /// A destination that specified a retry time is not tried before that time; one that seems to be down is tried with
    /// one event. Nothing is sent while consent or ``isEnabled`` forbids it. Queues are sent regardless of their
    /// policy. The report gives a reason for every pending event (`FlushReport.Part.pendingReason`).
    ///
    /// - Parameter timeout: The maximum duration. Events that have not been sent by then stay pending.
    /// - Returns: For each destination, the numbers of delivered, pending and dropped events, and the last verdict.
    public func flush(timeout: Duration = .seconds(10)) async -> FlushReport {
        lifecycle.controller.begin()
        await delivery.control.waitUntilSettled()
        let machine = delivery.control.machine
        guard machine.maySend else {
            // Before it sends anything newer, the process that delivers drops events for which consent was withdrawn.
            let consents = delivery.consents
            if machine.consent == .denied, !storage.settings.current.consent.rules.keepsEventsAfterDenial,
                await !storage.queue.run({ consents.discard() })
            {
                await delivery.service.waitUntilDropped(timeout: timeout)
            }
            return await delivery.service.flush(
                timeout: .zero,
                pendingReason: storage.journal.isAwaitingStorage ? nil : machine.sendingBlockedReason
            )
        }
        let journal = storage.journal
        // Events may still be in memory because of a recent storage failure.
        await storage.queue.run { _ = journal.drain() }
        return await delivery.service.flush(timeout: timeout)
    }

    /// Sends pending events inside a background task that the app requested.
    ///
    /// If delivery was suspended, it resumes, runs until this call returns, and then releases the folder unless the app
    /// came to the foreground.
    ///
    /// ```swift
    /// task.expirationHandler = { work.cancel() }   // work is the Task that runs this
    /// let report = await analytics.flushInBackground(timeout: .seconds(20))
    /// task.setTaskCompleted(success: report.isComplete)
    /// ```
    /// If its task is canceled, the call cancels the request in flight and returns immediately; events that were not
    /// sent stay pending. The SDK does not request background tasks itself, because the app's property list must name
    /// them.
    ///
    /// - Parameter timeout: The maximum duration.
    /// - Returns: The same as ``flush(timeout:)``.
    public func flushInBackground(timeout: Duration) async -> FlushReport {
        await lifecycle.dispatcher.waitUntilSettled()
        let wasSuspended = delivery.control.machine.isSuspended
        if wasSuspended { delivery.control.change { $0.resume() } }
        let report = await flush(timeout: timeout)
        await lifecycle.controller.waitUntilSaved()
        if wasSuspended, !lifecycle.controller.isForeground {
            delivery.control.change { $0.suspend(within: .zero) }
            await delivery.control.waitUntilIdle()
        }
        return report
    }

    /// Returns the event counts of this installation, by destination.
    ///
    /// The counts show how many events were delivered, are pending, or were dropped, by reason. If storage currently
    /// cannot be read, the call returns the last counts that were read, a `Diagnostic` is reported, and
    /// `Ledger.uncounted` names what could not be counted.
    public func ledger() -> Ledger {
        guard !isInChild else { return forkedChildValues.ledger }
        do throws(JournalError) {
            var ledger = try storage.journal.ledger()
            ledger.intercepted = recording.interceptors.counts?.all ?? [:]
            let counted = ledger
            lastLedger.withLock { $0 = counted }
            return ledger
        } catch {
            // If the folder cannot be used yet, that was already reported at startup.
            if !storage.journal.isAwaitingStorage {
                reporter.report(
                    Diagnostic(
                        code: .storageFailing,
                        field: "ledger",
                        value: "\(error)",
                        message: "The ledger could not be read (\(error)). The returned counts may be out of date.",
                        recoverySuggestion: "Make the storage folder readable."
                    )
                )
            }
            var ledger = lastLedger.withLock { $0 }
            ledger.intercepted = recording.interceptors.counts?.all ?? [:]
            ledger.uncounted = [
                Ledger.Uncounted(path: error.cause?.path ?? storage.journal.configuration.folder, reason: error.message)
            ]
            return ledger
        }
    }

    /// Sends pending events until the timeout expires, and ends delivery.
    ///
    /// A second call returns when the first one has finished. If the app is in the foreground, `_app_end` is recorded
    /// first. Events can still be recorded afterward: they are stored, with a `Diagnostic`, and are sent after the next
    /// start.
    ///
    /// - Parameter timeout: The maximum duration of the last flush; zero skips it.
    public func shutdown(timeout: Duration = .seconds(5)) async {
        lifecycle.snapshots?.end()
        lifecycle.controller.end()
        delivery.control.change { $0.shutDown(within: timeout) }
        await delivery.control.waitUntilIdle()
        await lifecycle.controller.waitUntilSaved()
    }
}
