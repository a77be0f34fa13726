// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
internal import TrackwayJournal

extension Analytics {
    /// Says who uses the app from now on. Every event recorded after this call carries the id, on every thread, and the
    /// id survives restarts until ``signOut()``.
    ///
    /// An empty id, or one longer than the limit of a text value, is a mistake: a `Diagnostic` tells, and the user
    /// stays who it was.
    public func identify(_ user: String) {
        guard !user.isEmpty, user.utf8.count <= limits.stringBytes else {
            reporter.report(
                Diagnostic(
                    code: .userInvalid,
                    field: "user",
                    value: user,
                    remedy: user.isEmpty
                        ? "Call signOut to say that nobody is signed in."
                        : "Use an id of at most \(limits.stringBytes) bytes; a cut one would be somebody else's."
                )
            )
            return
        }
        stage.perform { $0.context.user.id = user }
        saveUser()
    }

    /// Says that nobody is signed in from now on.
    public func signOut() {
        stage.perform { $0.context.user.id = nil }
        saveUser()
    }

    /// Adds attributes to every event recorded after this call; those with a known key replace it. They survive restarts.
    ///
    /// They are kept beside the events, once, and every event refers to them, so they cost an event nothing. What breaks
    /// a limit is left out with a `Diagnostic`.
    public func setGlobalAttributes(_ attributes: Attributes) {
        stage.perform { scene in
            // The whole is judged, not the addition: many small additions must not outgrow the limits either.
            let (valid, diagnostics) = scene.context.global.merging(attributes).valid(limits)
            scene.context.global = valid
            for diagnostic in diagnostics { scene.report(diagnostic) }
        }
        saveGlobal()
    }

    /// Takes attributes away from every event recorded after this call; unknown keys are ignored.
    public func removeGlobalAttributes(_ keys: [String]) {
        stage.perform { scene in
            for key in keys { scene.context.global[key] = nil }
        }
        saveGlobal()
    }

    // The settings take what the context says when they are written, not what a caller said before: of two changes made
    // at the same time, events and the next start then end with the same one. The stage's lock is taken inside the
    // settings' one, never the other way round.

    func saveUser() {
        settings.change { [stage] settings in settings.user = stage.current.user.id }
    }

    func saveGlobal() {
        settings.change { [stage] settings in settings.global = stage.current.global }
    }
}
