// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HummingbirdCore
internal import TrackwayCore

/// Checks whether an alert's condition holds, by querying the index.
///
/// Queries run in the same slots as those of other clients, at most one at a time.
struct AlertEvaluator: Sendable {
    let dependencies: CollectorDependencies
    let zones: ZoneDirectory
    /// The slots for running queries.
    let slots: ConcurrencySlots
    /// Sleeps for a duration.
    let sleep: @Sendable (Duration) async -> Void
    /// The maximum time to wait for the index to catch up.
    private static let longestWait = Duration.seconds(10)
    /// The maximum number of attempts to get a slot, one second apart.
    private static let attempts = 30
    /// The latest arrivals of events, for ``evaluateSilence(_:_:)``.
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

    // MARK: Parsing a condition

    /// A condition's parsed query at a point in time.
    private enum ParsedQuery: Sendable {
        case trend(TrendQuery)
        case funnel(FunnelQuery)
        case noQuery
    }

    /// Checks that a condition's query is valid and yields a comparable number.
    ///
    /// - Throws: ``SavedError`` `malformed` with the name of the invalid member.
    func check(_ condition: AlertCondition) throws(SavedError) {
        do throws(InvalidQueryError) {
            _ = try read(condition, at: dependencies.clock.now().wall)
        } catch {
            throw SavedError(.malformed, field: "condition.query.\(error.field)", error.message)
        }
    }

    /// Parses a condition's query like a URL's query, with an exact period.
    ///
    /// The period ends at `now` and has its full length, for example a whole hour.
    private func read(_ condition: AlertCondition, at now: Timestamp) throws(InvalidQueryError) -> ParsedQuery {
        guard condition.kind == .trends || condition.kind == .funnels else { return .noQuery }
        var parameters = QueryParameters(URI("/?\(condition.query)")).parameters.filter { !$0.value.isEmpty }
        for (name, help) in [
            ("by", "An alert compares one number; leave out “by”, or choose one value with “where”."),
            ("top", "An alert compares one number; leave out “top”."),
            ("from", "An alert looks back from now; write “last” instead of “from”."),
            ("to", "An alert looks back from now; write “last” instead of “to”."),
            ("compare", "Instead of “compare”, set the condition's “of” to “change”."),
            ("people", "An alert compares one number; leave out “people”."),
            ("interval", "An alert compares one number for the whole period; leave out “interval”."),
        ] where parameters.contains(where: { $0.name == name }) {
            throw InvalidQueryError(name, help)
        }
        parameters = dependencies.configuration.calendar.completing(parameters)
        let ranges = parameters.filter { $0.name == "last" }
        guard ranges.count <= 1 else {
            throw InvalidQueryError("last", "“last” occurs \(ranges.count) times; an alert takes it once.")
        }
        let last = ranges.first?.value ?? ""
        if let range = CalendarRange(rawValue: last) {
            return try read(condition, parameters, interval: range.interval == .day ? "hour" : "day", at: now)
        }
        guard let length = DurationText.length(last), AlertLimits.queryWindows.contains(length), last.last != "s"
        else {
            throw InvalidQueryError(
                "last",
                "“\(last.prefix(64))” is not a valid period for an alert: write 90m, 24h or 30d, at most 366d, or a "
                    + "calendar period such as today, yesterday or this-week."
            )
        }
        parameters.removeAll { $0.name == "last" }
        parameters.append(("from", String(now.advanced(by: .zero - length).milliseconds)))
        parameters.append(("to", String(now.milliseconds)))
        return try read(condition, parameters, interval: length <= .seconds(3 * 86_400) ? "hour" : "day", at: now)
    }

    private func read(
        _ condition: AlertCondition,
        _ parameters: [ProjectCalendar.Parameter],
        interval: String,
        at now: Timestamp
    ) throws(InvalidQueryError) -> ParsedQuery {
        if condition.kind == .funnels {
            return .funnel(try FunnelQuery(parameters: parameters, now: now, zones: zones))
        }
        var parameters = parameters
        parameters.append(("interval", interval))
        if condition.measure == .change { parameters.append(("compare", "before")) }
        return .trend(try TrendQuery(parameters: parameters, now: now, zones: zones))
    }

    // MARK: Checking

    /// Returns the current outcome of an alert's condition.
    ///
    /// Never throws: if the condition cannot be checked, the outcome states why.
    func evaluate(_ condition: AlertCondition) async -> AlertOutcome {
        switch condition.kind {
        // Do not query the index: it may be the cause of the lag or of the full disk.
        case .disk: return evaluateFreeSpace(condition)
        case .lag: return Self.measured(condition, dependencies.indexLag() / .seconds(1))
        case .trends, .funnels, .missing, .failed, .silence: break
        }
        do {
            if let failureReason = try await lagReason() { return .notEvaluated(failureReason) }
            let slot = try await waitForSlot()
            defer { withExtendedLifetime(slot) {} }
            return try await runQuery(condition)
        } catch let error as StoreError {
            return .notEvaluated(error.message)
        } catch let error as InvalidQueryError {
            return .notEvaluated(error.message)
        } catch let failure as RequestFailure {
            return .notEvaluated(failure.message)
        } catch {
            return .unknown("The collector is shutting down.")
        }
    }

