// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The error of a failed journal operation.
public struct JournalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's stable text.
        public let rawValue: String

        /// Creates a code from its stable text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The underlying storage failed; see ``JournalError/cause`` for details.
        public static let storage = Code(rawValue: "storage")
        /// A newer version wrote the folder, and this version cannot read it.
        ///
        /// The folder is left unchanged.
        public static let newerVersion = Code(rawValue: "newer_version")
        /// Records are encrypted with a key that was not provided.
        ///
        /// The records are left unchanged.
        public static let keyMissing = Code(rawValue: "key_missing")
        /// The installation's identity exists but currently cannot be read.
        ///
        /// An unreadable identity is never replaced.
        public static let identityUnreadable = Code(rawValue: "identity_unreadable")
        /// The lock on this folder is already held.
        public static let locked = Code(rawValue: "locked")
        /// The journal or log was closed.
        public static let closed = Code(rawValue: "closed")
        /// A flush to stable storage failed.
        ///
        /// The data that the flush covered may not survive power loss, even if a later flush succeeds.
        public static let synchronizationFailed = Code(rawValue: "synchronization_failed")
        /// The record is larger than a segment can hold.
        public static let tooLarge = Code(rawValue: "too_large")
        /// The call is out of order, such as settling an unleased batch.
        public static let outOfOrder = Code(rawValue: "out_of_order")
    }

    /// The kind of failure.
    public let code: Code
    /// A description of the failure, the affected path, and the remedy.
    public let message: String
    /// The storage error, if the storage caused the failure.
    public let cause: StorageError?

    init(_ code: Code, _ message: String, cause: StorageError? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Creates the error for an event possibly covered by a failed flush.
    package static func doubtful(_ sequence: UInt64) -> JournalError {
        JournalError(
            .synchronizationFailed,
            "a flush that covered event \(sequence) failed; later successful flushes do not prove that it is durable"
        )
    }

    init(_ cause: StorageError) {
        self.init(cause.code == .encrypted ? .keyMissing : .storage, cause.description, cause: cause)
    }

    /// Whether the log is skipped for the process's lifetime.
    ///
    /// Such a log can be read only by another version or with another key.
    var skipsLogPermanently: Bool { code == .newerVersion || code == .keyMissing }

    /// Creates the error for a single writer whose folder is unreadable.
    init(unreadable folder: String, _ cause: StorageError) {
        guard cause.code != .encrypted else {
            self.init(cause)
            return
        }
        let remedy =
            cause.code == .denied
            ? "change the owner of the folder and its files to the user this app runs as, or remove the folder"
            : "they stay pending until it can be read"
        self.init(.storage, "the events in \(folder) currently cannot be read (\(cause)); \(remedy)", cause: cause)
    }

    /// Runs a storage operation and converts its errors to journal errors.
    @discardableResult
    static func wrap<Result>(_ body: () throws(StorageError) -> Result) throws(JournalError) -> Result {
        do throws(StorageError) {
            return try body()
        } catch {
            throw JournalError(error)
        }
    }

    /// The same text as ``message``.
    public var description: String { message }
}
