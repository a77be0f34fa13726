// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing

/// Runs the tests of the package.
///
/// SwiftPM uses a file of this name as the entry point of the test program. Without it, SwiftPM looks for XCTest tests
/// in the compiler's index, which our builds do not create; see `Scripts/build`.
@main
struct TestProgram {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
