// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// The memory for bodies, over all connections: those that arrive, and those that are being unpacked. Safe from any task.
///
/// A body that finds no room waits a bounded time, and is then refused. The two have budgets of their own, so that bodies
/// that have arrived never wait for those that arrive slowly.
public final class BodyBudget: Sendable {
    /// What bodies take memory for.
    public enum Use: Sendable, Hashable, CaseIterable {
        /// The bytes as sent, from the first to the last one.
        case arriving
        /// What is made of them until they are on disk.
        case unpacked
    }

    private struct State: Sendable {
        var queue: BodyQueue
        var continuations: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private struct Arrivals: Sendable {
        var queue: ArrivalQueue
        var continuations: [Int: CheckedContinuation<Bool, Never>] = [:]
        var abandon: [Int: @Sendable () -> Void] = [:]
    }

    private let arriving: Locked<Arrivals>
    private let unpacked: Locked<State>
    private let timeout: Duration
    private let clock: any EventClock
    private let sleep: @Sendable (Duration) async -> Void
    /// How often it is looked whether a body that holds memory still grows.
    private static let look = Duration.seconds(1)

    /// The budget that the limits name.
    ///
    /// - Parameters:
    ///   - clock: The time, by which bodies that do not grow are found.
    ///   - sleep: Waits for a time, or less when it is cancelled.
    public init(_ limits: AdmissionLimits, clock: any EventClock, sleep: @escaping @Sendable (Duration) async -> Void) {
        arriving = Locked(Arrivals(queue: ArrivalQueue(limit: limits.arrivingBytes)))
        unpacked = Locked(State(queue: BodyQueue(limit: limits.unpackedBytes)))
        timeout = limits.bodyTimeout
        self.clock = clock
        self.sleep = sleep
    }

    /// Bytes in use now.
    public func used(for use: Use) -> Int {
        switch use {
        case .arriving: arriving.withLock { $0.queue.used }
        case .unpacked: unpacked.withLock { $0.queue.used }
        }
    }

    /// How many bodies wait for room now.
    public func waiting(for use: Use) -> Int {
        switch use {
        case .arriving: arriving.withLock { $0.queue.count }
        case .unpacked: unpacked.withLock { $0.queue.count }
        }
    }

    // MARK: Bodies that arrive

    /// Carries out `body` while a body arrives, which is charged for each part of it that comes.
    ///
    /// - Parameters:
    ///   - sender: The key or account it came with.
    ///   - address: Where it comes from, if that is known.
    ///   - abandon: Ends its connection, from any thread: it holds memory that another body waits for, and does not grow.
    /// - Throws: ``IntakeError`` `busy` when there are too many bodies, or what `body` throws.
    public func arrival<Result>(
        of sender: String,
        from address: IPAddress?,
        abandon: @escaping @Sendable () -> Void,
        _ body: (ArrivingBody) async throws -> Result
    ) async throws -> Result {
        let now = clock.now().monotonic
        let number = arriving.withLock { state in
            let number = state.queue.begun(by: sender, from: address.map { AddressGroup($0) }, at: now)
            if let number { state.abandon[number] = abandon }
            return number
        }
        guard let number else { throw Self.busy }
        defer { end(number) }
        return try await body(ArrivingBody(number: number, budget: self))
    }

    /// Charges a body for bytes that came, once there is room for them.
    ///
    /// - Throws: ``IntakeError`` `busy` when there was none in time.
    fileprivate func charge(_ bytes: Int, to number: Int) async throws(IntakeError) {
        let now = clock.now().monotonic
        let (verdict, changes) = arriving.withLock { $0.queue.arrived(bytes, of: number, at: now) }
        carryOut(changes)
        switch verdict {
        case .granted: return
        case .refused: throw Self.busy
        case .waits: guard await wait(for: number) else { throw Self.busy }
        }
    }

