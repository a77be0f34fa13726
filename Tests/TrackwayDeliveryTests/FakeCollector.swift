// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

/// An in-memory collector that simulates failures on request.
///
/// It accepts batches in the collector's format and identifies events by their ids.
final class FakeCollector: Transport {
    enum Behavior: Sendable {
        case healthy
        /// Responds with this status and the collector's error body.
        case status(Int, retryAfter: String? = nil)
        /// A login page with status 200.
        case portal
        /// The network is offline.
        case offline
        /// Accepts the events, but the response is lost.
        case losesResponses
        /// Rejects a whole batch that contains one of these names, with this status.
        case refusesBatches(with: Set<String>, status: Int)
        /// Rejects events with these names individually, in the response.
        case refusesEvents(named: Set<String>)
    }

    private struct State: Sendable {
        var behavior = Behavior.healthy
        var behaviors: [String: Behavior] = [:]
        var attempts = 0
        var copies: [EventID: Int] = [:]
        var names: [String] = []
        var perWriter: [WriterID: [UInt64]] = [:]
        var faults: [String] = []
        /// The numbers accounted for, by destination name and writer.
        ///
        /// `recorded` contains the highest reported number, by the same keys.
        var known: [String: [WriterID: Set<UInt64>]] = [:]
        var recorded: [String: [WriterID: UInt64]] = [:]
        var asked: [String: Int] = [:]
        var isHanging = false
        var cancelled = 0
        var watchers: [(attempts: Int, report: CheckedContinuation<Void, Never>)] = []
        var hanging: CheckedContinuation<Void, Never>?
        var look: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    // MARK: Behavior

    func setBehavior(_ behavior: Behavior) { state.withLock { $0.behavior = behavior } }
    /// Sets the behavior for requests whose host starts with this text.
    func setBehavior(_ behavior: Behavior, to part: String) { state.withLock { $0.behaviors[part] = behavior } }
    /// Makes requests hang until canceled, or until ``resume()``.
    func hang() { state.withLock { $0.isHanging = true } }
    /// Calls a closure when the next request arrives, before the response.
    func onNextRequest(_ look: @escaping @Sendable () -> Void) { state.withLock { $0.look = look } }
    func resume() {
        let hanging = state.withLock { state in
            defer { state.hanging = nil }
            state.isHanging = false
            return state.hanging
        }
        hanging?.resume()
    }

    // MARK: Results

    var attempts: Int { state.withLock { $0.attempts } }
    /// The rows that a collector would store, each event once.
    var rows: Int { state.withLock { $0.copies.count } }
    /// The number of duplicate events received.
    var duplicates: Int { state.withLock { $0.copies.values.reduce(0) { $0 + $1 - 1 } } }
    var names: [String] { state.withLock { $0.names } }
    /// Violations of the format.
    var faults: [String] { state.withLock { $0.faults } }
    /// Returns the numbers reported to a destination but not accounted for.
    func gaps(at destination: String) -> [UInt64] {
        state.withLock { state in
            (state.recorded[destination] ?? [:]).flatMap { writer, last in
                (last == 0 ? [] : Array(1...last)).filter {
                    !(state.known[destination]?[writer]?.contains($0) ?? false)
                }
            }
        }
    }
    /// Returns the highest number reported to a destination.
    func highest(at destination: String) -> UInt64 {
        state.withLock { $0.recorded[destination]?.values.max() ?? 0 }
    }
    /// Returns the number of requests to a destination.
    func attempts(at destination: String) -> Int { state.withLock { $0.asked[destination] ?? 0 } }
    var cancelled: Int { state.withLock { $0.cancelled } }
    /// Whether every writer's events first arrived in the order of their numbers.
    var keepsOrder: Bool { state.withLock { $0.perWriter.values.allSatisfy { $0 == $0.sorted() } } }

