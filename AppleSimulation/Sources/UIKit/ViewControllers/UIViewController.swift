// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// Rules modeled here:
/// - The view is created on first access, followed by `viewDidLoad`.
/// - Appearances and disappearances are reported in pairs; a controller that has appeared does not appear again before
///   it has disappeared (Apple, page of `viewWillAppear(_:)` and "View controllers" in the UIKit documentation).
/// - A page sheet, the default presentation style, leaves the presenting controller on screen; a full-screen
///   presentation makes it disappear after the presented one has appeared (page of `modalPresentationStyle`).
/// - Reports come from the method bodies of this class: as with an exchanged method of the real class, a subclass that
///   does not call `super` is not visible to code that exchanged the method.
@MainActor open class UIViewController: UIResponder, NSCoding {
    open var title: String? {
        didSet { navigationItem.title = navigationItem.title ?? title }
    }
    open private(set) var navigationItem = UINavigationItem(title: "")
    open var tabBarItem: UITabBarItem? = UITabBarItem(title: nil, image: nil, tag: 0)
    open var modalPresentationStyle = UIModalPresentationStyle.automatic
    open internal(set) var children: [UIViewController] = []
    open internal(set) weak var parent: UIViewController?
    open internal(set) var presentedViewController: UIViewController?
    open internal(set) weak var presentingViewController: UIViewController?
    open internal(set) var isBeingPresented = false
    open internal(set) var isBeingDismissed = false
    open internal(set) var isMovingToParent = false
    open internal(set) var isMovingFromParent = false
    open private(set) var nibName: String?

    private var loadedView: UIView?
    var isAppeared = false
    /// Whether `viewDidAppear` was called without a later `viewWillDisappear`.
    private var isSettled = false

    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        nibName = nibNameOrNil
        super.init()
    }

    public required init?(coder: NSCoder) {
        super.init()
    }

    public convenience override init() {
        self.init(nibName: nil, bundle: nil)
    }

    public nonisolated func encode(with coder: NSCoder) {}

    // MARK: The view

    // Implicitly unwrapped like the real one.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var view: UIView! {
        get {
            #if !canImport(ObjectiveC)
            loadViewIfNeeded()
            return loadedView
            #endif
        }
        set {
            #if !canImport(ObjectiveC)
            loadedView?.controller = nil
            loadedView = newValue
            newValue?.controller = self
            #endif
        }
    }

    open var viewIfLoaded: UIView? { loadedView }
    open var isViewLoaded: Bool { loadedView != nil }

    open func loadViewIfNeeded() {
        #if !canImport(ObjectiveC)
        guard loadedView == nil else { return }
        loadView()
        viewDidLoad()
        #endif
    }

    open func loadView() {
        #if !canImport(ObjectiveC)
        view = UIView(frame: SimulatedPhone.current.screen.bounds)
        #endif
    }

    open func viewDidLoad() {}
    open func viewWillLayoutSubviews() {}
    open func viewDidLayoutSubviews() {}

    open func viewWillAppear(_ animated: Bool) {
        #if !canImport(ObjectiveC)
        Self.simulatedViewWillAppear.implementation.body(self, animated)
        #endif
    }

    open func viewDidAppear(_ animated: Bool) {
        #if !canImport(ObjectiveC)
        Self.simulatedViewDidAppear.implementation.body(self, animated)
        #endif
    }

    open func viewWillDisappear(_ animated: Bool) {
        #if !canImport(ObjectiveC)
        Self.simulatedViewWillDisappear.implementation.body(self, animated)
        #endif
    }

    open func viewDidDisappear(_ animated: Bool) {
        #if !canImport(ObjectiveC)
        Self.simulatedViewDidDisappear.implementation.body(self, animated)
        #endif
    }

    open override var next: UIResponder? {
        viewIfLoaded?.superview ?? presentingViewController ?? parent
    }

    // MARK: Containing and presenting

    open var navigationController: UINavigationController? { nearestContainer() }
    open var tabBarController: UITabBarController? { nearestContainer() }
    open var splitViewController: UISplitViewController? { nearestContainer() }

    private func nearestContainer<Container: UIViewController>() -> Container? {
        var current = parent
        while let controller = current {
            if let found = controller as? Container { return found }
            current = controller.parent
        }
        return nil
    }

    open func addChild(_ childController: UIViewController) {
        childController.willMove(toParent: self)
        children.append(childController)
        childController.parent = self
    }

    open func removeFromParent() {
        #if !canImport(ObjectiveC)
        parent?.children.removeAll { $0 === self }
        parent = nil
        didMove(toParent: nil)
        #endif
    }

    open func willMove(toParent parent: UIViewController?) {}
    open func didMove(toParent parent: UIViewController?) {}

    open func beginAppearanceTransition(_ isAppearing: Bool, animated: Bool) {
        if isAppearing { viewWillAppear(animated) } else { viewWillDisappear(animated) }
        isAppeared = isAppearing
    }

    open func endAppearanceTransition() {
        isSettled = isAppeared
        if isAppeared { viewDidAppear(false) } else { viewDidDisappear(false) }
    }

    open func present(
        _ viewControllerToPresent: UIViewController,
        animated flag: Bool,
        completion: (() -> Void)? = nil
    ) {
        #if !canImport(ObjectiveC)
        present(viewControllerToPresent, flag)
        completion?()
        #endif
    }

    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {
        #if !canImport(ObjectiveC)
        dismissPresented(flag)
        completion?()
        #endif
    }

    open func show(_ vc: UIViewController, sender: Any?) {
        if let navigationController {
            navigationController.pushViewController(vc, animated: true)
        } else {
            present(vc, animated: true)
        }
    }

    /// The children that appear and disappear together with this controller.
    var visibleChildren: [UIViewController] {
        children.filter { $0.viewIfLoaded?.superview != nil }
    }
}

