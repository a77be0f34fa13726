// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import Foundation
public import UIKit

/// A button whose `didEndTouch` events fire automatically.
///
/// The detector is notified first, while the button still knows whether the touch is inside.
#if canImport(ObjectiveC)
@objcMembers
#endif
open class SparkButton: UIButton {
    /// Notifies the detector, then passes the touches to the superclass.
    open override func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {
        SparkDetector.reportEndedTouches(touches)
        super.touchesEnded(touches, with: event)
    }
}
#endif
