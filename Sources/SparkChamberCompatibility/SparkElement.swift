// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
public import TrackwayTriggers

#if canImport(UIKit) && !os(watchOS)
internal import TrackwayUIKit
internal import UIKit
#endif

/// An interface element for systems without UIKit.
///
/// The element represents a view of another UI framework or a view in a test. Its events are its `sparkEvents`.
///
/// ```swift
/// final class Tile: NSObject, SparkElement {}
/// ```
@MainActor
public protocol SparkElement: NSObject, TriggerElement {}

extension SparkElement {
    /// The object's `sparkEvents`.
    public var triggerEvents: [TriggerEvent]? { sparkEvents?.map(\.updatedCore) }
}

extension SparkDetector {
    /// Returns an object as an element.
    ///
    /// nil if the object is not an element.
    @MainActor
    static func element(_ object: Any) -> (any TriggerElement)? {
        #if canImport(UIKit) && !os(watchOS)
        if let view = object as? UIView { return ViewElement(view, events: events) }
        #endif
        return object as? any SparkElement
    }

    /// Returns an object as a touch.
    ///
    /// nil if the object is not a touch.
    @MainActor
    static func touch(_ object: Any) -> (any TriggerTouch)? {
        #if canImport(UIKit) && !os(watchOS)
        if let touch = object as? UITouch { return ViewTouch(touch, events: events) }
        #endif
        return object as? any TriggerTouch
    }

    /// Returns the events attached to an object.
    @MainActor
    private static func events(of object: NSObject) -> [TriggerEvent]? {
        object.sparkEvents?.map(\.updatedCore)
    }
}
