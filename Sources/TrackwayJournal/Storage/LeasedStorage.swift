// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayEvents

/// A storage that holds no lock of the system's longer than a moment, for folders where a process may not be suspended with one: the
/// container that an app shares with its extensions on iOS and its kin.
///
/// In place of a lock stands a lease: a file that says which process has it, in which boot. It ends when it is given back, and when
/// the process that it names is gone. A process that is suspended lives, so nobody takes its place behind its back: what it holds
/// waits for it, or for its end. That is why such a folder is one process's own, and why what delivers gives back before it sleeps.
package struct LeasedStorage: ForwardingStorage {
    /// Whose leases these are.
    package struct Holder: Sendable, Hashable {
        /// The process's id.
        package var process: Int32
        /// The boot that it runs in: after another one no process of it lives.
        package var boot: String

        /// A process of a boot.
        package init(process: Int32, boot: String) {
            self.process = process
            self.boot = boot
        }
    }

    /// What a lease's file says.
    private struct Lease: Hashable {
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

    /// How often the turn is asked for, which everybody gives back at once.
    private static let attempts = 10_000

    /// Where the bytes go.
    package let base: any JournalStorage
    private let turn: String
    private let holder: Holder
    private let isAlive: @Sendable (Int32) -> Bool

    /// - Parameters:
    ///   - base: where the bytes go.
    ///   - root: the folder that all leases lie in.
    ///   - holder: this process.
    ///   - isAlive: whether a process of this number lives.
    package init(
        _ base: any JournalStorage,
        root: String,
        holder: Holder,
        isAlive: @escaping @Sendable (Int32) -> Bool = { ctrackway_process_lives($0) }
    ) {
        self.base = base
        self.holder = holder
        self.isAlive = isAlive
        turn = JournalFolder(root).root + "/turn.lock"
    }

    /// The tokens of the leases that this process holds, through whatever storage: no two are the same.
    private static let held = Locked<Set<String>>([])

    package func lock(_ path: String) throws(StorageError) -> (any StorageLock)? {
        guard let turn = try takeTurn() else { return nil }
        defer { turn.release() }
        if let lease = Lease(try base.contents(of: path)), isHeld(lease) { return nil }
        let token = "\(holder.process).\(ctrackway_next_number()).\(ctrackway_wall_milliseconds())"
        let lease = Lease(process: holder.process, token: token, boot: holder.boot)
        try base.replace(path, with: lease.bytes, durably: false)
        Self.held.withLock { _ = $0.insert(token) }
        return LeaseHandle { giveBack(lease, path) }
    }

    private func isHeld(_ lease: Lease) -> Bool {
        guard lease.boot == holder.boot else { return false }
        // A number may come again: of this process's own it is known which it holds.
        if lease.process == holder.process { return Self.held.withLock { $0.contains(lease.token) } }
        return isAlive(lease.process)
    }

    private func giveBack(_ lease: Lease, _ path: String) {
        Self.held.withLock { _ = $0.remove(lease.token) }
        do throws(StorageError) {
            guard let turn = try takeTurn() else { return }
            defer { turn.release() }
            if Lease(try base.contents(of: path)) == lease { try base.remove(path) }
        } catch {
            // It counts as given back for this process, and for others when the process ends.
        }
    }

    private func takeTurn() throws(StorageError) -> (any StorageLock)? {
        for _ in 0..<Self.attempts {
            if let lock = try base.lock(turn) { return lock }
        }
        return nil
    }
}

/// A lease as its holder has it.
private final class LeaseHandle: StorageLock {
    private struct Ending: Sendable {
        let run: @Sendable () -> Void
    }

    private let ending: Locked<Ending?>

    init(_ giveBack: @escaping @Sendable () -> Void) {
        ending = Locked(Ending(run: giveBack))
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
