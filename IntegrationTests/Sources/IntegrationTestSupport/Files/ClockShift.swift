// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// A wall clock that a test can set for running processes.
///
/// Applies to the processes that were started with it. Their monotonic clocks are not changed, as when a person sets
/// the clock.
package final class ClockShift: Sendable {
    private let folder: TemporaryFolder
    private let library: String

    /// Creates a clock that initially shows the true time.
    package init() throws {
        folder = try TemporaryFolder()
        library = BuiltProducts.path("libClockShift.so")
        guard FileManager.default.fileExists(atPath: library) else {
            throw TestSupportError("\(library) is missing; build the whole package with 'swift build --build-tests'")
        }
        try Data(count: 8).write(to: URL(fileURLWithPath: folder.path("shift")))
    }

    /// Variables to add to a program's environment.
    package var environment: [String: String] {
        ["LD_PRELOAD": library, "TRACKWAY_CLOCK_SHIFT": folder.path("shift")]
    }

    /// Sets the clock to the true time plus this shift.
    package func set(_ shift: Duration) throws {
        let file = open(folder.path("shift"), O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw TestSupportError("open", errno: errno) }
        defer { close(file) }
        let milliseconds = shift.components.seconds * 1000
        // One small write into a mapped page: readers see either the old or the new number.
        let bytes = withUnsafeBytes(of: milliseconds.littleEndian) { Array($0) }
        guard pwrite(file, bytes, bytes.count, 0) == bytes.count else { throw TestSupportError("pwrite", errno: errno) }
    }
}
