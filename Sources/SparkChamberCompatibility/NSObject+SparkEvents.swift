// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayTriggers

/// An object to which events can be attached.
#if canImport(ObjectiveC)
@objc
#endif
public protocol SparkEventData: NSObjectProtocol {
    /// The events attached to the object.
    var sparkEvents: [SparkEvent]? { get set }
}

/// The attached events of all objects.
private let storage = AssociatedStorage<[SparkEvent]>()

extension NSObject: SparkEventData {
    /// The events attached to this object, which are released with it.
    ///
    /// nil if never set, which differs from an empty list: if an element's value is nil, the enclosing cell handles
    /// touches in the element.
    ///
    /// Events can be attached to any object: not only to views but also to models, gestures, and bar items. Events of
    /// objects other than views do not fire automatically.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public final var sparkEvents: [SparkEvent]? {
        get { storage[self] }
        set { storage[self] = newValue }
    }
}
