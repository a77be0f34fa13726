// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// A storage operation that failed: what was tried, where, and what the system said.
public struct StorageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it was, as far as a caller can act on it.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's stable text.
        public let rawValue: String

        /// Makes a code from its stable text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// No space is left, or a quota is used up.
        public static let full = Code(rawValue: "full")
        /// The file or folder may not be used now: permissions, a read-only file system, or a locked device.
        public static let denied = Code(rawValue: "denied")
        /// The device reported an input or output error.
        public static let inputOutput = Code(rawValue: "input_output")
        /// The file or folder does not exist.
        public static let missing = Code(rawValue: "missing")
        /// The file is encrypted with a key that was not given. It is left as it is.
        public static let encrypted = Code(rawValue: "encrypted")
        /// Anything else; the number tells.
        public static let other = Code(rawValue: "other")
    }

    /// What kind of failure it was.
    public let code: Code
    /// The operation that failed, for example `"reserve"`.
    public let operation: String
    /// The file or folder it failed on.
    public let path: String
    /// The system's error number; 0 when there was none.
    public let number: Int32

    /// Makes an error; implementers of ``JournalStorage`` use this.
    public init(_ code: Code, operation: String, path: String, number: Int32 = 0) {
        self.code = code
        self.operation = operation
        self.path = path
        self.number = number
    }

    /// A file that is encrypted with a key that was not given.
    static func keyMissing(_ key: UInt32, _ path: String) -> StorageError {
        StorageError(.encrypted, operation: "read, without the key \(FolderKeys.name(of: key)),", path: path)
    }

    /// An error from the calling thread's `errno`.
    static func system(_ operation: String, _ path: String) -> StorageError {
        let number = ctrackway_errno()
        return StorageError(
            Code(rawValue: String(cString: ctrackway_errno_kind(number))),
            operation: operation,
            path: path,
            number: number
        )
    }

    /// `ENFILE` and `EMFILE` on every system we run on.
    private static let tooManyOpen: Set<Int32> = [23, 24]

    /// A sentence for people, with the remedy where there is one.
    public var description: String {
        let remedy =
            switch code {
            case .full: "; free some space, nothing already stored is touched"
            case .denied: "; make the folder writable for this user"
            case .encrypted:
                "; give that key in Configuration.storage.encryption, as a previous one if another has taken its place. Nothing was "
                    + "changed"
            default:
                Self.tooManyOpen.contains(number)
                    ? "; too many files are open: close some, or raise the limit of open files" : ""
            }
        return "could not \(operation) \(path): \(code.rawValue) (errno \(number))\(remedy)"
    }
}
