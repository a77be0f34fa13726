// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// File descriptors that the app occupies, so that none are left for others.
struct Descriptors {
    private var occupied: [Int32] = []

    /// The number of descriptors that the process has open.
    static var count: Int {
        (0..<Int32(4_096)).count { fcntl($0, F_GETFD) >= 0 }
    }

    /// Opens all descriptors up to the limit except for `spare` and returns the number it holds.
    mutating func occupyAll(except spare: Int) -> Int {
        while true {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { break }
            occupied.append(descriptor)
        }
        for _ in 0..<min(spare, occupied.count) { close(occupied.removeLast()) }
        return occupied.count
    }

    /// Closes all of them.
    mutating func release() {
        for descriptor in occupied { close(descriptor) }
        occupied = []
    }
}
