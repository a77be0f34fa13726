// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) || canImport(Darwin)
internal import Foundation

#if canImport(UIKit) && !os(watchOS)
internal import UIKit
#endif
#endif

/// What kind of program a process of Apple's systems runs.
package enum ProcessKind: Sendable, Hashable {
    /// An app, which is told of its life.
    case app
    /// An app's extension, which hears of its host's life.
    case appExtension
    /// A program without a bundle of an app's, which is told nothing but signals.
    case tool

    /// What a bundle says.
    ///
    /// - Parameters:
    ///   - path: the main bundle's folder, or the folder of a program that has none.
    ///   - hasTools: whether the system runs programs that are no apps: a Mac alone does.
    package init(bundlePath path: String, hasTools: Bool) {
        if path.hasSuffix(".appex") {
            self = .appExtension
        } else {
            // Elsewhere everything is an app, tests without a host included.
            self = hasTools && !path.hasSuffix(".app") ? .tool : .app
        }
    }

    /// Whether the system may suspend this process, at any time and without saying so. A process that is suspended while it holds the
    /// lock of a file is ended (`0xdead10cc`), wherever the file lies: such a process holds leases instead.
    ///
    /// On a Mac nothing is suspended, apps made for iOS included.
    package static var mayBeSuspended: Bool {
        #if targetEnvironment(macCatalyst)
        false
        #elseif os(iOS) || os(tvOS) || os(watchOS) || os(visionOS) || canImport(UIKit)
        true
        #else
        false
        #endif
    }

    /// Whether this process is the only one that works in its container. A system runs one process of an app, and may run several of an
    /// extension.
    package static var isAlone: Bool {
        #if canImport(UIKit) || canImport(Darwin)
        current == .app
        #else
        false
        #endif
    }

    /// Whether this process has screens that are found or named: those of an app, on systems with UIKit.
    package static var showsScreens: Bool {
        #if canImport(UIKit) && !os(watchOS)
        current == .app
        #else
        false
        #endif
    }

    #if canImport(UIKit) || canImport(Darwin)
    /// This process's.
    static var current: ProcessKind {
        #if canImport(UIKit) && !canImport(ObjectiveC)
        // Without bundles it is known by what an extension lacks.
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
