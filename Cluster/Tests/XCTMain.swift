// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing

/// Runs the package's tests.
///
/// SwiftPM uses a file with this name as the entry point of the test program. Without it, SwiftPM searches the
/// compiler's index for XCTest tests, and our builds have no index: see `Scripts/build`.
@main
struct TestProgram {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
