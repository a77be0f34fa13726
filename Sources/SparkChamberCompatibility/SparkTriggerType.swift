// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayTriggers

/// What happens to an element of the interface; the numbers are the documented order.
///
/// A trigger of the app's own is a name: see ``SparkEvent/customTrigger``.
#if canImport(ObjectiveC)
@objc
#endif
public enum SparkTriggerType: Int, Sendable, CaseIterable {
    /// The event has no trigger.
    case none
    /// The element came into sight.
    case didAppear
    /// The element went out of sight.
    case didDisappear
    /// A touch ended inside the element.
    case didEndTouch
    /// Scrolling began.
    case didBeginScroll
    /// The element became the first responder.
    case didBecomeFirstResponder
    /// The element is no longer the first responder.
    case didResignFirstResponder
    /// The element's action was carried out.
    case targetAction

    /// The trigger as our own events have it.
    var native: Trigger { Trigger.documented[rawValue] }

    /// The documented trigger that one of ours is; none for one of the app's own.
    init(_ trigger: Trigger) {
        self = Trigger.documented.firstIndex(of: trigger).flatMap { SparkTriggerType(rawValue: $0) } ?? .none
    }
}

extension SparkTriggerType: CustomStringConvertible {
    /// The name.
    public var description: String { native.name }
}
