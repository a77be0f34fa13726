// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Glibc
import Testing

/// Runs the tests of the package.
///
/// SwiftPM takes a file with this name as the entry point of the test program. Without it, SwiftPM would look for
/// XCTest tests in the compiler's index, which our builds disable: see `Scripts/build`.
@main
struct TestProgram {
    static func main() async {
        // A test may write to a process that has just ended: the write must fail, and not end the test program.
        signal(SIGPIPE, SIG_IGN)
        await Testing.__swiftPMEntryPoint() as Never
    }
}
