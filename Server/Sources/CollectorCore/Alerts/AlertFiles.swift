// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The alerts file: `{"version":1,"alerts":[…]}`, one alert per line, including secrets.
enum AlertFile {
    /// The file version to write, and the only one accepted.
    static let version: Int64 = 1

    /// Returns the file's content.
    static func bytes(_ alerts: [StoredAlert]) -> [UInt8] {
        SavedFile.bytes(version: version, "alerts", alerts) { stored, writer in
            let alert = stored.alert
            writer.beginObject()
            writer.member("id", alert.id)
            writer.member("version", alert.version)
            writer.member("created", alert.created)
            writer.member("changed", alert.changed)
            writer.member("secret", stored.secret.text)
            if let previous = stored.previousSecret {
                writer.object("former") { writer in
                    writer.member("secret", previous.secret.text)
                    writer.member("until", previous.until)
                }
            }
            writer.object("settings") { writer in
                alert.settings.writeMembers(to: &writer)
                writer.member("webhook", alert.settings.webhook)
            }
            writer.endObject()
        }
    }

    /// Parses the file's content.
    ///
    /// - Throws: ``SavedFile/Problem``.
    static func alerts(_ bytes: [UInt8]) throws(SavedFile.Problem) -> [StoredAlert] {
        let value = try SavedFile.document(bytes, version: version, limit: AlertLimits.bytes)
        guard let list = value["alerts"]?.array, list.count <= AlertLimits.alerts else {
            throw .damaged("it has no list of alerts, or more than \(AlertLimits.alerts)")
        }
        var alerts: [StoredAlert] = []
        var ids: Set<String> = []
        for (index, value) in list.enumerated() {
            guard let stored = alert(value), ids.insert(stored.alert.id).inserted else {
                throw .damaged("its alert \(index + 1) is invalid")
            }
            alerts.append(stored)
        }
        return alerts
    }

    private static func alert(_ value: JSONValue) -> StoredAlert? {
        guard let id = value["id"]?.string, SavedName.isName(id), let version = value["version"]?.integer, version > 0,
            let created = value["created"]?.integer, let changed = value["changed"]?.integer,
            let secret = value["secret"]?.string.flatMap({ WebhookSecret($0) }), let settings = value["settings"]
        else { return nil }
        let draft: AlertDraft
        do throws(SavedError) {
            draft = try AlertDraft(settings)
        } catch {
            return nil
        }
        var stored = StoredAlert(
            Alert(
                id: id,
                settings: draft.settings,
                version: version,
                created: Timestamp(milliseconds: created),
                changed: Timestamp(milliseconds: changed)
            ),
            secret: secret
        )
        guard let previous = value["former"] else { return stored }
        guard let secret = previous["secret"]?.string.flatMap({ WebhookSecret($0) }),
            let until = previous["until"]?.integer
        else { return nil }
        stored.previousSecret = StoredAlert.PreviousSecret(secret, until: Timestamp(milliseconds: until))
        return stored
    }
}

/// The alert status file: `{"version":1,"alerts":[…]}`, one alert per line.
///
/// A line holds the alert's state, the pending message, and the latest attempts.
enum AlertStatusFile {
    /// The file version to write, and the only one accepted.
    static let version: Int64 = 1

    /// Returns the file's content.
    static func bytes(_ statuses: [String: AlertStatus]) -> [UInt8] {
        SavedFile.bytes(version: version, "alerts", statuses.sorted { $0.key < $1.key }) { entry, writer in
            let (id, status) = entry
            writer.beginObject()
            writer.member("id", id)
            status.machine.writeMembers(to: &writer)
            if let delivery = status.pendingDelivery {
                writer.object("waiting") { delivery.writeMembers(to: &$0) }
            }
            if let goneSince = status.goneSince { writer.member("gone", goneSince) }
            writer.list("attempts", status.attempts) { $0.write(to: &$1) }
            writer.endObject()
        }
    }

