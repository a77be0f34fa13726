// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS) && !canImport(ObjectiveC)
internal import UIKit

/// The same five methods for the simulated UIKit.
///
/// The simulation has no Objective-C runtime.
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

/// A method that uses the SDK's implementation while hooks need it.
@MainActor
final class ExchangedMethod {
    private let restoreImplementation: @MainActor () -> Bool

    fileprivate init<Body>(_ method: SimulatedMethod<Body>, _ make: (Body) -> Body) {
        let previous = method.implementation
        let replacement = SimulatedMethod<Body>.Implementation(make(previous.body))
        method.setImplementation(replacement)
        restoreImplementation = {
            guard method.implementation === replacement else { return false }
            method.setImplementation(previous)
            return true
        }
    }

    /// Restores the previous implementation.
    ///
    /// - Returns: false if other code has exchanged the method since; in that case, the SDK's implementation stays in
    ///   the call chain.
    func restore() -> Bool { restoreImplementation() }
}
#endif
