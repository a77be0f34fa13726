// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayJournal

/// The alerts of one collector with what became of them: in memory, and in two small files beside its data.
///
/// What people decided, with the secrets, stands in one file, which changes seldom; where alerts stand and what is still to be told
/// in the other. What people decide, and that an alert begins or ceases to fire, is on stable storage before it is answered or
/// told; what cannot be written has not happened. One process has the files: the one that holds the intake log.
public actor AlertStore {
    /// What there is to do.
    public enum Work<Job: Sendable>: Sendable {
        /// This, now.
        case now(Job)
        /// Something, after so long.
        case later(Duration)
        /// Nothing until something changes.
        case nothing
    }

    /// The most messages that are on their way at once.
    public static let maxSendings = 8

    private let file: SavedFile
    private let statusFile: SavedFile
    private let policy: WebhookPolicy
    private let chance: @Sendable () -> UInt64
    private var alerts: [StoredAlert] = []
    private var statuses: [String: AlertStatus] = [:]
    /// Why there are no alerts to read or change; nil while all is well.
    private var trouble: SavedError?
    /// When each alert is looked at next, and when it was looked at last.
    private var due: [String: MonotonicTime] = [:]
    private var looked: [String: MonotonicTime] = [:]
    /// When the message that waits is sent next.
    private var sendDue: [String: MonotonicTime] = [:]
    /// Whose message is on its way.
    private var sending: Set<String> = []
    private var counts = AlertStatistics()

    /// Opens the alerts; missing files hold none.
    ///
    /// - Parameters:
    ///   - path: the file with what people decided, as an absolute path; nil keeps alerts in memory only.
    ///   - statusPath: the file with what became of them.
    ///   - storage: where they lie.
    ///   - policy: where may be told.
    ///   - moment: the present.
    ///   - chance: random bits, good enough for secrets.
    ///   - notice: told what a person should know about the files.
    public init(
        path: String?,
        statusPath: String?,
        storage: any JournalStorage = DiskStorage(),
        policy: WebhookPolicy,
        at moment: Moment,
        chance: @escaping @Sendable () -> UInt64,
        notice: (String) -> Void = { _ in }
    ) {
        file = SavedFile(path, storage, of: "alerts", limit: AlertLimits.bytes)
        statusFile = SavedFile(statusPath, storage, of: "states of alerts", limit: AlertLimits.statusBytes)
        self.policy = policy
        self.chance = chance
        do throws(SavedError) {
            alerts =
                try file.read(at: moment.wall, notice: notice) { bytes throws(SavedFile.Problem) in
                    try AlertFile.alerts(bytes)
                } ?? []
            statuses =
                try statusFile.read(at: moment.wall, notice: notice) { bytes throws(SavedFile.Problem) in
                    try AlertStatusFile.statuses(bytes)
                } ?? [:]
        } catch {
            trouble = error
            return
        }
        let known = Set(alerts.map(\.alert.id))
        statuses = statuses.filter { known.contains($0.key) }
        for (id, status) in statuses {
            guard let waiting = status.waiting else { continue }
            sendDue[id] = moment.monotonic.advanced(by: waiting.wait(at: moment.wall))
        }
    }

    // MARK: What people decide

    /// All alerts, in the order they were made.
    ///
    /// - Throws: ``SavedError`` `unavailable`, as everything here does.
    public func all() throws(SavedError) -> [AlertView] {
        if let trouble { throw trouble }
        return alerts.map { AlertView($0, status($0.alert.id)) }
    }

    /// An alert.
    ///
    /// - Throws: ``SavedError`` `notFound`.
    public func alert(_ id: String) throws(SavedError) -> AlertView {
        let stored = alerts[try index(of: id)]
        return AlertView(stored, status(id))
    }

    /// Makes an alert. Its question must have been checked.
    ///
    /// - Throws: ``SavedError`` `full`, or `malformed` for where it would be told.
    public func add(_ draft: AlertDraft, at time: Timestamp) throws(SavedError) -> AlertView {
        if let trouble { throw trouble }
        guard alerts.count < AlertLimits.alerts else {
            throw SavedError(
                .full,
                "There are \(AlertLimits.alerts) alerts, as many as may be; delete one that nobody needs."
            )
        }
        if let webhook = draft.settings.webhook { _ = try policy.check(webhook) }
        var id = ""
        repeat { id = SavedName.letters(10, chance) } while alerts.contains { $0.alert.id == id }
        let alert = Alert(id: id, settings: draft.settings, version: 1, created: time, changed: time)
        let stored = StoredAlert(alert, secret: WebhookSecret(chance: chance))
        try keep(alerts + [stored])
        return AlertView(stored, AlertStatus())
    }

    /// Replaces what was decided about an alert. Its secret stays, and where it stands.
    ///
    /// - Parameter version: which version was changed.
    /// - Throws: ``SavedError`` `notFound`, `changed` when it is another version now, `malformed` or `full`.
    public func replace(
        _ id: String,
        with draft: AlertDraft,
        madeFrom version: Int64,
        at time: Timestamp
    ) throws(SavedError) -> AlertView {
        let index = try index(of: id)
        var stored = alerts[index]
        try SavedError.see(stored.alert.version, is: version, of: "alert")
        var settings = draft.settings
        let former = stored.alert.settings.webhook
        // What answers show of an address stands for it.
        if draft.keepsWebhook || (settings.webhook != nil && settings.webhook == former.map(AlertView.masked)) {
            settings.webhook = former
        }
        if let webhook = settings.webhook { _ = try policy.check(webhook) }
        stored.alert.settings = settings
        stored.alert.version = version + 1
        stored.alert.changed = time
        var changed = alerts
        changed[index] = stored
        try keep(changed)
        due[id] = nil
        // What was not looked at meanwhile, or with other eyes, counts for nothing.
        looked[id] = nil
        var status = status(id)
        status.decided(isTold: settings.webhook != nil)
        if status.waiting == nil { sendDue[id] = nil }
        set(status, of: id)
        return AlertView(stored, status)
    }

    /// Removes an alert, and what was to be told about it.
    ///
    /// - Parameter version: which version its remover saw.
    /// - Throws: ``SavedError`` `notFound`, or `changed` when it is another version now.
    public func remove(_ id: String, madeFrom version: Int64) throws(SavedError) {
        let index = try index(of: id)
        try SavedError.see(alerts[index].alert.version, is: version, of: "alert")
        var left = alerts
        left.remove(at: index)
        try keep(left)
        due[id] = nil
        looked[id] = nil
        sendDue[id] = nil
        statuses[id] = nil
        // A status without its alert is left out when the file is read.
        writeStatuses()
    }

    /// Replaces the secret of an alert. The one before it goes on signing beside the new one for a while.
    ///
    /// - Parameter overlap: for how long.
    /// - Throws: ``SavedError`` `notFound`.
    public func rotate(_ id: String, overlap: Duration, at time: Timestamp) throws(SavedError) -> AlertView {
        let index = try index(of: id)
        var changed = alerts
        changed[index].former =
            overlap > .zero
            ? StoredAlert.FormerSecret(changed[index].secret, until: time.advanced(by: overlap)) : nil
        changed[index].secret = WebhookSecret(chance: chance)
        try keep(changed)
        return AlertView(changed[index], status(id))
    }

    // MARK: Looking

    /// Which alert is to be looked at.
    public func nextLook(at now: MonotonicTime) -> Work<Alert> {
        guard trouble == nil else { return .nothing }
        let active = alerts.lazy.map(\.alert).filter { !$0.settings.isPaused }
        return Self.first(of: active, now) { due[$0.id] ?? now }
    }

    /// An alert was looked at.
    ///
    /// - Parameters:
    ///   - alert: the alert as it was then; of one that was changed since it says nothing.
    ///   - outcome: what was seen.
    ///   - moment: the present.
    ///   - link: where the page shows it, for whoever is told.
    /// - Throws: ``SavedError`` when what follows could not be written, and so has not happened.
    public func looked(
        at alert: Alert,
        _ outcome: AlertOutcome,
        at moment: Moment,
        link: String
    ) throws(SavedError) {
        guard let current = alerts.first(where: { $0.alert.id == alert.id })?.alert else { return }
        let now = moment.monotonic
        guard current.version == alert.version else { return }
        due[alert.id] = now.advanced(by: alert.settings.every)
        let elapsed = looked[alert.id].map { $0.duration(to: now) } ?? .zero
        var status = status(alert.id)
        let state = status.machine.state
        let action = status.machine.evaluated(outcome, after: elapsed, at: moment.wall, alert.settings)
        counts.looks += 1
        if case .unknown = outcome { counts.unknown += 1 }
        if let action, alert.settings.webhook != nil, status.gone == nil {
            let id = "msg_" + SavedName.letters(26, chance)
            let body = AlertMessage(alert, action.rawValue, status.machine, at: moment.wall, link: link).json
            status.tell(AlertDelivery(id: id, kind: action, body: body, created: moment.wall))
        }
        let isChanged = action != nil || status.machine.state != state
        if isChanged {
            var changed = statuses
            changed[alert.id] = status
            try statusFile.write(AlertStatusFile.bytes(changed))
            statuses = changed
        } else {
            statuses[alert.id] = status
            writeStatuses(durably: false)
        }
        looked[alert.id] = now
        if let waiting = status.waiting, waiting.failures == 0 { sendDue[alert.id] = now }
    }

    // MARK: Telling

    /// Which message is to be sent. Until its attempt has ended, no other of its alert is.
    public func nextSending(at moment: Moment) -> Work<AlertSending> {
        guard trouble == nil, sending.count < Self.maxSendings else { return .nothing }
        let now = moment.monotonic
        let waiting = alerts.lazy.filter { [sending, statuses] stored in
            let status = statuses[stored.alert.id]
            return status?.waiting != nil && status?.gone == nil && stored.alert.settings.webhook != nil
                && !sending.contains(stored.alert.id)
        }
        switch Self.first(of: waiting, now, { sendDue[$0.alert.id] ?? now }) {
        case .later(let wait): return .later(wait)
        case .nothing: return .nothing
        case .now(let stored):
            let id = stored.alert.id
            guard let address = stored.alert.settings.webhook, let delivery = statuses[id]?.waiting else {
                return .nothing
            }
            sending.insert(id)
            return .now(
                AlertSending(
                    alert: id,
                    id: delivery.id,
                    delivery: delivery,
                    address: address,
                    body: Array(delivery.body.utf8),
                    secrets: stored.secrets(at: moment.wall)
                )
            )
        }
    }

    /// What a trial sends.
    ///
    /// - Throws: ``SavedError`` `notFound`, or `malformed` when it is told nowhere.
    public func trial(of id: String, at time: Timestamp, link: String) throws(SavedError) -> AlertSending {
        let stored = alerts[try index(of: id)]
        guard let address = stored.alert.settings.webhook else {
            throw SavedError(
                .malformed,
                field: "webhook",
                "The alert is told nowhere; give it a “webhook” such as https://hooks.example.com/alerts first."
            )
        }
        let message = AlertMessage(stored.alert, "test", status(id).machine, at: time, link: link)
        return AlertSending(
            alert: id,
            id: "msg_" + SavedName.letters(26, chance),
            delivery: nil,
            address: address,
            body: Array(message.json.utf8),
            secrets: stored.secrets(at: time)
        )
    }

    /// An attempt has ended. What came of it counts even where it cannot be written: then the message may be sent once more after a
    /// new start, with the same id.
    public func sent(_ job: AlertSending, _ result: AlertResult, at moment: Moment, took: Duration) {
        if job.delivery != nil { sending.remove(job.alert) }
        counts.attempts += 1
        if !result.isTaken { counts.failures += 1 }
        guard alerts.contains(where: { $0.alert.id == job.alert }) else { return }
        var status = status(job.alert)
        if let delivery = job.delivery {
            let jitter = Double(chance() >> 11) / Double(1 << 53)
            let wait = status.sent(delivery, result, at: moment.wall, took: took, jitter: jitter)
            // A later message has its own time.
            if status.waiting == nil || wait != nil {
                sendDue[job.alert] = wait.map { moment.monotonic.advanced(by: $0) }
            }
        } else {
            status.tested(job.id, result, at: moment.wall, took: took)
        }
        set(status, of: job.alert)
    }

    /// An attempt was broken off, because the collector ends. It counts for nothing.
    public func abandoned(_ job: AlertSending) {
        sending.remove(job.alert)
    }

    /// The alerts in numbers.
    public func statistics() -> AlertStatistics {
        var statistics = counts
        for stored in alerts {
            let status = status(stored.alert.id)
            statistics.states[status.machine.state, default: 0] += 1
            if status.waiting != nil { statistics.waiting += 1 }
        }
        return statistics
    }

    // MARK: What they have in common

    private static func first<Job: Sendable>(
        of jobs: some Sequence<Job>,
        _ now: MonotonicTime,
        _ due: (Job) -> MonotonicTime
    ) -> Work<Job> {
        var first: (job: Job, due: MonotonicTime)?
        for job in jobs {
            let due = due(job)
            if first.map({ due < $0.due }) ?? true { first = (job, due) }
        }
        guard let first else { return .nothing }
        return first.due <= now ? .now(first.job) : .later(now.duration(to: first.due))
    }

    private func status(_ id: String) -> AlertStatus { statuses[id] ?? AlertStatus() }

    private func set(_ status: AlertStatus, of id: String) {
        statuses[id] = status
        writeStatuses()
    }

    private func writeStatuses(durably: Bool = true) {
        do throws(SavedError) {
            try statusFile.write(AlertStatusFile.bytes(statuses), durably: durably)
        } catch {
            // It is written again with the next look; what a loss of it means is said where it is called.
        }
    }

    private func index(of id: String) throws(SavedError) -> Int {
        if let trouble { throw trouble }
        guard let index = alerts.firstIndex(where: { $0.alert.id == id }) else {
            throw SavedError(.notFound, "There is no alert “\(id.prefix(64))”; /v1/alerts lists those there are.")
        }
        return index
    }

    /// Writes all alerts, and then remembers them.
    private func keep(_ changed: [StoredAlert]) throws(SavedError) {
        try file.write(AlertFile.bytes(changed), isLess: changed.count < alerts.count)
        alerts = changed
    }
}
