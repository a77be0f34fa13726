// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Limits the memory for request bodies across all connections.
///
/// Covers bodies that are being received and bodies that are being unpacked. Safe to use from any task.
///
/// A body for which there is not enough memory waits, and is refused after a bounded time. The two stages have separate
/// budgets, so that received bodies never wait for bodies that arrive slowly.
public final class BodyBudget: Sendable {
    /// A stage in which a body uses memory.
    public enum Stage: Sendable, Hashable, CaseIterable {
        /// Receiving the bytes as sent, from the first byte to the last.
        case arriving
        /// Holding the unpacked content until it is on disk.
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
    /// The interval for checking whether bodies that hold memory are still growing.
    private static let stallCheckInterval = Duration.seconds(1)

    /// Creates a budget with the given limits.
    ///
    /// - Parameters:
    ///   - clock: The clock by which stalled bodies are detected.
    ///   - sleep: Waits for the duration, or less if canceled.
    public init(_ limits: AdmissionLimits, clock: any EventClock, sleep: @escaping @Sendable (Duration) async -> Void) {
        arriving = Locked(Arrivals(queue: ArrivalQueue(limit: limits.arrivingBytes)))
        unpacked = Locked(State(queue: BodyQueue(limit: limits.unpackedBytes)))
        timeout = limits.bodyTimeout
        self.clock = clock
        self.sleep = sleep
    }

    /// Returns the number of bytes in use.
    public func used(for stage: Stage) -> Int {
        switch stage {
        case .arriving: arriving.withLock { $0.queue.used }
        case .unpacked: unpacked.withLock { $0.queue.used }
        }
    }

    /// Returns the number of bodies that are waiting for memory.
    public func waiting(for stage: Stage) -> Int {
        switch stage {
        case .arriving: arriving.withLock { $0.queue.count }
        case .unpacked: unpacked.withLock { $0.queue.count }
        }
    }

    // MARK: Bodies being received

    /// Runs `body` while a request body is received.
    ///
    /// The request body is charged for each part as it arrives.
    ///
    /// - Parameters:
    ///   - sender: The key or account of the request.
    ///   - address: The client's address, if known.
    ///   - abandon: Closes the connection; can be called from any thread. Called when the body has stopped growing and
    ///     holds memory that another body is waiting for.
    /// - Throws: ``IntakeError`` `busy` if there are too many bodies, or the error of `body`.
    public func withArrivingBody<Result>(
        of sender: String,
        from address: IPAddress?,
        abandon: @escaping @Sendable () -> Void,
        _ body: (ArrivingBody) async throws -> Result
    ) async throws -> Result {
        let now = clock.now().monotonic
        let number = arriving.withLock { state in
            let number = state.queue.begin(by: sender, from: address.map { AddressGroup($0) }, at: now)
            if let number { state.abandon[number] = abandon }
            return number
        }
        guard let number else { throw Self.busy }
        defer { end(number) }
        return try await body(ArrivingBody(number: number, budget: self))
    }

    /// Charges a body for received bytes once there is memory for them.
    ///
    /// - Throws: ``IntakeError`` `busy` if memory did not become available in time.
    fileprivate func charge(_ bytes: Int, to number: Int) async throws(IntakeError) {
        let now = clock.now().monotonic
        let (verdict, changes) = arriving.withLock { $0.queue.receive(bytes, of: number, at: now) }
        apply(changes)
        switch verdict {
        case .granted: return
        case .refused: throw Self.busy
        case .queued: guard await wait(for: number) else { throw Self.busy }
        }
    }

    private func wait(for number: Int) async -> Bool {
        let timer = Task { [sleep, timeout] in
            var waited = Duration.zero
            while waited < timeout, !Task.isCancelled {
                await sleep(min(Self.stallCheckInterval, timeout - waited))
                waited += Self.stallCheckInterval
                guard !Task.isCancelled else { return }
                let now = clock.now().monotonic
                apply(arriving.withLock { $0.queue.checkStalls(at: now) })
            }
            guard !Task.isCancelled else { return }
            giveUp(number)
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            // The body may have been granted memory or refused before it started to wait here.
            let isOver = arriving.withLock { state -> Bool? in
                switch state.queue.verdict(of: number) {
                case .queued:
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
            return state.queue.end(number, at: now)
        }
        apply(changes)
    }

    private func giveUp(_ number: Int) {
        let now = clock.now().monotonic
        let (wasWaiting, changes) = arriving.withLock { $0.queue.cancel(number, at: now) }
        if wasWaiting { resume([number], returning: false) }
        apply(changes)
    }

    private func apply(_ changes: ArrivalQueue.Changes) {
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

    // MARK: Bodies being unpacked

    /// Runs `body` with memory for at most `bytes` of unpacked content.
    ///
    /// - Throws: ``IntakeError`` `busy` if memory did not become available in time, or the error of `body`.
    public func withUnpackedBytes<Result>(
        _ bytes: Int,
        by sender: String,
        _ body: () async throws -> Result
    ) async throws -> Result {
        guard await reserve(bytes, sender) else { throw Self.busy }
        defer { release(bytes, sender) }
        return try await body()
    }

    private static var busy: IntakeError {
        IntakeError(code: .busy, message: "Too many request bodies are being processed; try again in a moment.")
    }

    private func reserve(_ bytes: Int, _ sender: String) async -> Bool {
        let state = unpacked
        let (sleep, timeout) = (sleep, timeout)
        let timer = Locked<Task<Void, Never>?>(nil)
        let isGranted = await withCheckedContinuation { continuation in
            let verdict = state.withLock { state in
                let verdict = state.queue.reserve(bytes, by: sender)
                if case .queued(let number) = verdict { state.continuations[number] = continuation }
                return verdict
            }
            switch verdict {
            case .granted: continuation.resume(returning: true)
            case .refused: continuation.resume(returning: false)
            case .queued(let number):
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

    private func release(_ bytes: Int, _ sender: String) {
        let admitted = unpacked.withLock { state in
            state.queue.release(bytes, by: sender).compactMap { state.continuations.removeValue(forKey: $0) }
        }
        for continuation in admitted { continuation.resume(returning: true) }
    }

    private static func giveUp(_ number: Int, _ state: Locked<State>) {
        let (own, admitted) = state.withLock { state in
            let (wasWaiting, admitted) = state.queue.cancel(number)
            return (
                wasWaiting ? state.continuations.removeValue(forKey: number) : nil,
                admitted.compactMap { state.continuations.removeValue(forKey: $0) }
            )
        }
        own?.resume(returning: false)
        for continuation in admitted { continuation.resume(returning: true) }
    }
}

/// A body that is being received and charged for its bytes.
public struct ArrivingBody: Sendable {
    fileprivate let number: Int
    fileprivate let budget: BodyBudget

    /// Charges the body for a part of `bytes` that arrived.
    ///
    /// Returns once there is memory for that part. Nothing more should be read before this method returns.
    ///
    /// - Throws: ``IntakeError`` `busy` if memory did not become available in time.
    public func charge(_ bytes: Int) async throws(IntakeError) {
        try await budget.charge(bytes, to: number)
    }
}
