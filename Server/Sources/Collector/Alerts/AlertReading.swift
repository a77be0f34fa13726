// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// An alert as somebody sends it.
public struct AlertDraft: Sendable, Hashable {
    /// What was decided.
    public var settings: AlertSettings
    /// Whether nothing was said of where it is told, so that this stays as it is.
    public var keepsWebhook: Bool
    /// The version that was changed; nil when it is not told.
    public var version: Int64?

    private static let members = [
        "title", "condition", "every", "for", "keep_firing_for", "repeat", "webhook", "paused", "version",
    ]

    /// Reads a draft. Questions and addresses are not looked into here.
    ///
    /// - Throws: ``SavedError`` `malformed` with the member, its value, and what helps.
    public init(_ value: JSONValue) throws(SavedError) {
        let members = try SavedReader(value: value, noun: "The alert").members(Self.members)
        guard let condition = members["condition"] else {
            throw SavedError(
                .malformed,
                field: "condition",
                "“condition” is missing: write what is compared with what, such as {\"kind\":\"missing\",\"threshold\":0}."
            )
        }
        let webhook = members["webhook"]
        settings = AlertSettings(
            title: try SavedReader.title(members["title"], "title"),
            condition: try AlertCondition(condition),
            every: try SavedReader.length(
                members["every"],
                "every",
                in: AlertLimits.intervals,
                usual: AlertLimits.usualInterval
            ),
            hold: try SavedReader.length(members["for"], "for", in: AlertLimits.holds, usual: .zero),
            keep: try SavedReader.length(
                members["keep_firing_for"],
                "keep_firing_for",
                in: AlertLimits.holds,
                usual: .zero
            ),
            again: try Self.again(members["repeat"]),
            webhook: try Self.webhook(webhook),
            isPaused: try Self.isPaused(members["paused"])
        )
        keepsWebhook = webhook == nil
        version = try SavedReader.version(members["version"])
    }

    private static func again(_ value: JSONValue?) throws(SavedError) -> Duration? {
        switch value {
        case nil, .null?: nil
        case let value?: try SavedReader.length(value, "repeat", in: AlertLimits.repeats, usual: nil)
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
                    "“webhook” is no address of at most \(AlertLimits.addressBytes) bytes, such as https://hooks.example.com/alerts; leave it out to keep what it is, or send null for none."
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
    /// Reads a condition. Its question is not looked into here.
    ///
    /// - Throws: ``SavedError`` `malformed`.
    init(_ value: JSONValue) throws(SavedError) {
        let path = "condition"
        let reader = SavedReader(value: value, path: path, noun: "The condition")
        let all = ["kind", "query", "operator", "threshold", "of", "within", "at_least"]
        let kind: Kind = try SavedReader.choice(try reader.members(all)["kind"], path + ".kind", usual: nil)
        let members = try reader.members(["kind"] + kind.members)
        self.init(kind)
        switch kind {
        case .trends, .funnels:
            query = try SavedReader.query(members["query"], path + ".query")
            comparison = try SavedReader.choice(members["operator"], path + ".operator", usual: nil)
            threshold = try Self.threshold(members["threshold"], usual: nil)
            measure = try kind.measure(members["of"])
        case .missing: threshold = try Self.threshold(members["threshold"], usual: 0, in: 0...1e15)
        case .failed:
            threshold = try Self.threshold(members["threshold"], usual: 1, in: 0...100)
            within = try Self.within(members["within"])
            guard let value = members["at_least"] else { break }
            guard let number = value.integer, (1...1_000_000_000).contains(number) else {
                throw SavedError(
                    .malformed,
                    field: path + ".at_least",
                    "“at_least” is not a whole number from 1 to 1000000000: so many events must have arrived."
                )
            }
            least = number
        case .silence:
            comparison = .atMost
            within = try Self.within(members["within"])
        case .disk:
            comparison = .below
            measure = try kind.measure(members["of"])
            threshold =
                measure == .bytes
                ? try Self.threshold(members["threshold"], usual: nil, in: 0...1e15)
                : try Self.threshold(members["threshold"], usual: AlertLimits.usualFreeShare, in: 0...100)
        case .lag: threshold = try Self.threshold(members["threshold"], usual: AlertLimits.usualLag, in: 0...1e9)
        }
    }

    private static func within(_ value: JSONValue?) throws(SavedError) -> Duration {
        try SavedReader.length(
            value,
            "condition.within",
            in: AlertLimits.times,
            usual: AlertLimits.usualTime
        )
    }

    private static func threshold(
        _ value: JSONValue?,
        usual: Double?,
        in bounds: ClosedRange<Double> = -1e15...1e15
    ) throws(SavedError) -> Double {
        if value == nil, let usual { return usual }
        guard let number = value?.double, bounds.contains(number) else {
            let range =
                bounds.lowerBound < 0 ? "" : " from \(Int64(bounds.lowerBound)) to \(Int64(bounds.upperBound))"
            throw SavedError(
                .malformed,
                field: "condition.threshold",
                "“threshold” is missing or not a number\(range): write what the number is compared with."
            )
        }
        return number
    }
}

extension AlertCondition.Kind {
    /// The members a condition of this kind has beside its kind.
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

    /// The forms in which a number of this kind can be compared, the default first.
    private var measures: [AlertCondition.Measure] {
        switch self {
        case .trends: [.value, .change]
        case .disk: [.share, .bytes]
        case .funnels, .missing, .failed, .silence, .lag: [.value]
        }
    }

    /// Reads the form in which the number is compared.
    ///
    /// - Throws: ``SavedError`` `malformed` for a form that this kind does not have.
    func measure(_ value: JSONValue?) throws(SavedError) -> AlertCondition.Measure {
        try SavedReader.choice(value, "condition.of", among: measures, usual: measures[0])
    }
}

extension AlertSettings {
    /// Writes the settings as members of an object that is open, as ``AlertDraft`` reads them, but for where it is told.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.member("title", title)
        writer.object("condition") { condition.writeMembers(to: &$0) }
        writer.member("every", LengthText.text(every))
        writer.member("for", LengthText.text(hold))
        writer.member("keep_firing_for", LengthText.text(keep))
        writer.member("repeat", again.map(LengthText.text))
        writer.member("paused", isPaused)
    }
}

extension AlertCondition {
    /// Writes the condition as members of an object that is open: those that its kind has.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.member("kind", kind.rawValue)
        for name in kind.members {
            switch name {
            case "query": writer.member(name, query)
            case "operator": writer.member(name, comparison.rawValue)
            case "threshold": writer.member(name, threshold)
            case "of": writer.member(name, measure.rawValue)
            case "within": writer.member(name, LengthText.text(within))
            default: writer.member(name, least)
            }
        }
    }
}
