// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// How far back a question goes, counted in whole days, hours or minutes: `30d` is today and the 29 days before.
struct RelativeRange: Sendable, Hashable {
    /// What is counted.
    enum Unit: Character, Sendable, Hashable {
        /// Days of a zone's calendar.
        case day = "d"
        /// Full hours.
        case hour = "h"
        /// Full minutes.
        case minute = "m"

        /// The usual length, in milliseconds.
        var length: Int64 {
            switch self {
            case .day: QuestionInterval.dayLength
            case .hour: 3_600_000
            case .minute: 60_000
            }
        }
    }

    /// How many there are, the one that is not over included; from 1.
    let count: Int64
    /// What is counted.
    let unit: Unit

    /// The longest, in days.
    static let longestDays: Int64 = 3_660

    /// Reads `30d`, `24h` or `90m`.
    ///
    /// - Throws: ``QuestionError`` for `last`.
    init(_ text: String) throws(QuestionError) {
        let digits = text.dropLast()
        guard let unit = text.last.flatMap(Unit.init), digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let count = Int64(digits), count > 0
        else {
            throw QuestionError(
                "last",
                "“\(text.prefix(64))” is not a length of time: write 90m, 24h or 30d, with the one that is not over."
            )
        }
        guard count <= Self.longestDays * QuestionInterval.dayLength / unit.length else {
            throw QuestionError("last", "“\(text.prefix(64))” is longer than \(Self.longestDays) days.")
        }
        self.count = count
        self.unit = unit
    }

    /// When it begins.
    ///
    /// - Parameters:
    ///   - now: when it ends.
    ///   - zone: whose days are counted; known over ``needed(until:)``.
    func start(until now: Timestamp, in zone: ZoneOffsets) -> Timestamp {
        switch unit {
        case .hour, .minute:
            Timestamp(milliseconds: floored(now.milliseconds, to: unit.length) - (count - 1) * unit.length)
        case .day:
            // At midnight exactly, as between two midnights, today has begun.
            zone.instant(local: floored(zone.local(now), to: unit.length) - (count - 1) * unit.length)
        }
    }

    /// The time over which a zone has to be known.
    func needed(until now: Timestamp) -> Range<Timestamp> {
        now.advanced(by: .milliseconds(-(count + 3) * unit.length))..<now.advanced(by: .seconds(2 * 86_400))
    }
}

extension QuestionParameters {
    /// The time that `last` tells; nil when absent.
    func last(now: Timestamp, _ zones: ZoneDirectory) throws(QuestionError) -> (from: Timestamp, to: Timestamp)? {
        guard let text = text("last") else { return nil }
        for other in ["from", "to"] where self.text(other) != nil {
            throw QuestionError(
                "last",
                "“last” says how far back from now, so “\(other)” cannot be given as well; leave out one of them."
            )
        }
        let range = try RelativeRange(text)
        let start = range.start(until: now, in: try zone(zones, over: range.needed(until: now)))
        guard start < now else {
            // Now is the first moment of the first minute, hour or day.
            return (Timestamp(milliseconds: now.milliseconds - 1), now)
        }
        return (start, now)
    }

    /// The zone that is asked in.
    ///
    /// - Parameter range: the time over which it has to be known.
    func zone(_ zones: ZoneDirectory, over range: Range<Timestamp>) throws(QuestionError) -> ZoneOffsets {
        let name = text("zone") ?? "UTC"
        guard let zone = name.utf8.count <= 64 ? zones(name, range) : nil else {
            throw QuestionError(
                "zone",
                "“\(name.prefix(64))” is not the name of a time zone, such as Europe/Berlin or UTC."
            )
        }
        return zone
    }
}