    /// Evaluates a condition on the free disk space.
    private func evaluateFreeSpace(_ condition: AlertCondition) -> AlertOutcome {
        let use = dependencies.resources()
        guard let free = use.diskFree else {
            return .notEvaluated("The system does not report the free space on the disk.")
        }
        guard condition.measure == .share else { return Self.measured(condition, Double(free)) }
        guard let size = use.diskSize, size > 0 else {
            return .notEvaluated("The system does not report the disk's size.")
        }
        return Self.measured(condition, Double(free) / Double(size) * 100)
    }

    /// Returns the reason why the index lags behind the received data.
    ///
    /// Nil if the index does not lag.
    private func lagReason() async throws -> String? {
        let end = EventPosition(dependencies.intake.end)
        let store = dependencies.store
        if let failureReason = store.failureReason { return failureReason }
        guard store.indexed < end else { return nil }
        let authorization = try ReadAuthorization(dependencies.authorization, header: nil, needsKey: false)
        try await IndexFollower(
            store: store,
            interval: Self.longestWait,
            authorization: authorization,
            authorizationCheckInterval: dependencies.configuration.authorizationCheckInterval
        ).follow(until: end)
        if let failureReason = store.failureReason { return failureReason }
        return store.indexed < end ? "The index has not read all received data." : nil
    }

    private func waitForSlot() async throws -> ConcurrencySlot {
        for _ in 1..<Self.attempts {
            try Task.checkCancellation()
            do throws(RequestFailure) {
                return try slots.takeForQuery()
            } catch {
                // Users' queries take precedence; a slot will be free soon.
                await sleep(.seconds(1))
            }
        }
        return try slots.takeForQuery()
    }

    private func runQuery(_ condition: AlertCondition) async throws -> AlertOutcome {
        let now = dependencies.clock.now()
        let store = dependencies.store
        switch try read(condition, at: now.wall) {
        case .trend(let query): return Self.outcome(condition, try await store.trend(query))
        case .funnel(let query): return Self.outcome(condition, try await store.funnel(query))
        case .noQuery: break
        }
        switch condition.kind {
        case .failed: return try await evaluateRejections(condition, now.wall)
        case .silence: return try await evaluateSilence(condition, now)
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
    /// With fewer events than the minimum, the condition does not hold.
    private func evaluateRejections(_ condition: AlertCondition, _ now: Timestamp) async throws -> AlertOutcome {
        let from = now.advanced(by: .zero - condition.within)
        guard let zone = zones("UTC", from..<now.advanced(by: .seconds(2 * 86_400))),
            let time = QueryTimeRange(from: from, to: now, interval: .day, in: zone)
        else { return .notEvaluated("The period cannot be computed: the clock of this machine is far off.") }
        let refused = Double(try await dependencies.store.failedGroups(in: time).count)
        let all = refused + (try await countArrivedEvents(since: from))
        let value = all > 0 ? refused / all * 100 : 0
        return .measured(value: value, holds: all >= Double(condition.minimumCount) && condition.holds(for: value))
    }

    private func countArrivedEvents(since from: Timestamp) async throws -> Double {
        let minutes = try await dependencies.store.minutes(since: from, names: 1)
        // The minute that contains the start of the period is counted in full.
        return minutes.filter { $0.minute.duration(to: from) < .seconds(60) }.reduce(0) { $0 + Double($1.events) }
    }

    /// Measures the number of events that arrived in the period.
    ///
    /// If no events arrived according to the wall clock, the time since boot must confirm it. Setting the clock forward
    /// or stopping the collector therefore does not count as silence.
    private func evaluateSilence(_ condition: AlertCondition, _ now: DualTimestamp) async throws -> AlertOutcome {
        let total = try await dependencies.store.totals().events
        let known = arrivals.withLock { $0.record(total, at: now.monotonic) }
        let events = try await countArrivedEvents(since: now.wall.advanced(by: .zero - condition.within))
        guard events == 0 else { return Self.measured(condition, events) }
        if known.last.map({ $0.duration(to: now.monotonic) < condition.within }) ?? false {
            return .measured(value: 1, holds: false)
        }
        guard known.began.duration(to: now.monotonic) >= condition.within else {
            return .unknown("The collector has not been running long enough to decide.")
        }
        return Self.measured(condition, 0)
    }

    /// The arrival times of events, measured as time since boot.
    private struct Arrivals: Sendable {
        /// The time at which the collector started.
        let began: MonotonicTime
        /// A lower bound for the arrival time of the latest events.
        ///
        /// Nil if no events have arrived.
        var last: MonotonicTime?
        var sample: (total: UInt64, time: MonotonicTime)?

        init(began: MonotonicTime) {
            self.began = began
        }

        mutating func record(_ total: UInt64, at time: MonotonicTime) -> (began: MonotonicTime, last: MonotonicTime?) {
            if let sample, total > sample.total { last = sample.time }
            sample = (total, time)
            return (began, last)
        }
    }
}
