// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Why a journal could not do what was asked of it.
public struct JournalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it was.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's stable text.
        public let rawValue: String

        /// Makes a code from its stable text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The storage underneath failed; ``JournalError/cause`` says how.
        public static let storage = Code(rawValue: "storage")
        /// The folder was written by a newer version that this one cannot read; it is left untouched.
        public static let newerVersion = Code(rawValue: "newer_version")
        /// Records are encrypted with a key that was not given. They are left as they are.
        public static let keyMissing = Code(rawValue: "key_missing")
        /// The installation's identity exists but cannot be read now. It is never replaced because of that.
        public static let identityUnreadable = Code(rawValue: "identity_unreadable")
        /// Somebody else holds the lock of this folder.
        public static let locked = Code(rawValue: "locked")
        /// The journal or log was closed.
        public static let closed = Code(rawValue: "closed")
        /// A flush to stable storage failed. What it covered may not survive power loss, and asking again proves nothing.
        public static let synchronizationFailed = Code(rawValue: "synchronization_failed")
        /// The record is larger than a segment can hold.
        public static let tooLarge = Code(rawValue: "too_large")
        /// The call is out of order, for example a batch settled that is not leased.
        public static let outOfOrder = Code(rawValue: "out_of_order")
    }

    /// What kind of failure it was.
    public let code: Code
    /// A sentence for people, naming the file or folder at fault and the remedy.
    public let message: String
    /// What the storage said, when it was the storage.
    public let cause: StorageError?

    init(_ code: Code, _ message: String, cause: StorageError? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// An event that a failed flush may have covered.
    package static func doubtful(_ sequence: UInt64) -> JournalError {
        JournalError(
            .synchronizationFailed,
            "a flush that covered event \(sequence) failed; later ones succeed without proving anything for it"
        )
    }

    init(_ cause: StorageError) {
        self.init(cause.code == .encrypted ? .keyMissing : .storage, cause.description, cause: cause)
    }

    /// Whether what was met is left alone as long as the process lives: only another version, or another key, can read it.
    var leavesAlone: Bool { code == .newerVersion || code == .keyMissing }

    /// A writer's folder that cannot be read, while the others can.
    init(unreadable folder: String, _ cause: StorageError) {
        guard cause.code != .encrypted else {
            self.init(cause)
            return
        }
        let remedy =
            cause.code == .denied
            ? "give the folder and its files to the user this app runs as, or remove it"
            : "they wait until it can be read"
        self.init(.storage, "the events in \(folder) cannot be read now (\(cause)); \(remedy)", cause: cause)
    }

    /// Asks the storage for something; what it refuses is the journal's failure.
    @discardableResult
    static func wrap<Result>(_ body: () throws(StorageError) -> Result) throws(JournalError) -> Result {
        do throws(StorageError) {
            return try body()
        } catch {
            throw JournalError(error)
        }
    }

    /// The sentence for people.
    public var description: String { message }
}
