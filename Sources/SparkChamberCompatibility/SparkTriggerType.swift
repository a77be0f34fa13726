// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayTriggers

/// What happens to an interface element; raw values follow the documented order.
///
/// A custom trigger has a name; see ``SparkEvent/customTrigger``.
#if canImport(ObjectiveC)
@objc
#endif
public enum SparkTriggerType: Int, Sendable, CaseIterable {
    /// The event has no trigger.
    case none
    /// The element appeared.
    case didAppear
    /// The element disappeared.
    case didDisappear
    /// A touch ended inside the element.
    case didEndTouch
    /// Scrolling began.
    case didBeginScroll
    /// The element became the first responder.
    case didBecomeFirstResponder
    /// The element is no longer the first responder.
    case didResignFirstResponder
    /// The element's action was performed.
    case targetAction

    /// The corresponding Trackway trigger.
    var native: Trigger { Trigger.documented[rawValue] }

    /// Creates the trigger that corresponds to a Trackway trigger.
    ///
    /// `none` for a custom one.
    init(_ trigger: Trigger) {
        self = Trigger.documented.firstIndex(of: trigger).flatMap { SparkTriggerType(rawValue: $0) } ?? .none
    }
}

extension SparkTriggerType: CustomStringConvertible {
    /// The name.
    public var description: String { native.name }
}
