// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
public import TrackwayEvents

extension Analytics {
    /// Tells which screen is shown. Records `_screen_view`, and every event recorded after this call carries the screen,
    /// on every thread.
    ///
    /// ```swift
    /// analytics.screen("Home", id: "home-1")
    /// ```
    /// Where screens are also found by the platform, a named one takes the place of one of them: of the controller that is about to
    /// appear, else of the one in front. So call this from `viewDidAppear`, or from `viewWillAppear` after `super`. Any other
    /// controller that appears afterwards is a screen of its own.
    ///
    /// - Parameters:
    ///   - name: what the screen is called. An empty name is a mistake: a `Diagnostic` tells, and the screen stays what it
    ///     was.
    ///   - id: where in the app it lies.
    ///   - uniqueID: what tells two screens of one name apart.
    ///   - attributes: what else is worth knowing about this view of it.
    public func screen(_ name: String, id: String? = nil, uniqueID: String? = nil, _ attributes: Attributes = [:]) {
        screen(name, id: id, uniqueID: uniqueID, standingFor: .lastFound, attributes)
    }

    /// Records which screen is shown, of one that takes the place of a screen that the platform finds.
    package func screen(
        _ name: String,
        id: String?,
        uniqueID: String?,
        standingFor standing: ScreenView.Standing,
        _ attributes: Attributes
    ) {
        guard !isInChild else { return }
        guard !name.isEmpty else {
            reporter.report(
                Diagnostic(
                    code: .screenInvalid,
                    field: "name",
                    value: name,
                    remedy: "Name every screen; without a name nobody can tell which one it was."
                )
            )
            return
        }
        let screen = RecordedContext.Screen(name: fit(name), id: id.map(fit), uniqueID: uniqueID.map(fit))
        screenTracker.named(
            ScreenView(screen: screen, attributes: attributes, isManual: true, standsFor: standing)
        )
    }

    /// Records that an element was clicked, `_click`, where nobody sees it by itself.
    ///
    /// - Parameters:
    ///   - element: what the element is called. An empty name is a mistake: a `Diagnostic` tells, and nothing is recorded.
    ///   - attributes: what else is worth knowing.
    public func click(_ element: String, _ attributes: Attributes = [:]) {
        guard !isInChild else { return }
        guard !element.isEmpty else {
            reporter.report(
                Diagnostic(
                    code: .elementInvalid,
                    field: "element",
                    value: element,
                    remedy: "Name every element; without a name nobody can tell which one it was."
                )
            )
            return
        }
        var attributes = attributes
        attributes[CapturedKey.elementID] = .string(element)
        record(CapturedName.click, attributes)
    }

    /// What stands in every event's context is held to the limits of an event's texts.
    private func fit(_ text: String) -> String {
        guard text.utf8.count > limits.stringBytes else { return text }
        reporter.report(
            Diagnostic(
                code: .screenInvalid,
                field: "screen",
                value: text.cut(toBytes: 64),
                remedy: "Use at most \(limits.stringBytes) bytes; the rest was cut off."
            )
        )
        return text.cut(toBytes: limits.stringBytes)
    }
}
