// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CFuzzer
import Glibc

/// Runs a fuzz target's test with the inputs that libFuzzer generates.
public enum LibFuzzer {
    /// Runs the test until the time limit in the program's arguments expires or an input fails.
    ///
    /// Does not return.
    public static func run(_ test: @escaping (UnsafeRawBufferPointer) -> Void) -> Never {
        let handler = Handler(test)
        current = Unmanaged.passRetained(handler).toOpaque()
        exit(
            cfuzzer_run(CommandLine.argc, CommandLine.unsafeArgv) { start, count in
                if let current = LibFuzzer.current {
                    let handler = Unmanaged<Handler>.fromOpaque(current).takeUnretainedValue()
                    handler.test(UnsafeRawBufferPointer(start: start, count: count))
                }
                return 0
            }
        )
    }

    private final class Handler {
        let test: (UnsafeRawBufferPointer) -> Void

        init(_ test: @escaping (UnsafeRawBufferPointer) -> Void) {
            self.test = test
        }
    }

    // A C function pointer cannot capture a closure. Written once, before the first input, by the only thread.
    private nonisolated(unsafe) static var current: UnsafeMutableRawPointer?
}

/// Checks a rule that must hold for every input.
public func expect(_ condition: Bool, _ rule: @autoclosure () -> String) {
    if !condition { fatalError(rule()) }
}
