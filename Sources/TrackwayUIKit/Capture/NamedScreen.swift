// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
public import Trackway
internal import TrackwayLifecycle
public import UIKit

/// A view controller that names its screen.
///
/// ```swift
/// extension ProductViewController: NamedScreen {
///     var screenName: String? { "Product" }
///     var screenAttributes: Attributes { ["sku": product.sku] }
/// }
/// ```
@MainActor
public protocol NamedScreen: UIViewController {
    /// The name of the screen; nil if the controller shows no screen.
    var screenName: String? { get }
    /// Additional attributes, read each time the screen is shown.
    var screenAttributes: Attributes { get }
}

extension NamedScreen {
    /// Empty by default.
    public var screenAttributes: Attributes { [:] }
}

/// A custom container controller whose children are screens.
///
/// The children are treated like those of a tab bar controller.
///
/// ```swift
/// extension RootViewController: ScreenContainer {}
/// ```
/// The container is not a screen itself unless it also conforms to ``NamedScreen``.
@MainActor
public protocol ScreenContainer: UIViewController {}

extension Analytics {
    /// Records that a controller's screen is shown.
    ///
    /// Call this method in apps that report screens manually, for example from `viewDidAppear`.
    ///
    /// - Parameters:
    ///   - controller: the controller.
    ///   - name: the name of the screen; nil to use the controller's own name or, if it has none, the name of its
    ///     class.
    ///   - attributes: additional attributes.
    @MainActor
    public func screen(_ controller: UIViewController, name: String? = nil, _ attributes: Attributes = [:]) {
        var facts = ViewFacts.controller(controller)
        var (chosenName, allAttributes) = (name, attributes)
        if case .named(let ownName, let ownAttributes)? = facts.declaredScreen {
            chosenName = name ?? ownName
            allAttributes = attributes.merging(ownAttributes)
        }
        // An explicit call always records a screen, even for a container or a system class.
        facts.container = nil
        facts.declaredScreen = .named(
            chosenName ?? ScreenRules.readableName(of: ScreenRules.bareName(of: facts.className)),
            allAttributes
        )
        guard let found = ScreenRules().screen(of: facts) else { return }
        screen(
            found.name,
            id: found.id,
            uniqueID: found.uniqueID,
            replacing: .screen(found.uniqueID),
            found.attributes
        )
    }
}
#endif
