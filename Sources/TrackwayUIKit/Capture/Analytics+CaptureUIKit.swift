// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
public import Trackway
public import TrackwayTriggers

extension Analytics {
    /// Starts capturing UIKit screens and clicks.
    ///
    /// ```swift
    /// analytics.captureUIKit()
    /// ```
    /// The capture lasts until this `Analytics` is released; the result may be discarded. Screens are recorded while
    /// ``Configuration/capture`` contains `.screens`. A second call changes nothing and returns the same capture, until
    /// ``UIKitCapture/stop()`` ends it.
    ///
    /// - Parameters:
    ///   - screens: The controllers that are screens; nil for none.
    ///   - clicks: The touches that are clicks; nil for none.
    ///   - detector: Fires the triggers of views (`UIView.triggerEvents`); nil for none. The capture retains it, so it
    ///     must not retain this `Analytics`.
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
