// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayJournal

/// The system's way to keep files, and to hear of other processes' changes to them.
package enum SystemStorage {
    /// A storage on the real disk that tells of changes: by vnode sources on Apple's systems, by inotify on Linux.
    package static func make() -> DiskStorage {
        #if canImport(Darwin)
        DiskStorage(watcher: VnodeWatcher())
        #else
        DiskStorage(watcher: InotifyWatcher())
        #endif
    }
}
