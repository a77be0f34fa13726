// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HummingbirdCore
internal import TrackwayEvents

/// Checks whether an alert's condition holds, by querying the index.
///
/// It queries the index like other clients, with at most one query at a time.
struct AlertEvaluator: Sendable {
    let dependencies: CollectorDependencies
    let zones: ZoneDirectory
    /// The slots for running queries.
    let slots: ConcurrencySlots
    /// Sleeps for a duration.
    let sleep: @Sendable (Duration) async -> Void
    /// The maximum time for the index to catch up.
    private static let longestWait = Duration.seconds(10)
    /// The maximum number of attempts to get a slot, one second apart.
    private static let attempts = 30
    /// When events were last seen, for ``silence(_:_:)``.
    private let arrivals: Locked<Arrivals>

    init(
        dependencies: CollectorDependencies,
        zones: @escaping ZoneDirectory,
        slots: ConcurrencySlots,
        sleep: @escaping @Sendable (Duration) async -> Void
    ) {
        self.dependencies = dependencies
        self.zones = zones
        self.slots = slots
        self.sleep = sleep
        arrivals = Locked(Arrivals(began: dependencies.clock.now().monotonic))
    }

    // MARK: Reading a condition

    /// A condition's query at a point in time.
    private enum Asked: Sendable {
        case trend(Question)
        case funnel(FunnelQuery)
        case none
    }

    /// Checks that a condition's query is valid and has a comparable number.
    ///
    /// - Throws: ``SavedError`` `malformed` with the invalid member.
    func check(_ condition: AlertCondition) throws(SavedError) {
        do throws(InvalidQueryError) {
            _ = try read(condition, at: dependencies.clock.now().wall)
        } catch {
            throw SavedError(.malformed, field: "condition.query.\(error.field)", error.message)
        }
    }

    /// Reads a condition's query as from a URL, with an exact period.
    ///
    /// The period ends now and has its full length, for example a whole hour.
    private func read(_ condition: AlertCondition, at now: Timestamp) throws(InvalidQueryError) -> Asked {
        guard condition.kind == .trends || condition.kind == .funnels else { return .none }
        var parameters = Query(URI("/?\(condition.query)")).parameters.filter { !$0.value.isEmpty }
        for (name, help) in [
            ("by", "An alert compares one number; leave out “by”, or choose one value with “where”."),
            ("top", "An alert compares one number; leave out “top”."),
            ("from", "An alert looks back from now; write “last” instead of “from”."),
            ("to", "An alert looks back from now; write “last” instead of “to”."),
            ("compare", "Write “change” as the condition's “of” instead of “compare”."),
            ("people", "An alert compares one number; leave out “people”."),
            ("interval", "An alert compares one number for the whole period; leave out “interval”."),
        ] where parameters.contains(where: { $0.name == name }) {
            throw InvalidQueryError(name, help)
        }
        let last = parameters.last { $0.name == "last" }?.value ?? ""
        guard let length = DurationText.length(last), AlertLimits.questionTimes.contains(length), last.last != "s"
        else {
            throw InvalidQueryError(
                "last",
                "“\(last.prefix(64))” is not a valid period for an alert: write 90m, 24h or 30d, at most 366d."
            )
        }
        parameters.removeAll { $0.name == "last" }
        parameters.append(("from", String(now.advanced(by: .zero - length).milliseconds)))
        parameters.append(("to", String(now.milliseconds)))
        if condition.kind == .funnels {
            return .funnel(try FunnelQuery(parameters: parameters, now: now, zones: zones))
        }
        parameters.append(("interval", length <= .seconds(3 * 86_400) ? "hour" : "day"))
        if condition.measure == .change { parameters.append(("compare", "before")) }
        return .trend(try Question(parameters: parameters, now: now, zones: zones))
    }

    // MARK: Checking

    /// Returns the current outcome of an alert's condition.
    ///
    /// Never throws: if the condition cannot be checked, the outcome says so.
    func look(at condition: AlertCondition) async -> AlertOutcome {
        switch condition.kind {
        // Do not query the index: it may be the cause of the lag or of the full disk.
        case .disk: return disk(condition)
        case .lag: return Self.measured(condition, dependencies.indexLag() / .seconds(1))
        case .trends, .funnels, .missing, .failed, .silence: break
        }
        do {
            if let trouble = try await lag() { return .unseen(trouble) }
            let slot = try await place()
            defer { withExtendedLifetime(slot) {} }
            return try await ask(condition)
        } catch let error as StoreError {
            return .unseen(error.message)
        } catch let error as InvalidQueryError {
            return .unseen(error.message)
        } catch let failure as RequestFailure {
            return .unseen(failure.message)
        } catch {
            return .unknown("The collector is shutting down.")
        }
    }

    /// Compares the free space of the disk.
    private func disk(_ condition: AlertCondition) -> AlertOutcome {
        let use = dependencies.resources()
        guard let free = use.diskFree else { return .unseen("The system does not report the free space of the disk.") }
        guard condition.measure == .share else { return Self.measured(condition, Double(free)) }
        guard let size = use.diskSize, size > 0 else { return .unseen("The system does not report the disk's size.") }
        return Self.measured(condition, Double(free) / Double(size) * 100)
    }

