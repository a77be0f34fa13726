// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

#if canImport(UIKit) && !os(watchOS)
public import UIKit
#endif

@MainActor @preconcurrency
public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Scene {}

@resultBuilder
public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View>: Scene {
    let content: () -> Content
    public init(@ViewBuilder content: @escaping () -> Content) { self.content = content }
    public var body: Never { unreachableBody() }
}

@MainActor @preconcurrency
public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}

extension App {
    public static func main() {
        #if !canImport(ObjectiveC)
        fatalError("on Linux, use SimulatedScreen to show an app's views")
        #endif
    }
}

#if canImport(UIKit) && !os(watchOS)
@propertyWrapper @MainActor @preconcurrency
public struct UIApplicationDelegateAdaptor<DelegateType: NSObject & UIApplicationDelegate> {
    public let wrappedValue: DelegateType

    public init(wrappedValue: DelegateType) { self.wrappedValue = wrappedValue }

    #if canImport(ObjectiveC)
    public init(_ delegateType: DelegateType.Type = DelegateType.self) { self.wrappedValue = delegateType.init() }
    #endif
}

/// A UIKit controller that shows SwiftUI views.
@MainActor open class UIHostingController<Content: View>: UIViewController {
    public var rootView: Content

    public init(rootView: Content) {
        self.rootView = rootView
        super.init(nibName: nil, bundle: nil)
    }

    public required init?(coder: NSCoder) { nil }

    #if !canImport(ObjectiveC)
    /// The simulated screen that shows the views.
    public private(set) lazy var simulatedScreen = SimulatedScreen(rootView, in: self)

    open override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        if SimulatedPhone.current.order.viewsFirst { simulatedScreen.appear() }
    }

    open override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        simulatedScreen.appear()
    }

    open override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        simulatedScreen.disappear()
    }
    #endif
}
#endif
