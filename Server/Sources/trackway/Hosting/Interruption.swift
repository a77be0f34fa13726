// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation

/// Waits for Ctrl-C or SIGTERM.
enum Interruption {
    /// Returns when the process is asked to end.
    static func wait() async {
        let (signals, arrived) = AsyncStream.makeStream(of: Void.self)
        let sources = [SIGINT, SIGTERM].map { number in
            // The source sees the signal; without this the system would end the process before.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { arrived.finish() }
            source.resume()
            return source
        }
        for await _ in signals {}
        for source in sources { source.cancel() }
    }
}
