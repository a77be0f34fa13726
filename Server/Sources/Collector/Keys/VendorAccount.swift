// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a client of another format says it belongs to; the name stands in every request. Clients of Clickstream and Sensors
/// Analytics know no keys: the key that was made for the account lets them in. Clients of Sift send that key.
package enum VendorAccount: Sendable, Hashable, CustomStringConvertible {
    /// The `appId` of Clickstream.
    case clickstreamApp(String)
    /// The `project` of Sensors Analytics.
    case sensorsProject(String)
    /// The account id of Sift.
    case siftAccount(String)

    /// Whether a name may stand for an account: 1 to 128 letters, digits, `.`, `_`, `-`.
    package static func isValid(name: String) -> Bool {
        (1...128).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// The account as the key file writes it: `clickstream=shopping`.
    package var description: String {
        switch self {
        case .clickstreamApp(let name): "clickstream=" + name
        case .sensorsProject(let name): "sensors=" + name
        case .siftAccount(let name): "sift=" + name
        }
    }

    /// Reads the key file's form; nil for anything else.
    init?(word: some StringProtocol) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isValid(name: String(parts[1])) else { return nil }
        switch parts[0] {
        case "clickstream": self = .clickstreamApp(String(parts[1]))
        case "sensors": self = .sensorsProject(String(parts[1]))
        case "sift": self = .siftAccount(String(parts[1]))
        default: return nil
        }
    }
}
