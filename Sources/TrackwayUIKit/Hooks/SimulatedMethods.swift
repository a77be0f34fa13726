// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS) && !canImport(ObjectiveC)
internal import UIKit

/// The same five methods for the simulated UIKit.
///
/// It has no Objective-C runtime.
@MainActor
enum ExchangedMethods {
    static func viewWillAppear(_ after: @escaping @MainActor (UIViewController) -> Void) -> ExchangedMethod? {
        ExchangedMethod(UIViewController.simulatedViewWillAppear) { original in
            { controller, animated in
                original(controller, animated)
                after(controller)
            }
        }
    }

    static func viewDidAppear(_ after: @escaping @MainActor (UIViewController) -> Void) -> ExchangedMethod? {
        ExchangedMethod(UIViewController.simulatedViewDidAppear) { original in
            { controller, animated in
                original(controller, animated)
                after(controller)
            }
        }
    }

    static func viewDidDisappear(_ after: @escaping @MainActor (UIViewController) -> Void) -> ExchangedMethod? {
        ExchangedMethod(UIViewController.simulatedViewDidDisappear) { original in
            { controller, animated in
                original(controller, animated)
                after(controller)
            }
        }
    }

    static func sendEvent(
        before: @escaping @MainActor (UIEvent) -> Void,
        after: @escaping @MainActor (UIEvent) -> Void
    ) -> ExchangedMethod? {
        ExchangedMethod(UIApplication.simulatedSendEvent) { original in
            { app, event in
                before(event)
                original(app, event)
                after(event)
            }
        }
    }

    static func sendAction(_ before: @escaping @MainActor (_ sender: Any?, UIEvent?) -> Void) -> ExchangedMethod? {
        ExchangedMethod(UIApplication.simulatedSendAction) { original in
            { app, action, target, sender, event in
                before(sender, event)
                return original(app, action, target, sender, event)
            }
        }
    }
}

/// A method that uses our implementation while hooks need it.
@MainActor
final class ExchangedMethod {
    private let restore: @MainActor () -> Bool

    fileprivate init<Body>(_ method: SimulatedMethod<Body>, _ make: (Body) -> Body) {
        let former = method.implementation
        let ours = SimulatedMethod<Body>.Implementation(make(former.body))
        method.setImplementation(ours)
        restore = {
            guard method.implementation === ours else { return false }
            method.setImplementation(former)
            return true
        }
    }

    /// Restores the previous implementation.
    ///
    /// - Returns: false if other code has exchanged the method since; ours then stays in its call chain.
    func putBack() -> Bool { restore() }
}
#endif
