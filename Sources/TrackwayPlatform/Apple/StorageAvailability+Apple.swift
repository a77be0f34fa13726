// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import Foundation
internal import TrackwayEvents
internal import TrackwayJournal
internal import UIKit

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension StorageAvailability {
    /// Files are closed before the first unlocking: the system answers every attempt with EPERM, which nothing else does in an app's
    /// own container, and says when protected data became available.
    static func protectedData() -> StorageAvailability {
        StorageAvailability(
            isTemporary: { $0.code == .denied && $0.number == EPERM },
            observe: { ProtectedDataNotifications($0) }
        )
    }
}

/// Hears that somebody unlocked the device, until it is let go of.
private final class ProtectedDataNotifications: Sendable {
    private let observers = Locked<[any NSObjectProtocol]>([])

    init(_ mayBeUsable: @escaping @Sendable () -> Void) {
        // An app that comes to the front was unlocked; extensions are told neither, and look now and then.
        let names = [
            UIApplication.protectedDataDidBecomeAvailableNotification, UIApplication.didBecomeActiveNotification,
        ]
        for name in names {
            observers.withLock {
                $0.append(
                    NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in mayBeUsable()
                    }
                )
            }
        }
    }

    deinit {
        observers.withLock { for observer in $0 { NotificationCenter.default.removeObserver(observer) } }
    }
}
#endif
