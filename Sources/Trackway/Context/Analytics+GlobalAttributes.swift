// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
internal import TrackwayJournal

extension Analytics {
    /// Adds attributes to every event recorded after this call; those with a known key replace it. They survive restarts.
    ///
    /// They are kept beside the events, once, and every event refers to them, so they cost an event nothing. What breaks
    /// a limit is left out with a `Diagnostic`.
    public func setGlobalAttributes(_ attributes: Attributes) {
        contextStore.perform { transaction in
            // The whole is judged, not the addition: many small additions must not outgrow the limits either.
            let (valid, diagnostics) = transaction.context.global.merging(attributes).valid(limits)
            transaction.context.global = valid
            for diagnostic in diagnostics { transaction.report(diagnostic) }
        }
        saveGlobal()
    }

    /// Takes attributes away from every event recorded after this call; unknown keys are ignored.
    public func removeGlobalAttributes(_ keys: [String]) {
        contextStore.perform { transaction in
            for key in keys { transaction.context.global[key] = nil }
        }
        saveGlobal()
    }

    /// Changes the attributes of every event in one step: no other change comes between, and no event is recorded with half
    /// of it.
    ///
    /// - Parameter change: is called once, under a lock; it must not call the SDK.
    package func changeGlobalAttributes(_ change: (inout Attributes) -> Void) {
        contextStore.perform { transaction in
            change(&transaction.context.global)
            let (valid, diagnostics) = transaction.context.global.valid(limits)
            transaction.context.global = valid
            for diagnostic in diagnostics { transaction.report(diagnostic) }
        }
        saveGlobal()
    }

    // The settings take what the context says when they are written, not what a caller said before: of two changes made
    // at the same time, events and the next start then end with the same one. The context store's lock is taken inside the
    // settings' one, never the other way round.

    func saveGlobal() {
        settings.change { [contextStore] settings in settings.global = contextStore.current.global }
    }
}
