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
/// There is one for each destination, the same for everybody who asks. An app may put one of its own in its place, which adds to
/// what is recorded:
///
/// ```swift
/// analytics.register(Reporter(for: "orders") { $0.attributes["till"] = 4 })
/// ```
/// It does not keep the ``Analytics`` alive. Any thread may call.
public final class Reporter: Sendable {
    private enum Place: Sendable {
        case none
        case registered
        case ended(String)
    }

    private struct State: Sendable {
        var isEnabled = true
        var place = Place.none
        weak var analytics: Analytics?
    }

    /// Whom it records for.
    public let target: DestinationID
    private let prepare: (@Sendable (inout InterceptedEvent) -> Void)?
    private let state = Locked(State())

    /// A reporter of the app's own. It records once it is registered: ``Analytics/register(_:)``.
    ///
    /// - Parameters:
    ///   - target: whom it records for.
    ///   - prepare: may change each event before it is recorded, on the thread that records it. Interceptors see what it leaves.
    public init(for target: DestinationID, preparing prepare: @escaping @Sendable (inout InterceptedEvent) -> Void) {
        self.target = target
        self.prepare = prepare
    }

    fileprivate init(_ target: DestinationID) {
        self.target = target
        prepare = nil
    }

    /// Whether events are recorded; true to begin with. While it is false, calls are ignored: the app has decided not to record,
    /// so nothing is lost and nothing is counted.
    public var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set { state.withLock { $0.isEnabled = newValue } }
    }

    /// Whether it records: false before it is registered, and once it was unregistered or replaced, until it is registered again.
    public var isRegistered: Bool {
        state.withLock { if case .registered = $0.place { true } else { false } }
    }

    /// Records an event for the target; see ``Analytics/record(_:_:items:to:)``.
    ///
    /// - Returns: nil when nothing was recorded, because the reporter is switched off or not registered, or the ``Analytics`` is
    ///   gone.
    @discardableResult
    public func record(_ name: String, _ attributes: Attributes = [:], items: [Item] = []) -> Receipt? {
        guard let analytics = recorder(of: name) else { return nil }
        guard let prepare else { return analytics.record(name, attributes, items: items, to: [target]) }
        var event = InterceptedEvent(name, attributes, items: items, to: [target])
        // What the closure records through the same reporter is recorded as it is.
        _ = CallbackScope.call(CallbackScope.ID(of: self)) { prepare(&event) }
        return analytics.record(event.name, event.attributes, items: event.items, to: [target])
    }

    /// Records an event that has a type of its own; see ``Analytics/record(_:to:)``.
    ///
    /// - Returns: as ``record(_:_:items:)``.
    @discardableResult
    public func record<Recorded: TypedEvent>(_ event: Recorded) -> Receipt? {
        // What cannot be encoded is told by the analytics.
        if prepare != nil, let attributes = try? event.attributes() {
            return record(Recorded.name, attributes, items: event.items)
        }
        return recorder(of: Recorded.name)?.record(event, to: [target])
    }

    private func recorder(of name: String) -> Analytics? {
        let state = state.withLock { $0 }
        guard let analytics = state.analytics else { return nil }
        switch state.place {
        case .registered: return state.isEnabled ? analytics : nil
        case .ended(let reason): analytics.reporter.report(.reporterUnregistered(name, target, reason))
        case .none: break
        }
        return nil
    }

    /// It records for these analytics from now on.
    fileprivate func begin(_ analytics: Analytics) -> Analytics? {
        state.withLock { state in
            defer { (state.place, state.analytics) = (.registered, analytics) }
            if case .registered = state.place { return state.analytics }
            return nil
        }
    }

    /// It records no more, as far as it records for these analytics.
    fileprivate func end(_ reason: String, by analytics: Analytics) {
        state.withLock { if $0.analytics === analytics { $0.place = .ended(reason) } }
    }
}

/// The reporters that were handed out or registered.
final class ReporterRegistry: Sendable {
    private let reporters = Locked<[DestinationID: Reporter]>([:])

    func reporter(for target: DestinationID, of analytics: Analytics) -> Reporter {
        reporters.withLock { reporters in
            if let known = reporters[target] { return known }
            let fresh = Reporter(target)
            _ = fresh.begin(analytics)
            reporters[target] = fresh
            return fresh
        }
    }

    func register(_ reporter: Reporter, with analytics: Analytics) {
        // Inside the lock: of several that come at the same time, the one that stays records.
        let former = reporters.withLock { reporters in
            let replaced = reporters.updateValue(reporter, forKey: reporter.target)
            if let replaced, replaced !== reporter { replaced.end("another one was registered", by: analytics) }
            return reporter.begin(analytics)
        }
        if let former, former !== analytics { former.reporters.forget(reporter) }
    }

    func unregister(_ target: DestinationID, of analytics: Analytics) -> Bool {
        reporters.withLock { reporters in
            guard let reporter = reporters.removeValue(forKey: target) else { return false }
            reporter.end("it was unregistered", by: analytics)
            return true
        }
    }

    /// One that went elsewhere.
    private func forget(_ reporter: Reporter) {
        reporters.withLock { if $0[reporter.target] === reporter { $0[reporter.target] = nil } }
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

    /// Makes a reporter the one of its target: whoever asks ``reporter(for:)`` gets it. The one that was there records no more and
    /// says so.
    ///
    /// - Parameter reporter: one of the app's own, or one that was unregistered. Registered again it changes nothing; one that other
    ///   analytics have comes over from there.
    public func register(_ reporter: Reporter) {
        reporters.register(reporter, with: self)
    }

    /// Ends a destination's reporter: it records nothing any more and says so, until it is registered again. Who asks
    /// ``reporter(for:)`` afterwards gets a new one.
    ///
    /// - Returns: False when there was none.
    @discardableResult
    public func unregisterReporter(for target: DestinationID) -> Bool {
        reporters.unregister(target, of: self)
    }

    /// The targets of the app's: those that are configured or added, those that earlier runs or other processes left events for,
    /// and those somebody has a ``Reporter`` for, in the order of their names. What cannot be read at present is left out.
    ///
    /// - Complexity: O(number of processes that left events, times destinations); reads small files.
    public func targetIdentifiers() -> [DestinationID] {
        // Targets of other processes cannot be read then; those that are present are known without a file.
        let kept = (try? journal.keptDestinations()) ?? Set(registry.present.filter { journal.isKept($0) })
        return kept.union(reporters.targets).sorted()
    }
}

extension Diagnostic.Code {
    /// A reporter was used after it had been unregistered or replaced.
    public static let reporterUnregistered = Diagnostic.Code(rawValue: "reporter_unregistered")
}

extension Diagnostic {
    fileprivate static func reporterUnregistered(_ name: String, _ target: DestinationID, _ reason: String)
        -> Diagnostic
    {
        Diagnostic(
            code: .reporterUnregistered,
            field: "reporter",
            value: "\(target): \(name)",
            remedy:
                "The event was not recorded, because this reporter is invalid: \(reason). Ask reporter(for: \"\(target)\") for "
                + "the present one, or register this one again."
        )
    }
}
