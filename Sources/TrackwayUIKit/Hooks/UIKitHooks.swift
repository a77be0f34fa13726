// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import Foundation
public import UIKit

/// Observes screens, touches, and actions by exchanging methods of UIKit.
///
/// The methods are exchanged once per process for all observers, and restored after the last observation ends. Nothing
/// is exchanged before the first observation. An app that forbids changes of system methods sets
/// `TrackwaySwizzlingEnabled` to false in its Info.plist, or ``isAllowed`` to false. Screens and clicks are then
/// reported by the app's own calls, by SwiftUI modifiers, and by subclasses.
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
        /// At this time, controls still know whether a finger is inside them.
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
        private var isOver = false

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
            guard !isOver else { return }
            isOver = true
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
    /// It cannot be removed if other code has exchanged the method, too. It then stays in the call chain.
    private struct Place {
        var method: ExchangedMethod
        var isWanted: Bool
    }

    fileprivate static let process = UIKitHooks()

    private var handlers: [(number: Int, handlers: Handlers)] = []
    private var next = 1
    private var places: [Hook: Place] = [:]
    private var isAllowed = Bundle.main.object(forInfoDictionaryKey: "TrackwaySwizzlingEnabled") as? Bool ?? true

    private init() {}

    // MARK: Public API

    /// Whether methods of UIKit may be exchanged in this process.
    ///
    /// Setting it to false restores exchanged methods; those that cannot be restored have no effect. Setting it to true
    /// resumes all observations.
    public static var isAllowed: Bool {
        get { process.isAllowed }
        set {
            process.isAllowed = newValue
            process.follow()
        }
    }

    /// Observes until the returned object is released.
    public static func observe(_ handlers: Handlers) -> Observation {
        let number = process.next
        process.next += 1
        process.handlers.append((number, handlers))
        process.follow()
        return Observation(number)
    }

    /// The number of currently exchanged methods.
    package static var exchanged: Int { process.places.values.count { $0.isWanted } }

    // MARK: Installing and removing

    private func remove(_ number: Int) {
        handlers.removeAll { $0.number == number }
        follow()
    }

    /// Installs and removes hooks to match the observers' needs.
    private func follow() {
        for hook in Hook.allCases {
            let isWanted = isAllowed && handlers.contains { wants(hook, $0.handlers) }
            switch (isWanted, places[hook]) {
            case (true, nil):
                places[hook] = exchange(hook).map { Place(method: $0, isWanted: true) }
            case (true, .some):
                places[hook]?.isWanted = true
            case (false, let place?):
                // A hook below other code's stays installed, without effect.
                if place.method.putBack() { places[hook] = nil } else { places[hook]?.isWanted = false }
            case (false, nil):
                break
            }
        }
    }

    private func wants(_ hook: Hook, _ handlers: Handlers) -> Bool {
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
                Self.process.tell(.viewWillAppear) { $0.viewWillAppear?(controller) }
            }
        case .viewDidAppear:
            ExchangedMethods.viewDidAppear { controller in
                Self.process.tell(.viewDidAppear) { $0.viewDidAppear?(controller) }
            }
        case .viewDidDisappear:
            ExchangedMethods.viewDidDisappear { controller in
                Self.process.tell(.viewDidDisappear) { $0.viewDidDisappear?(controller) }
            }
        case .sendEvent:
            ExchangedMethods.sendEvent(
                before: { event in Self.process.tell(.sendEvent) { $0.willSendEvent?(event) } },
                after: { event in Self.process.tell(.sendEvent) { $0.didSendEvent?(event) } }
            )
        case .sendAction:
            ExchangedMethods.sendAction { sender, event in
                Self.process.tell(.sendAction) { $0.willSendAction?(sender, event) }
            }
        }
    }

    private func tell(_ hook: Hook, _ body: (Handlers) -> Void) {
        guard places[hook]?.isWanted == true else { return }
        // An observer that is removed during this loop still receives this event.
        for (_, handlers) in handlers { body(handlers) }
    }
}
#endif
