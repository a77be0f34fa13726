// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// Rules modeled here:
/// - A push calls the old controller's `viewWillDisappear`, the new one's `viewWillAppear`, then `viewDidDisappear` and
///   `viewDidAppear` in this order, unless ``SimulatedPhone/order`` specifies otherwise.
/// - A canceled swipe back calls the outer controller's `viewWillAppear` and `viewWillDisappear` again, and the inner
///   one's `viewDidAppear` once more (Apple, page of `viewWillAppear(_:)`; Sensors Analytics' article on automatic
///   screens).
@MainActor open class UINavigationController: UIViewController {
    open weak var delegate: (any UINavigationControllerDelegate)?
    open private(set) var navigationBar = UINavigationBar(frame: .zero)
    open var isNavigationBarHidden = false

    public init(rootViewController: UIViewController) {
        super.init(nibName: nil, bundle: nil)
        #if !canImport(ObjectiveC)
        setViewControllers([rootViewController], animated: false)
        #endif
    }

    public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
    }

    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    open var viewControllers: [UIViewController] {
        get { children }
        set { setViewControllers(newValue, animated: false) }
    }
    open var topViewController: UIViewController? { children.last }
    open var visibleViewController: UIViewController? { presentedViewController ?? topViewController }

    open func setViewControllers(_ viewControllers: [UIViewController], animated: Bool) {
        #if !canImport(ObjectiveC)
        let old = topViewController
        for child in children where !viewControllers.contains(where: { $0 === child }) { child.removeFromParent() }
        children = []
        for child in viewControllers { addChild(child) }
        exchange(old, for: viewControllers.last, animated)
        #endif
    }

    open func pushViewController(_ viewController: UIViewController, animated: Bool) {
        #if !canImport(ObjectiveC)
        let old = topViewController
        addChild(viewController)
        viewController.isMovingToParent = true
        exchange(old, for: viewController, animated)
        viewController.isMovingToParent = false
        viewController.didMove(toParent: self)
        #endif
    }

    @discardableResult
    open func popViewController(animated: Bool) -> UIViewController? {
        #if !canImport(ObjectiveC)
        guard children.count > 1 else { return nil }
        return pop(to: children[children.count - 2], animated).last
        #endif
    }

    @discardableResult
    open func popToRootViewController(animated: Bool) -> [UIViewController]? {
        #if !canImport(ObjectiveC)
        guard let root = children.first else { return nil }
        return pop(to: root, animated)
        #endif
    }

    @discardableResult
    open func popToViewController(_ viewController: UIViewController, animated: Bool) -> [UIViewController]? {
        #if !canImport(ObjectiveC)
        return pop(to: viewController, animated)
        #endif
    }

    #if !canImport(ObjectiveC)
    private func pop(to target: UIViewController, _ animated: Bool) -> [UIViewController] {
        guard let index = children.firstIndex(where: { $0 === target }), let top = topViewController else { return [] }
        let removed = Array(children[(index + 1)...])
        guard !removed.isEmpty else { return [] }
        children.removeSubrange((index + 1)...)
        top.isMovingFromParent = true
        exchange(top, for: target, animated)
        top.isMovingFromParent = false
        for controller in removed {
            controller.parent = nil
            controller.didMove(toParent: nil)
        }
        return removed
    }

    private func exchange(_ old: UIViewController?, for new: UIViewController?, _ animated: Bool) {
        guard old !== new else { return }
        if let new { delegate?.navigationController(self, willShow: new, animated: animated) }
        if isAppeared { old?.willDisappear(animated) }
        if isAppeared { new?.willAppear(animated) }
        if let new { view.addSubview(new.view) }
        finish(old, new, animated)
        if let new { delegate?.navigationController(self, didShow: new, animated: animated) }
    }

    /// The user begins to swipe back and cancels.
    public func simulateCanceledSwipeBack() {
        guard children.count > 1, let top = topViewController else { return }
        let outer = children[children.count - 2]
        top.viewWillDisappear(true)
        outer.viewWillAppear(true)
        outer.viewWillDisappear(true)
        top.viewWillAppear(true)
        outer.viewDidDisappear(true)
        top.viewDidAppear(true)
    }
    #endif
}

#if !canImport(ObjectiveC)
extension UIViewController {
    /// Completes a transition from one child to another.
    fileprivate func finish(_ old: UIViewController?, _ new: UIViewController?, _ animated: Bool) {
        let appearingFirst = SimulatedPhone.current.order.appearingFirst
        if appearingFirst, isAppeared { new?.didAppear(animated) }
        if isAppeared { old?.didDisappear(animated) }
        old?.viewIfLoaded?.removeFromSuperview()
        if !appearingFirst, isAppeared { new?.didAppear(animated) }
    }
}
#endif

