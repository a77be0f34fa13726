// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
public import Trackway
public import TrackwayTriggers

extension Analytics {
    /// Captures screens and clicks of UIKit from now on.
    ///
    /// ```swift
    /// analytics.captureUIKit()
    /// ```
    /// Capture lasts as long as these analytics; the result may be discarded.
    /// Screens are recorded while ``Configuration/capture`` contains `.screens`.
    /// A second call changes nothing and returns the same capture, until ``UIKitCapture/stop()`` ends it.
    ///
    /// - Parameters:
    ///   - screens: The controllers that are screens; nil for none.
    ///   - clicks: The touches that are clicks; nil for none.
    ///   - detector: Fires the triggers of views (`UIView.triggerEvents`); nil for none. It lives as long as the capture, so it must not
    ///     keep these analytics alive.
    /// - Returns: The capture, to stop it early.
    @MainActor
    @discardableResult
    public func captureUIKit(
        screens: ScreenRules? = ScreenRules(),
        clicks: ClickRules? = ClickRules(),
        detector: Detector? = nil
    ) -> UIKitCapture {
        UIKitCapture.shared(by: self) {
            UIKitCapture(self, screens: screens, clicks: clicks, detector: detector)
        }
    }
}
#endif
