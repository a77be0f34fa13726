// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayJournal

/// What a system says about a storage that cannot be used yet: on iOS and its kin files are closed from the device's start until
/// somebody unlocks it, and an app may be started before that.
package struct StorageAvailability: Sendable {
    /// Whether an error means that the storage will be usable later.
    package let isTemporary: @Sendable (StorageError) -> Bool
    /// Begins to tell when the storage may have become usable, once or more often, on any thread; the answer is kept as long as
    /// somebody wants to know. nil where nothing tells.
    package let observe: @Sendable (_ mayBeUsable: @escaping @Sendable () -> Void) -> (any Sendable)?

    /// Puts both together.
    package init(
        isTemporary: @escaping @Sendable (StorageError) -> Bool,
        observe: @escaping @Sendable (_ mayBeUsable: @escaping @Sendable () -> Void) -> (any Sendable)? = { _ in nil }
    ) {
        self.isTemporary = isTemporary
        self.observe = observe
    }

    /// The running system's; nil where a folder that cannot be used is somebody's mistake.
    package static func system() -> StorageAvailability? {
        #if canImport(UIKit) && !os(watchOS)
        .protectedData()
        #else
        nil
        #endif
    }
}
