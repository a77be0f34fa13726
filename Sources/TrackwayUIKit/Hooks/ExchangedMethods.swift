// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS) && canImport(ObjectiveC)
internal import Foundation
internal import ObjectiveC
internal import UIKit

/// The methods of system classes that the SDK can exchange.
///
/// No other code in the SDK changes methods of system classes. These rules make the exchange safe:
///
/// - Only five methods of base classes are exchanged. Subclasses, delegates, gesture recognizers, and `dealloc` are
///   never changed.
/// - Implementations are exchanged, but no selectors are added. The only limitation is that an override that does not
///   call `super` is not observed.
/// - A method with an unexpected type, or one that the class only inherits, is not exchanged.
/// - The previous implementation is always called, with the original arguments.
/// - The previous implementation is restored only if no other code has exchanged the method since. Otherwise, the SDK's
///   implementation stays in the call chain without effect, and is reused if it is needed again.
/// - Methods are exchanged on the main thread only. A call on another thread is passed on, but not reported.
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

/// A method that uses the SDK's implementation while hooks need it.
@MainActor
final class ExchangedMethod {
    private let method: Method
    private let replacement: IMP
    private let previous: IMP

    /// Exchanges the implementation of a method.
    ///
    /// nil if the method does not have the expected form.
    ///
    /// - Parameter make: creates the replacement block from the current implementation.
    fileprivate init?(_ class: AnyClass, _ selector: Selector, shapes: [String], _ make: (IMP) -> AnyObject) {
        guard let method = class_getInstanceMethod(`class`, selector),
            // Exchanging an inherited method would affect all classes that inherit it.
            class_getSuperclass(`class`).flatMap({ class_getInstanceMethod($0, selector) }) != method,
            let encoding = method_getTypeEncoding(method), MethodEncoding.matches(String(cString: encoding), shapes)
        else { return nil }
        self.method = method
        previous = method_getImplementation(method)
        replacement = imp_implementationWithBlock(make(previous))
        _ = method_setImplementation(method, replacement)
    }

    /// Restores the previous implementation.
    ///
    /// - Returns: false if other code has exchanged the method since; in that case, the SDK's implementation stays in
    ///   the call chain.
    func restore() -> Bool {
        guard method_getImplementation(method) == replacement else { return false }
        _ = method_setImplementation(method, previous)
        return true
    }
}
#endif
