// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) || canImport(Darwin)
internal import Dispatch
internal import Foundation
package import TrackwayLifecycle
internal import TrackwayCore

#if canImport(UIKit) && !os(watchOS)
internal import UIKit
#endif

/// Observes the system's lifecycle notifications until it is released.
///
/// On UIKit, these are the notifications of the app and its scenes; on AppKit and WatchKit, those of the app; in an
/// extension, those of its host. Only notifications are used, so no object of the app is changed. Listeners are called
/// on the thread of the notification, which is the main thread.
package final class AppNotifications: Sendable {
    /// A closure that receives simultaneous changes and the time granted.
    package typealias Listener = @Sendable (_ changes: [LifecycleChange], _ gracePeriod: GracePeriod?) -> Void

    private let observers = Locked<[any NSObjectProtocol]>([])
    private let scenes = Locked(SceneMachine())
    private let report: Listener

    /// Starts observing.
    package init(_ report: @escaping Listener) {
        self.report = report
        for (name, change) in Self.changes {
            observe(name) { scenes, _ in scenes.handle(change) }
        }
        #if canImport(UIKit) && !os(watchOS)
        for (name, event) in Self.sceneEvents {
            observe(name) { scenes, id in scenes.handle(event, sceneID: id) }
        }
        SharedApplication.whenActive { [weak self] in
            // If the SDK is created late, it has missed this notification. A second report is harmless.
            self?.report([.didBecomeActive], nil)
        }
        #endif
    }

    deinit {
        observers.withLock { for observer in $0 { NotificationCenter.default.removeObserver(observer) } }
    }

    private func observe(
        _ name: NSNotification.Name,
        _ apply: @escaping @Sendable (inout SceneMachine, _ id: Int) -> [LifecycleChange]
    ) {
        observers.withLock {
            let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                [weak self] note in
                let id = note.object.map { ObjectIdentifier($0 as AnyObject).hashValue } ?? 0
                self?.handleEvent(of: id, apply)
            }
            $0.append(observer)
        }
    }

    private func handleEvent(of id: Int, _ apply: (inout SceneMachine, _ id: Int) -> [LifecycleChange]) {
        let changes = scenes.withLock { apply(&$0, id) }
        guard !changes.isEmpty else { return }
        report(changes, changes.contains(.didEnterBackground) ? BackgroundTime.begin() : nil)
    }

    // MARK: Notifications

    private static var changes: [(NSNotification.Name, LifecycleChange)] {
        let kind = ProcessKind.current
        if kind == .appExtension {
            // These are the notifications of the app that hosts the extension; the extension itself receives none.
            return [
                ("NSExtensionHostDidBecomeActiveNotification", .didBecomeActive),
                ("NSExtensionHostWillResignActiveNotification", .willResignActive),
                ("NSExtensionHostDidEnterBackgroundNotification", .didEnterBackground),
                ("NSExtensionHostWillEnterForegroundNotification", .willEnterForeground),
            ].map { (NSNotification.Name($0), $1) }
        }
        #if canImport(UIKit) && !os(watchOS)
        return [
            (UIApplication.didFinishLaunchingNotification, .didFinishLaunching),
            (UIApplication.didBecomeActiveNotification, .didBecomeActive),
            (UIApplication.willResignActiveNotification, .willResignActive),
            (UIApplication.didEnterBackgroundNotification, .didEnterBackground),
            (UIApplication.willEnterForegroundNotification, .willEnterForeground),
            (UIApplication.willTerminateNotification, .willTerminate),
        ]
        #elseif os(watchOS)
        return [
            ("WKApplicationDidFinishLaunchingNotification", .didFinishLaunching),
            ("WKApplicationDidBecomeActiveNotification", .didBecomeActive),
            ("WKApplicationWillResignActiveNotification", .willResignActive),
            ("WKApplicationDidEnterBackgroundNotification", .didEnterBackground),
            ("WKApplicationWillEnterForegroundNotification", .willEnterForeground),
        ].map { (NSNotification.Name($0), $1) }
        #else
        // A Mac app keeps running while another app is used, but a user who switches to another app has left this one.
        return [
            ("NSApplicationDidFinishLaunchingNotification", .didFinishLaunching),
            ("NSApplicationDidBecomeActiveNotification", .didBecomeActive),
            ("NSApplicationWillResignActiveNotification", .willResignActive),
            ("NSApplicationDidResignActiveNotification", .didEnterBackground),
            ("NSApplicationWillBecomeActiveNotification", .willEnterForeground),
            ("NSApplicationWillTerminateNotification", .willTerminate),
        ].map { (NSNotification.Name($0), $1) }
        #endif
    }

    #if canImport(UIKit) && !os(watchOS)
    private static var sceneEvents: [(NSNotification.Name, SceneMachine.Event)] {
        [
            (UIScene.willEnterForegroundNotification, .willEnterForeground),
            (UIScene.didActivateNotification, .didActivate),
            (UIScene.willDeactivateNotification, .willDeactivate),
            (UIScene.didEnterBackgroundNotification, .didEnterBackground),
            (UIScene.didDisconnectNotification, .didDisconnect),
        ]
    }
    #endif
}
#endif
