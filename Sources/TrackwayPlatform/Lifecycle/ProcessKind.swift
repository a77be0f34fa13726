// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) || canImport(Darwin)
internal import Foundation

#if canImport(UIKit) && !os(watchOS)
internal import UIKit
#endif
#endif

/// The kind of program that a process on an Apple system runs.
package enum ProcessKind: Sendable, Hashable {
    /// An app, which receives lifecycle notifications.
    case app
    /// An app extension, which receives its host's lifecycle notifications.
    case appExtension
    /// A program without an app bundle, which receives only signals.
    case tool

    /// Derives the kind from the main bundle.
    ///
    /// - Parameters:
    ///   - path: The main bundle's folder, or the folder of a program without a bundle.
    ///   - hasTools: Whether the system runs programs that are not apps; only a Mac does.
    package init(bundlePath path: String, hasTools: Bool) {
        if path.hasSuffix(".appex") {
            self = .appExtension
        } else {
            // On other systems, every program is an app, including tests without a host.
            self = hasTools && !path.hasSuffix(".app") ? .tool : .app
        }
    }

    /// Whether the system may suspend this process without notice.
    ///
    /// A process that is suspended while it holds a file lock is terminated (`0xdead10cc`), regardless of where the
    /// file is. Such a process uses leases instead. On a Mac, no process is suspended, not even apps built for iOS.
    package static var mayBeSuspended: Bool {
        #if targetEnvironment(macCatalyst)
        false
        #elseif os(iOS) || os(tvOS) || os(watchOS) || os(visionOS) || canImport(UIKit)
        true
        #else
        false
        #endif
    }

    /// Whether this process is the only one that uses its container.
    ///
    /// A system runs one process per app, but may run several per extension.
    package static var hasOwnContainer: Bool {
        #if canImport(UIKit) || canImport(Darwin)
        current == .app
        #else
        false
        #endif
    }

    /// Whether this process has screens to detect or name.
    ///
    /// An app has screens on systems with UIKit.
    package static var showsScreens: Bool {
        #if canImport(UIKit) && !os(watchOS)
        current == .app
        #else
        false
        #endif
    }

    #if canImport(UIKit) || canImport(Darwin)
    /// The kind of this process.
    static var current: ProcessKind {
        #if canImport(UIKit) && !canImport(ObjectiveC)
        // Without bundles, an extension is recognized by the missing method `sharedApplication`.
        if !UIApplication.responds(to: "sharedApplication") { return .appExtension }
        #endif
        #if os(macOS)
        return ProcessKind(bundlePath: Bundle.main.bundlePath, hasTools: true)
        #else
        return ProcessKind(bundlePath: Bundle.main.bundlePath, hasTools: false)
        #endif
    }
    #endif
}
