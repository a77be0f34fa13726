// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
public import TrackwayTriggers

#if canImport(UIKit) && !os(watchOS)
internal import TrackwayUIKit
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
    public var triggerEvents: [TriggerEvent]? { sparkEvents?.map(\.current) }
}

extension SparkDetector {
    /// An object as an element; nil when it is none.
    @MainActor
    static func element(_ object: Any) -> (any TriggerElement)? {
        #if canImport(UIKit) && !os(watchOS)
        if let view = object as? UIView { return ViewElement(view, events: events) }
        #endif
        return object as? any SparkElement
    }

    /// An object as a touch; nil when it is none.
    @MainActor
    static func touch(_ object: Any) -> (any TriggerTouch)? {
        #if canImport(UIKit) && !os(watchOS)
        if let touch = object as? UITouch { return ViewTouch(touch, events: events) }
        #endif
        return object as? any TriggerTouch
    }

    /// What the app wants done when something happens to an object.
    @MainActor
    private static func events(of object: NSObject) -> [TriggerEvent]? {
        object.sparkEvents?.map(\.current)
    }
}
