// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
package import TrackwayDelivery
package import TrackwayDestinationKit
internal import TrackwayJournal
package import TrackwayLifecycle
internal import TrackwayPlatform

// Additions to the public API for compatibility modules.
extension Analytics {
    /// The context of the next event.
    package var recordedContext: RecordedContext { recording.contextStore.current }

    /// The global attributes.
    package var globalAttributes: Attributes { recording.contextStore.current.global }

    /// The capture options, as the app set them.
    package var runtimeCapture: CaptureOptions { runtimeOptions.withLock { $0.capture } }

    /// Reports a diagnostic in the same way as the SDK's own diagnostics.
    package func report(_ diagnostic: Diagnostic) { reporter.report(diagnostic) }

    /// Records this process's start if it has not been recorded yet.
    package func recordPendingStart() { lifecycle.controller.begin() }

    /// Records a compatibility module's event with the time of the call.
    ///
    /// During the launch, the event does not trigger the start, and is recorded after the start.
    package func recordAfterLaunch(_ name: String, _ attributes: Attributes = [:], to route: Route = .all) {
        let moment = recording.clock.now()
        afterLaunch { [weak self] in _ = self?.recordSDKEvent(name, attributes, to: route, at: moment) }
    }

    /// Runs work that may trigger the start.
    ///
    /// During the launch, the work is deferred until after the start. See ``LifecycleController/afterLaunch(_:)``.
    package func afterLaunch(_ work: @escaping @Sendable () -> Void) { lifecycle.controller.afterLaunch(work) }

    /// Calls `report` after each lifecycle change has been handled.
    ///
    /// The closure is retained for this object's lifetime.
    package func observeLifecycle(_ report: @escaping @Sendable ([LifecycleChange]) -> Void) {
        lifecycle.dispatcher.addObserver(report)
    }

    /// Reports that a compatibility module could not create its ``Analytics``.
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

    /// Reports Objective-C classes that another image of the process also defines.
    ///
    /// Such a duplicate means that the SDK that a module replaces is linked as well. The check runs later, on another
    /// thread.
    package func reportDuplicates(of classes: Set<String>) {
        let (reporter, loadedImages) = (reporter, delivery.environment.loadedImages)
        storage.queue.enqueue {
            for duplicate in DuplicateClass.among(classes, in: loadedImages(classes)) {
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
        // Hold delivery before sending is disallowed, so that a request that is about to begin waits instead of being
        // rejected.
        delivery.service.beginHold()
        delivery.control.change { $0.setPaused(true) }
        lifecycle.snapshots?.setPaused(true)
    }

    /// Ends a pause.
    ///
    /// Parked destinations are retried.
    package func resume() {
        let wasPaused = isPaused
        delivery.control.change { $0.setPaused(false) }
        delivery.service.endHold()
        lifecycle.snapshots?.setPaused(false)
        if wasPaused { delivery.service.probeParkedDestinations() }
    }

    /// Retries parked destinations after their settings were set again.
    package func probeParkedDestinations() {
        delivery.service.probeParkedDestinations()
    }

    // MARK: Modes of destinations

    /// Sets how a destination treats events recorded after this call.
    ///
    /// The mode applies to events of every thread.
    ///
    /// Events recorded before this call, including those of earlier runs, keep the mode that was set when they were
    /// recorded.
    package func setMode(_ mode: String, of destination: DestinationID) {
        recording.contextStore.perform { transaction in transaction.context.modes[destination.rawValue] = .string(mode)
        }
    }

    /// Replaces a destination and the event count that starts an upload.
    ///
    /// See ``replaceDestination(_:)``.
    ///
    /// An out-of-range number is clamped and reported.
    ///
    /// - Throws: The same errors as ``replaceDestination(_:)``.
    package func replaceDestination(_ destination: any Destination, flushEvents: Int) throws(TrackwayError) {
        try requireDestination(destination.id)
        var bounds = SettingsClamp()
        delivery.service.replace(destination, flushEvents: bounds.count(flushEvents, from: 1, "flushEvents"))
        reporter.report(bounds.diagnostics)
    }

    // MARK: Events in a module's own form

    /// Shows an event to interceptors before it is recorded under another name.
    ///
    /// The interceptors see the event's own name and attributes. Callable from any thread that holds no lock. The event
    /// is then recorded with `isShown`.
    ///
    /// - Parameters:
    ///   - event: The event; interceptors may change it.
    ///   - name: The name under which the module records it. Events that are rejected under this name are not shown to
    ///     interceptors.
    /// - Returns: False if an interceptor dropped the event, which the ledger counts.
    package func passesInterceptors(_ event: inout InterceptedEvent, recordedAs name: String) -> Bool {
        guard delivery.control.gate.state.contains(.intercepts), recording.recorder.mayRecord(name, to: event.route.ids)
        else {
            return true
        }
        return recording.interceptors.shouldKeep(&event)
    }

    // MARK: Discarding

    /// Drops and counts a destination's pending events unless another process delivers.
    package func discardPendingEvents(for destination: DestinationID) async {
        guard storage.registry.contains(destination) else { return }
        let (journal, reporter) = (storage.journal, reporter)
        // Delivery releases the folder first, as for an erasure, so that none of the events to be dropped is in flight.
        delivery.control.change { $0.eraseBegan() }
        defer { delivery.control.change { $0.eraseEnded() } }
        await delivery.control.waitUntilIdle()
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

/// The interceptors of a configuration.
///
/// For a module that stores events without an ``Analytics``.
package final class InterceptorChain: Sendable {
    private let interceptors: InterceptorRunner

    /// Creates a chain of the configuration's interceptors.
    ///
    /// - Parameter clock: The clock that measures how long an interceptor takes.
    package init(_ configuration: Configuration, clock: any EventClock) {
        let log = StandardErrorLog(clock: clock)
        interceptors = InterceptorRunner(
            configuration.interceptors,
            counts: nil,
            clock: clock,
            reporter: DiagnosticReporter(configuration.onDiagnostic, log: { log.report($0) })
        )
    }

    /// Shows an event to the interceptors, in order.
    ///
    /// Callable from any thread that holds no lock.
    ///
    /// - Returns: False if an interceptor dropped the event. The caller counts the drop.
    package func shouldKeep(_ event: inout InterceptedEvent) -> Bool { interceptors.shouldKeep(&event) }
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
