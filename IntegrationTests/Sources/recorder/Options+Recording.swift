// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension Options {
    /// The options that the recording threads need.
    struct Recording: Sendable {
        var threads: Int
        var count: Int
        var run: String
        /// Seconds between two events of a thread.
        var pause: Double?
        private var bytes: ClosedRange<Int>
        private var seed: UInt64

        init(_ options: Options) {
            threads = options.threads
            count = options.count
            run = options.run
            pause = options.rate.map { 1 / Double(max(1, $0)) }
            bytes = options.bytes
            seed = options.seed
        }

        /// Returns the text lengths of one thread; the same seed gives the same lengths.
        func lengths(thread: Int) -> Lengths {
            Lengths(bytes: bytes, state: seed &* 0x9e37_79b9_7f4a_7c15 &+ UInt64(thread))
        }
    }

    /// A sequence of uniformly distributed lengths.
    struct Lengths {
        var bytes: ClosedRange<Int>
        var state: UInt64

        mutating func next() -> Int {
            guard bytes.count > 1 else { return bytes.lowerBound }
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return bytes.lowerBound + Int((state >> 33) % UInt64(bytes.count))
        }
    }
}
