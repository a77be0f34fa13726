// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HummingbirdCore
internal import TrackwayEvents

/// Looks whether an alert's condition holds, by asking the index as everybody does, and at most one question at a time.
struct AlertEvaluator: Sendable {
    let dependencies: CollectorDependencies
    let zones: ZoneDirectory
    /// The places of those who ask questions.
    let slots: FollowerSlots
    /// Waits.
    let sleep: @Sendable (Duration) async -> Void
    /// How long the index may take to come to what has arrived.
    private static let longestWait = Duration.seconds(10)
    /// How often a place is looked for, a second apart.
    private static let attempts = 30
    /// When events were seen last, for ``silence(_:_:)``.
    private let arrivals: Locked<Arrivals>

    init(
        dependencies: CollectorDependencies,
        zones: @escaping ZoneDirectory,
        slots: FollowerSlots,
        sleep: @escaping @Sendable (Duration) async -> Void
    ) {
        self.dependencies = dependencies
        self.zones = zones
        self.slots = slots
        self.sleep = sleep
        arrivals = Locked(Arrivals(began: dependencies.clock.now().monotonic))
    }

    // MARK: Reading a condition

    /// A condition's question at a moment.
    private enum Asked: Sendable {
        case trend(Question)
        case funnel(FunnelQuestion)
        case none
    }

    /// Sees that a condition's question is one, and has a number that can be compared.
    ///
    /// - Throws: ``SavedError`` `malformed` with the member at fault.
    func check(_ condition: AlertCondition) throws(SavedError) {
        do throws(QuestionError) {
            _ = try read(condition, at: dependencies.clock.now().wall)
        } catch {
            throw SavedError(.malformed, field: "condition.query.\(error.field)", error.message)
        }
    }

    /// Reads a condition's question by what reads it from an address, but with the time counted to the moment: of an hour, all.
    private func read(_ condition: AlertCondition, at now: Timestamp) throws(QuestionError) -> Asked {
        guard condition.kind == .trends || condition.kind == .funnels else { return .none }
        var parameters = Query(URI("/?\(condition.query)")).parameters.filter { !$0.value.isEmpty }
        for (name, help) in [
            ("by", "An alert compares one number; leave out “by”, or choose one value with “where”."),
            ("top", "An alert compares one number; leave out “top”."),
            ("from", "An alert looks back from now; write “last” instead of “from”."),
            ("to", "An alert looks back from now; write “last” instead of “to”."),
            ("compare", "Write “change” as the condition's “of” instead of “compare”."),
            ("people", "An alert compares one number; leave out “people”."),
            ("interval", "An alert compares the number of all of the time; leave out “interval”."),
        ] where parameters.contains(where: { $0.name == name }) {
            throw QuestionError(name, help)
        }
        let last = parameters.last { $0.name == "last" }?.value ?? ""
        guard let length = LengthText.length(last), AlertLimits.questionTimes.contains(length), last.last != "s" else {
            throw QuestionError(
                "last",
                "“\(last.prefix(64))” is not how far an alert looks back: write 90m, 24h or 30d, 366d at most."
            )
        }
        parameters.removeAll { $0.name == "last" }
        parameters.append(("from", String(now.advanced(by: .zero - length).milliseconds)))
        parameters.append(("to", String(now.milliseconds)))
        if condition.kind == .funnels {
            return .funnel(try FunnelQuestion(parameters: parameters, now: now, zones: zones))
        }
        parameters.append(("interval", length <= .seconds(3 * 86_400) ? "hour" : "day"))
        if condition.measure == .change { parameters.append(("compare", "before")) }
        return .trend(try Question(parameters: parameters, now: now, zones: zones))
    }

    // MARK: Looking

    /// What an alert's condition shows now. Never throws: what cannot be seen is unseen.
    func look(at condition: AlertCondition) async -> AlertOutcome {
        switch condition.kind {
        // The index may be what is behind, or what fills the disk: it is not asked.
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
        } catch let error as QuestionError {
            return .unseen(error.message)
        } catch let failure as RequestFailure {
            return .unseen(failure.message)
        } catch {
            return .unknown("The collector is ending.")
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

    /// Why the index has not come to what has arrived; nil when it has.
    private func lag() async throws -> String? {
        let end = EventPosition(dependencies.intake.end)
        let store = dependencies.store
        if let trouble = store.trouble { return trouble }
        guard store.indexed < end else { return nil }
        let pass = try ReadPass(dependencies.authorization, header: nil, needsKey: false)
        try await IndexFollower(
            store: store,
            interval: Self.longestWait,
            pass: pass,
            passInterval: dependencies.configuration.passInterval
        ).follow(until: end)
        if let trouble = store.trouble { return trouble }
        return store.indexed < end ? "The index is behind what has arrived." : nil
    }

    private func place() async throws -> FollowerSlot {
        for _ in 1..<Self.attempts {
            try Task.checkCancellation()
            do throws(RequestFailure) {
                return try slots.takeForQuestion()
            } catch {
                // People who ask go first; a moment later there is room.
                await sleep(.seconds(1))
            }
        }
        return try slots.takeForQuestion()
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
            return .unknown("There is no number: in this time there is nothing to count with.")
        }
        guard condition.measure == .change else { return measured(condition, now) }
        guard let before = number(series?.before?.total), before != 0 else {
            return .unknown("There is no change to tell: in the period before there was nothing.")
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
            return .unknown("There is no share to tell: in this time nobody took the first step.")
        }
        return measured(condition, Double(last) / Double(first) * 100)
    }

    /// The share of what arrived that was refused. Of too little nothing is said.
    private func failed(_ condition: AlertCondition, _ now: Timestamp) async throws -> AlertOutcome {
        let from = now.advanced(by: .zero - condition.within)
        guard let zone = zones("UTC", from..<now.advanced(by: .seconds(2 * 86_400))),
            let time = QuestionTime(from: from, to: now, interval: .day, in: zone)
        else { return .unseen("The time cannot be told: the clock of this machine is far off.") }
        let refused = Double(try await dependencies.store.failedGroups(in: time).count)
        let all = refused + (try await arrived(since: from))
        let value = all > 0 ? refused / all * 100 : 0
        return .measured(value: value, holds: all >= Double(condition.least) && condition.holds(for: value))
    }

    private func arrived(since from: Timestamp) async throws -> Double {
        let minutes = try await dependencies.store.minutes(since: from, names: 1)
        // The minute that the time begins in counts as a whole.
        return minutes.filter { $0.minute.duration(to: from) < .seconds(60) }.reduce(0) { $0 + Double($1.events) }
    }

    /// How many events arrived in the time. Where the wall clock says none, the time since boot has to agree: a clock that was set
    /// forwards, or a collector that was not there, is no silence.
    private func silence(_ condition: AlertCondition, _ now: Moment) async throws -> AlertOutcome {
        let total = try await dependencies.store.totals().events
        let known = arrivals.withLock { $0.saw(total, at: now.monotonic) }
        let events = try await arrived(since: now.wall.advanced(by: .zero - condition.within))
        guard events == 0 else { return Self.measured(condition, events) }
        if known.last.map({ $0.duration(to: now.monotonic) < condition.within }) ?? false {
            return .measured(value: 1, holds: false)
        }
        guard known.began.duration(to: now.monotonic) >= condition.within else {
            return .unknown("The collector has not run for long enough to tell.")
        }
        return Self.measured(condition, 0)
    }

    /// When events were seen, by the time since boot.
    private struct Arrivals: Sendable {
        /// When the collector began.
        let began: MonotonicTime
        /// The moment behind which the latest events arrived; nil while none were seen.
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
