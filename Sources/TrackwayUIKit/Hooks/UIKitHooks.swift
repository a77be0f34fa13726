// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import Foundation
public import UIKit

/// The hooks that observe screens, touches, and actions through exchanged methods.
///
/// The methods are exchanged once per process for all observers, and restored after the last observation ends. Nothing
/// is exchanged before the first observation. An app that forbids changes to system methods sets
/// `TrackwaySwizzlingEnabled` to false in its Info.plist, or ``isAllowed`` to false. In that case, screens and clicks
/// are reported by the app's own calls, by SwiftUI modifiers, and by subclasses.
@MainActor
public final class UIKitHooks {
    /// An observer's callbacks.
    ///
    /// A nil callback costs nothing.
    public struct Handlers {
        /// Called when a controller's view is about to appear, after UIKit's implementation.
        public var viewWillAppear: (@MainActor (UIViewController) -> Void)?
        /// Called when a controller's view has appeared, after UIKit's implementation.
        public var viewDidAppear: (@MainActor (UIViewController) -> Void)?
        /// Called when a controller's view has disappeared, after UIKit's implementation.
        public var viewDidDisappear: (@MainActor (UIViewController) -> Void)?
        /// Called before an event is dispatched.
        ///
        /// At this point, controls still know whether a finger is inside them.
        public var willSendEvent: (@MainActor (UIEvent) -> Void)?
        /// Called after an event has been dispatched to windows and views.
        public var didSendEvent: (@MainActor (UIEvent) -> Void)?
        /// Called before a control's action is sent.
        public var willSendAction: (@MainActor (_ sender: Any?, UIEvent?) -> Void)?

        /// Creates handlers without callbacks.
        public init() {}
    }

    /// An observation, which ends when it is canceled or released.
    @MainActor
    public final class Observation {
        private let number: Int
        private var isCanceled = false

        fileprivate init(_ number: Int) {
            self.number = number
        }

        deinit {
            let number = number
            // The last reference may be released on any thread.
            DispatchQueue.main.async { MainActor.assumeIsolated { UIKitHooks.process.remove(number) } }
        }

        /// Ends the observation.
        public func cancel() {
            guard !isCanceled else { return }
            isCanceled = true
            UIKitHooks.process.remove(number)
        }
    }

    private enum Hook: CaseIterable {
        case viewWillAppear
        case viewDidAppear
        case viewDidDisappear
        case sendEvent
        case sendAction
    }

    /// A hook that is installed or cannot be removed.
    ///
    /// A hook cannot be removed if other code has exchanged the method after it. In that case, it stays in the call
    /// chain.
    private struct InstalledHook {
        var method: ExchangedMethod
        var isNeeded: Bool
    }

    fileprivate static let process = UIKitHooks()

    private var handlers: [(number: Int, handlers: Handlers)] = []
    private var nextNumber = 1
    private var installedHooks: [Hook: InstalledHook] = [:]
    private var isAllowed = Bundle.main.object(forInfoDictionaryKey: "TrackwaySwizzlingEnabled") as? Bool ?? true

    private init() {}

    // MARK: Public API

    /// Whether methods of UIKit may be exchanged in this process.
    ///
    /// Setting this to false restores exchanged methods; hooks that cannot be removed have no effect. Setting it to
    /// true resumes all observations.
    public static var isAllowed: Bool {
        get { process.isAllowed }
        set {
            process.isAllowed = newValue
            process.updateHooks()
        }
    }

    /// Begins an observation that lasts until the returned object is released.
    public static func observe(_ handlers: Handlers) -> Observation {
        let number = process.nextNumber
        process.nextNumber += 1
        process.handlers.append((number, handlers))
        process.updateHooks()
        return Observation(number)
    }

    /// The number of currently exchanged methods.
    package static var exchangedMethodCount: Int { process.installedHooks.values.count { $0.isNeeded } }

    // MARK: Installing and removing

    private func remove(_ number: Int) {
        handlers.removeAll { $0.number == number }
        updateHooks()
    }

    /// Installs and removes hooks to match the observers' needs.
    private func updateHooks() {
        for hook in Hook.allCases {
            let isNeeded = isAllowed && handlers.contains { needs(hook, $0.handlers) }
            switch (isNeeded, installedHooks[hook]) {
            case (true, nil):
                installedHooks[hook] = exchange(hook).map { InstalledHook(method: $0, isNeeded: true) }
            case (true, .some):
                installedHooks[hook]?.isNeeded = true
            case (false, let installed?):
                // A hook below another one in the call chain stays installed, without effect.
                if installed.method.restore() {
                    installedHooks[hook] = nil
                } else {
                    installedHooks[hook]?.isNeeded = false
                }
            case (false, nil):
                break
            }
        }
    }

    private func needs(_ hook: Hook, _ handlers: Handlers) -> Bool {
        switch hook {
        case .viewWillAppear: handlers.viewWillAppear != nil
        case .viewDidAppear: handlers.viewDidAppear != nil
        case .viewDidDisappear: handlers.viewDidDisappear != nil
        case .sendEvent: handlers.willSendEvent != nil || handlers.didSendEvent != nil
        case .sendAction: handlers.willSendAction != nil
        }
    }

    private func exchange(_ hook: Hook) -> ExchangedMethod? {
        switch hook {
        case .viewWillAppear:
            ExchangedMethods.viewWillAppear { controller in
                Self.process.notify(.viewWillAppear) { $0.viewWillAppear?(controller) }
            }
        case .viewDidAppear:
            ExchangedMethods.viewDidAppear { controller in
                Self.process.notify(.viewDidAppear) { $0.viewDidAppear?(controller) }
            }
        case .viewDidDisappear:
            ExchangedMethods.viewDidDisappear { controller in
                Self.process.notify(.viewDidDisappear) { $0.viewDidDisappear?(controller) }
            }
        case .sendEvent:
            ExchangedMethods.sendEvent(
                before: { event in Self.process.notify(.sendEvent) { $0.willSendEvent?(event) } },
                after: { event in Self.process.notify(.sendEvent) { $0.didSendEvent?(event) } }
            )
        case .sendAction:
            ExchangedMethods.sendAction { sender, event in
                Self.process.notify(.sendAction) { $0.willSendAction?(sender, event) }
            }
        }
    }

    private func notify(_ hook: Hook, _ body: (Handlers) -> Void) {
        guard installedHooks[hook]?.isNeeded == true else { return }
        // An observer that is removed during this loop still receives this event.
        for (_, handlers) in handlers { body(handlers) }
    }
}
#endif
