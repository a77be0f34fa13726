// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The `Retry-After` field of an answer (RFC 9110, 10.2.3): a number of seconds, or a date.
public enum RetryAfter {
    /// How long to wait, from now on; nil when the answer does not say, or says it unreadably.
    ///
    /// A date is compared with the answer's own `Date`, so that a device with a wrong clock waits as long as the back-end
    /// meant; without that field, with the moment the answer arrived. A date in the past means no wait. The result is at
    /// most a year: the caller bounds it further.
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
