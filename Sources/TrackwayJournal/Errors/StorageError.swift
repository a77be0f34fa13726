// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// A failed storage operation, with its path and the system error.
public struct StorageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, for callers to handle.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's stable text.
        public let rawValue: String

        /// Creates a code from its stable text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// No space is left, or a quota is exhausted.
        public static let full = Code(rawValue: "full")
        /// The file or folder is currently inaccessible.
        ///
        /// The cause is the permissions, a read-only file system, or a locked device.
        public static let denied = Code(rawValue: "denied")
        /// The device reported an input or output error.
        public static let inputOutput = Code(rawValue: "input_output")
        /// The file or folder does not exist.
        public static let missing = Code(rawValue: "missing")
        /// The file is encrypted with a key that was not provided.
        ///
        /// The file is left unchanged.
        public static let encrypted = Code(rawValue: "encrypted")
        /// Any other failure; see ``StorageError/number``.
        public static let other = Code(rawValue: "other")
    }

    /// The kind of failure.
    public let code: Code
    /// The operation that failed, for example `"reserve"`.
    public let operation: String
    /// The file or folder that the operation failed on.
    public let path: String
    /// The system's error number; 0 if none.
    public let number: Int32

    /// Creates an error; implementations of ``JournalStorage`` use this.
    public init(_ code: Code, operation: String, path: String, number: Int32 = 0) {
        self.code = code
        self.operation = operation
        self.path = path
        self.number = number
    }

    /// Creates the error for a file whose key was not provided.
    static func keyMissing(_ key: UInt32, _ path: String) -> StorageError {
        StorageError(.encrypted, operation: "read, without the key \(FolderKeys.name(of: key)),", path: path)
    }

    /// Creates an error from the calling thread's `errno`.
    static func system(_ operation: String, _ path: String) -> StorageError {
        let number = ctrackway_errno()
        return StorageError(
            Code(rawValue: String(cString: ctrackway_errno_kind(number))),
            operation: operation,
            path: path,
            number: number
        )
    }

    /// `ENFILE` and `EMFILE` on every supported system.
    private static let tooManyOpen: Set<Int32> = [23, 24]

    /// A human-readable description of the failure, with any remedy.
    public var description: String {
        let remedy =
            switch code {
            case .full: "; free up some space (stored data is not affected)"
            case .denied: "; make the folder writable for this user"
            case .encrypted:
                "; provide that key in Configuration.storage.encryption, as a previous key if another one has replaced "
                    + "it. Nothing was changed"
            default:
                Self.tooManyOpen.contains(number)
                    ? "; too many files are open: close some, or raise the limit for open files" : ""
            }
        return "could not \(operation) \(path): \(code.rawValue) (errno \(number))\(remedy)"
    }
}
