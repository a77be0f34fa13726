// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Links nothing: what every program of Swift has.
@main
struct Nothing {
    static func main() {
        print(CommandLine.arguments.count)
    }
}
