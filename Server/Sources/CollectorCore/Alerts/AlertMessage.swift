// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The body of a notification: `{"type":"alert.firing","timestamp":"…","data":{…}}`.
struct AlertMessage: Sendable {
    /// The body.
    let json: String

    /// Creates the body.
    ///
    /// - Parameters:
    ///   - alert: The alert.
    ///   - kind: The raw value of an action, or `test`.
    ///   - machine: The alert's state.
    ///   - time: The current time.
    ///   - link: The address of the alert in the web UI.
    init(_ alert: Alert, _ kind: String, _ machine: AlertStateMachine, at time: Timestamp, link: String) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "alert." + kind)
        writer.member("timestamp", time.description)
        writer.object("data") { writer in
            writer.member("alert", alert.id)
            writer.member("title", alert.settings.title)
            writer.member("state", kind == "resolved" ? kind : machine.state.rawValue)
            writer.member("value", machine.value)
            if kind == AlertStateMachine.Action.reportUnknown.rawValue {
                writer.member("trouble", machine.failureReason)
            }
            writer.member("operator", alert.settings.condition.comparison.rawValue)
            writer.member("threshold", alert.settings.condition.threshold)
            writer.object("condition") { alert.settings.condition.writeMembers(to: &$0) }
            writer.member("since", machine.since?.description)
            writer.member("link", link)
        }
        writer.endObject()
        json = String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// A message with everything needed to send it.
public struct WebhookDelivery: Sendable, Hashable {
    /// The alert's id.
    public var alert: String
    /// The message's id.
    public var id: String
    /// The pending message; nil for a test message, which is sent once.
    public var delivery: AlertDelivery?
    /// The webhook URL.
    public var address: String
    /// The body.
    public var body: [UInt8]
    /// The secrets that sign the message.
    public var secrets: [WebhookSecret]
}

/// Counters of all alerts.
public struct AlertStatistics: Sendable, Hashable {
    /// The number of alerts by state.
    public var states: [AlertStateMachine.State: Int] = [:]
    /// The number of undelivered messages.
    public var pendingDeliveries = 0
    /// The number of evaluations since the collector started.
    public var evaluations: UInt64 = 0
    /// The number of those evaluations that yielded no number.
    public var unknown: UInt64 = 0
    /// The number of delivery attempts, including test messages.
    public var attempts: UInt64 = 0
    /// The number of attempts whose message was not accepted.
    public var failures: UInt64 = 0

    /// Creates counters that are all zero.
    public init() {}
}

/// An alert as responses show it.
///
/// The view includes the state, but neither the secrets nor the path of the webhook URL.
public struct AlertView: Sendable, Hashable {
    /// The alert.
    public let stored: StoredAlert
    /// The alert's status.
    public let status: AlertStatus

    init(_ stored: StoredAlert, _ status: AlertStatus) {
        self.stored = stored
        self.status = status
    }

    /// Returns a URL without its path and query.
    ///
    /// The path and query may contain a secret.
    static func masked(_ address: String) -> String { WebhookAddress(address)?.masked ?? "…" }

    /// Writes the alert.
    ///
    /// - Parameter secret: Whether to include the secret, which is shown only once.
    public func write(withSecret secret: Bool = false, to writer: inout JSONWriter) {
        let (alert, machine) = (stored.alert, status.machine)
        writer.beginObject()
        writer.member("id", alert.id)
        writer.member("version", alert.version)
        writer.member("created", alert.created)
        writer.member("changed", alert.changed)
        alert.settings.writeMembers(to: &writer)
        writer.member("webhook", alert.settings.webhook.map(Self.masked))
        if let goneSince = status.goneSince { writer.member("webhook_gone", goneSince) }
        if secret { writer.member("secret", stored.secret.text) }
        if let previous = stored.previousSecret { writer.member("former_secret_until", previous.until) }
        writer.member("state", machine.state.rawValue)
        if let since = machine.since { writer.member("since", since) }
        writer.member("value", machine.value)
        if let evaluated = machine.lastEvaluation { writer.member("evaluated", evaluated) }
        if let failureReason = machine.failureReason { writer.member("trouble", failureReason) }
        if let delivery = status.pendingDelivery {
            writer.object("waiting") { writer in
                writer.member("id", delivery.id)
                writer.member("kind", delivery.kind.rawValue)
                writer.member("failures", Int64(delivery.failures))
                if let next = delivery.next { writer.member("next", next) }
            }
        }
        if let last = status.attempts.last {
            writer.key("last_attempt")
            last.write(to: &writer)
        }
        writer.member("link", alert.settings.condition.page)
        writer.endObject()
    }

    /// Writes the latest attempts, newest first.
    public func writeAttempts(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.list("deliveries", status.attempts.reversed()) { $0.write(to: &$1) }
        writer.endObject()
    }
}

extension AlertCondition {
    /// The path and query of the web UI's view of the condition.
    ///
    /// The web UI supports only a few time ranges; the shortest one that covers the query's range is used.
    public var page: String {
        switch kind {
        case .missing: return "/?tab=ledger"
        case .failed: return "/?tab=failed"
        case .silence, .disk, .lag: return "/"
        case .trends, .funnels:
            let parts = query.split(separator: "&").map(String.init)
            let question = kind == .funnels ? "funnel" : kind.rawValue
            if parts.contains(where: {
                $0.hasPrefix("last=") && CalendarRange(rawValue: String($0.dropFirst(5))) != nil
            }) {
                return "/?" + (["questions=\(question)"] + parts).joined(separator: "&")
            }
            let last = parts.last { $0.hasPrefix("last=") }.flatMap { DurationText.length($0.dropFirst(5)) } ?? .zero
            let shown = Self.shown.first { last <= .seconds($0.days * 86_400) } ?? Self.shown[Self.shown.count - 1]
            let rest = parts.filter { !$0.hasPrefix("last=") }
            return "/?" + (["questions=\(question)"] + rest + ["last=\(shown.text)"]).joined(separator: "&")
        }
    }

    private static let shown: [(days: Int64, text: String)] = [(1, "24h"), (7, "7d"), (30, "30d"), (90, "90d")]
}
