// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
package import TrackwayEvents
internal import TrackwayPlatform

// What the compatibility modules of other products need of the front door, and apps of ours do not.
extension Analytics {
    /// What the next event has in common with others.
    package var recordedContext: RecordedContext { contextStore.current }

    /// The attributes of every event.
    package var globalAttributes: Attributes { contextStore.current.global }

    /// What is captured now, as far as the app chose it.
    package var runtimeCapture: CaptureOptions { options.withLock { $0.capture } }

    /// Tells of a mistake, as the SDK's own are told.
    package func report(_ diagnostic: Diagnostic) { reporter.report(diagnostic) }

    /// Records the start of this process now, if that is still to be done.
    package func recordPendingStart() { behavior.begin() }

    /// Has every change of the app's life told, after it was acted upon. The closure is kept as long as this object.
    package func followLifeCycle(_ report: @escaping @Sendable ([LifeCycleChange]) -> Void) {
        lifeCycle.reportAlso(report)
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
                remedy: "Nothing is recorded in this run; correct what the sentence names, and start again."
            )
        )
    }
}
