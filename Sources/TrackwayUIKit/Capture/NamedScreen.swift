// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
public import Trackway
internal import TrackwayBehavior
public import UIKit

/// A view controller that says what its screen is called.
///
/// ```swift
/// extension ProductViewController: NamedScreen {
///     var screenName: String? { "Product" }
///     var screenAttributes: Attributes { ["sku": product.sku] }
/// }
/// ```
@MainActor
public protocol NamedScreen: UIViewController {
    /// What the screen is called; nil when the controller shows none.
    var screenName: String? { get }
    /// What else is worth knowing about it each time it is shown.
    var screenAttributes: Attributes { get }
}

extension NamedScreen {
    /// Nothing.
    public var screenAttributes: Attributes { [:] }
}

/// A view controller of the app's own that shows other controllers, each of which is a screen, as a tab bar controller does.
///
/// ```swift
/// extension RootViewController: ScreenContainer {}
/// ```
/// It is no screen itself unless it says so as a ``NamedScreen``.
@MainActor
public protocol ScreenContainer: UIViewController {}

extension Analytics {
    /// Tells that a controller's screen is shown, where the app tells that itself: from `viewDidAppear`, say.
    ///
    /// - Parameters:
    ///   - controller: the controller.
    ///   - name: what the screen is called; as the controller, or else its class, says when nil.
    ///   - attributes: what else is worth knowing.
    @MainActor
    public func screen(_ controller: UIViewController, name: String? = nil, _ attributes: Attributes = [:]) {
        var facts = ViewFacts.controller(controller)
        var (chosen, more) = (name, attributes)
        if case .named(let own, let said)? = facts.chosen {
            chosen = name ?? own
            more = attributes.merging(said)
        }
        // Whoever asks for it means it: a container, too, and a class of the system's.
        facts.container = nil
        facts.chosen = .named(
            chosen ?? ScreenRules.readableName(of: ScreenRules.bareName(of: facts.className)),
            more
        )
        guard let found = ScreenRules().screen(of: facts) else { return }
        screen(
            found.name,
            id: found.id,
            uniqueID: found.uniqueID,
            standingFor: .screen(found.uniqueID),
            found.attributes
        )
    }
}
#endif
