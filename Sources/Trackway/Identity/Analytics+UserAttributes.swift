// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
public import TrackwayEvents

extension Analytics {
    /// Says something about the person who uses the app. Every event recorded after this call carries it, with the time
    /// it was said; attributes with a known name replace it. They survive restarts, and stay as long as the unique id.
    ///
    /// ```swift
    /// analytics.setUserAttributes(["_user_age": 21, "name": "carl"])
    /// ```
    /// Records `_profile_set`. What breaks a limit of an event's attributes is left out with a `Diagnostic`; all of the
    /// person's attributes together keep the limits of one event's.
    public func setUserAttributes(_ attributes: Attributes) {
        let (valid, diagnostics) = attributes.valid(limits)
        for diagnostic in diagnostics { reporter.report(diagnostic) }
        guard !valid.isEmpty else { return }
        identity.perform { [limits] settings, moment in
            // The whole is judged too: many small additions must not outgrow the limits either.
            let (whole, diagnostics) = settings.identity.attributes.merging(valid).valid(limits)
            let fitting = Attributes(valid.filter { whole[$0.key] != nil })
            return .init(
                identity: settings.identity.attributesSet(fitting, at: moment.wall),
                diagnostics: diagnostics
            )
        }
    }

    /// Takes back what was said about the person; records `_profile_unset`, also for names that are not known here,
    /// because a back-end may know them from an earlier time.
    public func removeUserAttributes(_ names: [String]) {
        // One more than may be, so that the excess is told.
        let marked = Attributes(
            names.prefix(limits.oneAttributeTooMany).map { (key: $0, value: AttributeValue.boolean(true)) }
        )
        let (valid, diagnostics) = marked.valid(limits)
        for diagnostic in diagnostics { reporter.report(diagnostic) }
        identity.perform { settings, _ in .init(identity: settings.identity.attributesRemoved(valid.keys)) }
    }
}
