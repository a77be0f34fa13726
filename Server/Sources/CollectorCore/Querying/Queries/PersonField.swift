// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A value of an event's person, rather than of the event.
///
/// All events of a person have the same value: the one that is known when the query runs. Events without a person have
/// none.
public enum PersonField: Sendable, Hashable {
    /// The latest value of an attribute that the app set.
    case attribute(String)
    /// A fact about the person's first events.
    case first(FirstTouch)
}

/// A fact about a person's first events, by event time.
public enum FirstTouch: String, Sendable, Hashable, CaseIterable {
    /// The day of the first event in UTC, such as `2026-11-21`.
    case seen = "first_seen"
    /// The app version in the context of the first event.
    case version = "first_version"
    /// The platform in the context of the first event.
    case platform = "first_platform"
    /// The country of the device's region setting, such as `DE`.
    ///
    /// It is in the context of the first event.
    case country = "first_country"
    /// The attribute `referrer` of the first event named ``referralEvent``.
    case referrer = "first_referrer"
    /// The attribute `link` of the first event named ``referralEvent``.
    case link = "first_link"

    /// The name of the event that reports a person's referral.
    public static let referralEvent = "referral"

    /// The attribute of ``referralEvent``; nil for facts of the first event's context.
    public var referralAttribute: String? {
        switch self {
        case .referrer: "referrer"
        case .link: "link"
        case .seen, .version, .platform, .country: nil
        }
    }

    /// The path of the value in the first event's context.
    ///
    /// Nil for other facts.
    public var contextPath: [String]? {
        switch self {
        case .version: ["app", "version"]
        case .platform: ["device", "platform"]
        case .country: ["device", "locale"]
        case .seen, .referrer, .link: nil
        }
    }

    /// Converts the value at ``contextPath`` to the fact.
    ///
    /// - Returns: nil if the value is missing or does not contain the fact, such as a locale without a country.
    public func value(inContext value: QueryValue?) -> QueryValue? {
        guard self == .country else { return value }
        guard case .text(let locale)? = value else { return nil }
        return Self.country(of: locale).map(QueryValue.text)
    }

    /// Returns the country of a locale such as `de_DE`, `zh-Hans-CN` or `en_US@calendar=gregorian`.
    ///
    /// The country is two letters, in upper case, or three digits, after the language. Nil if there is none.
    static func country(of locale: [UInt8]) -> [UInt8]? {
        let name = locale.prefix { $0 != UInt8(ascii: "@") && $0 != UInt8(ascii: ".") }
        let parts = name.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
        for part in parts.dropFirst() {
            // A single letter begins extensions, which contain no country.
            guard part.count > 1 else { return nil }
            if part.count == 2, part.allSatisfy({ isLetter($0) }) { return part.map { $0 & ~0x20 } }
            if part.count == 3, part.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
                return Array(part)
            }
        }
        return nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}

extension QueryField {
    /// Whether the value belongs to the person rather than the event.
    public var isOfPerson: Bool {
        switch self {
        case .attribute, .context: false
        case .person, .cohort: true
        }
    }
}

extension QueryFilter {
    /// Whether a condition reads values of people or membership in cohorts.
    public var readsPeople: Bool { fields.contains(where: \.isOfPerson) }
}
