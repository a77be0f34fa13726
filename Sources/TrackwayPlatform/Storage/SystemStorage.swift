// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayJournal

/// Creates file storage that reports changes made by other processes.
package enum SystemStorage {
    /// Creates a storage on disk that reports changes.
    ///
    /// It uses vnode sources on Apple systems, and inotify on Linux.
    package static func make() -> DiskStorage {
        #if canImport(Darwin)
        DiskStorage(watcher: VnodeWatcher())
        #else
        DiskStorage(watcher: InotifyWatcher())
        #endif
    }
}
