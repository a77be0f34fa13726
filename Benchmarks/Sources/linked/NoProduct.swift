// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Links no product: the minimum size of a Swift program.
@main
struct NoProduct {
    static func main() {
        print(CommandLine.arguments.count)
    }
}
