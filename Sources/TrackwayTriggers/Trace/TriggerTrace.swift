// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
internal import TrackwayEvents

/// Reports events as they fire, for debugging.
///
/// By default, it reports events that have a ``TriggerEvent/trace``.
///
/// ```swift
/// for await report in detector.trace.reports() { log("\(report)") }
/// ```
/// A reader is not required: the newest reports are kept, and all memory is bounded. Any thread may call.
public final class TriggerTrace: Sendable {
    /// The events to report.
    public enum Scope: Sendable {
        /// Events with a trace text.
        case traced
        /// All events.
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

    /// Creates a trace.
    ///
    /// - Parameters:
    ///   - scope: the events to report.
    ///   - bound: the maximum number of reports to keep, and to buffer for a slow reader; at least 1.
    public init(_ scope: Scope = .traced, bound: Int = 256) {
        self.scope = scope
        self.bound = max(1, bound)
    }

    deinit {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.end() }
    }

    /// The newest reports, oldest first.
    public var recent: [TriggerReport] { state.withLock { $0.recent } }

    /// Returns a stream of new reports.
    ///
    /// The stream ends when the reader stops or the trace is released. A reader that is too slow misses the oldest
    /// reports. The next report contains their number.
    public func reports() -> AsyncStream<TriggerReport> {
        let (stream, output) = AsyncStream.makeStream(of: TriggerReport.self, bufferingPolicy: .bufferingNewest(bound))
        let missed = Locked(0)
        let take: @Sendable (TriggerReport) -> Void = { report in
            var report = report
            report.missed = missed.withLock { missed in
                defer { missed = 0 }
                return missed
            }
            // A lost report may itself contain a number of losses.
            if case .dropped(let lost) = output.yield(report) { missed.withLock { $0 += lost.missed + 1 } }
        }
        let number = add(Listener(take: take, end: { output.finish() }))
        output.onTermination = { [weak self] _ in self?.stopListening(number) }
        return stream
    }

    /// Records every report as an event `_trigger`.
    ///
    /// The events appear on the collector's page and in `trackway tail --name _trigger`.
    ///
    /// - Parameters:
    ///   - analytics: records the events; it is not retained.
    ///   - route: the destinations of the events. Name your own collector's, because others do not know this event.
    /// - Returns: an object that ends the recording. It may be discarded: the recording continues until the trace or
    ///   the `Analytics` is released.
    @discardableResult
    public func record(with analytics: Analytics, to route: Route = .all) -> TriggerTraceRecording {
        let number = listen { [weak analytics] report in
            analytics?.record(CapturedName.trigger, Attributes(report), to: route)
        }
        return TriggerTraceRecording { [weak self] in self?.stopListening(number) }
    }

    // MARK: Internal

    /// Calls the closure for every report, on the reporting thread.
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

    /// Removes a listener added by ``listen(_:)``.
    package func stopListening(_ number: Int) {
        state.withLock { $0.listeners[number] = nil }
    }

    /// Whether an event is reported.
    func wants(_ event: TriggerEvent) -> Bool {
        event.trace != nil || scope == .everything
    }

    /// Adds a report and passes it to all listeners.
    package func tell(_ report: TriggerReport) {
        let listeners = state.withLock { state in
            if state.recent.count == bound { state.recent.removeFirst() }
            state.recent.append(report)
            return state.listeners.isEmpty ? [] : state.listeners.sorted { $0.key < $1.key }.map(\.value)
        }
        for listener in listeners { listener.take(report) }
    }
}

/// A recording of a trace, which can be ended; see ``TriggerTrace/record(with:to:)``.
public struct TriggerTraceRecording: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    /// Stops recording.
    public func cancel() {
        end()
    }
}

extension Attributes {
    /// Creates the attributes that are recorded for a report.
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
