// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
package import TrackwayDelivery
package import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform
package import TrackwayWire

// What the compatibility modules of other products need of the front door, and apps of ours do not.
extension Analytics {
    /// What the next event has in common with others.
    package var recordedContext: RecordedContext { recording.contextStore.current }

    /// The attributes of every event.
    package var globalAttributes: Attributes { recording.contextStore.current.global }

    /// What is captured now, as far as the app chose it.
    package var runtimeCapture: CaptureOptions { runtimeOptions.withLock { $0.capture } }

    /// Tells of a mistake, as the SDK's own are told.
    package func report(_ diagnostic: Diagnostic) { reporter.report(diagnostic) }

    /// Records the start of this process now, if that is still to be done.
    package func recordPendingStart() { lifecycle.behavior.begin() }

    /// Records an event that a compatibility module makes by itself, with the time of the call. While the app launches it waits for the
    /// start: it does not bring that about, and is recorded after it.
    package func recordAfterLaunch(_ name: String, _ attributes: Attributes = [:], to route: Route = .all) {
        let moment = recording.clock.now()
        afterLaunch { [weak self] in _ = self?.recordOwn(name, attributes, to: route, at: moment) }
    }

    /// Does work that may bring the start about; while the app launches, after the start. See ``BehaviorDriver/afterLaunch(_:)``.
    package func afterLaunch(_ work: @escaping @Sendable () -> Void) { lifecycle.behavior.afterLaunch(work) }

    /// Has every change of the app's life told, after it was acted upon. The closure is kept as long as this object.
    package func followLifeCycle(_ report: @escaping @Sendable ([LifeCycleChange]) -> Void) {
        lifecycle.follower.reportAlso(report)
    }

    /// Tells that a compatibility module could not make its analytics, as a diagnostic of the app's.
    package static func report(notStarted error: TrackwayError, to configuration: Configuration) {
        let clock = SystemClock()
        let log = StandardErrorLog(clock: clock)
        DiagnosticReporter(configuration.onDiagnostic, log: { log.report($0) }).report(
            Diagnostic(
                code: .notStarted,
                field: "start",
                value: error.description,
                message: "The SDK could not start, so nothing is recorded in this run (\(error)).",
                recoverySuggestion: "Correct what the error names, and start again."
            )
        )
    }

    /// Tells if another image of the process defines one of these classes of Objective-C, too: the SDK that a module stands for was
    /// linked beside it. Looks later, on another thread.
    package func reportDuplicates(of classes: Set<String>) {
        let (reporter, imagesDefining) = (reporter, delivery.environment.imagesDefining)
        storage.queue.order {
            for duplicate in DuplicateClass.among(classes, in: imagesDefining(classes)) {
                reporter.report(Diagnostic(duplicate))
            }
        }
    }

    // MARK: Pauses

    /// Whether nothing is collected or sent for a while.
    package var isPaused: Bool { delivery.control.machine.isPaused }

    /// Takes no snapshots and begins no request until ``resume()``, or until the end of the process. A request under way
    /// gets its answer; what the app records is kept, and waits. Again while paused changes nothing.
    package func pause() {
        // Held before it is forbidden, so that no request is refused that was about to begin: it waits.
        delivery.service.hold()
        delivery.control.change { $0.pausedChanged(to: true) }
        lifecycle.snapshots?.rests(true)
    }

    /// Goes on. A destination whose settings were found wrong is asked again.
    package func resume() {
        let wasPaused = isPaused
        delivery.control.change { $0.pausedChanged(to: false) }
        delivery.service.release()
        lifecycle.snapshots?.rests(false)
        if wasPaused { delivery.service.wakeParked() }
    }

    /// Asks destinations again whose settings were found wrong: they were said once more.
    package func wakeParked() {
        delivery.service.wakeParked()
    }

    // MARK: Destinations that know more than one way to treat events

    /// Says how a destination is to treat events recorded after this call, on every thread. Those recorded before, in
    /// earlier runs too, keep what was said when they were recorded.
    package func setMode(_ mode: String, of destination: DestinationID) {
        recording.contextStore.perform { transaction in transaction.context.modes[destination.rawValue] = .string(mode)
        }
    }

    /// The same as ``replaceDestination(_:)``, with another number of waiting events that are sent at once. One that no app
    /// means is brought within its bounds, and told.
    ///
    /// - Throws: As ``replaceDestination(_:)`` does.
    package func replaceDestination(_ destination: any Destination, flushEvents: Int) throws(TrackwayError) {
        try checkPresent(destination.id)
        var bounds = SettingBounds()
        delivery.service.replace(destination, flushEvents: bounds.count(flushEvents, from: 1, "flushEvents"))
        reporter.report(bounds.diagnostics)
    }

    // MARK: Events that a module stores in a form of its own

    /// Shows interceptors an event by its own name and attributes, before a module writes it into an event of another name.
    ///
    /// Any thread, which must hold no lock. What is shown is then recorded as `isShown`.
    ///
    /// - Parameters:
    ///   - event: The event; interceptors may change it.
    ///   - name: The name under which the module records it. Events that are refused under this name are not shown.
    /// - Returns: False when an interceptor dropped it, which is counted in the ledger.
    package func showToInterceptors(_ event: inout InterceptedEvent, recordedAs name: String) -> Bool {
        guard delivery.control.gate.state.contains(.intercepts), recording.recorder.mayRecord(name, to: event.route.ids)
        else {
            return true
        }
        return recording.interception.keeps(&event)
    }

    // MARK: Giving up

    /// Drops and counts what waits for a destination, unless another process delivers.
    package func discardWaiting(for destination: DestinationID) async {
        guard storage.registry.contains(destination) else { return }
        let (journal, reporter) = (storage.journal, reporter)
        // As for erasing: delivery lets go of the folder first, so that nothing that is to go is on its way.
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
                        message: "Pending events could not be discarded (\(error)). They are still sent.",
                        recoverySuggestion: "Make the storage folder readable and writable, and repeat the call."
                    )
                )
            }
        }
    }
}

/// The interceptors of a configuration, for a module that stores events without analytics.
package final class InterceptorChain: Sendable {
    private let interception: Interception

    /// The interceptors of `configuration`.
    ///
    /// - Parameter clock: Measures how long an interceptor takes.
    package init(_ configuration: Configuration, clock: any EventClock) {
        let log = StandardErrorLog(clock: clock)
        interception = Interception(
            configuration.interceptors,
            counts: nil,
            clock: clock,
            reporter: DiagnosticReporter(configuration.onDiagnostic, log: { log.report($0) })
        )
    }

    /// Shows an event to the interceptors, in order. Any thread, which must hold no lock.
    ///
    /// - Returns: False when one of them dropped it. The caller counts that.
    package func keeps(_ event: inout InterceptedEvent) -> Bool { interception.keeps(&event) }
}

extension DestinationRules {
    /// What is wrong with these rules.
    ///
    /// - Parameter field: The setting that they are in.
    package func diagnostics(of field: String) -> [Diagnostic] {
        var bounds = SettingBounds()
        bounds.note(self, field)
        return bounds.diagnostics
    }
}
