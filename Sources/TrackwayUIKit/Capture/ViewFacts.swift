// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import Foundation
internal import UIKit

#if canImport(ObjectiveC)
internal import ObjectiveC
#endif

/// A namespace for collecting the facts that the rules need from UIKit.
@MainActor
enum ViewFacts {
    /// The depth limit, which guards against cycles.
    ///
    /// Real interfaces are not this deep.
    private static let maxDepth = 200

    // MARK: Controllers

    static func controller(_ controller: UIViewController) -> ControllerFacts {
        var facts = ControllerFacts(className: className(of: controller))
        facts.isOfApp = isOfApp(controller)
        facts.container = container(controller)
        facts.parent = controller.parent.map { container($0) ?? .other }
        facts.id = ObjectIdentifier(controller).hashValue
        // Reading `navigationItem` creates it, so it is read only for controllers with a navigation bar.
        facts.title = controller.title
        if facts.title == nil, facts.parent == .navigation { facts.title = controller.navigationItem.title }
        var ancestor = controller.parent
        while let next = ancestor, facts.path.count < maxDepth {
            facts.path.insert(className(of: next), at: 0)
            ancestor = next.parent
        }
        if controller.parent is any ScreenContainer { facts.parent = .screens }
        if let screen = controller as? any NamedScreen {
            facts.declaredScreen = screen.screenName.map { .named($0, screen.screenAttributes) } ?? .hidden
        }
        return facts
    }

    /// Returns the scene of a controller's view or of its presenter.
    ///
    /// nil if the scene is unknown.
    static func scene(of controller: UIViewController) -> UIWindowScene? {
        var next: UIViewController? = controller
        for _ in 0..<maxDepth {
            guard let current = next else { return nil }
            if let scene = current.viewIfLoaded?.window?.windowScene { return scene }
            next = current.parent ?? current.presentingViewController
        }
        return nil
    }

    /// Returns the screen that contains a view.
    ///
    /// This is the screen of the nearest controller that shows one.
    static func screen(containing view: UIView, rules: ScreenRules) -> CapturedScreen? {
        var next: UIResponder? = view
        for _ in 0..<maxDepth {
            guard let responder = next else { return nil }
            if let owner = responder as? UIViewController, let found = rules.screen(of: controller(owner)) {
                return found
            }
            next = responder.next
        }
        return nil
    }

    private static func container(_ controller: UIViewController) -> ControllerFacts.Container? {
        switch controller {
        case is UINavigationController: .navigation
        case is UITabBarController: .tabs
        case is UIPageViewController: .pages
        case is UISplitViewController: .split
        case is any ScreenContainer: .screens
        default: nil
        }
    }

    /// The cached names of classes, including their enclosing types.
    ///
    /// Names are cached because each touch reads the class name of every view around it. The cache has one entry per
    /// class of the app's views and controllers.
    private static var names: [ObjectIdentifier: String] = [:]

    /// Returns an object's class as written in its source; see ``ClassName``.
    static func className(of object: AnyObject) -> String {
        let kind: AnyClass = type(of: object)
        if let name = names[ObjectIdentifier(kind)] { return name }
        let name = ClassName(Runtime.name(of: kind)).full
        names[ObjectIdentifier(kind)] = name
        return name
    }

    /// Returns whether an object's class belongs to the app.
    ///
    /// The app includes its frameworks and the packages linked into them.
    private static func isOfApp(_ object: AnyObject) -> Bool {
        !ClassOrigin.isOfSystem(path: Runtime.bundlePath(of: type(of: object)))
    }

    /// A namespace for class queries to the Objective-C runtime.
    private enum Runtime {
        static func name(of kind: AnyClass) -> String {
            #if canImport(ObjectiveC)
            NSStringFromClass(kind)
            #else
            simulatedName(of: kind)
            #endif
        }

        /// Returns the path of the bundle that a class was loaded from.
        static func bundlePath(of kind: AnyClass) -> String {
            #if canImport(ObjectiveC)
            // An observed object's class was generated at run time and does not belong to a bundle.
            let observed = NSStringFromClass(kind).hasPrefix("NSKVONotifying_")
            return Bundle(for: observed ? class_getSuperclass(kind) ?? kind : kind).bundlePath
            #else
            simulatedBundlePath(of: kind)
            #endif
        }
    }

    // MARK: Elements

    /// Returns a view and its ancestors, innermost first.
    static func chain(from view: UIView) -> [ElementFacts] {
        var chain: [ElementFacts] = []
        var next: UIView? = view
        while let view = next, chain.count < maxDepth {
            chain.append(element(view))
            next = view.superview
        }
        return chain
    }

    static func click(on view: UIView, fingers: Int = 1) -> ClickFacts {
        ClickFacts(chain: chain(from: view), window: view.window.map { className(of: $0) }, fingers: fingers)
    }

    private static func element(_ view: UIView) -> ElementFacts {
        var facts = ElementFacts(className: className(of: view))
        facts.id = ObjectIdentifier(view).hashValue
        facts.identifier = view.accessibilityIdentifier
        facts.isIgnored = view.ignoresCapture
        facts.index = view.superview?.subviews.firstIndex { $0 === view } ?? 0
        switch view {
        case is UITextField, is UITextView: facts.kind = .textInput
        case is UIControl: facts.kind = .control
        case is UITableViewCell, is UICollectionViewCell: facts.kind = .cell
        default: facts.kind = recognizesTaps(view) ? .tappable : .plain
        }
        facts.title = title(of: view)
        facts.position = position(of: view)
        return facts
    }

    private static func recognizesTaps(_ view: UIView) -> Bool {
        view.gestureRecognizers?.contains { $0 is UITapGestureRecognizer && $0.isEnabled } ?? false
    }

    /// Returns a view's title.
    ///
    /// The title contains only the app's own text, never text that a user typed or that an image provides.
    private static func title(of view: UIView) -> String? {
        if let button = view as? UIButton { return button.currentTitle }
        if let segments = view as? UISegmentedControl {
            let chosen = segments.selectedSegmentIndex
            return chosen >= 0 && chosen < segments.numberOfSegments ? segments.titleForSegment(at: chosen) : nil
        }
        return nil
    }

    private static func position(of view: UIView) -> String? {
        var path: IndexPath?
        if let cell = view as? UITableViewCell {
            path = enclosing(UITableView.self, of: view)?.indexPath(for: cell)
        } else if let cell = view as? UICollectionViewCell {
            path = enclosing(UICollectionView.self, of: view)?.indexPath(for: cell)
        }
        guard let path, path.count == 2 else { return nil }
        return "\(path[0]):\(path[1])"
    }

    /// Returns whether a view or an ancestor is of these classes.
    static func isInside(_ view: UIView, anyOf kinds: [AnyClass]) -> Bool {
        guard !kinds.isEmpty else { return false }
        var next: UIView? = view
        for _ in 0..<maxDepth {
            guard let view = next else { return false }
            if kinds.contains(where: { isInstance(view, of: $0) }) { return true }
            next = view.superview
        }
        return false
    }

    /// Returns whether an object has a class known only at run time.
    private static func isInstance<Kind: AnyObject>(_ object: AnyObject, of kind: Kind.Type) -> Bool { object is Kind }

    /// Returns the nearest ancestor of a class, or the view itself.
    static func enclosing<Kind: UIView>(_ kind: Kind.Type, of view: UIView) -> Kind? {
        var next: UIView? = view
        for _ in 0..<maxDepth {
            guard let view = next else { return nil }
            if let found = view as? Kind { return found }
            next = view.superview
        }
        return nil
    }
}
#endif