public enum UIModalPresentationStyle: Int, Sendable {
    case automatic = -2
    case none = -1
    case fullScreen = 0
    case pageSheet = 1
    case formSheet = 2
    case currentContext = 3
    case custom = 4
    case overFullScreen = 5
    case overCurrentContext = 6
    case popover = 7
}

#if !canImport(ObjectiveC)
extension UIViewController {
    /// `viewWillAppear(_:)` with an exchangeable implementation.
    public static let simulatedViewWillAppear = SimulatedMethod<@MainActor @Sendable (UIViewController, Bool) -> Void> {
        _,
        _ in
    }
    /// `viewDidAppear(_:)` with an exchangeable implementation.
    public static let simulatedViewDidAppear = SimulatedMethod<@MainActor @Sendable (UIViewController, Bool) -> Void> {
        _,
        _ in
    }
    /// `viewWillDisappear(_:)` with an exchangeable implementation.
    public static let simulatedViewWillDisappear = SimulatedMethod<
        @MainActor @Sendable (UIViewController, Bool) -> Void
    > {
        _,
        _ in
    }
    /// `viewDidDisappear(_:)` with an exchangeable implementation.
    public static let simulatedViewDidDisappear = SimulatedMethod<@MainActor @Sendable (UIViewController, Bool) -> Void>
    { _, _ in
    }

    /// Whether the controller is on screen.
    public var simulatedIsOnScreen: Bool { isAppeared }

    /// Makes the controller and its shown children appear.
    public func simulateAppearing(animated: Bool = false) {
        willAppear(animated)
        didAppear(animated)
    }

    /// Makes the controller and its shown children disappear.
    public func simulateDisappearing(animated: Bool = false) {
        willDisappear(animated)
        didDisappear(animated)
    }

    func willAppear(_ animated: Bool) {
        guard !isAppeared else { return }
        loadViewIfNeeded()
        isAppeared = true
        viewWillAppear(animated)
        view.layoutIfNeeded()
        viewDidLayoutSubviews()
        for child in visibleChildren { child.willAppear(animated) }
    }

    func didAppear(_ animated: Bool) {
        guard isAppeared, !isSettled else { return }
        isSettled = true
        viewDidAppear(animated)
        for child in visibleChildren { child.didAppear(animated) }
    }

    func willDisappear(_ animated: Bool) {
        guard isAppeared, isSettled else { return }
        isSettled = false
        viewWillDisappear(animated)
        for child in visibleChildren { child.willDisappear(animated) }
    }

    func didDisappear(_ animated: Bool) {
        guard isAppeared else { return }
        isAppeared = false
        viewDidDisappear(animated)
        for child in visibleChildren { child.didDisappear(animated) }
    }

    private func present(_ other: UIViewController, _ animated: Bool) {
        guard presentedViewController == nil else { return }
        presentedViewController = other
        other.presentingViewController = self
        other.isBeingPresented = true
        let isFullScreen = other.modalPresentationStyle == .fullScreen
        if isFullScreen { outermost.willDisappear(animated) }
        other.willAppear(animated)
        viewIfLoaded?.window?.addSubview(other.view)
        other.didAppear(animated)
        if isFullScreen { outermost.didDisappear(animated) }
        other.isBeingPresented = false
    }

    private func dismissPresented(_ animated: Bool) {
        guard let presented = presentedViewController else {
            presentingViewController?.dismissPresented(animated)
            return
        }
        presented.presentedViewController.map { _ in presented.dismissPresented(animated) }
        presented.isBeingDismissed = true
        let wasFullScreen = presented.modalPresentationStyle == .fullScreen
        presented.willDisappear(animated)
        if wasFullScreen { outermost.willAppear(animated) }
        let appearingFirst = SimulatedPhone.current.order.appearingFirst
        if wasFullScreen, appearingFirst { outermost.didAppear(animated) }
        presented.view.removeFromSuperview()
        presented.didDisappear(animated)
        if wasFullScreen, !appearingFirst { outermost.didAppear(animated) }
        presented.isBeingDismissed = false
        presented.presentingViewController = nil
        presentedViewController = nil
    }

    private var outermost: UIViewController { parent?.outermost ?? self }
}
#endif
