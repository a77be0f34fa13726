// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import Foundation
internal import TrackwayUIKit
internal import UIKit

/// Touches of the whole application, while somebody asked for them.
@MainActor private var applicationTouches: UIKitHooks.Observation?

extension SparkDetector {
    /// Whether `didEndTouch` events fire for touches of the whole application: in views of any class, whether or not they are
    /// SparkKit's. False unless it is set; it takes the place of the documented build setting.
    ///
    /// An event fires once for a touch, also when its own element, the application and the app's code tell of it. A touch
    /// counts when the system hands it to the application, before windows, gestures and views have it: so does one that a
    /// view does not pass on, and one that a gesture takes for itself.
    ///
    /// `UIApplication.sendEvent(_:)` is exchanged meanwhile, which `TrackwaySwizzlingEnabled` in the property list
    /// forbids: then nothing is heard.
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
                let over = touches.filter { $0.phase == .ended }
                if !over.isEmpty { ended(over) }
            }
            applicationTouches = UIKitHooks.observe(handlers)
        }
    }
}
#endif
