// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
package import TrackwayEvents
internal import TrackwayJournal

/// Where the context changes and where the SDK records events of its own: one thing after the other, under one lock, so
/// that journal and context always tell the same story.
///
/// The app's own events do not come here; they take the journal's short lock alone and carry the context that was set
/// last.
package final class Stage: Sendable {
    private let context: Locked<RecordedContext>
    private let recorder: Recorder
    private let tell: @Sendable ([Diagnostic], [String]) -> Void

    /// Opens the stage with the context to begin with, and tells the journal.
    init(_ context: RecordedContext, recorder: Recorder, tell: @escaping @Sendable ([Diagnostic], [String]) -> Void) {
        self.context = Locked(context)
        self.recorder = recorder
        self.tell = tell
        recorder.journal.setContext(context.json())
        recorder.streams.userChanged(to: context.user.id)
    }

    /// Whether an event of this name may be recorded now, for any of these destinations.
    ///
    /// - Parameter route: the destinations it is for; all of them when empty.
    package func mayRecord(_ name: String, to route: [DestinationID]) -> Bool {
        recorder.mayRecord(name, to: route)
    }

    /// The context now.
    package var current: RecordedContext { context.withLock { $0 } }

    /// Lets `body` change the context and record events, in order; nobody else does either meanwhile.
    ///
    /// - Parameter body: must be quick, and must not call the app, the settings or this stage.
    package func perform<Result: Sendable>(_ body: (inout Scene) -> Result) -> Result {
        let (result, aftermath) = performUntold(body)
        tell(aftermath)
        return result
    }

    /// The same for a caller who holds a lock of its own: it must ``tell(_:)`` once it has let go of it.
    func performUntold<Result: Sendable>(_ body: (inout Scene) -> Result) -> (Result, Scene.Aftermath) {
        context.withLock { context in
            var scene = Scene(context, recorder: recorder)
            let result = body(&scene)
            scene.tellJournal()
            context = scene.context
            return (result, scene.aftermath)
        }
    }

    /// Tells delivery and the app what came of a performance. Holds no lock: the app may call back.
    func tell(_ aftermath: Scene.Aftermath) {
        if let last = aftermath.lastSequence { recorder.delivery.eventRecorded(sequence: last) }
        if !aftermath.diagnostics.isEmpty || !aftermath.lines.isEmpty { tell(aftermath.diagnostics, aftermath.lines) }
    }
}
