// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayCore

/// A storage that uses leases and holds system locks only briefly.
///
/// It is intended for folders in which a process must not be suspended while it holds a lock, such as the container
/// that an app shares with its extensions on iOS and related systems.
///
/// A lease is a file that contains the ID and the boot of the process that holds it. The lease ends when it is
/// released or when that process ends. A suspended process is still alive, so no other process takes over: its leases
/// stay held until it resumes or ends. Such a folder therefore belongs to a single process, and a delivering process
/// must release its lease before it is suspended.
package struct LeasedStorage: ForwardingStorage {
    /// The process that holds the leases.
    package struct Holder: Sendable, Equatable {
        /// The process ID.
        package var process: Int32
        /// The boot in which the process runs; no process survives a reboot.
        package var boot: String

        /// Creates a holder from a process and its boot.
        package init(process: Int32, boot: String) {
            self.process = process
            self.boot = boot
        }
    }

    /// The content of a lease file.
    private struct Lease: Equatable {
        var process: Int32
        var token: String
        var boot: String

        var bytes: [UInt8] { Array("\(process) \(token) \(boot)\n".utf8) }

        init(process: Int32, token: String, boot: String) {
            self.process = process
            self.token = token
            self.boot = boot
        }

        init?(_ bytes: [UInt8]?) {
            let words = String(decoding: bytes ?? [], as: UTF8.self).split(whereSeparator: \.isWhitespace)
            guard words.count == 3, let process = Int32(words[0]) else { return nil }
            self.init(process: process, token: String(words[1]), boot: String(words[2]))
        }
    }

    /// The maximum number of attempts to take the turn lock.
    ///
    /// Every holder releases the turn lock quickly.
    private static let attempts = 10_000

    /// The underlying storage.
    package let base: any JournalStorage
    private let turn: String
    private let holder: Holder
    private let isAlive: @Sendable (Int32) -> Bool

    /// - Parameters:
    ///   - base: the underlying storage.
    ///   - root: the folder that contains all leases.
    ///   - holder: this process.
    ///   - isAlive: whether a process with this ID is alive.
    package init(
        _ base: any JournalStorage,
        root: String,
        holder: Holder,
        isAlive: @escaping @Sendable (Int32) -> Bool = { ctrackway_process_is_alive($0) }
    ) {
        self.base = base
        self.holder = holder
        self.isAlive = isAlive
        turn = JournalFolder(root).root + "/turn.lock"
    }

    /// The tokens of the leases that this process holds, across all storages.
    ///
    /// All tokens are distinct.
    private static let held = Locked<Set<String>>([])

    package func lock(_ path: String) throws(StorageError) -> (any StorageLock)? {
        guard let turn = try acquireTurnLock() else { return nil }
        defer { turn.release() }
        if let lease = Lease(try base.contents(of: path)), isHeld(lease) { return nil }
        let token = "\(holder.process).\(ctrackway_next_number()).\(ctrackway_wall_milliseconds())"
        let lease = Lease(process: holder.process, token: token, boot: holder.boot)
        try base.replace(path, with: lease.bytes, durably: false)
        Self.held.withLock { _ = $0.insert(token) }
        return LeaseHandle { endLease(lease, path) }
    }

    private func isHeld(_ lease: Lease) -> Bool {
        guard lease.boot == holder.boot else { return false }
        // Process IDs are reused. This process knows which leases with its own ID it actually holds.
        if lease.process == holder.process { return Self.held.withLock { $0.contains(lease.token) } }
        return isAlive(lease.process)
    }

    private func endLease(_ lease: Lease, _ path: String) {
        Self.held.withLock { _ = $0.remove(lease.token) }
        do throws(StorageError) {
            guard let turn = try acquireTurnLock() else { return }
            defer { turn.release() }
            if Lease(try base.contents(of: path)) == lease { try base.remove(path) }
        } catch {
            // For this process, the lease counts as released; for other processes, it is released when this process
            // ends.
        }
    }

    private func acquireTurnLock() throws(StorageError) -> (any StorageLock)? {
        for _ in 0..<Self.attempts {
            if let lock = try base.lock(turn) { return lock }
        }
        return nil
    }
}

/// A held lease.
private final class LeaseHandle: StorageLock {
    private struct Ending: Sendable {
        let run: @Sendable () -> Void
    }

    private let ending: Locked<Ending?>

    init(_ endLease: @escaping @Sendable () -> Void) {
        ending = Locked(Ending(run: endLease))
    }

    deinit {
        release()
    }

    func release() {
        let ending = ending.withLock { ending -> Ending? in
            defer { ending = nil }
            return ending
        }
        ending?.run()
    }
}
