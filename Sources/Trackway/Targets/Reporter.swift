// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
internal import TrackwayJournal

/// Records for one destination: a small handle for the part of an app that knows nothing of the others.
///
/// ```swift
/// let orders = analytics.reporter(for: "orders")
/// orders.record("order", ["total": 99.9])
/// ```
/// There is one for each destination, the same for everybody who asks. It does not keep the ``Analytics`` alive. Any thread may
/// call.
public final class Reporter: Sendable {
    private struct State: Sendable {
        var isEnabled = true
        var isRegistered = true
    }

    /// Whom it records for.
    public let target: DestinationID
    private weak let analytics: Analytics?
    private let state = Locked(State())

    fileprivate init(_ target: DestinationID, _ analytics: Analytics) {
        self.target = target
        self.analytics = analytics
    }

    /// Whether events are recorded; true to begin with. While it is false, calls are ignored: the app has decided not to record,
    /// so nothing is lost and nothing is counted.
    public var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set { state.withLock { $0.isEnabled = newValue } }
    }

    /// Whether it still records: false once it was unregistered, for good.
    public var isRegistered: Bool { state.withLock { $0.isRegistered } }

    fileprivate func unregister() {
        state.withLock { $0.isRegistered = false }
    }

    /// Records an event for the target; see ``Analytics/record(_:_:items:to:)``.
    ///
    /// - Returns: nil when nothing was recorded, because the reporter is switched off or unregistered, or the ``Analytics`` is gone.
    @discardableResult
    public func record(_ name: String, _ attributes: Attributes = [:], items: [Item] = []) -> Receipt? {
        recorder(of: name)?.record(name, attributes, items: items, to: [target])
    }

    /// Records an event that has a type of its own; see ``Analytics/record(_:to:)``.
    ///
    /// - Returns: as ``record(_:_:items:)``.
    @discardableResult
    public func record<Recorded: TypedEvent>(_ event: Recorded) -> Receipt? {
        recorder(of: Recorded.name)?.record(event, to: [target])
    }

    private func recorder(of name: String) -> Analytics? {
        let state = state.withLock { $0 }
        guard let analytics else { return nil }
        guard state.isRegistered else {
            analytics.reporter.report(.reporterUnregistered(name, target))
            return nil
        }
        return state.isEnabled ? analytics : nil
    }
}

/// The reporters that were handed out.
final class ReporterRegistry: Sendable {
    private let reporters = Locked<[DestinationID: Reporter]>([:])

    func reporter(for target: DestinationID, of analytics: Analytics) -> Reporter {
        reporters.withLock { reporters in
            if let known = reporters[target] { return known }
            let fresh = Reporter(target, analytics)
            reporters[target] = fresh
            return fresh
        }
    }

    func unregister(_ target: DestinationID) -> Bool {
        guard let reporter = reporters.withLock({ $0.removeValue(forKey: target) }) else { return false }
        reporter.unregister()
        return true
    }

    var targets: Set<DestinationID> { reporters.withLock { Set($0.keys) } }
}

extension Analytics {
    /// A handle that records for one destination, the same for everybody who asks.
    ///
    /// Where no destination has this id, each call is told with a `Diagnostic` and records nothing, until one is added.
    public func reporter(for target: DestinationID) -> Reporter {
        reporters.reporter(for: target, of: self)
    }

    /// Ends a destination's reporter: it records nothing any more and says so. Who asks ``reporter(for:)`` afterwards gets a new
    /// one.
    ///
    /// - Returns: False when nobody had asked for one.
    @discardableResult
    public func unregisterReporter(for target: DestinationID) -> Bool {
        reporters.unregister(target)
    }

    /// The targets of the app's: those that are configured or added, those that earlier runs or other processes left events for,
    /// and those somebody has a ``Reporter`` for, in the order of their names. What cannot be read at present is left out.
    ///
    /// - Complexity: O(number of processes that left events, times destinations); reads small files.
    public func targetIdentifiers() -> [DestinationID] {
        let kept = (try? journal.keptDestinations()) ?? Set(registry.present.filter { journal.isKept($0) })
        return kept.union(reporters.targets).sorted()
    }
}

extension Diagnostic.Code {
    /// A reporter was used after it had been unregistered.
    public static let reporterUnregistered = Diagnostic.Code(rawValue: "reporter_unregistered")
}

extension Diagnostic {
    fileprivate static func reporterUnregistered(_ name: String, _ target: DestinationID) -> Diagnostic {
        Diagnostic(
            code: .reporterUnregistered,
            field: "reporter",
            value: "\(target): \(name)",
            remedy:
                "The event was not recorded, because this reporter was unregistered; ask reporter(for: \"\(target)\") for a "
                + "new one."
        )
    }
}