    func waitForAttempts(_ attempts: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.attempts >= attempts { return true }
                state.watchers.append((attempts, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    // MARK: Transport

    func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        let look = state.withLock { state in
            defer { state.look = nil }
            return state.look
        }
        look?()
        let (behavior, reached, hangs) = state.withLock {
            state -> (Behavior, [CheckedContinuation<Void, Never>], Bool) in
            state.attempts += 1
            state.asked[Self.destination(request), default: 0] += 1
            let reached = state.watchers.filter { $0.attempts <= state.attempts }.map(\.report)
            state.watchers.removeAll { $0.attempts <= state.attempts }
            let behavior = state.behaviors.first { request.url.hasPrefix("https://\($0.key)") }?.value ?? state.behavior
            return (behavior, reached, state.isHanging)
        }
        for continuation in reached { continuation.resume() }
        if hangs { try await waitWhileHanging() }
        switch behavior {
        case .healthy:
            return take(request, refusing: [])
        case .refusesEvents(let names):
            return take(request, refusing: names)
        case .losesResponses:
            _ = take(request, refusing: [])
            throw TransportError(.timedOut, "the response was lost")
        case .offline:
            throw TransportError(.offline)
        case .status(let status, let retryAfter):
            return Self.failure(status, retryAfter: retryAfter)
        case .portal:
            let page = Array("<html>Please sign in</html>".utf8)
            return WireResponse(status: 200, headers: ["content-type": "text/html"], body: page)
        case .refusesBatches(let names, let status):
            guard let lines = Self.lines(of: request) else { return Self.failure(400) }
            let refused = lines.events.contains { names.contains($0.name) }
            return refused ? Self.failure(status) : take(request, refusing: [])
        }
    }

    private func waitWhileHanging() async throws(TransportError) {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let passes = state.withLock { state in
                    guard state.isHanging, !Task.isCancelled else { return true }
                    state.hanging = continuation
                    return false
                }
                if passes { continuation.resume() }
            }
        } onCancel: {
            let hanging = state.withLock { state in
                defer { state.hanging = nil }
                return state.hanging
            }
            hanging?.resume()
        }
        if Task.isCancelled {
            state.withLock { $0.cancelled += 1 }
            throw TransportError(.cancelled)
        }
    }

    private func take(_ request: WireRequest, refusing names: Set<String>) -> WireResponse {
        guard let (header, events) = Self.lines(of: request), let writer = header.writer else {
            state.withLock { $0.faults.append("unreadable body") }
            return Self.failure(400)
        }
        var rejected: [CollectorAcknowledgment.Rejected] = []
        state.withLock { state in
            let numbers = Array(header.sequences ?? BatchSequences(first: 1, last: 0, without: []))
            let name = Self.destination(request)
            var known = state.known[name]?[writer] ?? []
            known.formUnion(numbers)
            for range in header.skipped { known.formUnion(range) }
            for range in header.dropped { known.formUnion(range.sequences) }
            state.known[name, default: [:]][writer] = known
            let recorded = max(header.recorded ?? 0, header.last ?? 0)
            state.recorded[name, default: [:]][writer, default: 0] = max(
                recorded,
                state.recorded[name]?[writer] ?? 0
            )
            if numbers.count != events.count {
                state.faults.append("\(numbers.count) numbers for \(events.count) events")
            }
            for (index, event) in events.enumerated() {
                if names.contains(event.name) {
                    rejected.append(CollectorAcknowledgment.Rejected(index: index, code: "name_refused", field: "name"))
                    continue
                }
                if state.copies[event.id] == nil {
                    state.names.append(event.name)
                    if index < numbers.count { state.perWriter[writer, default: []].append(numbers[index]) }
                }
                state.copies[event.id, default: 0] += 1
            }
        }
        let answer = CollectorAcknowledgment(
            accepted: events.count - rejected.count,
            rejected: rejected,
            position: "1.0"
        )
        return WireResponse(status: 200, headers: ["content-type": "application/json"], body: answer.json())
    }

    private static func destination(_ request: WireRequest) -> String {
        String(request.url.dropFirst("https://".count).prefix { $0 != "." })
    }

    private static func failure(_ status: Int, retryAfter: String? = nil) -> WireResponse {
        var headers: WireHeaders = ["content-type": "application/json"]
        headers["retry-after"] = retryAfter
        let body = CollectorFailure(code: "status_\(status)", message: "Scripted.").json()
        return WireResponse(status: status, headers: headers, body: body)
    }

    private static func lines(of request: WireRequest) -> (header: BatchHeader, events: [Event])? {
        guard let body = try? Gzip.inflate(request.body) else { return nil }
        var header: BatchHeader?
        var events: [Event] = []
        for line in body.split(separator: UInt8(ascii: "\n")) {
            let isRead = line.withUnsafeBytes { line -> Bool in
                switch CollectorFormat.kind(of: line) {
                case .batch:
                    header = try? BatchHeader(json: line)
                    return header != nil
                case .context:
                    return true
                case .event:
                    guard let event = try? Event(json: line) else { return false }
                    events.append(event)
                    return true
                }
            }
            guard isRead else { return nil }
        }
        return header.map { ($0, events) }
    }
}
