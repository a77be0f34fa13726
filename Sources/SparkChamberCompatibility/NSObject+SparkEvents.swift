// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayTriggers

/// Something that events can be attached to.
#if canImport(ObjectiveC)
@objc
#endif
public protocol SparkEventData: NSObjectProtocol {
    /// The events attached to it.
    var sparkEvents: [SparkEvent]? { get set }
}

/// The events of every object that has some.
private let storage = AssociatedStorage<[SparkEvent]>()

extension NSObject: SparkEventData {
    /// The events attached to this object; they end with it. Nil when nothing was said, which differs from an empty list: a touch in
    /// an element of which nothing was said is left to the cell it lies in.
    ///
    /// Attached to any object: views, and also models, gestures, bar items, which fire nothing by themselves.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public final var sparkEvents: [SparkEvent]? {
        get { storage[self] }
        set { storage[self] = newValue }
    }
}
