// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
public import TrackwayDelivery
public import TrackwayEvents
internal import TrackwayJournal

extension DestinationRules {
    /// What becomes of one event on its way to a destination.
    public enum Outcome: Sendable, Hashable {
        /// It leaves like this.
        case leaves(String, Attributes = [:], items: [Item] = [])
        /// This rule keeps it.
        case denied(by: DestinationRule)
        /// It is not in the sample of this rule.
        case sampledOut(by: DestinationRule)
    }

    /// What becomes of an event on its way to a destination with these rules, found by what delivery uses itself.
    ///
    /// ```swift
    /// let rules: DestinationRules = [.deny("debug_*"), .rename("buy", to: "purchase"), .redact("email")]
    /// #expect(rules.outcome(of: "debug_tap") == .denied(by: .deny("debug_*")))
    /// #expect(rules.outcome(of: "buy", ["email": "ann@example.com", "total": 5]) == .leaves("purchase", ["total": 5]))
    /// ```
    /// - Parameters:
    ///   - name: the event's name as it is recorded.
    ///   - attributes: its attributes.
    ///   - items: what it is about.
    ///   - person: names the person whose event it is, for samples by person; samples of an app know people by other names.
    ///   - destination: the destination's id, which samples without a salt depend on.
    public func outcome(
        of name: String,
        _ attributes: Attributes = [:],
        items: [Item] = [],
        person: String = "person",
        to destination: DestinationID = "collector"
    ) -> Outcome {
        let time = Timestamp(milliseconds: 0)
        let event = Event(
            id: EventIDGenerator(chance: 0, firstCounter: 0).next(at: time),
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
        case .leaves:
            var leaving = event
            let filtered = event.json().withUnsafeBytes { filter.filter($0, in: context, generation: 1) }
            if case .changed(let json?, _) = filtered, let changed = try? Event(json: json) {  // Written a line before.
                leaving = changed
            }
            return .leaves(leaving.name, leaving.attributes, items: leaving.items)
        }
    }
}

extension Interceptor {
    /// What becomes of one event that interceptors see.
    public enum Outcome: Sendable, Hashable {
        /// It is recorded like this, within the limits of events.
        case kept(String, Attributes = [:], items: [Item] = [])
        /// The interceptor of this name drops it.
        case dropped(by: String)
    }
}

extension [Interceptor] {
    /// What becomes of an event that these interceptors see, in order.
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
