// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
internal import TrackwayCore

/// A debugging trace that reports events as they fire.
///
/// By default, a trace reports events that have a ``TriggerEvent/trace``.
///
/// ```swift
/// for await report in detector.trace.reports() { log("\(report)") }
/// ```
/// A reader is not required: the newest reports are kept, and all memory is bounded. Callable from any thread.
public final class TriggerTrace: Sendable {
    /// The events to report.
    public enum Scope: Sendable {
        /// Events with a trace string.
        case traced
        /// All events.
        case everything
    }

    private struct Listener: Sendable {
        let onReport: @Sendable (TriggerReport) -> Void
        var onEnd: @Sendable () -> Void = {}
    }

    private struct State: Sendable {
        var recent: [TriggerReport] = []
        var listeners: [Int: Listener] = [:]
        var lastNumber = 0
    }

    private let scope: Scope
    private let capacity: Int
    private let state = Locked(State())

    /// Creates a trace.
    ///
    /// - Parameters:
    ///   - scope: the events to report.
    ///   - capacity: the maximum number of reports to keep, and to buffer for a slow reader; at least 1.
    public init(_ scope: Scope = .traced, capacity: Int = 256) {
        self.scope = scope
        self.capacity = max(1, capacity)
    }

    deinit {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.onEnd() }
    }

    /// The newest reports, oldest first.
    public var recent: [TriggerReport] { state.withLock { $0.recent } }

    /// Returns a stream of new reports.
    ///
    /// The stream ends when the reader stops or the trace is released. A reader that is too slow misses the oldest
    /// reports. The next report contains the number of missed reports.
    public func reports() -> AsyncStream<TriggerReport> {
        let (stream, output) = AsyncStream.makeStream(
            of: TriggerReport.self,
            bufferingPolicy: .bufferingNewest(capacity)
        )
        let missed = Locked(0)
        let onReport: @Sendable (TriggerReport) -> Void = { report in
            var report = report
            report.missedCount = missed.withLock { missed in
                defer { missed = 0 }
                return missed
            }
            // A lost report may itself contain a count of earlier losses.
            if case .dropped(let lost) = output.yield(report) { missed.withLock { $0 += lost.missedCount + 1 } }
        }
        let number = add(Listener(onReport: onReport, onEnd: { output.finish() }))
        output.onTermination = { [weak self] _ in self?.removeListener(number) }
        return stream
    }

    /// Records every report as an event named `_trigger`.
    ///
    /// The events appear on the collector's page and in `trackway events tail --name _trigger`.
    ///
    /// - Parameters:
    ///   - analytics: the instance that records the events; not retained.
    ///   - route: the destinations of the events. Specify your own collector's destination, because other back ends do
    ///     not know this event.
    /// - Returns: a value that can end the recording. It may be discarded: the recording continues until the trace or
    ///   the `Analytics` instance is released.
    @discardableResult
    public func record(with analytics: Analytics, to route: Route = .all) -> TriggerTraceRecording {
        let number = addListener { [weak analytics] report in
            analytics?.record(CapturedName.trigger, Attributes(report), to: route)
        }
        return TriggerTraceRecording { [weak self] in self?.removeListener(number) }
    }

    // MARK: Internal

    /// Adds a listener, called for every report on the reporting thread.
    package func addListener(_ onReport: @escaping @Sendable (TriggerReport) -> Void) -> Int {
        add(Listener(onReport: onReport))
    }

    private func add(_ listener: Listener) -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.listeners[state.lastNumber] = listener
            return state.lastNumber
        }
    }

    /// Removes a listener added by ``addListener(_:)``.
    package func removeListener(_ number: Int) {
        state.withLock { $0.listeners[number] = nil }
    }

    /// Returns whether the trace reports an event.
    func includes(_ event: TriggerEvent) -> Bool {
        event.trace != nil || scope == .everything
    }

    /// Stores a report and passes it to all listeners.
    package func report(_ report: TriggerReport) {
        let listeners = state.withLock { state in
            if state.recent.count == capacity { state.recent.removeFirst() }
            state.recent.append(report)
            return state.listeners.isEmpty ? [] : state.listeners.sorted { $0.key < $1.key }.map(\.value)
        }
        for listener in listeners { listener.onReport(report) }
    }
}

/// A cancelable recording of a trace; see ``TriggerTrace/record(with:to:)``.
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
