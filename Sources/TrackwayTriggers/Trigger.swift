// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What happens to an element of the interface.
public enum Trigger: Sendable, Hashable {
    /// Nothing: an event that has it never fires.
    case never
    /// The element came into sight.
    case didAppear
    /// The element went out of sight.
    case didDisappear
    /// A touch that lay inside the element ended.
    case didEndTouch
    /// The user began to scroll the element.
    case didBeginScroll
    /// The element became the one that text is typed into.
    case didBecomeFirstResponder
    /// The element is no longer the one that text is typed into.
    case didResignFirstResponder
    /// The element's own action was carried out: a control's, a row's.
    case targetAction
    /// A happening of the app's own, by its name.
    case custom(String)

    /// All but the app's own, in the order they are documented in.
    public static let documented: [Trigger] = [
        .never, .didAppear, .didDisappear, .didEndTouch, .didBeginScroll, .didBecomeFirstResponder,
        .didResignFirstResponder, .targetAction,
    ]

    /// The name in events and reports: `none` for ``never``, the case's name for the others, the app's own name for ``custom(_:)``.
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
    /// The name.
    public var description: String { name }
}
