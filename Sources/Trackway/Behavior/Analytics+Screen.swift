// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
public import TrackwayEvents

extension Analytics {
    /// Records that a screen is shown, as `_screen_view`.
    ///
    /// Every event recorded after this call carries the screen, on every thread.
    ///
    /// ```swift
    /// analytics.screen("Product", path: "shop/products", ["sku": sku])
    /// ```
    /// Where UIKit screens are captured, a named screen replaces a captured one: that of the view controller that is about to appear, or else the
    /// one in front. So call this from `viewDidAppear`, or from `viewWillAppear` after `super`. Every other view controller that appears later is a
    /// screen of its own.
    ///
    /// - Parameters:
    ///   - name: the screen's name. An empty name is reported as a `Diagnostic` and changes nothing.
    ///   - path: the screen's position in the app, such as `shop/products`; recorded as `_screen_id`.
    ///   - instanceID: an id that distinguishes two screens of one name; recorded as `_screen_unique_id`.
    ///   - attributes: attributes of this screen view.
    public func screen(
        _ name: String,
        path: String? = nil,
        instanceID: String? = nil,
        _ attributes: Attributes = [:]
    ) {
        screen(name, id: path, uniqueID: instanceID, standingFor: .lastFound, attributes)
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
                    message: "A screen was ignored because its name is empty.",
                    recoverySuggestion: "Give every screen a name."
                )
            )
            return
        }
        let screen = RecordedContext.Screen(name: fit(name), id: id.map(fit), uniqueID: uniqueID.map(fit))
        lifecycle.screenTracker.named(
            ScreenView(screen: screen, attributes: attributes, isManual: true, standsFor: standing)
        )
    }

    /// Records a tap on an element that is not captured by itself, as `_click`.
    ///
    /// - Parameters:
    ///   - element: the name of the element; an empty name is ignored with a `Diagnostic`.
    ///   - attributes: attributes of the tap.
    public func trackTap(_ element: String, _ attributes: Attributes = [:]) {
        guard !isInChild else { return }
        guard !element.isEmpty else {
            reporter.report(
                Diagnostic(
                    code: .elementInvalid,
                    field: "element",
                    value: element,
                    message: "A click was not recorded because the name of its element is empty.",
                    recoverySuggestion: "Give every element a name."
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
        guard text.utf8.count > recording.limits.stringBytes else { return text }
        reporter.report(
            Diagnostic(
                code: .screenInvalid,
                field: "screen",
                value: text.cut(toBytes: 64),
                message: "The text \(text.cut(toBytes: 64).quoted) of a screen was truncated because it has "
                    + "\(text.utf8.count) bytes and the limit is \(recording.limits.stringBytes).",
                recoverySuggestion: "Use at most \(recording.limits.stringBytes) bytes."
            )
        )
        return text.cut(toBytes: recording.limits.stringBytes)
    }
}
