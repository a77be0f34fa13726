// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS) && canImport(ObjectiveC)
internal import Foundation
internal import ObjectiveC
internal import UIKit

/// The only place that changes methods of the system's classes, and what keeps it safe:
///
/// - Five methods of base classes and no others. Subclasses, delegates, gesture recognisers and `dealloc` are left alone.
/// - An implementation is exchanged, nothing is added: no selector of ours is seen, and an override that does not call
///   `super` is not noticed, which is all that happens.
/// - A method that does not look as expected, or that the class has only inherited, is left as it is.
/// - What was there before is called in every case, with what we were called with.
/// - Put back only while nobody else has exchanged the method since. Otherwise ours stays in their chain and does nothing,
///   and is used again should it be wanted again.
/// - On the main thread alone. A call that comes on another one is passed on and not told.
@MainActor
enum ExchangedMethods {
    static func viewWillAppear(_ after: @escaping @MainActor (UIViewController) -> Void) -> ExchangedMethod? {
        appearance(#selector(UIViewController.viewWillAppear(_:)), after)
    }

    static func viewDidAppear(_ after: @escaping @MainActor (UIViewController) -> Void) -> ExchangedMethod? {
        appearance(#selector(UIViewController.viewDidAppear(_:)), after)
    }

    static func viewDidDisappear(_ after: @escaping @MainActor (UIViewController) -> Void) -> ExchangedMethod? {
        appearance(#selector(UIViewController.viewDidDisappear(_:)), after)
    }

    private static func appearance(
        _ selector: Selector,
        _ after: @escaping @MainActor (UIViewController) -> Void
    ) -> ExchangedMethod? {
        typealias Original = @convention(c) (UIViewController, Selector, Bool) -> Void
        typealias Block = @convention(block) (UIViewController, Bool) -> Void
        return ExchangedMethod(UIViewController.self, selector, shapes: ["v@:B", "v@:c"]) { original in
            let original = unsafeBitCast(original, to: Original.self)
            let block: Block = { controller, animated in
                original(controller, selector, animated)
                guard Thread.isMainThread else { return }
                MainActor.assumeIsolated { after(controller) }
            }
            return unsafeBitCast(block, to: AnyObject.self)
        }
    }

    static func sendEvent(
        before: @escaping @MainActor (UIEvent) -> Void,
        after: @escaping @MainActor (UIEvent) -> Void
    ) -> ExchangedMethod? {
        typealias Original = @convention(c) (UIApplication, Selector, UIEvent) -> Void
        typealias Block = @convention(block) (UIApplication, UIEvent) -> Void
        let selector = #selector(UIApplication.sendEvent(_:))
        return ExchangedMethod(UIApplication.self, selector, shapes: ["v@:@"]) { original in
            let original = unsafeBitCast(original, to: Original.self)
            let block: Block = { app, event in
                guard Thread.isMainThread else { return original(app, selector, event) }
                MainActor.assumeIsolated { before(event) }
                original(app, selector, event)
                MainActor.assumeIsolated { after(event) }
            }
            return unsafeBitCast(block, to: AnyObject.self)
        }
    }

    static func sendAction(_ before: @escaping @MainActor (_ sender: Any?, UIEvent?) -> Void) -> ExchangedMethod? {
        typealias Original =
            @convention(c) (UIApplication, Selector, Selector, AnyObject?, AnyObject?, UIEvent?) -> Bool
        typealias Block = @convention(block) (UIApplication, Selector, AnyObject?, AnyObject?, UIEvent?) -> Bool
        let selector = #selector(UIApplication.sendAction(_:to:from:for:))
        return ExchangedMethod(UIApplication.self, selector, shapes: ["B@::@@@", "c@::@@@"]) { original in
            let original = unsafeBitCast(original, to: Original.self)
            let block: Block = { app, action, target, sender, event in
                if Thread.isMainThread { MainActor.assumeIsolated { before(sender, event) } }
                return original(app, selector, action, target, sender, event)
            }
            return unsafeBitCast(block, to: AnyObject.self)
        }
    }
}

/// One method whose implementation is ours while it is wanted.
@MainActor
final class ExchangedMethod {
    private let method: Method
    private let ours: IMP
    private let former: IMP

    /// Exchanges the implementation; nil when the method is not as expected.
    ///
    /// - Parameter make: makes the block that is called instead, of the implementation that is called now.
    fileprivate init?(_ class: AnyClass, _ selector: Selector, shapes: [String], _ make: (IMP) -> AnyObject) {
        guard let method = class_getInstanceMethod(`class`, selector),
            // An inherited one would be exchanged for every class that inherits it.
            class_getSuperclass(`class`).flatMap({ class_getInstanceMethod($0, selector) }) != method,
            let encoding = method_getTypeEncoding(method), MethodEncoding.matches(String(cString: encoding), shapes)
        else { return nil }
        self.method = method
        former = method_getImplementation(method)
        ours = imp_implementationWithBlock(make(former))
        _ = method_setImplementation(method, ours)
    }

    /// Puts back what was there.
    ///
    /// - Returns: whether it did. If not, somebody has exchanged the method since, and ours stays beneath theirs.
    func putBack() -> Bool {
        guard method_getImplementation(method) == ours else { return false }
        _ = method_setImplementation(method, former)
        return true
    }
}
#endif
