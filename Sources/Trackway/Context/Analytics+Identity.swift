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
        changeContext { $0.user.id = user }
        saveUser()
    }

    /// Says that nobody is signed in from now on.
    public func signOut() {
        changeContext { $0.user.id = nil }
        saveUser()
    }

    /// Adds attributes to every event recorded after this call; those with a known key replace it. They survive restarts.
    ///
    /// They are kept beside the events, once, and every event refers to them, so they cost an event nothing. What breaks
    /// a limit is left out with a `Diagnostic`.
    public func setGlobalAttributes(_ attributes: Attributes) {
        var diagnostics: [Diagnostic] = []
        changeContext { context in
            // The whole is judged, not the addition: many small additions must not outgrow the limits either.
            context.global = context.global.merging(attributes).valid(limits) { diagnostics.append($0) }
        }
        for diagnostic in diagnostics { reporter.report(diagnostic) }
        saveGlobal()
    }

    /// Takes attributes away from every event recorded after this call; unknown keys are ignored.
    public func removeGlobalAttributes(_ keys: [String]) {
        changeContext { context in
            for key in keys { context.global[key] = nil }
        }
        saveGlobal()
    }

    /// Changes the context and tells the journal in one step, so that two changes reach it in the order they were made.
    /// The journal's own short lock is taken inside this one, never the other way round.
    func changeContext(_ body: (inout RecordedContext) -> Void) {
        context.withLock { context in
            let before = context
            body(&context)
            if context != before { journal.setContext(context.json()) }
        }
    }

    // The settings take what the context says when they are written, not what a caller said before: of two changes made
    // at the same time, events and the next start then end with the same one. The context's lock is taken inside the
    // settings' one, never the other way round.

    func saveUser() {
        settings.change { [context] settings in settings.user = context.withLock { $0.user.id } }
    }

    func saveGlobal() {
        settings.change { [context] settings in settings.global = context.withLock { $0.global } }
    }
}
