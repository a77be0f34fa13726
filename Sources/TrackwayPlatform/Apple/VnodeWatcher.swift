// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Darwin
internal import Dispatch
internal import TrackwayCore
package import TrackwayJournal

/// Watches folders through Dispatch's vnode sources.
///
/// The system reports that a folder's entries changed, but not which entries.
package struct VnodeWatcher: FolderWatcher {
    /// Creates a watcher, which uses no resources until a folder is watched.
    package init() {}

    /// Starts watching a folder.
    ///
    /// Returns nil if the process has no descriptors left or the folder does not exist.
    package func watch(
        _ folder: String,
        for entries: WatchedEntries,
        onChange: @escaping @Sendable (StorageChange) -> Void
    ) -> (any StorageWatch)? {
        // A descriptor that is opened only for events does not prevent a volume from being ejected.
        var descriptor = open(folder, O_EVTONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        if descriptor < 3 {
            // The descriptors of the standard streams belong to the host app, even while they are closed.
            let above = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
            close(descriptor)
            guard above >= 0 else { return nil }
            descriptor = above
        }
        return VnodeWatch(descriptor, onChange)
    }
}

/// A watch on one folder.
private final class VnodeWatch: StorageWatch {
    private let source: any DispatchSourceFileSystemObject

    init(_ descriptor: Int32, _ onChange: @escaping @Sendable (StorageChange) -> Void) {
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor,
            eventMask: [.write, .delete, .rename, .revoke],
            queue: DispatchQueue(label: "trackway.watch", qos: .utility)
        )
        self.source = source
        source.setEventHandler { [weak source] in
            let isFolderRemoved = source.map { !$0.data.isDisjoint(with: [.delete, .rename, .revoke]) } ?? true
            onChange(isFolderRemoved ? .ended : .unknown)
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    deinit {
        end()
    }

    func end() {
        source.cancel()
    }
}
#endif
