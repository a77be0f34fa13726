// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
package import TrackwayLifecycle

extension Analytics {
    /// Records a screen view, as `_screen_view`.
    ///
    /// Every event recorded after this call, on any thread, contains the screen.
    ///
    /// ```swift
    /// analytics.screen("Product", path: "shop/products", ["sku": sku])
    /// ```
    /// If UIKit screens are captured, a named screen replaces a captured one: that of the view controller that is about
    /// to appear, or else the one in front. Therefore call this from `viewDidAppear`, or from `viewWillAppear` after
    /// `super`. Every other view controller that appears later is a separate screen.
    ///
    /// - Parameters:
    ///   - name: The screen's name. An empty name is reported as a `Diagnostic` and changes nothing.
    ///   - path: The screen's position in the app, such as `shop/products`; recorded as `_screen_id`.
    ///   - instanceID: An id that distinguishes two screens with the same name; recorded as `_screen_unique_id`.
    ///   - attributes: The attributes of this screen view.
    public func screen(
        _ name: String,
        path: String? = nil,
        instanceID: String? = nil,
        _ attributes: Attributes = [:]
    ) {
        screen(name, id: path, uniqueID: instanceID, replacing: .lastFound, attributes)
    }

    /// Records a screen that replaces a screen detected by the platform.
    package func screen(
        _ name: String,
        id: String?,
        uniqueID: String?,
        replacing replaced: ScreenView.ReplacedScreen,
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
        lifecycle.screenTracker.screenNamed(
            ScreenView(screen: screen, attributes: attributes, isManual: true, standsFor: replaced)
        )
    }

    /// Records a tap on an element, as `_click`.
    ///
    /// Call this for elements that are not captured automatically.
    ///
    /// - Parameters:
    ///   - element: The element's name; an empty name is ignored with a `Diagnostic`.
    ///   - attributes: The attributes of the tap.
    public func trackTap(_ element: String, _ attributes: Attributes = [:]) {
        guard !isInChild else { return }
        guard !element.isEmpty else {
            reporter.report(
                Diagnostic(
                    code: .elementInvalid,
                    field: "element",
                    value: element,
                    message: "A tap was not recorded because the name of its element is empty.",
                    recoverySuggestion: "Give every element a name."
                )
            )
            return
        }
        var attributes = attributes
        attributes[CapturedKey.elementID] = .string(element)
        record(CapturedName.click, attributes)
    }

    /// Truncates a screen's text to the limit for text values.
    ///
    /// The text is part of every event's context.
    private func fit(_ text: String) -> String {
        guard text.utf8.count > recording.limits.stringBytes else { return text }
        reporter.report(
            Diagnostic(
                code: .screenInvalid,
                field: "screen",
                value: text.truncated(toUTF8Count: 64),
                message: "The text \(text.truncated(toUTF8Count: 64).quoted) of a screen was truncated because it has "
                    + "\(text.utf8.count) bytes and the limit is \(recording.limits.stringBytes).",
                recoverySuggestion: "Use at most \(recording.limits.stringBytes) bytes."
            )
        )
        return text.truncated(toUTF8Count: recording.limits.stringBytes)
    }
}
