// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

/// The alerts of one collector and their status.
///
/// The alerts are held in memory and in two small files next to the collector's data.
///
/// One file holds the settings and secrets, which change rarely; the other holds the states and the pending messages. A
/// change of settings is on stable storage before the request is answered, and the start or end of firing before a
/// notification is sent; if the write fails, the change does not take effect. A single process uses the files: the one
/// that has the intake log open.
public actor AlertStore {
    /// The next piece of work.
    public enum Work<Job: Sendable>: Sendable {
        /// A job that is due immediately.
        case now(Job)
        /// A job that is due after a delay.
        case later(Duration)
        /// There is no work until something changes.
        case nothing
    }

    /// The maximum number of messages in flight.
    public static let maximumDeliveriesInFlight = 8

    private let file: SavedFile
    private let statusFile: SavedFile
    private let policy: WebhookPolicy
    private let randomUInt64: @Sendable () -> UInt64
    private var alerts: [StoredAlert] = []
    private var statuses: [String: AlertStatus] = [:]
    /// Why the alerts cannot be read or changed; nil if they can.
    private var loadError: SavedError?
    /// When each alert is evaluated next, and when it was last evaluated.
    private var evaluationsDue: [String: MonotonicTime] = [:]
    private var lastEvaluations: [String: MonotonicTime] = [:]
    /// When each pending message is sent next.
    private var deliveriesDue: [String: MonotonicTime] = [:]
    /// The alerts with a message in flight.
    private var inFlight: Set<String> = []
    private var counts = AlertStatistics()

    /// Opens the alerts; a missing file counts as empty.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the settings file; nil keeps alerts in memory only.
    ///   - statusPath: The path of the status file.
    ///   - storage: The storage of both files.
    ///   - policy: The webhook URLs that are allowed.
    ///   - moment: The current time.
    ///   - randomUInt64: Returns random bits, suitable for secrets.
    ///   - onWarning: Called with warnings about the files.
    public init(
        path: String?,
        statusPath: String?,
        storage: any JournalStorage = DiskStorage(),
        policy: WebhookPolicy,
        at moment: DualTimestamp,
        randomUInt64: @escaping @Sendable () -> UInt64,
        onWarning: (String) -> Void = { _ in }
    ) {
        file = SavedFile(path, storage, of: "alerts", limit: AlertLimits.bytes)
        statusFile = SavedFile(statusPath, storage, of: "alert states", limit: AlertLimits.statusBytes)
        self.policy = policy
        self.randomUInt64 = randomUInt64
        do throws(SavedError) {
            alerts =
                try file.read(at: moment.wall, onWarning: onWarning) { bytes throws(SavedFile.Problem) in
                    try AlertFile.alerts(bytes)
                } ?? []
            statuses =
                try statusFile.read(at: moment.wall, onWarning: onWarning) { bytes throws(SavedFile.Problem) in
                    try AlertStatusFile.statuses(bytes)
                } ?? [:]
        } catch {
            loadError = error
            return
        }
        let known = Set(alerts.map(\.alert.id))
        statuses = statuses.filter { known.contains($0.key) }
        for (id, status) in statuses {
            guard let delivery = status.pendingDelivery else { continue }
            deliveriesDue[id] = moment.monotonic.advanced(by: delivery.remainingDelay(at: moment.wall))
        }
    }

    // MARK: Settings

    /// Returns all alerts in order of creation.
    ///
    /// - Throws: ``SavedError`` `unavailable`, as all methods here do.
    public func all() throws(SavedError) -> [AlertView] {
        if let loadError { throw loadError }
        return alerts.map { AlertView($0, status($0.alert.id)) }
    }

    /// Returns an alert.
    ///
    /// - Throws: ``SavedError`` `notFound`.
    public func alert(_ id: String) throws(SavedError) -> AlertView {
        let stored = alerts[try index(of: id)]
        return AlertView(stored, status(id))
    }

    /// Adds an alert.
    ///
    /// The caller must have validated its query.
    ///
    /// - Throws: ``SavedError`` `full`, or `malformed` for its webhook.
    public func add(_ draft: AlertDraft, at time: Timestamp) throws(SavedError) -> AlertView {
        if let loadError { throw loadError }
        guard alerts.count < AlertLimits.alerts else {
            throw SavedError(
                .full,
                "There are already \(AlertLimits.alerts) alerts, the maximum; delete one that is no longer needed."
            )
        }
        if let webhook = draft.settings.webhook { _ = try policy.check(webhook) }
        var id = ""
        repeat { id = SavedName.randomLetters(10, randomUInt64) } while alerts.contains { $0.alert.id == id }
        let alert = Alert(id: id, settings: draft.settings, version: 1, created: time, changed: time)
        let stored = StoredAlert(alert, secret: WebhookSecret(randomUInt64: randomUInt64))
        try save(alerts + [stored])
        return AlertView(stored, AlertStatus())
    }

    /// Replaces the settings of an alert.
    ///
    /// The secret and the state of the alert remain unchanged.
    ///
    /// - Parameter version: The version that the change is based on.
    /// - Throws: ``SavedError`` `notFound`, `changed` when the version has changed since, `malformed`, or `full`.
    public func replace(
        _ id: String,
        with draft: AlertDraft,
        basedOn version: Int64,
        at time: Timestamp
    ) throws(SavedError) -> AlertView {
        let index = try index(of: id)
        var stored = alerts[index]
        try SavedError.checkVersion(stored.alert.version, is: version, of: "alert")
        var settings = draft.settings
        let previous = stored.alert.settings.webhook
        // The masked URL from a response stands for the stored one.
        if draft.keepsWebhook || (settings.webhook != nil && settings.webhook == previous.map(AlertView.masked)) {
            settings.webhook = previous
        }
        if let webhook = settings.webhook { _ = try policy.check(webhook) }
        stored.alert.settings = settings
        stored.alert.version = version + 1
        stored.alert.changed = time
        var changed = alerts
        changed[index] = stored
        try save(changed)
        evaluationsDue[id] = nil
        // The time since the last evaluation does not count: the alert was paused or had other settings.
        lastEvaluations[id] = nil
        var status = status(id)
        status.settingsChanged(hasWebhook: settings.webhook != nil)
        if status.pendingDelivery == nil { deliveriesDue[id] = nil }
        set(status, of: id)
        return AlertView(stored, status)
    }

    /// Removes an alert and its pending message.
    ///
    /// - Parameter version: The version that the removal is based on.
    /// - Throws: ``SavedError`` `notFound`, or `changed` when the version has changed since.
    public func remove(_ id: String, basedOn version: Int64) throws(SavedError) {
        let index = try index(of: id)
        try SavedError.checkVersion(alerts[index].alert.version, is: version, of: "alert")
        var remaining = alerts
        remaining.remove(at: index)
        try save(remaining)
        evaluationsDue[id] = nil
        lastEvaluations[id] = nil
        deliveriesDue[id] = nil
        statuses[id] = nil
        // If this write fails, a status without its alert is dropped when the file is read.
        writeStatuses()
    }

    /// Replaces the secret of an alert.
    ///
    /// The previous secret continues to sign along with the new one for a while.
    ///
    /// - Parameter overlap: How long the previous secret continues to sign.
    /// - Throws: ``SavedError`` `notFound`.
    public func rotate(_ id: String, overlap: Duration, at time: Timestamp) throws(SavedError) -> AlertView {
        let index = try index(of: id)
        var changed = alerts
        changed[index].previousSecret =
            overlap > .zero
            ? StoredAlert.PreviousSecret(changed[index].secret, until: time.advanced(by: overlap)) : nil
        changed[index].secret = WebhookSecret(randomUInt64: randomUInt64)
        try save(changed)
        return AlertView(changed[index], status(id))
    }

    // MARK: Evaluation

    /// Returns the alert to evaluate next.
    public func nextEvaluation(at now: MonotonicTime) -> Work<Alert> {
        guard loadError == nil else { return .nothing }
        let active = alerts.lazy.map(\.alert).filter { !$0.settings.isPaused }
        return Self.first(of: active, now) { evaluationsDue[$0.id] ?? now }
    }

    /// Handles the evaluation of an alert.
    ///
    /// - Parameters:
    ///   - alert: The alert as evaluated; the outcome is ignored if the alert has changed since.
    ///   - outcome: The result of the evaluation.
    ///   - moment: The current time.
    ///   - link: The address of the alert in the web UI, for the notification.
    /// - Throws: ``SavedError`` when the new state could not be written and therefore does not take effect.
    public func evaluationFinished(
        of alert: Alert,
        _ outcome: AlertOutcome,
        at moment: DualTimestamp,
        link: String
    ) throws(SavedError) {
        guard let current = alerts.first(where: { $0.alert.id == alert.id })?.alert else { return }
        let now = moment.monotonic
        guard current.version == alert.version else { return }
        evaluationsDue[alert.id] = now.advanced(by: alert.settings.interval)
        let elapsed = lastEvaluations[alert.id].map { $0.duration(to: now) } ?? .zero
        var status = status(alert.id)
        let state = status.machine.state
        let action = status.machine.handle(outcome, after: elapsed, at: moment.wall, alert.settings)
        counts.evaluations += 1
        if case .unknown = outcome { counts.unknown += 1 }
        if let action, alert.settings.webhook != nil, status.goneSince == nil {
            let id = "msg_" + SavedName.randomLetters(26, randomUInt64)
            let body = AlertMessage(alert, action.rawValue, status.machine, at: moment.wall, link: link).json
            status.enqueue(AlertDelivery(id: id, kind: action, body: body, created: moment.wall))
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
        lastEvaluations[alert.id] = now
        if let delivery = status.pendingDelivery, delivery.failures == 0 { deliveriesDue[alert.id] = now }
    }

    // MARK: Notifications

    /// Returns the next message to send.
    ///
    /// An alert has at most one message in flight.
    public func nextDelivery(at moment: DualTimestamp) -> Work<WebhookDelivery> {
        guard loadError == nil, inFlight.count < Self.maximumDeliveriesInFlight else { return .nothing }
        let now = moment.monotonic
        let pending = alerts.lazy.filter { [inFlight, statuses] stored in
            let status = statuses[stored.alert.id]
            return status?.pendingDelivery != nil && status?.goneSince == nil && stored.alert.settings.webhook != nil
                && !inFlight.contains(stored.alert.id)
        }
        switch Self.first(of: pending, now, { deliveriesDue[$0.alert.id] ?? now }) {
        case .later(let wait): return .later(wait)
        case .nothing: return .nothing
        case .now(let stored):
            let id = stored.alert.id
            guard let address = stored.alert.settings.webhook, let delivery = statuses[id]?.pendingDelivery else {
                return .nothing
            }
            inFlight.insert(id)
            return .now(
                WebhookDelivery(
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

    /// Returns a test message.
    ///
    /// - Throws: ``SavedError`` `notFound`, or `malformed` when the alert has no webhook.
    public func testDelivery(for id: String, at time: Timestamp, link: String) throws(SavedError) -> WebhookDelivery {
        let stored = alerts[try index(of: id)]
        guard let address = stored.alert.settings.webhook else {
            throw SavedError(
                .malformed,
                field: "webhook",
                "The alert has no webhook; set “webhook” first, such as https://hooks.example.com/alerts."
            )
        }
        let message = AlertMessage(stored.alert, "test", status(id).machine, at: time, link: link)
        return WebhookDelivery(
            alert: id,
            id: "msg_" + SavedName.randomLetters(26, randomUInt64),
            delivery: nil,
            address: address,
            body: Array(message.json.utf8),
            secrets: stored.secrets(at: time)
        )
    }

    /// Handles the end of an attempt.
    ///
    /// The result counts even if it cannot be written; in that case the message may be sent again after a restart, with
    /// the same id.
    public func attemptFinished(
        _ job: WebhookDelivery,
        _ result: AlertResult,
        at moment: DualTimestamp,
        duration: Duration
    ) {
        if job.delivery != nil { inFlight.remove(job.alert) }
        counts.attempts += 1
        if !result.isAccepted { counts.failures += 1 }
        guard alerts.contains(where: { $0.alert.id == job.alert }) else { return }
        var status = status(job.alert)
        if let delivery = job.delivery {
            let jitter = Double(randomUInt64() >> 11) / Double(1 << 53)
            let wait = status.attemptFinished(delivery, result, at: moment.wall, duration: duration, jitter: jitter)
            // A later message has its own due time.
            if status.pendingDelivery == nil || wait != nil {
                deliveriesDue[job.alert] = wait.map { moment.monotonic.advanced(by: $0) }
            }
        } else {
            status.testFinished(job.id, result, at: moment.wall, duration: duration)
        }
        set(status, of: job.alert)
    }

    /// Handles an attempt that was canceled because the collector stops.
    ///
    /// The attempt is not counted.
    public func attemptCanceled(_ job: WebhookDelivery) {
        inFlight.remove(job.alert)
    }

    /// Returns counters of all alerts.
    public func statistics() -> AlertStatistics {
        var statistics = counts
        for stored in alerts {
            let status = status(stored.alert.id)
            statistics.states[status.machine.state, default: 0] += 1
            if status.pendingDelivery != nil { statistics.pendingDeliveries += 1 }
        }
        return statistics
    }

    // MARK: Helpers

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
            // The next evaluation writes the file again. Each caller documents the effect of a failed write.
        }
    }

    private func index(of id: String) throws(SavedError) -> Int {
        if let loadError { throw loadError }
        guard let index = alerts.firstIndex(where: { $0.alert.id == id }) else {
            throw SavedError(.notFound, "No alert has the id “\(id.prefix(64))”; /v1/alerts lists all alerts.")
        }
        return index
    }

    /// Writes all alerts, then updates the copy in memory.
    private func save(_ changed: [StoredAlert]) throws(SavedError) {
        try file.write(AlertFile.bytes(changed), isShrinking: changed.count < alerts.count)
        alerts = changed
    }
}
