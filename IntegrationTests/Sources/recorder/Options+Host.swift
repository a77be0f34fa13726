// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

extension Options {
    /// The limits and the user that the process runs under.
    struct Host {
        /// The maximum number of open descriptors; nil leaves the limit unchanged.
        var descriptors: Int?
        /// The maximum file size in bytes; nil leaves the limit unchanged.
        var fileBytes: Int?
        /// The user and group to switch to; nil for no change.
        ///
        /// Requires root.
        var user: Int?

        /// Applies the settings permanently.
        ///
        /// Must be called before the SDK is used.
        func apply() throws {
            // When the main thread of a program with an asynchronous `main` enters the dispatch library, the library
            // opens a descriptor and terminates the program if all are in use. Running the run loop opens it now, while
            // descriptors are available.
            if descriptors != nil { _ = RunLoop.main.run(mode: .default, before: .distantPast) }
            if let descriptors { try Self.limit("--descriptors", RLIMIT_NOFILE, to: descriptors) }
            if let fileBytes { try Self.limit("--file-bytes", RLIMIT_FSIZE, to: fileBytes) }
            if let user, setgid(gid_t(user)) != 0 || setuid(uid_t(user)) != 0 {
                throw Failure(description: "--user \(user): \(String(cString: strerror(errno)))")
            }
        }

        /// Sets the soft limit, which can be raised again.
        static func limit(_ name: String, _ resource: __rlimit_resource, to value: Int) throws {
            let number = __rlimit_resource_t(resource.rawValue)
            var limit = rlimit()
            guard getrlimit(number, &limit) == 0 else { throw Failure(description: "\(name): cannot read the limit") }
            limit.rlim_cur = min(value < 0 ? limit.rlim_max : rlim_t(value), limit.rlim_max)
            guard setrlimit(number, &limit) == 0 else {
                throw Failure(description: "\(name) \(value): \(String(cString: strerror(errno)))")
            }
        }
    }
}
