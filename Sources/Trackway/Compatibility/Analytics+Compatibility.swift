// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
package import TrackwayDelivery
package import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform
package import TrackwayWire

// Additions to the public API for compatibility modules.
extension Analytics {
    /// The context of the next event.
    package var recordedContext: RecordedContext { recording.contextStore.current }

    /// The global attributes.
    package var globalAttributes: Attributes { recording.contextStore.current.global }

    /// The capture options, as the app set them.
    package var runtimeCapture: CaptureOptions { runtimeOptions.withLock { $0.capture } }

    /// Reports a diagnostic like one of the SDK's own.
    package func report(_ diagnostic: Diagnostic) { reporter.report(diagnostic) }

    /// Records the start of this process now, if it has not been recorded yet.
    package func recordPendingStart() { lifecycle.behavior.begin() }

    /// Records an event that a compatibility module creates, with the time of the call.
    ///
    /// While the app launches, the event does not trigger the start and is recorded after it.
    package func recordAfterLaunch(_ name: String, _ attributes: Attributes = [:], to route: Route = .all) {
        let moment = recording.clock.now()
        afterLaunch { [weak self] in _ = self?.recordOwn(name, attributes, to: route, at: moment) }
    }

    /// Runs work that may trigger the start.
    ///
    /// While the app launches, the work runs after the start. See ``LifecycleController/afterLaunch(_:)``.
    package func afterLaunch(_ work: @escaping @Sendable () -> Void) { lifecycle.behavior.afterLaunch(work) }

    /// Calls `report` after every lifecycle change was handled.
    ///
    /// The closure is retained for this object's lifetime.
    package func followLifeCycle(_ report: @escaping @Sendable ([LifeCycleChange]) -> Void) {
        lifecycle.follower.reportAlso(report)
    }

    /// Reports to the app that a compatibility module could not create its ``Analytics``.
    package static func report(notStarted error: TrackwayError, to configuration: Configuration) {
        let clock = SystemClock()
        let log = StandardErrorLog(clock: clock)
        DiagnosticReporter(configuration.onDiagnostic, log: { log.report($0) }).report(
            Diagnostic(
                code: .notStarted,
                field: "start",
                value: error.description,
                message: "The SDK could not start, so nothing is recorded in this run (\(error)).",
                recoverySuggestion: "Fix the reported problem, then start the SDK again."
            )
        )
    }

    /// Reports if another image of the process also defines one of these Objective-C classes.
    ///
    /// In that case, the SDK that a module replaces is linked as well. The check runs later, on another thread.
    package func reportDuplicates(of classes: Set<String>) {
        let (reporter, imagesDefining) = (reporter, delivery.environment.imagesDefining)
        storage.queue.order {
            for duplicate in DuplicateClass.among(classes, in: imagesDefining(classes)) {
                reporter.report(Diagnostic(duplicate))
            }
        }
    }

    // MARK: Pauses

    /// Whether collecting and sending are paused.
    package var isPaused: Bool { delivery.control.machine.isPaused }

    /// Pauses snapshots and requests until ``resume()`` or the end of the process.
    ///
    /// A request in flight is completed. Events that the app records are stored and stay pending. A second call while
    /// paused changes nothing.
    package func pause() {
        // Hold delivery before sending is forbidden, so that a request that is about to begin waits instead of being
        // refused.
        delivery.service.hold()
        delivery.control.change { $0.pausedChanged(to: true) }
        lifecycle.snapshots?.rests(true)
    }

    /// Ends a pause.
    ///
    /// Parked destinations are retried.
    package func resume() {
        let wasPaused = isPaused
        delivery.control.change { $0.pausedChanged(to: false) }
        delivery.service.release()
        lifecycle.snapshots?.rests(false)
        if wasPaused { delivery.service.probeParkedDestinations() }
    }

    /// Retries parked destinations, because their settings were set again.
    package func probeParkedDestinations() {
        delivery.service.probeParkedDestinations()
    }

    // MARK: Modes of destinations

