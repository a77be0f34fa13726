// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// An alert as received in a request.
public struct AlertDraft: Sendable, Hashable {
    /// The settings.
    public var settings: AlertSettings
    /// Whether the request omits the webhook.
    ///
    /// If so, the webhook remains unchanged.
    public var keepsWebhook: Bool
    /// The version that the change is based on; nil if not specified.
    public var version: Int64?

    private static let members = [
        "title", "condition", "every", "for", "keep_firing_for", "repeat", "webhook", "paused", "version",
    ]

    /// Parses a draft.
    ///
    /// Queries and webhook URLs are not validated here.
    ///
    /// - Throws: ``SavedError`` `malformed` with the member, its value, and a hint.
    public init(_ value: JSONValue) throws(SavedError) {
        let members = try SavedObjectReader(value: value, noun: "The alert").members(Self.members)
        guard let condition = members["condition"] else {
            throw SavedError(
                .malformed,
                field: "condition",
                "“condition” is missing; specify one, such as {\"kind\":\"missing\",\"threshold\":0}."
            )
        }
        let webhook = members["webhook"]
        settings = AlertSettings(
            title: try SavedObjectReader.title(members["title"], "title"),
            condition: try AlertCondition(condition),
            interval: try SavedObjectReader.length(
                members["every"],
                "every",
                in: AlertLimits.intervals,
                default: AlertLimits.defaultInterval
            ),
            pendingFor: try SavedObjectReader.length(
                members["for"],
                "for",
                in: AlertLimits.pendingDurations,
                default: .zero
            ),
            resolveAfter: try SavedObjectReader.length(
                members["keep_firing_for"],
                "keep_firing_for",
                in: AlertLimits.pendingDurations,
                default: .zero
            ),
            repeatInterval: try Self.repeatInterval(members["repeat"]),
            webhook: try Self.webhook(webhook),
            isPaused: try Self.isPaused(members["paused"])
        )
        keepsWebhook = webhook == nil
        version = try SavedObjectReader.version(members["version"])
    }

    private static func repeatInterval(_ value: JSONValue?) throws(SavedError) -> Duration? {
        switch value {
        case nil, .null?: nil
        case let value?: try SavedObjectReader.length(value, "repeat", in: AlertLimits.repeatIntervals, default: nil)
        }
    }

    private static func webhook(_ value: JSONValue?) throws(SavedError) -> String? {
        switch value {
        case nil, .null?: return nil
        case let value?:
            guard let text = value.string, !text.isEmpty, text.utf8.count <= AlertLimits.addressBytes else {
                throw SavedError(
                    .malformed,
                    field: "webhook",
                    """
                    “webhook” is not a URL of at most \(AlertLimits.addressBytes) bytes, such as \
                    https://hooks.example.com/alerts; omit it to keep the current one, or send null to remove it.
                    """
                )
            }
            return text
        }
    }

    private static func isPaused(_ value: JSONValue?) throws(SavedError) -> Bool {
        guard let value else { return false }
        guard let isPaused = value.boolean else {
            throw SavedError(.malformed, field: "paused", "“paused” is neither true nor false.")
        }
        return isPaused
    }
}

