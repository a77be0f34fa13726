// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import Foundation
internal import TrackwayCore
internal import TrackwayJournal
internal import UIKit

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension StorageAvailability {
    /// Returns the availability of protected data.
    ///
    /// Before the first unlock, every file access fails with EPERM, which has no other cause in an app's own container.
    /// The system posts a notification when protected data becomes available.
    static func protectedData() -> StorageAvailability {
        StorageAvailability(
            isTemporary: { $0.code == .denied && $0.number == EPERM },
            observe: { ProtectedDataNotifications($0) }
        )
    }
}

/// Reports that the device may have been unlocked, until it is released.
private final class ProtectedDataNotifications: Sendable {
    private let observers = Locked<[any NSObjectProtocol]>([])

    init(_ mayBeUsable: @escaping @Sendable () -> Void) {
        // An app in the foreground implies an unlocked device. Extensions receive neither notification, so they poll
        // instead.
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
