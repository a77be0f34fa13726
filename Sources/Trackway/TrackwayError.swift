// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Why the SDK could not do what was asked of it.
///
/// Only calls that promise something throw: making an ``Analytics``, ``Analytics/recordDurably(_:_:items:to:)`` and
/// ``Analytics/erase()``. Recording never throws.
public struct TrackwayError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it was. More codes may follow; a `switch` over them needs a `default`.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The code's stable text.
        public let rawValue: String

        /// Makes a code from its stable text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The application id is empty, too long, or has a character that a folder name cannot carry.
        public static let invalidAppID = Code(rawValue: "invalid_app_id")
        /// The configuration names no destination, so nothing recorded could ever arrive.
        public static let noDestinations = Code(rawValue: "no_destinations")
        /// Two destinations share one id, so their places in the journal could not be told apart.
        public static let duplicateDestination = Code(rawValue: "duplicate_destination")
        /// No destination has this id.
        public static let unknownDestination = Code(rawValue: "unknown_destination")
        /// A limit is not a number the SDK can work with.
        public static let invalidLimit = Code(rawValue: "invalid_limit")
        /// The storage folder cannot be used.
        public static let storageUnavailable = Code(rawValue: "storage_unavailable")
        /// An encryption key is too short to be one.
        public static let invalidEncryptionKey = Code(rawValue: "invalid_encryption_key")
        /// The storage folder is encrypted with a key that the configuration does not give. Nothing there was changed.
        public static let encryptionKeyMissing = Code(rawValue: "encryption_key_missing")
        /// The event was not recorded at all: the SDK is disabled, consent is denied, or storage is full.
        public static let notRecorded = Code(rawValue: "not_recorded")
        /// The call was made in a forked child of the process that made the instance.
        public static let inForkedChild = Code(rawValue: "in_forked_child")
        /// The event is recorded, but stable storage did not confirm it.
        public static let notDurable = Code(rawValue: "not_durable")
        /// The installation could not be erased completely.
        public static let notErased = Code(rawValue: "not_erased")

        /// The code's stable text.
        public var description: String { rawValue }
    }

    /// What kind of failure it was.
    public let code: Code
    /// A sentence for people: what is at fault, and the remedy.
    public let message: String
    /// The error underneath, when there is one.
    public let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The sentence for people, followed by the error underneath.
    public var description: String {
        guard let cause else { return "\(code): \(message)" }
        return "\(code): \(message) (\(cause))"
    }
}
