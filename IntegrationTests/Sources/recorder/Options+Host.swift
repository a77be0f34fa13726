// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

extension Options {
    /// What the process lives under: limits of the system, and whose process it is.
    struct Host {
        /// Descriptors it may have open; nil: as many as it was given.
        var descriptors: Int?
        /// Bytes a file may grow to; nil: as many as it was given.
        var fileBytes: Int?
        /// The user and group it becomes; nil: it stays what it is. Only root may.
        var user: Int?

        /// Takes effect, for good. Called before the SDK is touched.
        func apply() throws {
            // The main thread of a program whose `main` is asynchronous ends in the dispatch library, which opens a descriptor
            // there and ends the program without one. A run loop opens it now, while there are some.
            if descriptors != nil { _ = RunLoop.main.run(mode: .default, before: .distantPast) }
            if let descriptors { try Self.limit("--descriptors", RLIMIT_NOFILE, to: descriptors) }
            if let fileBytes { try Self.limit("--file-bytes", RLIMIT_FSIZE, to: fileBytes) }
            if let user, setgid(gid_t(user)) != 0 || setuid(uid_t(user)) != 0 {
                throw Failure(description: "--user \(user): \(String(cString: strerror(errno)))")
            }
        }

        /// Sets the soft limit, which may be raised again.
        static func limit(_ name: String, _ resource: __rlimit_resource, to value: Int) throws {
            let number = __rlimit_resource_t(resource.rawValue)
            var limit = rlimit()
            guard getrlimit(number, &limit) == 0 else { throw Failure(description: "\(name): no limit to be read") }
            limit.rlim_cur = min(value < 0 ? limit.rlim_max : rlim_t(value), limit.rlim_max)
            guard setrlimit(number, &limit) == 0 else {
                throw Failure(description: "\(name) \(value): \(String(cString: strerror(errno)))")
            }
        }
    }
}
