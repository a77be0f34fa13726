// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

#if canImport(ObjectiveC)
public import ObjectiveC
#endif

@MainActor open class UITableViewController: UIViewController, UITableViewDataSource, UITableViewDelegate {
    // Implicitly unwrapped like the real one.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var tableView: UITableView! = UITableView(frame: .zero, style: .plain)

    public init(style: UITableView.Style) {
        super.init(nibName: nil, bundle: nil)
    }

    public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
    }

    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    open override func loadView() {
        #if !canImport(ObjectiveC)
        tableView.frame = SimulatedPhone.current.screen.bounds
        tableView.dataSource = self
        tableView.delegate = self
        view = tableView
        #endif
    }

    open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 0 }
    open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        UITableViewCell(style: .default, reuseIdentifier: nil)
    }
    open func numberOfSections(in tableView: UITableView) -> Int { 1 }
    open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
}

@MainActor open class UIAlertAction: NSObject {
    public enum Style: Int, Sendable {
        case `default` = 0
        case cancel = 1
        case destructive = 2
    }

    open private(set) var title: String?
    open private(set) var style: Style
    open var isEnabled = true
    let handler: (@MainActor (UIAlertAction) -> Void)?

    public init(title: String?, style: Style, handler: (@MainActor (UIAlertAction) -> Void)? = nil) {
        self.title = title
        self.style = style
        self.handler = handler
        super.init()
    }
}

@MainActor open class UIAlertController: UIViewController {
    public enum Style: Int, Sendable {
        case actionSheet = 0
        case alert = 1
    }

    open var message: String?
    open private(set) var preferredStyle: Style
    open private(set) var actions: [UIAlertAction] = []

    public init(title: String?, message: String?, preferredStyle: Style) {
        self.preferredStyle = preferredStyle
        super.init(nibName: nil, bundle: nil)
        self.title = title
        self.message = message
    }

    public required init?(coder: NSCoder) {
        preferredStyle = .alert
        super.init(coder: coder)
    }

    open func addAction(_ action: UIAlertAction) {
        actions.append(action)
    }

    #if !canImport(ObjectiveC)
    /// The user taps a button: the alert is dismissed, then the button's closure runs.
    public func simulate(choosing title: String) {
        guard let action = actions.first(where: { $0.title == title }), action.isEnabled else { return }
        presentingViewController?.dismiss(animated: true)
        action.handler?(action)
    }
    #endif
}

@MainActor open class UIInputViewController: UIViewController {}

@MainActor open class UIBarItem: NSObject {
    open var title: String?
    open var isEnabled = true
    open var tag = 0
    open var accessibilityIdentifier: String?

    public override init() {
        super.init()
    }
}

@MainActor open class UIBarButtonItem: UIBarItem {
    public enum SystemItem: Int, Sendable {
        case done = 0
        case cancel = 1
        case edit = 2
        case save = 3
        case add = 4
        case action = 9
    }

    open weak var target: AnyObject?
    open var action: Selector?
    open var primaryAction: UIAction?

    public init(title: String?, image: UIImage? = nil, primaryAction: UIAction? = nil) {
        super.init()
        self.title = title ?? primaryAction?.title
        self.primaryAction = primaryAction
    }

    public init(barButtonSystemItem systemItem: SystemItem, target: Any?, action: Selector?) {
        super.init()
        self.target = target.map { $0 as AnyObject }
        self.action = action
    }

    #if !canImport(ObjectiveC)
    /// The user taps the item.
    public func simulateTap() {
        guard isEnabled else { return }
        if let primaryAction {
            primaryAction.sender = self
            primaryAction.handler(primaryAction)
        } else if let action {
            _ = UIApplication.shared.sendAction(action, to: target, from: self, for: nil)
        }
    }
    #endif
}

@MainActor open class UITabBarItem: UIBarItem {
    public init(title: String?, image: UIImage?, tag: Int) {
        super.init()
        self.title = title
        self.tag = tag
    }
}

@MainActor open class UINavigationItem: NSObject {
    open var title: String?
    open var rightBarButtonItem: UIBarButtonItem?
    open var leftBarButtonItem: UIBarButtonItem?

    public init(title: String) {
        self.title = title.isEmpty ? nil : title
        super.init()
    }
}

@MainActor open class UINavigationBar: UIView {}
@MainActor open class UITabBar: UIView {}
