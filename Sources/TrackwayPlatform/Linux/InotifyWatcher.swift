// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import CTrackway
internal import TrackwayEvents
package import TrackwayJournal

/// Watches folders by inotify. All watches of a process share one descriptor, of which a user has few, and one thread
/// that sleeps in `poll`; both are there as long as there is a watch.
package struct InotifyWatcher: FolderWatcher {
    /// The one of this process while there is a watch.
    private static let process = Locked<InotifyWatches?>(nil)

    /// Makes a watcher; it holds nothing until something is watched.
    package init() {}

    /// nil when the process or its user has no descriptor, thread or watch left, when there is no such folder, and on
    /// a network's file system.
    package func watch(
        _ folder: String,
        for entries: WatchedEntries,
        onChange: @escaping @Sendable (StorageChange) -> Void
    ) -> (any StorageWatch)? {
        Self.process.withLock { process in
            if let watch = process?.add(folder, for: entries, onChange: onChange) { return watch }
            // There is none, or it has just ended with its last watch, or this folder cannot be watched.
            guard process?.isOver ?? true, let fresh = InotifyWatches() else { return nil }
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

    /// Lets go of what is over, unless there is something new already.
    fileprivate static func forget(_ watches: InotifyWatches) {
        process.withLock { if $0 === watches { $0 = nil } }
    }
}

/// What is watched by one descriptor. Any thread may call.
private final class InotifyWatches: Sendable {
    private struct Listener: Sendable {
        let number: UInt64
        let tell: @Sendable (StorageChange) -> Void
    }

    private struct State: Sendable {
        /// By the kernel's number of the folder.
        var listeners: [Int32: [Listener]] = [:]
        var lastNumber: UInt64 = 0
        /// The last watch has ended, or the descriptor failed: nothing begins here any more.
        var isOver = false

        mutating func endWhenUnused() {
            if listeners.isEmpty { isOver = true }
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

    var isOver: Bool { state.withLock { $0.isOver } }

    func add(
        _ folder: String,
        for entries: WatchedEntries,
        onChange: @escaping @Sendable (StorageChange) -> Void
    ) -> InotifyWatch? {
        // The kernel is asked under the lock: it gives a folder that is watched already the same number again, and
        // that must not be taken back in between.
        state.withLock { state in
            guard !state.isOver else { return nil }
            let folderNumber = ctrackway_watch_add(inotify, folder, entries == .folders)
            guard folderNumber >= 0 else { return nil }
            state.lastNumber += 1
            let listener = Listener(number: state.lastNumber, tell: onChange)
            state.listeners[folderNumber, default: []].append(listener)
            return InotifyWatch(folder: folderNumber, number: listener.number, in: self)
        }
    }

    /// Ends one watch; with the last one everything ends.
    func remove(_ number: UInt64, of folder: Int32) {
        // Let go of outside the lock: it may own things.
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
        if removed != nil, isOver { wake.signal() }
    }

    // MARK: The thread

    /// False when there can be no thread.
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
            tell(changes)
            if isReadable != 0 { giveUp() }
            if isOver { return InotifyWatcher.forget(self) }
        }
    }

    private func tell(_ changes: [(folder: Int32, change: StorageChange)]) {
        for (folder, change) in changes {
            let listeners = state.withLock { state -> [Listener] in
                switch change {
                case .unknown:
                    return state.listeners.values.flatMap { $0 }
                case .entry:
                    return state.listeners[folder] ?? []
                case .ended:
                    // A folder that was moved is still watched under its number.
                    guard let ended = state.listeners.removeValue(forKey: folder) else { return [] }
                    ctrackway_watch_remove(inotify, folder)
                    state.endWhenUnused()
                    return ended
                }
            }
            for listener in listeners { listener.tell(change) }
        }
    }

    /// The descriptor says nothing any more.
    private func giveUp() {
        let listeners = state.withLock { state in
            defer {
                state.listeners = [:]
                state.isOver = true
            }
            return state.listeners.values.flatMap { $0 }
        }
        for listener in listeners { listener.tell(.ended) }
    }
}

/// One watch on one folder.
private final class InotifyWatch: StorageWatch {
    private let folder: Int32
    private let number: UInt64
    /// nil once it has ended: a watch that is kept keeps no descriptor.
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