    /// Sets how a destination treats events recorded after this call, on every thread.
    ///
    /// Events recorded before, in earlier runs too, keep the mode that was set when they were recorded.
    package func setMode(_ mode: String, of destination: DestinationID) {
        recording.contextStore.perform { transaction in transaction.context.modes[destination.rawValue] = .string(mode)
        }
    }

    /// Replaces a destination, and the number of pending events that starts an upload.
    ///
    /// See ``replaceDestination(_:)``.
    ///
    /// An out-of-range number is clamped and reported.
    ///
    /// - Throws: The same errors as ``replaceDestination(_:)``.
    package func replaceDestination(_ destination: any Destination, flushEvents: Int) throws(TrackwayError) {
        try checkPresent(destination.id)
        var bounds = SettingsClamp()
        delivery.service.replace(destination, flushEvents: bounds.count(flushEvents, from: 1, "flushEvents"))
        reporter.report(bounds.diagnostics)
    }

    // MARK: Events in a module's own form

    /// Shows an event to interceptors before a module stores it under another name.
    ///
    /// They see the event's own name and attributes. Any thread may call, but must hold no lock. The event is then
    /// recorded with `isShown`.
    ///
    /// - Parameters:
    ///   - event: The event; interceptors may change it.
    ///   - name: The name under which the module records it. Events that are refused under this name are not shown.
    /// - Returns: False if an interceptor dropped the event, which the ledger counts.
    package func showToInterceptors(_ event: inout InterceptedEvent, recordedAs name: String) -> Bool {
        guard delivery.control.gate.state.contains(.intercepts), recording.recorder.mayRecord(name, to: event.route.ids)
        else {
            return true
        }
        return recording.interception.keeps(&event)
    }

    // MARK: Discarding

    /// Drops and counts a destination's pending events, unless another process delivers.
    package func discardWaiting(for destination: DestinationID) async {
        guard storage.registry.contains(destination) else { return }
        let (journal, reporter) = (storage.journal, reporter)
        // As for an erasure, delivery releases the folder first, so that no event to be dropped is in flight.
        delivery.control.change { $0.eraseBegan() }
        defer { delivery.control.change { $0.eraseEnded() } }
        await delivery.control.untilAtRest()
        await storage.queue.run {
            do throws(JournalError) {
                try journal.withElection { (consumer) throws(JournalError) in
                    try consumer.discardPending(for: destination, reason: .erased)
                }
            } catch {
                reporter.report(
                    Diagnostic(
                        code: .notDiscarded,
                        field: "deleteAll",
                        value: "\(error)",
                        message: "Pending events could not be discarded (\(error)). They will still be sent.",
                        recoverySuggestion: "Make the storage folder readable and writable, and repeat the call."
                    )
                )
            }
        }
    }
}

/// The interceptors of a configuration, for a module that stores events without an ``Analytics``.
package final class InterceptorChain: Sendable {
    private let interception: InterceptorRunner

    /// Creates a chain of the configuration's interceptors.
    ///
    /// - Parameter clock: Measures how long an interceptor takes.
    package init(_ configuration: Configuration, clock: any EventClock) {
        let log = StandardErrorLog(clock: clock)
        interception = InterceptorRunner(
            configuration.interceptors,
            counts: nil,
            clock: clock,
            reporter: DiagnosticReporter(configuration.onDiagnostic, log: { log.report($0) })
        )
    }

    /// Shows an event to the interceptors, in order.
    ///
    /// Any thread may call, but must hold no lock.
    ///
    /// - Returns: False if one of them dropped the event. The caller counts it.
    package func keeps(_ event: inout InterceptedEvent) -> Bool { interception.keeps(&event) }
}

extension DestinationRules {
    /// Returns a diagnostic for each invalid part of these rules.
    ///
    /// - Parameter field: The setting that contains the rules.
    package func diagnostics(of field: String) -> [Diagnostic] {
        var bounds = SettingsClamp()
        bounds.note(self, field)
        return bounds.diagnostics
    }
}
