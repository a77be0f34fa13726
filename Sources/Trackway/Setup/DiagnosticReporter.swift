// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Hands diagnostics to the app, or to the log when the app does not listen.
package final class DiagnosticReporter: Sendable {
    /// Takes one diagnostic.
    package typealias Handler = @Sendable (Diagnostic) -> Void

    /// The closure stands in a struct: a bare one in a generic place is wrapped once more with every access.
    private struct Listener: Sendable {
        var handler: Handler?
    }

    private let listener: Locked<Listener>
    private let log: Handler

    /// Makes a reporter.
    ///
    /// - Parameters:
    ///   - handler: the app's own; nil leaves it to the log.
    ///   - log: where diagnostics go while the app has no handler.
    package init(_ handler: Handler?, log: @escaping Handler) {
        listener = Locked(Listener(handler: handler))
        self.log = log
    }

    /// From now on the app's handler is this one.
    package func replaceHandler(_ handler: Handler?) {
        listener.withLock { $0.handler = handler }
    }

    /// Reports one diagnostic on the calling thread. No lock is held while the app's handler runs.
    package func report(_ diagnostic: Diagnostic) {
        let handler = listener.withLock { $0.handler }
        (handler ?? log)(diagnostic)
    }
    /// Reports diagnostics in their order.
    package func report(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics { report(diagnostic) }
    }
}
