// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
public import TrackwayTriggers

#if canImport(UIKit) && !os(watchOS)
internal import UIKit
#endif

/// An object that the detector takes for an element of an interface, where there is no UIKit: a view of another kind, or one of a test.
/// Its events are its `sparkEvents`.
///
/// ```swift
/// final class Tile: NSObject, SparkElement {}
/// ```
@MainActor
public protocol SparkElement: NSObject, TriggerElement {}

extension SparkElement {
    /// The object's `sparkEvents`.
    public var triggerEvents: [TriggerEvent]? { sparkEvents?.map(\.core) }
}

extension SparkDetector {
    /// An object as an element; nil when it is none.
    @MainActor
    static func element(_ object: Any) -> (any TriggerElement)? {
        #if canImport(UIKit) && !os(watchOS)
        if let view = object as? UIView { return ViewElement(view) }
        #endif
        return object as? any SparkElement
    }

    /// An object as a touch; nil when it is none.
    @MainActor
    static func touch(_ object: Any) -> (any TriggerTouch)? {
        #if canImport(UIKit) && !os(watchOS)
        if let touch = object as? UITouch { return ViewTouch(touch) }
        #endif
        return object as? any TriggerTouch
    }
}

#if canImport(UIKit) && !os(watchOS)
/// A view as an element.
@MainActor
struct ViewElement: TriggerElement {
    let view: UIView

    init(_ view: UIView) {
        self.view = view
    }

    var triggerEvents: [TriggerEvent]? { view.sparkEvents?.map(\.core) }
    var parentElement: (any TriggerElement)? { view.superview.map { ViewElement($0) } }
    var isCell: Bool { view is UITableViewCell || view is UICollectionViewCell }
    var isInteractionEnabled: Bool { view.isUserInteractionEnabled }
    var isTracking: Bool { (view as? UIScrollView)?.isTracking ?? false }
    var elementType: String { String(describing: type(of: view)) }
    var elementID: String? { view.accessibilityIdentifier }
}

/// A touch of UIKit's.
@MainActor
struct ViewTouch: TriggerTouch {
    let touch: UITouch

    init(_ touch: UITouch) {
        self.touch = touch
    }

    var object: AnyObject { touch }
    var timestamp: Double { touch.timestamp }
    var hasEnded: Bool { touch.phase == .ended }
    var element: (any TriggerElement)? { touch.view.map { ViewElement($0) } }
    var isInside: Bool {
        guard let view = touch.view else { return false }
        if let control = view as? UIControl { return control.isTouchInside }
        return view.point(inside: touch.location(in: view), with: nil)
    }
}
#endif
