// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// What is told about an alert: `{"type":"alert.firing","timestamp":"…","data":{…}}`.
struct AlertMessage: Sendable {
    /// The body.
    let json: String

    /// - Parameters:
    ///   - alert: the alert.
    ///   - kind: what is told: an action's name, or `test`.
    ///   - machine: where it stands.
    ///   - time: now.
    ///   - link: where the page shows it.
    init(_ alert: Alert, _ kind: String, _ machine: AlertMachine, at time: Timestamp, link: String) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "alert." + kind)
        writer.member("timestamp", time.description)
        writer.object("data") { writer in
            writer.member("alert", alert.id)
            writer.member("title", alert.settings.title)
            writer.member("state", kind == "resolved" ? kind : machine.state.rawValue)
            writer.member("value", machine.value)
            if kind == AlertMachine.Action.lose.rawValue { writer.member("trouble", machine.trouble) }
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

/// A message with all that sending it takes.
public struct AlertSending: Sendable, Hashable {
    /// The alert's id.
    public var alert: String
    /// The message's id.
    public var id: String
    /// The message that waits; nil for a trial, which is sent once.
    public var delivery: AlertDelivery?
    /// Where to.
    public var address: String
    /// The body.
    public var body: [UInt8]
    /// What signs it.
    public var secrets: [WebhookSecret]
}

/// The alerts in numbers.
public struct AlertStatistics: Sendable, Hashable {
    /// How many alerts there are, by where they stand.
    public var states: [AlertMachine.State: Int] = [:]
    /// Messages that are not delivered yet.
    public var waiting = 0
    /// How often a condition was looked at, since the collector began.
    public var looks: UInt64 = 0
    /// How often nothing was seen then.
    public var unknown: UInt64 = 0
    /// Attempts to tell, trials included.
    public var attempts: UInt64 = 0
    /// Those whose message was not taken.
    public var failures: UInt64 = 0

    /// None.
    public init() {}
}

/// An alert as answers show it: with where it stands, and without its secrets and the path of where it is told.
public struct AlertView: Sendable, Hashable {
    /// The alert.
    public let stored: StoredAlert
    /// What became of it.
    public let status: AlertStatus

    init(_ stored: StoredAlert, _ status: AlertStatus) {
        self.stored = stored
        self.status = status
    }

    /// An address without what may be a secret in it: its path and query.
    static func masked(_ address: String) -> String { WebhookAddress(address)?.masked ?? "…" }

    /// Writes the alert.
    ///
    /// - Parameter secret: whether its secret is told, this once.
    public func write(withSecret secret: Bool = false, to writer: inout JSONWriter) {
        let (alert, machine) = (stored.alert, status.machine)
        writer.beginObject()
        writer.member("id", alert.id)
        writer.member("version", alert.version)
        writer.member("created", alert.created)
        writer.member("changed", alert.changed)
        alert.settings.writeMembers(to: &writer)
        writer.member("webhook", alert.settings.webhook.map(Self.masked))
        if let gone = status.gone { writer.member("webhook_gone", gone) }
        if secret { writer.member("secret", stored.secret.text) }
        if let former = stored.former { writer.member("former_secret_until", former.until) }
        writer.member("state", machine.state.rawValue)
        if let since = machine.since { writer.member("since", since) }
        writer.member("value", machine.value)
        if let evaluated = machine.evaluated { writer.member("evaluated", evaluated) }
        if let trouble = machine.trouble { writer.member("trouble", trouble) }
        if let waiting = status.waiting {
            writer.object("waiting") { writer in
                writer.member("id", waiting.id)
                writer.member("kind", waiting.kind.rawValue)
                writer.member("failures", Int64(waiting.failures))
                if let next = waiting.next { writer.member("next", next) }
            }
        }
        if let last = status.attempts.last {
            writer.key("last_attempt")
            last.write(to: &writer)
        }
        writer.member("link", alert.settings.condition.page)
        writer.endObject()
    }

    /// Writes the latest attempts, the latest first.
    public func writeAttempts(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.list("deliveries", status.attempts.reversed()) { $0.write(to: &$1) }
        writer.endObject()
    }
}

extension AlertCondition {
    /// Where the page shows what the condition is about: a path with its query. The page knows a few lengths of time; the shortest that
    /// has all of the question's is taken.
    public var page: String {
        switch kind {
        case .missing: return "/?tab=ledger"
        case .failed: return "/?tab=failed"
        case .silence, .disk, .lag: return "/"
        case .trends, .funnels:
            let parts = query.split(separator: "&").map(String.init)
            let last = parts.last { $0.hasPrefix("last=") }.flatMap { LengthText.length($0.dropFirst(5)) } ?? .zero
            let shown = Self.shown.first { last <= .seconds($0.days * 86_400) } ?? Self.shown[Self.shown.count - 1]
            let rest = parts.filter { !$0.hasPrefix("last=") }
            let question = kind == .funnels ? "funnel" : kind.rawValue
            return "/?" + (["questions=\(question)"] + rest + ["last=\(shown.text)"]).joined(separator: "&")
        }
    }

    private static let shown: [(days: Int64, text: String)] = [(1, "24h"), (7, "7d"), (30, "30d"), (90, "90d")]
}
