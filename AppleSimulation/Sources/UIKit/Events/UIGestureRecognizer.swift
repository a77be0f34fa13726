// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

#if canImport(ObjectiveC)
public import ObjectiveC
#endif

/// Rules modeled here:
/// - A window sends touches to the recognizers of the hit view and its ancestors before it sends them to the view; a
///   recognized tap cancels the view's touch (`cancelsTouchesInView`, see its page).
@MainActor open class UIGestureRecognizer: NSObject {
    public enum State: Int, Sendable {
        case possible = 0
        case began = 1
        case changed = 2
        case ended = 3
        case cancelled = 4
        case failed = 5
        public static let recognized = State.ended
    }

    open var state = State.possible
    open var isEnabled = true
    open var cancelsTouchesInView = true
    open var name: String?
    open internal(set) weak var view: UIView?
    open weak var delegate: (any UIGestureRecognizerDelegate)?

    var targets: [(target: Any?, action: Selector)] = []

    public init(target: Any?, action: Selector?) {
        super.init()
        if let action { targets.append((target, action)) }
    }

    public convenience override init() {
        self.init(target: nil, action: nil)
    }

    open func addTarget(_ target: Any, action: Selector) {
        targets.append((target, action))
    }

    open func removeTarget(_ target: Any?, action: Selector?) {
        #if !canImport(ObjectiveC)
        targets.removeAll { entry in
            (target == nil || entry.target as AnyObject === target as AnyObject)
                && (action == nil || entry.action == action)
        }
        #endif
    }

    open func location(in view: UIView?) -> CGPoint {
        view.map { $0.convert(point, from: nil) } ?? point
    }

    var point = CGPoint.zero

    #if !canImport(ObjectiveC)
    /// Whether a subclass recognizes its gesture in a touch that ended.
    func isRecognized(_ touch: UITouch) -> Bool { false }

    /// Recognizes a gesture that is not simulated by touches, and notifies its targets.
    public func simulateRecognition() {
        state = .ended
        for entry in targets {
            _ = UIApplication.simulatedPerform(entry.action, on: entry.target, from: self, for: nil)
        }
        state = .possible
    }
    #endif
}

@MainActor /*@objc*/ public protocol UIGestureRecognizerDelegate: NSObjectProtocol {
    /*@objc*/ /*optional*/ func gestureRecognizerShouldBegin(_ gestureRecognizer: UIGestureRecognizer) -> Bool
}

#if !canImport(ObjectiveC)
extension UIGestureRecognizerDelegate {
    public func gestureRecognizerShouldBegin(_ gestureRecognizer: UIGestureRecognizer) -> Bool { true }
}
#endif

@MainActor open class UITapGestureRecognizer: UIGestureRecognizer {
    open var numberOfTapsRequired = 1
    open var numberOfTouchesRequired = 1

    #if !canImport(ObjectiveC)
    override func isRecognized(_ touch: UITouch) -> Bool {
        touch.tapCount >= numberOfTapsRequired
    }
    #endif
}

@MainActor open class UILongPressGestureRecognizer: UIGestureRecognizer {
    open var minimumPressDuration: TimeInterval = 0.5
}

@MainActor open class UIPanGestureRecognizer: UIGestureRecognizer {
    open func translation(in view: UIView?) -> CGPoint { .zero }
    open func velocity(in view: UIView?) -> CGPoint { .zero }
}

@MainActor open class UISwipeGestureRecognizer: UIGestureRecognizer {
    public struct Direction: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let right = Direction(rawValue: 1 << 0)
        public static let left = Direction(rawValue: 1 << 1)
        public static let up = Direction(rawValue: 1 << 2)
        public static let down = Direction(rawValue: 1 << 3)
    }

    open var direction = Direction.right
}
