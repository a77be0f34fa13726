// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CFuzzer
import Glibc

/// Runs a fuzz target's test over the inputs that libFuzzer makes up.
public enum Feeder {
    /// Feeds inputs until the time given in the program's arguments is over, or an input breaks something. Does not return.
    public static func run(_ test: @escaping (UnsafeRawBufferPointer) -> Void) -> Never {
        let handler = Handler(test)
        current = Unmanaged.passRetained(handler).toOpaque()
        exit(
            cfuzzer_run(CommandLine.argc, CommandLine.unsafeArgv) { start, count in
                if let current = Feeder.current {
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

    // A C function cannot carry a closure. Written once, before the first input, on the only thread.
    private nonisolated(unsafe) static var current: UnsafeMutableRawPointer?
}

/// States a rule that every input must keep.
public func expect(_ condition: Bool, _ rule: @autoclosure () -> String) {
    if !condition { fatalError(rule()) }
}
