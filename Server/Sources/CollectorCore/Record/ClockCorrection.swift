// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The errors of a device's clock during the events of one batch.
///
/// Two things are known: the error of the clock when the batch was sent, from `sent` and the time of arrival, and
/// whether the clock was changed between two events of one boot, from their monotonic times. The correction is a
/// function of the batch alone, so that every store and every rebuilt index gives an event the same time.
public struct ClockCorrection: Sendable {
    /// The known times of an event.
    struct Observation: Sendable {
        /// The device's wall clock, in milliseconds.
        ///
        /// Nil if the event has no time.
        var time: Int64?
        /// The time since boot in milliseconds; nil or 0 if unknown.
        var monotonic: Int64?
        /// The index of the boot in the batch, from 0.
        ///
        /// Nil if unknown.
        var boot: Int?
    }

    /// The maximum error of a clock that counts as correct.
    ///
    /// Transferring a batch takes time, too.
    static let tolerance: Int64 = 60_000

    /// The shift of each event, in milliseconds.
    private var shifts: [Int64] = []
    /// The uncorrected times of the events, in the order of ``shifts``.
    private let times: [Int64?]

    /// Computes the correction for a batch's events.
    ///
    /// - Parameters:
    ///   - observations: The events, in the order of the batch.
    ///   - sent: When the batch was sent, by the device's clock; nil if unknown.
    ///   - received: When the batch arrived.
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

    /// Returns the clock's error when the batch was sent, in milliseconds.
    ///
    /// 0 if the clock was correct or the error is unknown.
    static func skew(sent: Timestamp?, received: Timestamp) -> Int64 {
        let skew = sent.flatMap { difference(received.milliseconds, $0.milliseconds) } ?? 0
        return isOff(skew) ? skew : 0
    }

    /// Whether no event is shifted.
    var isEmpty: Bool { shifts.allSatisfy { $0 == 0 } }

    /// Returns an event's corrected time; nil if it has no time.
    func time(of event: Int) -> Timestamp? {
        times[event].map { Timestamp(milliseconds: Self.sum($0, shifts[event]) ?? $0) }
    }

    /// Corrects a time from an event's context, measured by the same clock.
    ///
    /// The time is shifted like the event with the nearest time.
    ///
    /// - Complexity: O(events).
    public func corrected(_ moment: Timestamp) -> Timestamp {
        var nearest: (distance: UInt64, shift: Int64)?
        for (index, time) in times.enumerated() {
            guard let time, let distance = Self.difference(time, moment.milliseconds)?.magnitude else { continue }
            if distance < nearest?.distance ?? .max { nearest = (distance, shifts[index]) }
        }
        let shift = nearest?.shift ?? 0
        return Timestamp(milliseconds: Self.sum(moment.milliseconds, shift) ?? moment.milliseconds)
    }

    /// Shifts events from before a clock change to the later clock.
    ///
    /// The clock of the boot's last event determines the shift.
    ///
    /// A clock change affects all events before it. If an event differs from the last one but an earlier event does
    /// not, the app chose the event's time, and the event keeps it.
    private mutating func alignWithin(_ events: [Int], _ observations: [Observation]) {
        // Wall time minus monotonic time is the same for all events of a boot until the clock is changed.
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

    /// Returns the difference; nil if it exceeds 64 bits, which never happens with real clocks.
    private static func difference(_ left: Int64, _ right: Int64) -> Int64? {
        let (value, overflows) = left.subtractingReportingOverflow(right)
        return overflows ? nil : value
    }

    private static func sum(_ left: Int64, _ right: Int64) -> Int64? {
        let (value, overflows) = left.addingReportingOverflow(right)
        return overflows ? nil : value
    }
}
