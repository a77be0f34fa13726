// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// How far a device's clock was off when it recorded the events of one batch.
///
/// Two things are known: how far the clock was off when the batch was sent, from `sent` and the time of arrival, and whether the
/// clock was changed between two events of one boot, from their monotonic times. A function of the batch alone, so that every store
/// and every rebuilt index gives an event the same time.
public struct ClockCorrection: Sendable {
    /// What is known of an event's time.
    struct Observation: Sendable {
        /// The device's wall clock, in milliseconds; nil when the event has no time of its own.
        var time: Int64?
        /// Milliseconds since boot; nil or 0 when the sender does not tell.
        var monotonic: Int64?
        /// Which boot of the batch it is, from 0; nil when the sender does not tell.
        var boot: Int?
    }

    /// A clock that is off by less is taken for right: the way of a batch takes time, too.
    static let tolerance: Int64 = 60_000

    /// By how much each event is to be moved, in milliseconds.
    private var shifts: [Int64] = []
    /// The times that the shifts belong to.
    private let times: [Int64?]

    /// The correction of a batch's events.
    ///
    /// - Parameters:
    ///   - observations: The events, in the order of the batch.
    ///   - sent: When the batch was sent, by the device's clock; nil when the sender does not tell.
    ///   - received: When it arrived.
    /// - Complexity: O(n log n).
    init(_ observations: [Observation], sent: Timestamp?, received: Timestamp) {
        times = observations.map(\.time)
        shifts = Array(repeating: 0, count: observations.count)
        var boots: [Int: [Int]] = [:]
        for (index, event) in observations.enumerated() {
            guard event.time != nil, let boot = event.boot, let monotonic = event.monotonic, monotonic != 0 else {
                continue
            }
            boots[boot, default: []].append(index)
        }
        for events in boots.values where events.count > 1 { alignWithin(events, observations) }
        let skew = Self.skew(sent: sent, received: received)
        guard skew != 0 else { return }
        for index in shifts.indices where times[index] != nil {
            shifts[index] = Self.sum(shifts[index], skew) ?? 0
        }
    }

    /// How far the clock was off when the batch was sent, in milliseconds; 0 when it was right, or nothing is known of it.
    static func skew(sent: Timestamp?, received: Timestamp) -> Int64 {
        let skew = sent.flatMap { difference(received.milliseconds, $0.milliseconds) } ?? 0
        return isOff(skew) ? skew : 0
    }

    /// Whether no event is moved.
    var isEmpty: Bool { shifts.allSatisfy { $0 == 0 } }

    /// An event's time; nil when it has none of its own.
    func time(of event: Int) -> Timestamp? {
        times[event].map { Timestamp(milliseconds: Self.sum($0, shifts[event]) ?? $0) }
    }

    /// A moment that the context of an event tells, by the same clock: moved as the event is whose time lies nearest to it.
    ///
    /// - Complexity: O(events).
    public func moved(_ moment: Timestamp) -> Timestamp {
        var nearest: (distance: UInt64, shift: Int64)?
        for (index, time) in times.enumerated() {
            guard let time, let distance = Self.difference(time, moment.milliseconds)?.magnitude else { continue }
            if distance < nearest?.distance ?? .max { nearest = (distance, shifts[index]) }
        }
        let shift = nearest?.shift ?? 0
        return Timestamp(milliseconds: Self.sum(moment.milliseconds, shift) ?? moment.milliseconds)
    }

    /// Moves events from before a change of the clock to where the clock of the boot's last event puts them.
    ///
    /// A change of the clock holds for everything before it. An event that differs from the last one while an earlier event does not
    /// has a time of the app's choice, and keeps it.
    private mutating func alignWithin(_ events: [Int], _ observations: [Observation]) {
        // Wall minus monotonic time is the same for all events of a boot until the clock is set.
        let offsets = events.compactMap { index -> (index: Int, monotonic: Int64, offset: Int64)? in
            guard let time = observations[index].time, let monotonic = observations[index].monotonic,
                let offset = Self.difference(time, monotonic)
            else { return nil }
            return (index, monotonic, offset)
        }
        guard let least = offsets.map(\.offset).min(), let greatest = offsets.map(\.offset).max(),
            Self.difference(greatest, least).map(Self.isOff) ?? true
        else { return }
        let ordered = offsets.sorted { ($0.monotonic, $0.index) < ($1.monotonic, $1.index) }
        guard let last = ordered.last else { return }
        for event in ordered {
            guard let shift = Self.difference(last.offset, event.offset), Self.isOff(shift) else { return }
            shifts[event.index] = shift
        }
    }

    private static func isOff(_ shift: Int64) -> Bool { shift.magnitude > UInt64(tolerance) }

    /// The difference; nil beyond 64 bits, which no clock shows.
    private static func difference(_ left: Int64, _ right: Int64) -> Int64? {
        let (value, overflows) = left.subtractingReportingOverflow(right)
        return overflows ? nil : value
    }

    private static func sum(_ left: Int64, _ right: Int64) -> Int64? {
        let (value, overflows) = left.addingReportingOverflow(right)
        return overflows ? nil : value
    }
}
