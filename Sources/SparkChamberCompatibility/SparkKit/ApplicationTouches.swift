// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import Foundation
internal import TrackwayUIKit
internal import UIKit

/// The observation of the application's touches; nil while disabled.
@MainActor private var applicationTouches: UIKitHooks.Observation?

extension SparkDetector {
    /// Whether `didEndTouch` events fire for touches of the whole application.
    ///
    /// This includes touches in views of any class, not only SparkKit's classes. False by default. This property
    /// replaces the documented build setting.
    ///
    /// An event fires once per touch, even if its own element, the application, and the app's code all report the
    /// touch. A touch counts when the system delivers it to the application, before windows, gestures, and views
    /// receive it. A touch that a view does not pass on, or that a gesture claims, therefore also counts.
    ///
    /// `UIApplication.sendEvent(_:)` is swizzled while this is true. If `TrackwaySwizzlingEnabled` in the Info.plist
    /// forbids swizzling, no touches are observed.
    #if canImport(ObjectiveC)
    @objc
    #endif
    @MainActor public static var tracksApplicationTouches: Bool {
        get { applicationTouches != nil }
        set {
            guard newValue else {
                applicationTouches?.cancel()
                applicationTouches = nil
                return
            }
            guard applicationTouches == nil else { return }
            var handlers = UIKitHooks.Handlers()
            handlers.willSendEvent = { event in
                guard event.type == .touches, let touches = event.allTouches else { return }
                let ended = touches.filter { $0.phase == .ended }
                if !ended.isEmpty { reportEndedTouches(ended) }
            }
            applicationTouches = UIKitHooks.observe(handlers)
        }
    }
}
#endif
