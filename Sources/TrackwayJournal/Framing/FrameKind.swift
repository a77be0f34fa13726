// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a record in a log is. Readers skip kinds they do not know, so that old versions can read newer logs.
public struct FrameKind: RawRepresentable, Sendable, Hashable {
    /// The byte in the file.
    public let rawValue: UInt8

    /// Makes a kind from its byte.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// An event: canonical JSON, behind its route when it is addressed.
    public static let event = FrameKind(rawValue: 1)
    /// The context of the events behind it: a JSON object.
    public static let context = FrameKind(rawValue: 2)
    /// Sequence numbers whose events could not be kept: the text `first last reason`.
    public static let dropped = FrameKind(rawValue: 3)
    /// Who wrote the segment and when: a JSON object, first in every segment.
    public static let origin = FrameKind(rawValue: 4)
    /// The segment is complete; nothing follows.
    public static let seal = FrameKind(rawValue: 5)
    /// An event a back-end refused, kept for inspection.
    public static let deadLetter = FrameKind(rawValue: 6)
    /// A batch a collector has accepted.
    public static let intake = FrameKind(rawValue: 16)
    /// A batch, or a part of one, that a collector has refused, with the reason.
    public static let quarantine = FrameKind(rawValue: 17)
}
