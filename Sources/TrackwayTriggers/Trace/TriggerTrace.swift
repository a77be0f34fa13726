// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
internal import TrackwayEvents

/// Tells whoever debugs which events fired, as they fire. Events that have a ``TriggerEvent/trace`` are told.
///
/// ```swift
/// for await report in detector.trace.reports() { log("\(report)") }
/// ```
/// Nobody has to listen: the newest reports are kept, and everything has a bound. Any thread.
public final class TriggerTrace: Sendable {
    /// Which events are told.
    public enum Scope: Sendable {
        /// Those that have a sentence.
        case traced
        /// All of them.
        case everything
    }

    private struct Listener: Sendable {
        let take: @Sendable (TriggerReport) -> Void
        var end: @Sendable () -> Void = {}
    }

    private struct State: Sendable {
        var recent: [TriggerReport] = []
        var listeners: [Int: Listener] = [:]
        var lastNumber = 0
    }

    private let scope: Scope
    private let bound: Int
    private let state = Locked(State())

    /// A trace.
    ///
    /// - Parameters:
    ///   - scope: which events are told.
    ///   - bound: how many reports are kept, and how many wait for a reader that is slow; 1 at least.
    public init(_ scope: Scope = .traced, bound: Int = 256) {
        self.scope = scope
        self.bound = max(1, bound)
    }

    deinit {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.end() }
    }

    /// The newest reports, the oldest first.
    public var recent: [TriggerReport] { state.withLock { $0.recent } }

    /// The reports from now on, until whoever reads them stops, or the trace ends. A reader that is slower than the happenings misses the oldest;
    /// the next report says how many.
    public func reports() -> AsyncStream<TriggerReport> {
        let (stream, output) = AsyncStream.makeStream(of: TriggerReport.self, bufferingPolicy: .bufferingNewest(bound))
        let missed = Locked(0)
        let take: @Sendable (TriggerReport) -> Void = { report in
            var report = report
            report.missed = missed.withLock { missed in
                defer { missed = 0 }
                return missed
            }
            // What was lost may have told of losses itself.
            if case .dropped(let lost) = output.yield(report) { missed.withLock { $0 += lost.missed + 1 } }
        }
        let number = add(Listener(take: take, end: { output.finish() }))
        output.onTermination = { [weak self] _ in self?.stopListening(number) }
        return stream
    }

    /// Records every report as `_trigger`, so that it can be watched where events arrive: on the collector's page, or with
    /// `trackway tail --name _trigger`.
    ///
    /// - Parameters:
    ///   - analytics: what records; it is not kept.
    ///   - route: the destinations that shall have them. Name your own collector's: others know no such event.
    /// - Returns: What ends it. It goes on without, as long as trace and analytics live.
    @discardableResult
    public func record(with analytics: Analytics, to route: Route = .all) -> TriggerTraceRecording {
        let number = listen { [weak analytics] report in
            analytics?.record(CapturedName.trigger, Attributes(report), to: route)
        }
        return TriggerTraceRecording { [weak self] in self?.stopListening(number) }
    }

    // MARK: Inside

    /// Has every report handed over, on the thread that tells it.
    package func listen(_ take: @escaping @Sendable (TriggerReport) -> Void) -> Int {
        add(Listener(take: take))
    }

    private func add(_ listener: Listener) -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.listeners[state.lastNumber] = listener
            return state.lastNumber
        }
    }

    /// Ends what ``listen(_:)`` began.
    package func stopListening(_ number: Int) {
        state.withLock { $0.listeners[number] = nil }
    }

    /// Whether an event is told.
    func wants(_ event: TriggerEvent) -> Bool {
        event.trace != nil || scope == .everything
    }

    /// Tells a report.
    package func tell(_ report: TriggerReport) {
        let listeners = state.withLock { state in
            if state.recent.count == bound { state.recent.removeFirst() }
            state.recent.append(report)
            return state.listeners.isEmpty ? [] : state.listeners.sorted { $0.key < $1.key }.map(\.value)
        }
        for listener in listeners { listener.take(report) }
    }
}

/// Ends the recording of a trace; see ``TriggerTrace/record(with:to:)``.
public struct TriggerTraceRecording: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    /// Records no more.
    public func cancel() {
        end()
    }
}

extension Attributes {
    /// What is recorded of a report.
    init(_ report: TriggerReport) {
        self.init()
        self[CapturedKey.trigger] = .string(report.trigger.name)
        self[CapturedKey.trace] = report.trace.map { .string($0) }
        self[CapturedKey.triggerIdentifier] = report.identifier.map { .string($0) }
        self[CapturedKey.elementType] = report.element.map { .string($0.type) }
        self[CapturedKey.elementID] = report.element?.id.map { .string($0) }
        switch report.outcome {
        case .ran: break
        case .skipped: self[CapturedKey.triggerOutcome] = "skipped"
        case .refused(let reason): self[CapturedKey.triggerOutcome] = .string("refused: \(reason)")
        }
    }
}
