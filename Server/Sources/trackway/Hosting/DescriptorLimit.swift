// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// How many files and connections the process may have open.
enum DescriptorLimit {
    /// What the collector needs beside connections: its log, the index and its readers, and room for what libraries open.
    static let reserve = 256

    /// Lets the process have as many open as it wants, as far as the system allows.
    ///
    /// Many systems begin with a limit of 1,024, for programs that can count no further, and allow many more.
    ///
    /// - Returns: How many it may have open now.
    static func raise(to wanted: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(number(RLIMIT_NOFILE), &limit) == 0 else { return 1_024 }
        if limit.rlim_cur < wanted, limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
            if setrlimit(number(RLIMIT_NOFILE), &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// What limits a system calls by numbers, and what others by values of an enumeration.
    private static func number(_ limit: Int32) -> Int32 { limit }

    private static func number<Limit: RawRepresentable<UInt32>>(_ limit: Limit) -> Int32 {
        Int32(bitPattern: limit.rawValue)
    }

    /// How many connections fit beside everything else.
    static func connections(within descriptors: Int, wanted: Int) -> Int {
        min(wanted, max(descriptors - reserve, descriptors / 2, 1))
    }
}