    /// Returns why the index lags behind the received data, or nil if it does not.
    private func lag() async throws -> String? {
        let end = EventPosition(dependencies.intake.end)
        let store = dependencies.store
        if let trouble = store.trouble { return trouble }
        guard store.indexed < end else { return nil }
        let pass = try ReadAuthorization(dependencies.authorization, header: nil, needsKey: false)
        try await IndexFollower(
            store: store,
            interval: Self.longestWait,
            pass: pass,
            passInterval: dependencies.configuration.passInterval
        ).follow(until: end)
        if let trouble = store.trouble { return trouble }
        return store.indexed < end ? "The index has not read all received data." : nil
    }

    private func place() async throws -> ConcurrencySlot {
        for _ in 1..<Self.attempts {
            try Task.checkCancellation()
            do throws(RequestFailure) {
                return try slots.takeForQuery()
            } catch {
                // Users' queries take precedence; a slot is free a moment later.
                await sleep(.seconds(1))
            }
        }
        return try slots.takeForQuery()
    }

    private func ask(_ condition: AlertCondition) async throws -> AlertOutcome {
        let now = dependencies.clock.now()
        let store = dependencies.store
        switch try read(condition, at: now.wall) {
        case .trend(let question): return Self.outcome(condition, try await store.trend(question))
        case .funnel(let question): return Self.outcome(condition, try await store.funnel(question))
        case .none: break
        }
        switch condition.kind {
        case .failed: return try await failed(condition, now.wall)
        case .silence: return try await silence(condition, now)
        case .missing, .trends, .funnels, .disk, .lag:
            let summary = try await LedgerSummary.newest(of: store)
            return Self.measured(condition, Double(summary.missing))
        }
    }

    private static func measured(_ condition: AlertCondition, _ value: Double) -> AlertOutcome {
        .measured(value: value, holds: condition.holds(for: value))
    }

    private static func outcome(_ condition: AlertCondition, _ trend: Trend) -> AlertOutcome {
        let series = trend.series.first
        guard let now = number(series?.now.total) else {
            return .unknown("The value cannot be computed: the period has no data for it.")
        }
        guard condition.measure == .change else { return measured(condition, now) }
        guard let before = number(series?.before?.total), before != 0 else {
            return .unknown("The change cannot be computed: the previous period has no value, or 0.")
        }
        return measured(condition, (now - before) / abs(before) * 100)
    }

    private static func number(_ number: JSONNumber?) -> Double? {
        switch number {
        case .integer(let value): Double(value)
        case .double(let value): value.isFinite ? value : nil
        case nil: nil
        }
    }

    private static func outcome(_ condition: AlertCondition, _ funnel: Funnel) -> AlertOutcome {
        let steps = funnel.series.first?.steps ?? []
        guard let first = steps.first?.people, let last = steps.last?.people, first > 0 else {
            return .unknown("The conversion cannot be computed: no one took the first step in this period.")
        }
        return measured(condition, Double(last) / Double(first) * 100)
    }

    /// Measures the share of rejected events among those that arrived.
    ///
    /// The condition does not hold below the minimum number of events.
    private func failed(_ condition: AlertCondition, _ now: Timestamp) async throws -> AlertOutcome {
        let from = now.advanced(by: .zero - condition.within)
        guard let zone = zones("UTC", from..<now.advanced(by: .seconds(2 * 86_400))),
            let time = QueryTimeRange(from: from, to: now, interval: .day, in: zone)
        else { return .unseen("The period cannot be computed: the clock of this machine is far off.") }
        let refused = Double(try await dependencies.store.failedGroups(in: time).count)
        let all = refused + (try await arrived(since: from))
        let value = all > 0 ? refused / all * 100 : 0
        return .measured(value: value, holds: all >= Double(condition.least) && condition.holds(for: value))
    }

    private func arrived(since from: Timestamp) async throws -> Double {
        let minutes = try await dependencies.store.minutes(since: from, names: 1)
        // The minute in which the period begins counts as a whole.
        return minutes.filter { $0.minute.duration(to: from) < .seconds(60) }.reduce(0) { $0 + Double($1.events) }
    }

    /// Measures the number of events that arrived in the period.
    ///
    /// If no events arrived by the wall clock, the time since boot must agree: a clock that was set forward, or a
    /// collector that was not running, does not count as silence.
    private func silence(_ condition: AlertCondition, _ now: DualTimestamp) async throws -> AlertOutcome {
        let total = try await dependencies.store.totals().events
        let known = arrivals.withLock { $0.saw(total, at: now.monotonic) }
        let events = try await arrived(since: now.wall.advanced(by: .zero - condition.within))
        guard events == 0 else { return Self.measured(condition, events) }
        if known.last.map({ $0.duration(to: now.monotonic) < condition.within }) ?? false {
            return .measured(value: 1, holds: false)
        }
        guard known.began.duration(to: now.monotonic) >= condition.within else {
            return .unknown("The collector has not been running long enough to decide.")
        }
        return Self.measured(condition, 0)
    }

    /// When events were seen, measured by the time since boot.
    private struct Arrivals: Sendable {
        /// When the collector started.
        let began: MonotonicTime
        /// A lower bound for the arrival time of the latest events.
        ///
        /// Nil if no events were seen.
        var last: MonotonicTime?
        var sample: (total: UInt64, time: MonotonicTime)?

        init(began: MonotonicTime) {
            self.began = began
        }

        mutating func saw(_ total: UInt64, at time: MonotonicTime) -> (began: MonotonicTime, last: MonotonicTime?) {
            if let sample, total > sample.total { last = sample.time }
            sample = (total, time)
            return (began, last)
        }
    }
}
