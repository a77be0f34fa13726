// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayTriggers

/// The trigger of an event; raw values follow the documented order.
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
    var trackwayTrigger: Trigger { Trigger.builtIn[rawValue] }

    /// Creates the trigger that corresponds to a Trackway trigger.
    ///
    /// The result is `none` for a custom trigger.
    init(_ trigger: Trigger) {
        self = Trigger.builtIn.firstIndex(of: trigger).flatMap { SparkTriggerType(rawValue: $0) } ?? .none
    }
}

extension SparkTriggerType: CustomStringConvertible {
    /// The trigger's name.
    public var description: String { trackwayTrigger.name }
}
