// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayWire

/// Where a record belongs, and what tells that it is the same one again. A log has one place for all, and needs neither.
public struct IntakeRoute: Sendable, Hashable {
    /// A record that belongs nowhere in particular, and is no repetition.
    public static let none = IntakeRoute()

    /// Whose records keep their order among each other; nil when no installation is named.
    public let installation: InstallationID?
    private let header: BatchHeader?
    private let key: String

    /// The route of a record of an installation that is no repetition.
    public init(installation: InstallationID? = nil) {
        self.installation = installation
        header = nil
        key = ""
    }

    /// The route of a batch.
    ///
    /// - Parameters:
    ///   - header: The batch's header; nil when it has none.
    ///   - key: The name of the key it came with.
    public init(_ header: BatchHeader?, key: String) {
        installation = header?.installation
        self.header = header
        self.key = key
    }

    /// Equal when a sender sends the same batch again, and then only; nil when nothing names it, so that every commit is one of
    /// its own.
    ///
    /// - Complexity: O(length of the header).
    public var identity: BatchIdentity? { header.flatMap { BatchIdentity($0, key: key) } }
}

/// Names what a batch says: 128 bits.
///
/// A batch's own id is not enough. When it was sent differs each time and changes nothing; the numbers it gives up (`dropped`,
/// `skipped`) are told once, so a batch of the same id that gives up more must not pass for a repetition. And a text that two
/// apps chose is told apart by the installation and the key.
public struct BatchIdentity: Sendable, Hashable {
    /// The first half.
    public var high: UInt64
    /// The second half.
    public var low: UInt64

    /// The identity of a batch; nil when its header does not name it.
    public init?(_ header: BatchHeader, key: String) {
        guard let id = header.id else { return nil }
        // Every part stands behind its length or between marks that no number has, so no two batches give one text.
        var text = "\(key.utf8.count):\(key)|\(id.utf8.count):\(id)|"
        text += "\(header.installation?.description ?? "-")|\(header.writer?.description ?? "-")|"
        text += "\(header.first.map(String.init) ?? "-")|\(header.last.map(String.init) ?? "-")|"
        for range in header.dropped {
            let reason = range.reason.rawValue
            text += "\(range.sequences.lowerBound)-\(range.sequences.upperBound):\(reason.utf8.count):\(reason),"
        }
        text += "|"
        for range in header.skipped { text += "\(range.lowerBound)-\(range.upperBound)," }
        let hash = SHA256.hash(text.utf8)
        high = hash[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = hash[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// 32 digits.
    public var hexadecimal: String {
        [high, low].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
