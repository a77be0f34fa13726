// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// An error that names the unusable path, the problem, and the remedy.
package struct StorageLocationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of problem.
    package enum Code: String, Sendable, Hashable {
        /// The app's id is empty.
        case noAppID = "no_app_id"
        /// Neither an environment variable nor the user's account names the home folder.
        case noHome = "no_home"
        /// The path does not start with a slash.
        case notAbsolute = "not_absolute"
        /// The user has no write permission.
        case notPermitted = "not_permitted"
        /// The file system is mounted read-only.
        case readOnly = "read_only"
        /// A file exists where a folder is needed.
        case notAFolder = "not_a_folder"
        /// No space is left on the device.
        case full
        /// Any other problem; see `systemCode`.
        case other
    }

    /// The kind of problem.
    package var code: Code
    /// The affected path; empty if no path is affected.
    package var path: String
    /// The system's error number; 0 if no system call failed.
    package var systemCode: Int32

    /// Creates an error.
    package init(_ code: Code, path: String = "", systemCode: Int32 = 0) {
        self.code = code
        self.path = path
        self.systemCode = systemCode
    }

    static func system(_ number: Int32, path: String) -> StorageLocationError {
        let code: Code =
            switch number {
            case EACCES, EPERM: .notPermitted
            case EROFS: .readOnly
            case ENOTDIR: .notAFolder
            case ENOSPC, EDQUOT: .full
            default: .other
            }
        return StorageLocationError(code, path: path, systemCode: number)
    }

    /// The suggested fix, as an instruction to the app's developer or operator.
    package var recoverySuggestion: String {
        switch code {
        case .noAppID: "set an app id in the configuration"
        case .noHome: "set HOME or XDG_STATE_HOME, or set a storage folder in the configuration"
        case .notAbsolute: "use an absolute path, starting with a slash"
        case .notPermitted: "grant write access to the user who runs the app, or choose another storage folder"
        case .readOnly: "mount it writable, or choose another storage folder"
        case .notAFolder: "move the file away, or choose another storage folder"
        case .full: "free some space, or choose another storage folder"
        case .other: "check the path, or choose another storage folder"
        }
    }

    /// A clause that states the problem, with the path.
    package var problem: String {
        switch code {
        case .noAppID: "the app id is empty, so the storage folder has no name"
        case .noHome: "no storage folder: the user's home folder is unknown"
        case .notAbsolute: "the storage folder \"\(path)\" is not an absolute path"
        case .notPermitted: "the storage folder \"\(path)\" is not writable: permission denied"
        case .readOnly: "the storage folder \"\(path)\" is on a read-only file system"
        case .notAFolder: "the storage folder cannot be created: \"\(path)\" is a file"
        case .full: "the storage folder \"\(path)\" cannot be created: no space is left"
        case .other: "the storage folder \"\(path)\" cannot be used (error \(systemCode))"
        }
    }

    /// One sentence that states the problem and the remedy.
    package var description: String { "\(problem); \(recoverySuggestion)" }
}
