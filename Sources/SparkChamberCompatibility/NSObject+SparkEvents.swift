// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayTriggers

/// An object that events can be attached to.
#if canImport(ObjectiveC)
@objc
#endif
public protocol SparkEventData: NSObjectProtocol {
    /// The events attached to it.
    var sparkEvents: [SparkEvent]? { get set }
}

/// The attached events of all objects.
private let storage = AssociatedStorage<[SparkEvent]>()

extension NSObject: SparkEventData {
    /// The events attached to this object, which are released with it.
    ///
    /// Nil if never set, which differs from an empty list: a touch in an element with nil is handled by the enclosing
    /// cell.
    ///
    /// Events can be attached to any object: to views, and also to models, gestures and bar items, whose events do not
    /// fire automatically.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public final var sparkEvents: [SparkEvent]? {
        get { storage[self] }
        set { storage[self] = newValue }
    }
}
