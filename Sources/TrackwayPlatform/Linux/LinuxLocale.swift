// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
/// The user's locale and time zone.
///
/// Both are read from the environment and the system's files.
package enum LinuxLocale {
    /// The environment variables that are read.
    static let variables = localeVariables + ["TZ"]
    private static let localeVariables = ["LC_ALL", "LC_MESSAGES", "LANG"]

    /// Returns the message locale, such as "de_DE".
    ///
    /// Returns `nil` for the "C" locale and for invalid values.
    package static func locale(environment: [String: String]) -> String? {
        let settings = localeVariables.compactMap { environment[$0] }
        guard let setting = settings.first(where: { !$0.isEmpty }) else { return nil }
        let name = setting.prefix { $0 != "." && $0 != "@" }
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
            default: false
            }
        }
        guard isName, (2...32).contains(name.utf8.count), name != "POSIX" else { return nil }
        return String(name)
    }

    /// Returns the time zone's identifier, such as "Europe/Berlin".
    ///
    /// Returns `nil` if only the zone's rules are known.
    package static func zone(environment: [String: String], tree: SystemTree) -> String? {
        if let setting = environment["TZ"], !setting.isEmpty {
            let name = setting.first == ":" ? setting.dropFirst() : Substring(setting)
            return identifier(in: name)
        }
        if let target = tree.target(of: "/etc/localtime"), let name = identifier(in: Substring(target)) { return name }
        return tree.text("/etc/timezone", limit: 128).flatMap { identifier(in: Substring($0)) }
    }

    private static func identifier(in text: Substring) -> String? {
        var name = text
        if let folder = text.firstRange(of: "/zoneinfo/") {
            name = text[folder.upperBound...]
        } else if text.first == "/" || text.first == "." {
            return nil
        }
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"): true
            case UInt8(ascii: "/"): true
            default: false
            }
        }
        // A name without a slash may be a rule such as "CET-1CEST", which does not identify a zone.
        guard isName, name.utf8.count <= 64, name.contains("/") || name == "UTC" || name == "GMT" else { return nil }
        return String(name)
    }
}
#endif