    /// Parses the file's content.
    ///
    /// - Throws: ``SavedFile/Problem``.
    static func statuses(_ bytes: [UInt8]) throws(SavedFile.Problem) -> [String: AlertStatus] {
        let value = try SavedFile.document(bytes, version: version, limit: AlertLimits.statusBytes)
        guard let list = value["alerts"]?.array else { throw .damaged("it has no list of alerts") }
        var statuses: [String: AlertStatus] = [:]
        for (index, value) in list.enumerated() {
            guard let id = value["id"]?.string, let machine = AlertStateMachine(value), let attempts = attempts(value),
                value["waiting"] == nil || AlertDelivery(value["waiting"]) != nil
            else { throw .damaged("its alert \(index + 1) is invalid") }
            statuses[id] = AlertStatus(
                machine: machine,
                pendingDelivery: AlertDelivery(value["waiting"]),
                attempts: attempts,
                goneSince: value["gone"]?.integer.map(Timestamp.init(milliseconds:))
            )
        }
        return statuses
    }

    private static func attempts(_ value: JSONValue) -> [AlertAttempt]? {
        guard let list = value["attempts"]?.array else { return nil }
        let attempts = list.compactMap { AlertAttempt($0) }
        return attempts.count == list.count ? attempts : nil
    }
}

extension AlertStateMachine {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        switch phase {
        case .idle: writer.member("phase", "idle")
        case .pending(let duration):
            writer.member("phase", "pending")
            writer.member("held", duration.wholeMilliseconds)
        case .firing(let clear, let sinceNotification):
            writer.member("phase", "firing")
            writer.member("told", sinceNotification.wholeMilliseconds)
            if let clear { writer.member("clear", clear.wholeMilliseconds) }
        }
        if let unevaluated {
            writer.member("unseen", unevaluated.duration.wholeMilliseconds)
            writer.member("unseen_told", unevaluated.isReported)
        }
        if let failureReason { writer.member("trouble", failureReason) }
        if let value { writer.member("value", value) }
        if let lastEvaluation { writer.member("evaluated", lastEvaluation) }
        if let since { writer.member("since", since) }
    }

    fileprivate init?(_ value: JSONValue) {
        func length(_ name: String) -> Duration? {
            value[name]?.integer.flatMap { $0 >= 0 ? .milliseconds($0) : nil }
        }
        let phase: Phase
        switch value["phase"]?.string {
        case "idle": phase = .idle
        case "pending": phase = .pending(duration: length("held") ?? .zero)
        case "firing": phase = .firing(clear: length("clear"), sinceNotification: length("told") ?? .zero)
        default: return nil
        }
        self.init(
            phase: phase,
            unevaluated: length("unseen").map {
                Unevaluated(duration: $0, isReported: value["unseen_told"]?.boolean ?? false)
            },
            failureReason: value["trouble"]?.string,
            value: value["value"]?.double,
            lastEvaluation: value["evaluated"]?.integer.map(Timestamp.init(milliseconds:)),
            since: value["since"]?.integer.map(Timestamp.init(milliseconds:))
        )
    }
}

extension AlertDelivery {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("kind", kind.rawValue)
        writer.member("body", body)
        writer.member("created", created)
        writer.member("failures", Int64(failures))
        if let next { writer.member("next", next) }
    }

    fileprivate init?(_ value: JSONValue?) {
        guard let value, let id = value["id"]?.string,
            let kind = value["kind"]?.string.flatMap(AlertStateMachine.Action.init(rawValue:)),
            let body = value["body"]?.string, let created = value["created"]?.integer,
            let failures = value["failures"]?.integer, (0...1_000).contains(failures)
        else { return nil }
        self.init(
            id: id,
            kind: kind,
            body: body,
            created: Timestamp(milliseconds: created),
            failures: Int(failures),
            next: value["next"]?.integer.map(Timestamp.init(milliseconds:))
        )
    }
}

extension AlertAttempt {
    fileprivate init?(_ value: JSONValue) {
        guard let id = value["id"]?.string, let kind = value["kind"]?.string,
            let outcome = value["outcome"]?.string.flatMap(Outcome.init(rawValue:)),
            let time = value["time"]?.integer, let number = value["number"]?.integer,
            let duration = value["took"]?.integer
        else { return nil }
        self.init(
            id: id,
            kind: kind,
            outcome: outcome,
            at: Timestamp(milliseconds: time),
            number: Int(number),
            status: value["status"]?.integer.map { Int($0) },
            message: value["message"]?.string,
            durationMilliseconds: duration
        )
    }
}
