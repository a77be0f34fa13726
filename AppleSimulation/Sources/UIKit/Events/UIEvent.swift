// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// Rules modeled here:
/// - One object represents a touch from its beginning to its end, and its view remains the one that was hit at the
///   beginning (Apple, pages of `UITouch` and `UITouch.view`).
@MainActor open class UITouch: NSObject {
    public enum Phase: Int, Sendable {
        case began = 0
        case moved = 1
        case stationary = 2
        case ended = 3
        case cancelled = 4
        case regionEntered = 5
        case regionMoved = 6
        case regionExited = 7
    }

    public enum TouchType: Int, Sendable {
        case direct = 0
        case indirect = 1
        case pencil = 2
        case indirectPointer = 3
    }

    open internal(set) var timestamp: TimeInterval = 0
    open internal(set) var phase = Phase.began
    open internal(set) var tapCount = 0
    open internal(set) var type = TouchType.direct
    open internal(set) var window: UIWindow?
    open internal(set) var view: UIView?
    open internal(set) var gestureRecognizers: [UIGestureRecognizer]?

    var point = CGPoint.zero
    var previousPoint = CGPoint.zero

    public override init() {
        super.init()
    }

    open func location(in view: UIView?) -> CGPoint {
        view.map { $0.convert(point, from: nil) } ?? point
    }

    open func previousLocation(in view: UIView?) -> CGPoint {
        view.map { $0.convert(previousPoint, from: nil) } ?? previousPoint
    }
}

#if !canImport(ObjectiveC)
extension UITouch {
    /// Returns a touch in any state, for tests that call touch handlers directly.
    ///
    /// - Parameters:
    ///   - phase: The phase of the touch.
    ///   - view: The view that was hit.
    ///   - point: The location in the view's coordinates.
    ///   - tapCount: The number of consecutive taps.
    public static func simulated(
        _ phase: Phase,
        in view: UIView?,
        at point: CGPoint = .zero,
        tapCount: Int = 1
    ) -> UITouch {
        let touch = UITouch()
        touch.phase = phase
        touch.view = view
        touch.window = view?.window
        touch.point = view?.convert(point, to: nil) ?? point
        touch.previousPoint = touch.point
        touch.tapCount = tapCount
        return touch
    }
}
#endif

@MainActor open class UIEvent: NSObject {
    public enum EventType: Int, Sendable {
        case touches = 0
        case motion = 1
        case remoteControl = 2
        case presses = 3
        case scroll = 10
        case hover = 11
        case transform = 14
    }

    public enum EventSubtype: Int, Sendable {
        case none = 0
        case motionShake = 1
        case remoteControlPlay = 100
        case remoteControlPause = 101
        case remoteControlStop = 102
        case remoteControlTogglePlayPause = 103
        case remoteControlNextTrack = 104
        case remoteControlPreviousTrack = 105
        case remoteControlBeginSeekingBackward = 106
        case remoteControlEndSeekingBackward = 107
        case remoteControlBeginSeekingForward = 108
        case remoteControlEndSeekingForward = 109
    }

    open var type: EventType { .touches }
    open var subtype: EventSubtype { .none }
    open internal(set) var timestamp: TimeInterval = 0
    open internal(set) var allTouches: Set<UITouch>?

    public override init() {
        super.init()
    }

    open func touches(for window: UIWindow) -> Set<UITouch>? {
        allTouches?.filter { $0.window === window }
    }

    open func touches(for view: UIView) -> Set<UITouch>? {
        allTouches?.filter { $0.view === view }
    }
}

#if !canImport(ObjectiveC)
extension UIEvent {
    /// Returns an event with these touches, for tests that call event handlers directly.
    public static func simulated(_ touches: Set<UITouch>) -> UIEvent {
        let event = UIEvent()
        event.allTouches = touches
        return event
    }
}
#endif

/// A press of a button on a remote control.
@MainActor open class UIPress: NSObject {
    public enum Phase: Int, Sendable {
        case began = 0
        case changed = 1
        case stationary = 2
        case ended = 3
        case cancelled = 4
    }

    public enum PressType: Int, Sendable {
        case upArrow = 0
        case downArrow = 1
        case leftArrow = 2
        case rightArrow = 3
        case select = 4
        case menu = 5
        case playPause = 6
        case pageUp = 30
        case pageDown = 31
    }

    open internal(set) var timestamp: TimeInterval = 0
    open internal(set) var phase = Phase.began
    open internal(set) var type = PressType.select
    open internal(set) var window: UIWindow?
    open internal(set) var responder: UIResponder?

    public override init() {
        super.init()
    }
}

@MainActor open class UIPressesEvent: UIEvent {
    open override var type: UIEvent.EventType { .presses }
    open internal(set) var allPresses: Set<UIPress> = []
}
