// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The `Retry-After` field of a response (RFC 9110, section 10.2.3).
///
/// The value is a number of seconds or a date.
public enum RetryAfter {
    /// Returns the time to wait.
    ///
    /// Nil if the response does not specify it, or the value is invalid. A date is compared with the response's
    /// `Date` field, so that a device with a wrong clock waits as long as the back end intended. Without that field,
    /// it is compared with the time at which the response arrived. A date in the past means no wait. The result is at
    /// most 366 days; the caller limits it further.
    public static func duration(in response: WireResponse) -> Duration? {
        guard let text = response.headers["retry-after"], !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return min(.seconds(Int64(text) ?? .max), longest)
        }
        guard
            let date = HTTPDate.parse(text),
            let sent = response.headers["date"].flatMap(HTTPDate.parse) ?? response.receivedAt
        else { return nil }
        return min(max(.zero, .milliseconds(date.milliseconds - sent.milliseconds)), longest)
    }

    private static let longest = Duration.seconds(366 * 24 * 3_600)
}

/// A parser for HTTP dates (RFC 9110, section 5.6.7).
///
/// It accepts the current form and the two obsolete forms that receivers must accept.
public enum HTTPDate {
    /// Parses a date.
    ///
    /// - Returns: The time; nil if the text has none of the three forms.
    public static func parse(_ text: String) -> Timestamp? {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }
        // Six words: Sun, 06 Nov 1994 08:49:37 GMT and Sunday, 06-Nov-94 08:49:37 GMT. Five: Sun Nov  6 08:49:37 1994.
        switch words.count {
        case 6 where words[5] == "GMT" || words[5] == "UTC":
            return make(day: words[1], month: words[2], year: words[3], time: words[4])
        case 5:
            return make(day: words[2], month: words[1], year: words[4], time: words[3])
        default:
            return nil
        }
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func make(day: Substring, month: Substring, year: Substring, time: Substring) -> Timestamp? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard
            clock.count == 3,
            let day = number(day, 1...31),
            let month = months.firstIndex(where: { month == $0 }),
            let written = number(year, 0...9_999),
            let hour = number(clock[0], 0...23),
            let minute = number(clock[1], 0...59),
            let second = number(clock[2], 0...60)
        else { return nil }
        // Two digits are the obsolete form, in which 70...99 mean 1970...1999.
        let year = year.utf8.count > 2 ? written : written + (written < 70 ? 2_000 : 1_900)
        let seconds = ((daysSince1970(year, month + 1, day) * 24 + hour) * 60 + minute) * 60 + second
        return Timestamp(milliseconds: Int64(seconds) * 1_000)
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), text.utf8.count <= 4, let value = Int(text) else {
            return nil
        }
        return range.contains(value) ? value : nil
    }

    /// Returns the days since 1970-01-01 in the Gregorian calendar.
    ///
    /// March counts as the first month, so that the leap day is the last day of the year.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
}
