// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS) && !canImport(ObjectiveC)
internal import UIKit

/// The same five methods where UIKit is simulated and there is no runtime to ask.
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

/// One method whose implementation is ours while it is wanted.
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

    /// Puts back what was there.
    ///
    /// - Returns: whether it did. If not, somebody has exchanged the method since, and ours stays beneath theirs.
    func putBack() -> Bool { restore() }
}
#endif
