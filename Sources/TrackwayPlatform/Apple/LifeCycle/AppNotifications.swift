// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) || canImport(Darwin)
internal import Dispatch
internal import Foundation
package import TrackwayBehavior
internal import TrackwayEvents

#if canImport(UIKit) && !os(watchOS)
internal import UIKit
#endif

/// Hears what the system tells the app about its life, until it is let go of: UIKit of the app and its scenes, AppKit and
/// WatchKit of the app, and of an extension's host whoever runs it.
///
/// Nothing but notifications is used, so nothing of the app's is touched. Listeners are called on the thread on which the
/// system tells, the main one.
package final class AppNotifications: Sendable {
    /// Takes changes that come together, and the moment that the system gives for them.
    package typealias Listener = @Sendable (_ changes: [LifeCycleChange], _ moment: LifeCycleMoment?) -> Void

    private let observers = Locked<[any NSObjectProtocol]>([])
    private let scenes = Locked(SceneMachine())
    private let report: Listener

    /// Begins to listen.
    package init(_ report: @escaping Listener) {
        self.report = report
        for (name, change) in Self.changes {
            observe(name) { scenes, _ in scenes.happened(change) }
        }
        #if canImport(UIKit) && !os(watchOS)
        for (name, event) in Self.sceneEvents {
            observe(name) { scenes, id in scenes.happened(event, to: id) }
        }
        SharedApplication.whenActive { [weak self] in
            // Nobody announces it any more to an SDK that was made late; said twice, it does no harm.
            self?.report([.didBecomeActive], nil)
        }
        #endif
    }

    deinit {
        observers.withLock { for observer in $0 { NotificationCenter.default.removeObserver(observer) } }
    }

    private func observe(
        _ name: NSNotification.Name,
        _ happened: @escaping @Sendable (inout SceneMachine, _ id: Int) -> [LifeCycleChange]
    ) {
        observers.withLock {
            let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                [weak self] note in
                let id = note.object.map { ObjectIdentifier($0 as AnyObject).hashValue } ?? 0
                self?.heard(id, happened)
            }
            $0.append(observer)
        }
    }

    private func heard(_ id: Int, _ happened: (inout SceneMachine, _ id: Int) -> [LifeCycleChange]) {
        let changes = scenes.withLock { happened(&$0, id) }
        guard !changes.isEmpty else { return }
        report(changes, changes.contains(.didEnterBackground) ? BackgroundTime.begin() : nil)
    }

    // MARK: What is listened to

    private static var changes: [(NSNotification.Name, LifeCycleChange)] {
        let kind = ProcessKind.current
        if kind == .appExtension {
            // Of the app that shows the extension; the extension itself is told nothing.
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
        // A Mac's app goes on while another one is used; who looks at another one has left this one nevertheless.
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