    private func wait(for number: Int) async -> Bool {
        let timer = Task { [sleep, timeout] in
            var waited = Duration.zero
            while waited < timeout, !Task.isCancelled {
                await sleep(min(Self.look, timeout - waited))
                waited += Self.look
                guard !Task.isCancelled else { return }
                let now = clock.now().monotonic
                carryOut(arriving.withLock { $0.queue.looked(at: now) })
            }
            guard !Task.isCancelled else { return }
            giveUp(number)
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            // It may have been let in, or refused, before it came to wait here.
            let isOver = arriving.withLock { state -> Bool? in
                switch state.queue.standing(of: number) {
                case .waits:
                    state.continuations[number] = continuation
                    return nil
                case .granted: return true
                case .refused: return false
                }
            }
            if let isOver { continuation.resume(returning: isOver) }
        }
    }

    private func end(_ number: Int) {
        let now = clock.now().monotonic
        let changes = arriving.withLock { state in
            state.abandon[number] = nil
            return state.queue.ended(number, at: now)
        }
        carryOut(changes)
    }

    private func giveUp(_ number: Int) {
        let now = clock.now().monotonic
        let (wasWaiting, changes) = arriving.withLock { $0.queue.gaveUp(number, at: now) }
        if wasWaiting { resume([number], returning: false) }
        carryOut(changes)
    }

    private func carryOut(_ changes: ArrivalQueue.Changes) {
        guard changes != ArrivalQueue.Changes() else { return }
        resume(changes.granted, returning: true)
        resume(changes.refused, returning: false)
        let abandon = arriving.withLock { state in changes.abandoned.compactMap { state.abandon[$0] } }
        for abandon in abandon { abandon() }
    }

    private func resume(_ numbers: [Int], returning isGranted: Bool) {
        let continuations = arriving.withLock { state in
            numbers.compactMap { state.continuations.removeValue(forKey: $0) }
        }
        for continuation in continuations { continuation.resume(returning: isGranted) }
    }

    // MARK: Bodies that are unpacked

    /// Carries out `body` with room for what is made of a body, so many bytes at most.
    ///
    /// - Throws: ``IntakeError`` `busy` when there was none in time, or what `body` throws.
    public func unpacking<Result>(
        _ bytes: Int,
        by sender: String,
        _ body: () async throws -> Result
    ) async throws -> Result {
        guard await take(bytes, sender) else { throw Self.busy }
        defer { give(bytes, sender) }
        return try await body()
    }

    private static var busy: IntakeError {
        IntakeError(code: .busy, message: "Too many bodies are on their way already; come back in a moment.")
    }

    private func take(_ bytes: Int, _ sender: String) async -> Bool {
        let state = unpacked
        let (sleep, timeout) = (sleep, timeout)
        let timer = Locked<Task<Void, Never>?>(nil)
        let isGranted = await withCheckedContinuation { continuation in
            let verdict = state.withLock { state in
                let verdict = state.queue.offered(bytes, by: sender)
                if case .waits(let number) = verdict { state.continuations[number] = continuation }
                return verdict
            }
            switch verdict {
            case .granted: continuation.resume(returning: true)
            case .refused: continuation.resume(returning: false)
            case .waits(let number):
                timer.withLock {
                    $0 = Task {
                        await sleep(timeout)
                        Self.giveUp(number, state)
                    }
                }
            }
        }
        timer.withLock { $0?.cancel() }
        return isGranted
    }

    private func give(_ bytes: Int, _ sender: String) {
        let admitted = unpacked.withLock { state in
            state.queue.released(bytes, by: sender).compactMap { state.continuations.removeValue(forKey: $0) }
        }
        for continuation in admitted { continuation.resume(returning: true) }
    }

    private static func giveUp(_ number: Int, _ state: Locked<State>) {
        let (own, admitted) = state.withLock { state in
            let (wasWaiting, admitted) = state.queue.gaveUp(number)
            return (
                wasWaiting ? state.continuations.removeValue(forKey: number) : nil,
                admitted.compactMap { state.continuations.removeValue(forKey: $0) }
            )
        }
        own?.resume(returning: false)
        for continuation in admitted { continuation.resume(returning: true) }
    }
}

/// A body that is on its way, and pays for what has come of it.
public struct ArrivingBody: Sendable {
    fileprivate let number: Int
    fileprivate let budget: BodyBudget

    /// A part of so many bytes came. Returns once there is room for it; nothing more should be read before.
    ///
    /// - Throws: ``IntakeError`` `busy` when there was none in time.
    public func charge(_ bytes: Int) async throws(IntakeError) {
        try await budget.charge(bytes, to: number)
    }
}
