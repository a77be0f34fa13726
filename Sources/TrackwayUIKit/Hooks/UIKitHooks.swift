// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import Foundation
public import UIKit

/// Hears of screens, touches and actions, for whoever in the process wants to: the methods of UIKit are exchanged once,
/// however many want to hear, and put back when nobody does any more.
///
/// Nothing is exchanged before somebody observes. An app that wants no method of the system changed at all says so in its
/// property list (`TrackwaySwizzlingEnabled`, false) or with ``isAllowed``; then screens and clicks are told by the app's
/// own calls, by SwiftUI's modifiers and by subclasses.
@MainActor
public final class UIKitHooks {
    /// What somebody wants to hear of; what is nil costs nothing.
    public struct Handlers {
        /// A controller's view is about to appear; after UIKit's own.
        public var viewWillAppear: (@MainActor (UIViewController) -> Void)?
        /// A controller's view appeared; after UIKit's own.
        public var viewDidAppear: (@MainActor (UIViewController) -> Void)?
        /// A controller's view disappeared; after UIKit's own.
        public var viewDidDisappear: (@MainActor (UIViewController) -> Void)?
        /// An event is about to be handed to windows and views: controls still know whether a finger is inside of them.
        public var willSendEvent: (@MainActor (UIEvent) -> Void)?
        /// An event was handed to windows and views.
        public var didSendEvent: (@MainActor (UIEvent) -> Void)?
        /// A control's action is about to be carried out.
        public var willSendAction: (@MainActor (_ sender: Any?, UIEvent?) -> Void)?

        /// Nothing.
        public init() {}
    }

    /// Ends an observation when it is let go of, or cancelled.
    @MainActor
    public final class Observation {
        private let number: Int
        private var isOver = false

        fileprivate init(_ number: Int) {
            self.number = number
        }

        deinit {
            let number = number
            // The last holder may let go of it on any thread.
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

    /// A hook that is in place, or was before somebody else exchanged the method, too.
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

    // MARK: For everybody

    /// Whether methods of UIKit may be exchanged in this process. Switched off while hooks are in place, they are put back,
    /// and those that cannot be do nothing any more; switched on again, whoever observes hears again.
    public static var isAllowed: Bool {
        get { process.isAllowed }
        set {
            process.isAllowed = newValue
            process.follow()
        }
    }

    /// Has somebody hear until the answer is let go of.
    public static func observe(_ handlers: Handlers) -> Observation {
        let number = process.next
        process.next += 1
        process.handlers.append((number, handlers))
        process.follow()
        return Observation(number)
    }

    /// How many methods are exchanged now.
    package static var exchanged: Int { process.places.values.count { $0.isWanted } }

    // MARK: Putting in and out

    private func remove(_ number: Int) {
        handlers.removeAll { $0.number == number }
        follow()
    }

    /// Brings the hooks in step with what is wanted.
    private func follow() {
        for hook in Hook.allCases {
            let isWanted = isAllowed && handlers.contains { wants(hook, $0.handlers) }
            switch (isWanted, places[hook]) {
            case (true, nil):
                places[hook] = exchange(hook).map { Place(method: $0, isWanted: true) }
            case (true, .some):
                places[hook]?.isWanted = true
            case (false, let place?):
                // Beneath somebody else's it stays, and does nothing.
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
        // Whoever stops observing meanwhile is still told of this one.
        for (_, handlers) in handlers { body(handlers) }
    }
}
#endif