@MainActor /*@objc*/ public protocol UINavigationControllerDelegate: NSObjectProtocol {
    /*@objc*/ /*optional*/ func navigationController(
        _ navigationController: UINavigationController,
        willShow viewController: UIViewController,
        animated: Bool
    )
    /*@objc*/ /*optional*/ func navigationController(
        _ navigationController: UINavigationController,
        didShow viewController: UIViewController,
        animated: Bool
    )
}

#if !canImport(ObjectiveC)
extension UINavigationControllerDelegate {
    public func navigationController(
        _ navigationController: UINavigationController,
        willShow viewController: UIViewController,
        animated: Bool
    ) {}
    public func navigationController(
        _ navigationController: UINavigationController,
        didShow viewController: UIViewController,
        animated: Bool
    ) {}
}
#endif

/// Rules modeled here:
/// - Only the selected controller is on screen; selecting another one replaces it.
@MainActor open class UITabBarController: UIViewController {
    open weak var delegate: (any UITabBarControllerDelegate)?
    open private(set) var tabBar = UITabBar(frame: .zero)

    open var viewControllers: [UIViewController]? {
        get { children }
        set { setViewControllers(newValue, animated: false) }
    }

    open func setViewControllers(_ viewControllers: [UIViewController]?, animated: Bool) {
        #if !canImport(ObjectiveC)
        for child in children { child.removeFromParent() }
        for child in viewControllers ?? [] { addChild(child) }
        selectedViewController = viewControllers?.first
        #endif
    }

    open var selectedViewController: UIViewController? {
        didSet {
            #if !canImport(ObjectiveC)
            guard oldValue !== selectedViewController else { return }
            if isAppeared { oldValue?.willDisappear(false) }
            if isAppeared { selectedViewController?.willAppear(false) }
            if let selectedViewController { view.addSubview(selectedViewController.view) }
            finish(oldValue, selectedViewController, false)
            #endif
        }
    }

    open var selectedIndex: Int {
        get { children.firstIndex { $0 === selectedViewController } ?? NSNotFound }
        set { if children.indices.contains(newValue) { selectedViewController = children[newValue] } }
    }

    #if !canImport(ObjectiveC)
    /// The person taps a tab.
    public func simulate(tab index: Int) {
        guard children.indices.contains(index) else { return }
        guard delegate?.tabBarController(self, shouldSelect: children[index]) ?? true else { return }
        selectedIndex = index
        delegate?.tabBarController(self, didSelect: children[index])
    }
    #endif
}

@MainActor /*@objc*/ public protocol UITabBarControllerDelegate: NSObjectProtocol {
    /*@objc*/ /*optional*/ func tabBarController(
        _ tabBarController: UITabBarController,
        shouldSelect viewController: UIViewController
    ) -> Bool
    /*@objc*/ /*optional*/ func tabBarController(
        _ tabBarController: UITabBarController,
        didSelect viewController: UIViewController
    )
}

#if !canImport(ObjectiveC)
extension UITabBarControllerDelegate {
    public func tabBarController(_ tabBarController: UITabBarController, shouldSelect viewController: UIViewController)
        -> Bool
    { true }
    public func tabBarController(_ tabBarController: UITabBarController, didSelect viewController: UIViewController) {}
}
#endif

@MainActor open class UISplitViewController: UIViewController {
    open var viewControllers: [UIViewController] {
        get { children }
        set {
            #if !canImport(ObjectiveC)
            for child in children { child.removeFromParent() }
            for child in newValue {
                addChild(child)
                view.addSubview(child.view)
            }
            #endif
        }
    }
}

@MainActor open class UIPageViewController: UIViewController {
    public enum NavigationDirection: Int, Sendable {
        case forward = 0
        case reverse = 1
    }

    open var viewControllers: [UIViewController]? { children }

    open func setViewControllers(
        _ viewControllers: [UIViewController]?,
        direction: NavigationDirection,
        animated: Bool,
        completion: ((Bool) -> Void)? = nil
    ) {
        #if !canImport(ObjectiveC)
        let old = children
        for child in old where isAppeared { child.willDisappear(animated) }
        let appearingFirst = SimulatedPhone.current.order.appearingFirst
        for child in old {
            child.viewIfLoaded?.removeFromSuperview()
            child.removeFromParent()
        }
        for child in viewControllers ?? [] {
            addChild(child)
            view.addSubview(child.view)
            if isAppeared { child.willAppear(animated) }
        }
        if !appearingFirst { for child in old { child.didDisappear(animated) } }
        for child in children where isAppeared { child.didAppear(animated) }
        if appearingFirst { for child in old { child.didDisappear(animated) } }
        completion?(true)
        #endif
    }
}
