// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
public import TrackwayEvents

// Events as apps want them most often, ready-made.
extension TriggerEvent {
    // MARK: Once

    /// An event that fires once for all events of its id, also when a list makes its cells again or uses them for others.
    ///
    /// It holds nothing but its action, unlike an event whose action disarms it and therefore holds it.
    ///
    /// - Parameters:
    ///   - id: what fires once: a product, an offer.
    ///   - trigger: when it fires.
    ///   - memory: where it is remembered which ids have fired.
    ///   - trace: a sentence for whoever debugs.
    ///   - action: what is done, on the main actor.
    public static func once(
        id: String,
        _ trigger: Trigger,
        in memory: TriggerMemory = .process,
        trace: String? = nil,
        action: @escaping @MainActor (TriggerOccurrence) -> Void
    ) -> TriggerEvent {
        TriggerEvent(
            trigger,
            trace: trace,
            identifier: id,
            on: .mainActor,
            once: Once(id: id, memory: memory),
            body: .mainActor(action)
        )
    }

    // MARK: Recording

    /// An event that records. It records where the trigger is met, so that the recorded time is the trigger's and nothing is
    /// lost if the process ends right after.
    ///
    /// ```swift
    /// view.triggerEvents = [.record("offer_seen", on: .didAppear, with: analytics, ["offer": "A-1"])]
    /// ```
    /// - Parameters:
    ///   - name: the name of what is recorded.
    ///   - trigger: when.
    ///   - analytics: what records it; kept as long as the event.
    ///   - attributes: its attributes.
    ///   - items: its items.
    ///   - route: the destinations that the event is for; every destination by default.
    ///   - id: when given, it is recorded once for all events of that id.
    ///   - memory: where it is remembered which ids were recorded.
    ///   - trace: a sentence for whoever debugs.
    public static func record(
        _ name: String,
        on trigger: Trigger,
        with analytics: Analytics,
        _ attributes: Attributes = [:],
        items: [Item] = [],
        to route: Route = .all,
        once id: String? = nil,
        in memory: TriggerMemory = .process,
        trace: String? = nil
    ) -> TriggerEvent {
        TriggerEvent(
            trigger,
            trace: trace,
            identifier: id,
            on: .caller,
            once: id.map { Once(id: $0, memory: memory) },
            body: .anywhere { _ in analytics.record(name, attributes, items: items, to: route) }
        )
    }

    // MARK: Time on the screen

    /// Two events that measure how long an element was in sight, by the clock that nobody sets.
    ///
    /// - Parameters:
    ///   - trace: a sentence for whoever debugs.
    ///   - action: takes the time when the element went out of sight; on the main actor. One that goes out of sight and was not
    ///     seen to come into sight has no time.
    public static func timeOnScreen(
        trace: String? = nil,
        _ action: @escaping @MainActor (Duration) -> Void
    ) -> [TriggerEvent] {
        let view = OnScreenTime()
        return [
            TriggerEvent(.didAppear, trace: trace) { view.appeared(at: $0.moment.monotonic) },
            TriggerEvent(.didDisappear, trace: trace) { occurrence in
                if let time = view.disappeared(at: occurrence.moment.monotonic) { action(time) }
            },
        ]
    }

    /// Two events that record how long an element was in sight, as `event_duration` in seconds, where its end is met.
    ///
    /// - Parameters:
    ///   - name: the name of what is recorded.
    ///   - analytics: what records it; kept as long as the events.
    ///   - attributes: its attributes.
    ///   - route: the destinations that the event is for; every destination by default.
    ///   - trace: a sentence for whoever debugs.
    public static func timeOnScreen(
        recording name: String,
        with analytics: Analytics,
        _ attributes: Attributes = [:],
        to route: Route = .all,
        trace: String? = nil
    ) -> [TriggerEvent] {
        let view = OnScreenTime()
        return [
            TriggerEvent(.didAppear, trace: trace, on: .caller) { view.appeared(at: $0.moment.monotonic) },
            TriggerEvent(.didDisappear, trace: trace, on: .caller) { occurrence in
                guard let time = view.disappeared(at: occurrence.moment.monotonic) else { return }
                let seconds = Double(time.wholeMilliseconds) / 1000
                let measured = attributes.merging([CapturedKey.eventDuration: .double(seconds)])
                analytics.record(name, measured, to: route)
            },
        ]
    }
}

/// How long an element has been in sight. Both of its events run on one executor, so one never overtakes the other.
private final class OnScreenTime: Sendable {
    private let since = Locked<MonotonicTime?>(nil)

    func appeared(at time: MonotonicTime) {
        since.withLock { $0 = time }
    }

    func disappeared(at time: MonotonicTime) -> Duration? {
        let since = since.withLock { since in
            defer { since = nil }
            return since
        }
        return since.map { max(.zero, $0.duration(to: time)) }
    }
}
