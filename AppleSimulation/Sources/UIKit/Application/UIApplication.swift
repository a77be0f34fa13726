// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

#if canImport(ObjectiveC)
public import ObjectiveC
#endif

/// The application object.
///
/// ``SimulatedPhone`` controls its lifecycle and documents the rules.
@MainActor open class UIApplication: UIResponder {
    public enum State: Int, Sendable {
        case active = 0
        case inactive = 1
        case background = 2
    }

    open class var shared: UIApplication {
        #if !canImport(ObjectiveC)
        return SimulatedPhone.current.application
        #endif
    }

    public nonisolated class var didFinishLaunchingNotification: NSNotification.Name {
        .init("UIApplicationDidFinishLaunchingNotification")
    }
    public nonisolated class var didBecomeActiveNotification: NSNotification.Name {
        .init("UIApplicationDidBecomeActiveNotification")
    }
    public nonisolated class var willResignActiveNotification: NSNotification.Name {
        .init("UIApplicationWillResignActiveNotification")
    }
    public nonisolated class var didEnterBackgroundNotification: NSNotification.Name {
        .init("UIApplicationDidEnterBackgroundNotification")
    }
    public nonisolated class var willEnterForegroundNotification: NSNotification.Name {
        .init("UIApplicationWillEnterForegroundNotification")
    }
    public nonisolated class var willTerminateNotification: NSNotification.Name {
        .init("UIApplicationWillTerminateNotification")
    }
    public nonisolated class var didReceiveMemoryWarningNotification: NSNotification.Name {
        .init("UIApplicationDidReceiveMemoryWarningNotification")
    }
    public nonisolated class var significantTimeChangeNotification: NSNotification.Name {
        .init("UIApplicationSignificantTimeChangeNotification")
    }
    public nonisolated class var protectedDataWillBecomeUnavailableNotification: NSNotification.Name {
        .init("UIApplicationProtectedDataWillBecomeUnavailable")
    }
    public nonisolated class var protectedDataDidBecomeAvailableNotification: NSNotification.Name {
        .init("UIApplicationProtectedDataDidBecomeAvailable")
    }
    public nonisolated class var userDidTakeScreenshotNotification: NSNotification.Name {
        .init("UIApplicationUserDidTakeScreenshotNotification")
    }
    public nonisolated class var backgroundTaskMinimum: TimeInterval { 5 }

    open weak var delegate: (any UIApplicationDelegate)?
    open internal(set) var applicationState = State.inactive
    open internal(set) var connectedScenes: Set<UIScene> = []
    open internal(set) var openSessions: Set<UISceneSession> = []
    open var supportsMultipleScenes: Bool {
        #if !canImport(ObjectiveC)
        return SimulatedPhone.current.device.userInterfaceIdiom == .pad
        #endif
    }
    open var isIdleTimerDisabled = false
    open var applicationIconBadgeNumber = 0

    open var isProtectedDataAvailable: Bool {
        #if !canImport(ObjectiveC)
        return SimulatedPhone.current.isProtectedDataAvailable
        #endif
    }

    open var backgroundTimeRemaining: TimeInterval {
        applicationState == .background ? 30 : .greatestFiniteMagnitude
    }

    open var keyWindow: UIWindow? { windows.first { $0.isKeyWindow } }
    open var windows: [UIWindow] {
        #if !canImport(ObjectiveC)
        return SimulatedPhone.current.visibleWindows
        #endif
    }

    public override init() {
        super.init()
    }

    // MARK: Background work

    public nonisolated func beginBackgroundTask(
        withName taskName: String?,
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        #if !canImport(ObjectiveC)
        return backgroundTime.begin(taskName, handler)
        #endif
    }

    public nonisolated func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        beginBackgroundTask(withName: nil, expirationHandler: handler)
    }

    public nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        #if !canImport(ObjectiveC)
        backgroundTime.end(identifier)
        #endif
    }

    #if !canImport(ObjectiveC)
    nonisolated let backgroundTime = SimulatedBackgroundTime.process
    #endif

    // MARK: Events and actions

    open func sendEvent(_ event: UIEvent) {
        #if !canImport(ObjectiveC)
        Self.simulatedSendEvent.implementation.body(self, event)
        #endif
    }

    @discardableResult
    open func sendAction(_ action: Selector, to target: Any?, from sender: Any?, for event: UIEvent?) -> Bool {
        #if !canImport(ObjectiveC)
        return Self.simulatedSendAction.implementation.body(self, action, target, sender, event)
        #endif
    }

    open func open(
        _ url: URL,
        options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {
        completion?(true)
    }

    public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let url = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsURLKey")
        public static let remoteNotification = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey"
        )
        public static let location = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsLocationKey")
    }
}

public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

#if !canImport(ObjectiveC)
extension UIApplication {
    /// `sendEvent(_:)` with an exchangeable implementation.
    public static let simulatedSendEvent = SimulatedMethod<@MainActor @Sendable (UIApplication, UIEvent) -> Void> {
        _,
        event in
        if let window = (event as? UIPressesEvent)?.allPresses.first?.window {
            window.sendEvent(event)
        } else {
            event.allTouches?.first?.window?.sendEvent(event)
        }
    }

    /// `sendAction(_:to:from:for:)` with an exchangeable implementation.
    public static let simulatedSendAction = SimulatedMethod<
        @MainActor @Sendable (UIApplication, Selector, Any?, Any?, UIEvent?) -> Bool
    > { _, action, target, sender, event in
        if let target { return simulatedPerform(action, on: target, from: sender, for: event) }
        // Without a target, the action is sent along the responder chain, starting at the first responder or else at
        // the sender.
        var responder = SimulatedPhone.current.firstResponder ?? (sender as? UIResponder)
        while let current = responder {
            if simulatedPerform(action, on: current, from: sender, for: event) { return true }
            responder = current.next
        }
        return false
    }

    static func simulatedPerform(_ action: Selector, on target: Any?, from sender: Any?, for event: UIEvent?) -> Bool {
        (target as? any SimulatedActionTarget)?.simulatedPerform(action, from: sender, for: event) ?? false
    }

    /// Whether the class responds to a selector: `sharedApplication` exists in apps but not in their extensions.
    public nonisolated class func responds(to selector: Selector) -> Bool {
        selector == "sharedApplication" && !SimulatedBackgroundTime.process.isInExtension
    }

    /// Performs `sharedApplication` by name.
    public class func perform(_ selector: Selector) -> Unmanaged<AnyObject>? {
        responds(to: selector) ? Unmanaged.passUnretained(shared) : nil
    }
}
#endif

#if canImport(ObjectiveC)
extension UIApplication.LaunchOptionsKey: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSString { rawValue as NSString }
    public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout UIApplication.LaunchOptionsKey?) {}
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSString,
        result: inout UIApplication.LaunchOptionsKey?
    ) -> Bool { false }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> UIApplication.LaunchOptionsKey {
        UIApplication.LaunchOptionsKey(rawValue: "")
    }
}
#endif
