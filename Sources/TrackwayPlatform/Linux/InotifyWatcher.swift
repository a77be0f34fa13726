// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import CTrackway
internal import TrackwayCore
package import TrackwayJournal

/// Watches folders through inotify.
///
/// All watches of a process share one thread, which sleeps in `poll`, and one descriptor, because the number of
/// descriptors per user is limited. Both exist only while a folder is watched.
package struct InotifyWatcher: FolderWatcher {
    /// The process's shared watches, if any.
    private static let process = Locked<InotifyWatches?>(nil)

    /// Creates a watcher, which uses no resources until a folder is watched.
    package init() {}

    /// Starts watching a folder.
    ///
    /// Returns nil if the process or its user has run out of descriptors, threads, or watches, if the folder does not
    /// exist, or if it is on a network file system.
    package func watch(
        _ folder: String,
        for entries: WatchedEntries,
        onChange: @escaping @Sendable (StorageChange) -> Void
    ) -> (any StorageWatch)? {
        Self.process.withLock { process in
            if let watch = process?.add(folder, for: entries, onChange: onChange) { return watch }
            // Either no shared watches exist, or they have just ended with the last watch, or this folder cannot be
            // watched.
            guard process?.hasEnded ?? true, let fresh = InotifyWatches() else { return nil }
            process = fresh
            guard let watch = fresh.add(folder, for: entries, onChange: onChange) else {
                process = nil
                return nil
            }
            guard fresh.start() else {
                watch.end()
                process = nil
                return nil
            }
            return watch
        }
    }

    /// Releases ended watches, unless new ones have already replaced them.
    fileprivate static func forget(_ watches: InotifyWatches) {
        process.withLock { if $0 === watches { $0 = nil } }
    }
}

/// The watches that share one descriptor.
///
/// The watches can be used from any thread.
private final class InotifyWatches: Sendable {
    private struct Listener: Sendable {
        let number: UInt64
        let notify: @Sendable (StorageChange) -> Void
    }

    private struct State: Sendable {
        /// Listeners by the kernel's watch descriptor of the folder.
        var listeners: [Int32: [Listener]] = [:]
        var lastNumber: UInt64 = 0
        /// Whether the last watch has ended or the descriptor failed.
        ///
        /// If so, no new watch may be added.
        var hasEnded = false

        mutating func endWhenUnused() {
            if listeners.isEmpty { hasEnded = true }
        }
    }

    private let inotify: Int32
    private let wake: WakeSignal
    private let state = Locked(State())

    init?() {
        guard let wake = WakeSignal() else { return nil }
        self.wake = wake
        inotify = ctrackway_watch_open()
        if inotify < 0 { return nil }
    }

    deinit {
        if inotify >= 0 { _ = ctrackway_close(inotify) }
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func add(
        _ folder: String,
        for entries: WatchedEntries,
        onChange: @escaping @Sendable (StorageChange) -> Void
    ) -> InotifyWatch? {
        // The kernel is called under the lock: for a folder that is already watched, it returns the same watch
        // descriptor again, which must not be removed in the meantime.
        state.withLock { state in
            guard !state.hasEnded else { return nil }
            let folderNumber = ctrackway_watch_add(inotify, folder, entries == .folders)
            guard folderNumber >= 0 else { return nil }
            state.lastNumber += 1
            let listener = Listener(number: state.lastNumber, notify: onChange)
            state.listeners[folderNumber, default: []].append(listener)
            return InotifyWatch(folder: folderNumber, number: listener.number, in: self)
        }
    }

    /// Ends one watch.
    ///
    /// Ending the last one also ends the thread.
    func remove(_ number: UInt64, of folder: Int32) {
        // Release the listener outside the lock, because it may own other objects.
        let removed = state.withLock { state -> Listener? in
            guard let index = state.listeners[folder]?.firstIndex(where: { $0.number == number }) else { return nil }
            let removed = state.listeners[folder]?.remove(at: index)
            if state.listeners[folder]?.isEmpty ?? true {
                state.listeners[folder] = nil
                ctrackway_watch_remove(inotify, folder)
            }
            state.endWhenUnused()
            return removed
        }
        if removed != nil, hasEnded { wake.signal() }
    }

    // MARK: Thread

    /// Starts the thread.
    ///
    /// Returns false if the thread cannot be created.
    func start() -> Bool {
        SystemThread.start(named: "trackway.watch") { self.run() } == 0
    }

    private func run() {
        while true {
            ctrackway_watch_wait(inotify, wake.descriptor)
            wake.clear()
            var changes: [(folder: Int32, change: StorageChange)] = []
            let isReadable = withUnsafeMutablePointer(to: &changes) { changes in
                ctrackway_watch_read(inotify, changes) { context, folder, what, name in
                    guard let context else { return }
                    let change: StorageChange =
                        switch what {
                        case ctrackway_watch_entry: .entry(name.map { String(cString: $0) } ?? "")
                        case ctrackway_watch_ended: .ended
                        default: .unknown
                        }
                    context.assumingMemoryBound(to: [(folder: Int32, change: StorageChange)].self).pointee
                        .append((folder, change))
                }
            }
            notify(changes)
            if isReadable != 0 { giveUp() }
            if hasEnded { return InotifyWatcher.forget(self) }
        }
    }

    private func notify(_ changes: [(folder: Int32, change: StorageChange)]) {
        for (folder, change) in changes {
            let listeners = state.withLock { state -> [Listener] in
                switch change {
                case .unknown:
                    return state.listeners.values.flatMap { $0 }
                case .entry:
                    return state.listeners[folder] ?? []
                case .ended:
                    // A moved folder is still watched under its watch descriptor, so the watch must be removed.
                    guard let ended = state.listeners.removeValue(forKey: folder) else { return [] }
                    ctrackway_watch_remove(inotify, folder)
                    state.endWhenUnused()
                    return ended
                }
            }
            for listener in listeners { listener.notify(change) }
        }
    }

    /// Ends all watches because the descriptor no longer reports anything.
    private func giveUp() {
        let listeners = state.withLock { state in
            defer {
                state.listeners = [:]
                state.hasEnded = true
            }
            return state.listeners.values.flatMap { $0 }
        }
        for listener in listeners { listener.notify(.ended) }
    }
}

/// A watch on one folder.
private final class InotifyWatch: StorageWatch {
    private let folder: Int32
    private let number: UInt64
    /// The shared watches; nil after this watch has ended.
    ///
    /// An ended watch must not keep the descriptor open.
    private let watches: Locked<InotifyWatches?>

    init(folder: Int32, number: UInt64, in watches: InotifyWatches) {
        self.folder = folder
        self.number = number
        self.watches = Locked(watches)
    }

    deinit {
        end()
    }

    func end() {
        let watches = watches.withLock { held in
            defer { held = nil }
            return held
        }
        watches?.remove(number, of: folder)
    }
}
#endif