extension AlertCondition {
    /// Parses a condition.
    ///
    /// The condition's query is not validated here.
    ///
    /// - Throws: ``SavedError`` `malformed`.
    init(_ value: JSONValue) throws(SavedError) {
        let path = "condition"
        let reader = SavedObjectReader(value: value, path: path, noun: "The condition")
        let all = ["kind", "query", "operator", "threshold", "of", "within", "at_least"]
        let kind: Kind = try SavedObjectReader.choice(try reader.members(all)["kind"], path + ".kind", default: nil)
        let members = try reader.members(["kind"] + kind.members)
        self.init(kind)
        switch kind {
        case .trends, .funnels:
            query = try SavedObjectReader.query(members["query"], path + ".query")
            comparison = try SavedObjectReader.choice(members["operator"], path + ".operator", default: nil)
            threshold = try Self.threshold(members["threshold"], default: nil)
            measure = try kind.measure(members["of"])
        case .missing: threshold = try Self.threshold(members["threshold"], default: 0, in: 0...1e15)
        case .failed:
            threshold = try Self.threshold(members["threshold"], default: 1, in: 0...100)
            within = try Self.within(members["within"])
            guard let value = members["at_least"] else { break }
            guard let number = value.integer, (1...1_000_000_000).contains(number) else {
                throw SavedError(
                    .malformed,
                    field: path + ".at_least",
                    "“at_least”, the minimum number of arrived events, is not a whole number from 1 to 1000000000."
                )
            }
            minimumCount = number
        case .silence:
            comparison = .atMost
            within = try Self.within(members["within"])
        case .disk:
            comparison = .below
            measure = try kind.measure(members["of"])
            threshold =
                measure == .bytes
                ? try Self.threshold(members["threshold"], default: nil, in: 0...1e15)
                : try Self.threshold(members["threshold"], default: AlertLimits.defaultFreeShare, in: 0...100)
        case .lag: threshold = try Self.threshold(members["threshold"], default: AlertLimits.defaultLag, in: 0...1e9)
        }
    }

    private static func within(_ value: JSONValue?) throws(SavedError) -> Duration {
        try SavedObjectReader.length(
            value,
            "condition.within",
            in: AlertLimits.windows,
            default: AlertLimits.defaultWindow
        )
    }

    private static func threshold(
        _ value: JSONValue?,
        default defaultValue: Double?,
        in bounds: ClosedRange<Double> = -1e15...1e15
    ) throws(SavedError) -> Double {
        if value == nil, let defaultValue { return defaultValue }
        guard let number = value?.double, bounds.contains(number) else {
            let range =
                bounds.lowerBound < 0 ? "" : " from \(Int64(bounds.lowerBound)) to \(Int64(bounds.upperBound))"
            throw SavedError(
                .malformed,
                field: "condition.threshold",
                "“threshold” is missing or not a number\(range): specify the number to compare with."
            )
        }
        return number
    }
}

extension AlertCondition.Kind {
    /// The members of a condition of this kind, besides `kind`.
    var members: [String] {
        switch self {
        case .trends: ["query", "operator", "threshold", "of"]
        case .funnels: ["query", "operator", "threshold"]
        case .missing: ["threshold"]
        case .failed: ["threshold", "within", "at_least"]
        case .silence: ["within"]
        case .disk: ["of", "threshold"]
        case .lag: ["threshold"]
        }
    }

    /// The supported forms of the number, the default first.
    private var measures: [AlertCondition.Measure] {
        switch self {
        case .trends: [.value, .change]
        case .disk: [.share, .bytes]
        case .funnels, .missing, .failed, .silence, .lag: [.value]
        }
    }

    /// Parses the form in which the number is compared.
    ///
    /// - Throws: ``SavedError`` `malformed` for a form that this kind does not support.
    func measure(_ value: JSONValue?) throws(SavedError) -> AlertCondition.Measure {
        try SavedObjectReader.choice(value, "condition.of", among: measures, default: measures[0])
    }
}

extension AlertSettings {
    /// Writes the settings as members of an open object, except the webhook.
    ///
    /// ``AlertDraft`` reads the same members.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.member("title", title)
        writer.object("condition") { condition.writeMembers(to: &$0) }
        writer.member("every", DurationText.text(interval))
        writer.member("for", DurationText.text(pendingFor))
        writer.member("keep_firing_for", DurationText.text(resolveAfter))
        writer.member("repeat", repeatInterval.map(DurationText.text))
        writer.member("paused", isPaused)
    }
}

extension AlertCondition {
    /// Writes the members of this kind of condition into an open object.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.member("kind", kind.rawValue)
        for name in kind.members {
            switch name {
            case "query": writer.member(name, query)
            case "operator": writer.member(name, comparison.rawValue)
            case "threshold": writer.member(name, threshold)
            case "of": writer.member(name, measure.rawValue)
            case "within": writer.member(name, DurationText.text(within))
            default: writer.member(name, minimumCount)
            }
        }
    }
}
