// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
public import TrackwayCore
public import TrackwayDelivery
internal import TrackwayJournal

extension DestinationRules {
    /// The outcome of a destination's rules for one event.
    public enum Outcome: Sendable, Hashable {
        /// The event is sent with these values.
        case sent(String, Attributes = [:], items: [Item] = [])
        /// This rule blocks the event.
        case denied(by: DestinationRule)
        /// The event is not in the sample of this rule.
        case sampledOut(by: DestinationRule)
    }

    /// Returns the outcome of these rules for an event.
    ///
    /// The outcome is determined by the same code as in delivery.
    ///
    /// ```swift
    /// let rules: DestinationRules = [.deny("debug_*"), .rename("buy", to: "purchase"), .redact("email")]
    /// #expect(rules.outcome(of: "debug_tap") == .denied(by: .deny("debug_*")))
    /// #expect(rules.outcome(of: "buy", ["email": "ann@example.com", "total": 5]) == .sent("purchase", ["total": 5]))
    /// ```
    /// - Parameters:
    ///   - name: The event's name, as recorded.
    ///   - attributes: The event's attributes.
    ///   - items: The event's items.
    ///   - person: The person's id, for per-person sampling. In an app, the SDK's own ids for people are used instead.
    ///   - destination: The destination's id, which determines the samples of rules without a salt.
    public func outcome(
        of name: String,
        _ attributes: Attributes = [:],
        items: [Item] = [],
        person: String = "person",
        to destination: DestinationID = "collector"
    ) -> Outcome {
        let time = Timestamp(milliseconds: 0)
        let event = Event(
            id: EventIDGenerator(randomBits: 0, firstCounter: 0).next(at: time),
            name: name,
            time: time,
            monotonic: MonotonicTime(milliseconds: 0),
            attributes: attributes,
            items: items
        )
        let context = RecordedContext(user: RecordedContext.User(uniqueID: person)).json()
        let installation = InstallationID(high: 0, low: 0)
        var filter = RuleFilter(self, for: destination, of: installation)
        switch filter.decision(on: name, id: event.id.description, in: context, generation: 1) {
        case .denied(let rule): return .denied(by: rule)
        case .sampledOut(let rule): return .sampledOut(by: rule)
        case .sent:
            var leaving = event
            let filtered = event.json().withUnsafeBytes { filter.filter($0, in: context, generation: 1) }
            if case .changed(let json?, _) = filtered, let changed = try? Event(json: json) {  // just written
                leaving = changed
            }
            return .sent(leaving.name, leaving.attributes, items: leaving.items)
        }
    }
}

extension Interceptor {
    /// The outcome of interceptors for one event.
    public enum Outcome: Sendable, Hashable {
        /// The event is recorded with these values.
        ///
        /// The limits of events still apply to these values.
        case kept(String, Attributes = [:], items: [Item] = [])
        /// The interceptor with this name drops the event.
        case dropped(by: String)
    }
}

extension [Interceptor] {
    /// Returns the outcome of these interceptors for an event, in order.
    ///
    /// ```swift
    /// #expect(interceptors.outcome(of: "search", ["email": "ann@example.com"]) == .kept("search"))
    /// ```
    public func outcome(of name: String, _ attributes: Attributes = [:], items: [Item] = []) -> Interceptor.Outcome {
        var event = InterceptedEvent(name, attributes, items: items)
        for interceptor in self where interceptor.intercept(&event) == .drop { return .dropped(by: interceptor.name) }
        return .kept(event.name, event.attributes, items: event.items)
    }
}
