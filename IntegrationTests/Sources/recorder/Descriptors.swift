// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// File descriptors that an app holds, so that others find none.
struct Descriptors {
    private var held: [Int32] = []

    /// How many descriptors the process has open.
    static var count: Int {
        (0..<Int32(4_096)).count { fcntl($0, F_GETFD) >= 0 }
    }

    /// Takes every descriptor the limit allows, but for so many; gives how many it holds.
    mutating func take(sparing spare: Int) -> Int {
        while true {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { break }
            held.append(descriptor)
        }
        for _ in 0..<min(spare, held.count) { close(held.removeLast()) }
        return held.count
    }

    /// Gives all back.
    mutating func giveBack() {
        for descriptor in held { close(descriptor) }
        held = []
    }
}
