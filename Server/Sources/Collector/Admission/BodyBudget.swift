// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

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

    private let arriving: Locked<State>
    private let unpacked: Locked<State>
    private let timeout: Duration
    private let sleep: @Sendable (Duration) async -> Void

    /// The budget that the limits name.
    ///
    /// - Parameter sleep: Waits for a time, or less when it is cancelled.
    public init(_ limits: AdmissionLimits, sleep: @escaping @Sendable (Duration) async -> Void) {
        arriving = Locked(State(queue: BodyQueue(limit: limits.arrivingBytes)))
        unpacked = Locked(State(queue: BodyQueue(limit: limits.unpackedBytes)))
        timeout = limits.bodyTimeout
        self.sleep = sleep
    }

    /// Bytes in use now.
    public func used(for use: Use) -> Int { state(use).withLock { $0.queue.used } }

    /// How many bodies wait for room now.
    public func waiting(for use: Use) -> Int { state(use).withLock { $0.queue.count } }

    /// Carries out `body` with room for so many bytes.
    ///
    /// - Throws: ``IntakeError`` `busy` when there was none in time, or what `body` throws.
    public func with<Result>(
        _ bytes: Int,
        for use: Use,
        by sender: String,
        _ body: () async throws -> Result
    ) async throws -> Result {
        guard await take(bytes, use, sender) else {
            throw IntakeError(
                code: .busy,
                message: "Too many bodies are on their way already; come back in a moment."
            )
        }
        defer { give(bytes, use, sender) }
        return try await body()
    }

    private func state(_ use: Use) -> Locked<State> {
        switch use {
        case .arriving: arriving
        case .unpacked: unpacked
        }
    }

    private func take(_ bytes: Int, _ use: Use, _ sender: String) async -> Bool {
        let state = state(use)
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

    private func give(_ bytes: Int, _ use: Use, _ sender: String) {
        let admitted = state(use).withLock { state in
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
