// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
public import TrackwayCore

// Predefined events for common needs.
extension TriggerEvent {
    // MARK: Once

    /// Creates an event that fires only once per ID.
    ///
    /// This also applies if a list re-creates or reuses its cells. The event retains only its action, whereas an event
    /// that is disarmed by its own action retains itself.
    ///
    /// - Parameters:
    ///   - id: the ID that fires once, such as the ID of a product or an offer.
    ///   - trigger: the trigger that fires the event.
    ///   - memory: the memory of the IDs that have fired.
    ///   - trace: a string for debugging.
    ///   - action: the action, which runs on the main actor.
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

    /// Creates an event that records an event with `Analytics`.
    ///
    /// The event is recorded synchronously when the trigger occurs. The recorded time is therefore the time of the
    /// trigger, and nothing is lost if the process ends immediately afterward.
    ///
    /// ```swift
    /// view.triggerEvents = [.record("offer_seen", on: .didAppear, with: analytics, ["offer": "A-1"])]
    /// ```
    /// - Parameters:
    ///   - name: the name of the recorded event.
    ///   - trigger: the trigger that fires the event.
    ///   - analytics: the instance that records the event; retained by the trigger event.
    ///   - attributes: the event's attributes.
    ///   - items: the event's items.
    ///   - route: the destinations of the event; all by default.
    ///   - id: if set, the event is recorded only once among all events with this ID.
    ///   - memory: the memory of the IDs that were recorded.
    ///   - trace: a string for debugging.
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

    // MARK: Time on screen

    /// Creates two events that measure how long an element was visible.
    ///
    /// The time is measured by the monotonic clock.
    ///
    /// - Parameters:
    ///   - trace: a string for debugging.
    ///   - action: the action, which receives the duration when the element disappears; runs on the main actor. It is
    ///     not called for an element whose appearance was not reported.
    public static func timeOnScreen(
        trace: String? = nil,
        _ action: @escaping @MainActor (Duration) -> Void
    ) -> [TriggerEvent] {
        let timer = OnScreenTimer()
        return [
            TriggerEvent(.didAppear, trace: trace) { timer.start(at: $0.timestamp.monotonic) },
            TriggerEvent(.didDisappear, trace: trace) { occurrence in
                if let time = timer.stop(at: occurrence.timestamp.monotonic) { action(time) }
            },
        ]
    }

    /// Creates two events that record how long an element was visible.
    ///
    /// The duration is recorded as `event_duration` in seconds, synchronously when the element disappears.
    ///
    /// - Parameters:
    ///   - name: the name of the recorded event.
    ///   - analytics: the instance that records the event; retained by the trigger events.
    ///   - attributes: the event's attributes.
    ///   - route: the destinations of the event; all by default.
    ///   - trace: a string for debugging.
    public static func timeOnScreen(
        recording name: String,
        with analytics: Analytics,
        _ attributes: Attributes = [:],
        to route: Route = .all,
        trace: String? = nil
    ) -> [TriggerEvent] {
        let timer = OnScreenTimer()
        return [
            TriggerEvent(.didAppear, trace: trace, on: .caller) { timer.start(at: $0.timestamp.monotonic) },
            TriggerEvent(.didDisappear, trace: trace, on: .caller) { occurrence in
                guard let time = timer.stop(at: occurrence.timestamp.monotonic) else { return }
                let seconds = Double(time.wholeMilliseconds) / 1000
                let measured = attributes.merging([CapturedKey.eventDuration: .double(seconds)])
                analytics.record(name, measured, to: route)
            },
        ]
    }
}

/// A timer for how long an element is visible.
///
/// Both events use one executor, so their order is preserved.
private final class OnScreenTimer: Sendable {
    private let since = Locked<MonotonicTime?>(nil)

    func start(at time: MonotonicTime) {
        since.withLock { $0 = time }
    }

    func stop(at time: MonotonicTime) -> Duration? {
        let since = since.withLock { since in
            defer { since = nil }
            return since
        }
        return since.map { max(.zero, $0.duration(to: time)) }
    }
}
