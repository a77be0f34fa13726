// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A user-interface event that can fire trigger events.
public enum Trigger: Sendable, Hashable {
    /// A trigger that never occurs; an event with this trigger never fires.
    case never
    /// The element appeared.
    case didAppear
    /// The element disappeared.
    case didDisappear
    /// A touch inside the element ended.
    case didEndTouch
    /// The user began to scroll the element.
    case didBeginScroll
    /// The element became the first responder for text input.
    case didBecomeFirstResponder
    /// The element is no longer the first responder for text input.
    case didResignFirstResponder
    /// The element's own action was performed.
    ///
    /// For example, controls and rows have such an action.
    case targetAction
    /// An app-defined trigger with this name.
    case custom(String)

    /// All triggers that are not app-defined, in the documented order.
    public static let builtIn: [Trigger] = [
        .never, .didAppear, .didDisappear, .didEndTouch, .didBeginScroll, .didBecomeFirstResponder,
        .didResignFirstResponder, .targetAction,
    ]

    /// The trigger's name in events and reports.
    ///
    /// The name is `none` for ``never``, the app's name for ``custom(_:)``, and the case name for all others.
    public var name: String {
        switch self {
        case .never: "none"
        case .didAppear: "didAppear"
        case .didDisappear: "didDisappear"
        case .didEndTouch: "didEndTouch"
        case .didBeginScroll: "didBeginScroll"
        case .didBecomeFirstResponder: "didBecomeFirstResponder"
        case .didResignFirstResponder: "didResignFirstResponder"
        case .targetAction: "targetAction"
        case .custom(let name): name
        }
    }
}

extension Trigger: CustomStringConvertible {
    /// The trigger's name.
    public var description: String { name }
}
