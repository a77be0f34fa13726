// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayJournal

/// Reports whether storage that cannot be used yet will become usable.
///
/// On iOS and related systems, files are inaccessible from boot until the device is first unlocked, and an app may be
/// launched before that.
package struct StorageAvailability: Sendable {
    /// Whether an error means that the storage will become usable later.
    package let isTemporary: @Sendable (StorageError) -> Bool
    /// Starts reporting that the storage may have become usable.
    ///
    /// The closure is called one or more times, on any thread, while the caller keeps the returned value. Returns nil
    /// on systems that send no such notification.
    package let observe: @Sendable (_ mayBeUsable: @escaping @Sendable () -> Void) -> (any Sendable)?

    /// Creates an availability from its two operations.
    package init(
        isTemporary: @escaping @Sendable (StorageError) -> Bool,
        observe: @escaping @Sendable (_ mayBeUsable: @escaping @Sendable () -> Void) -> (any Sendable)? = { _ in nil }
    ) {
        self.isTemporary = isTemporary
        self.observe = observe
    }

    /// Returns the running system's availability.
    ///
    /// The result is nil on systems where an unusable folder is always a configuration error.
    package static func system() -> StorageAvailability? {
        #if canImport(UIKit) && !os(watchOS)
        .protectedData()
        #else
        nil
        #endif
    }
}
