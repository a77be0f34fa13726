// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Why an app's folder cannot be used: which path, what is wrong with it, and what helps.
package struct StorageLocationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    package enum Code: String, Sendable, Hashable {
        /// The app's id is empty.
        case noAppID = "no_app_id"
        /// Neither an environment variable nor the user's account tells where the home folder is.
        case noHome = "no_home"
        /// The path does not begin with a slash.
        case notAbsolute = "not_absolute"
        /// The user may not write there.
        case notPermitted = "not_permitted"
        /// The file system is mounted read-only.
        case readOnly = "read_only"
        /// A file is where a folder should be.
        case notAFolder = "not_a_folder"
        /// No space is left on the device.
        case full
        /// Anything else; see the system's code.
        case other
    }

    /// What is wrong.
    package var code: Code
    /// The path at fault; empty when there is none.
    package var path: String
    /// The system's error number; 0 when the system was not asked.
    package var systemCode: Int32

    /// Makes an error.
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

    /// What helps, as an order to whoever runs the app.
    package var remedy: String {
        switch code {
        case .noAppID: "give the configuration an app id"
        case .noHome: "set HOME or XDG_STATE_HOME, or give the configuration a storage folder"
        case .notAbsolute: "give an absolute path, beginning with a slash"
        case .notPermitted: "let the user who runs the app write there, or choose another storage folder"
        case .readOnly: "mount it writable, or choose another storage folder"
        case .notAFolder: "move the file away, or choose another storage folder"
        case .full: "free some space, or choose another storage folder"
        case .other: "check the path, or choose another storage folder"
        }
    }

    /// What happened, with the path, as a clause.
    package var problem: String {
        switch code {
        case .noAppID: "an empty app id names no storage folder"
        case .noHome: "no folder to keep events in is known: the user's home folder is not"
        case .notAbsolute: "the storage folder \"\(path)\" is no absolute path"
        case .notPermitted: "the storage folder \"\(path)\" cannot be written to: permission denied"
        case .readOnly: "the storage folder \"\(path)\" lies on a read-only file system"
        case .notAFolder: "the storage folder cannot be made: \"\(path)\" is a file"
        case .full: "the storage folder \"\(path)\" cannot be made: no space is left"
        case .other: "the storage folder \"\(path)\" cannot be used (error \(systemCode))"
        }
    }

    /// The problem and the remedy in one sentence.
    package var description: String { "\(problem); \(remedy)" }
}
