// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayDestinationKit

/// Selects a record's place and identifies duplicates of it.
///
/// The log of one machine has one place for all records and does not need a route.
public struct IntakeRoute: Sendable, Hashable {
    /// The route of a record without an installation or an identity.
    public static let unrouted = IntakeRoute()

    /// The installation whose records keep their order; nil if none is named.
    public let installation: InstallationID?
    private let header: BatchHeader?
    private let key: String

    /// Creates the route of an installation's record that has no identity.
    public init(installation: InstallationID? = nil) {
        self.installation = installation
        header = nil
        key = ""
    }

    /// Creates the route of a batch.
    ///
    /// - Parameters:
    ///   - header: The batch's header; nil if it has no header.
    ///   - key: The name of the request's key.
    public init(_ header: BatchHeader?, key: String) {
        installation = header?.installation
        self.header = header
        self.key = key
    }

    /// The identity of the batch.
    ///
    /// The identities of two batches are equal if and only if a sender sent the same batch twice.
    ///
    /// Nil if the batch has no id, so that every commit counts as a different batch.
    ///
    /// - Complexity: O(length of the header).
    public var identity: BatchIdentity? { header.flatMap { BatchIdentity($0, key: key) } }
}

/// A 128-bit identity of a batch's content.
///
/// The batch's own id is not enough. The time of sending differs with each attempt and is ignored. The numbers that a
/// batch reports as lost (`dropped`, `skipped`) are reported once, so a batch with the same id that reports more of
/// these numbers must not be treated as a duplicate. Equal ids that two apps chose are distinguished by the
/// installation and the key.
public struct BatchIdentity: Sendable, Hashable {
    /// The upper 64 bits.
    public var high: UInt64
    /// The lower 64 bits.
    public var low: UInt64

    /// Creates the identity of a batch.
    ///
    /// Nil if its header does not name the batch.
    public init?(_ header: BatchHeader, key: String) {
        guard let id = header.id else { return nil }
        // Every part has a length prefix or delimiters that no number contains, so no two batches give the same text.
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

    /// The identity as 32 hexadecimal digits.
    public var hexadecimal: String {
        [high, low].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
