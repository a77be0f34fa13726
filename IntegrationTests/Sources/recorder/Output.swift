// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayEvents

/// Standard output without a buffer: a line is one system call, so what was written before a kill was written whole.
enum Output {
    /// Where lines go.
    private static let descriptor = Locked(STDOUT_FILENO)

    /// Writes lines to a file from now on, and prints them as well, as an app does that does not know whether its standard
    /// streams are open.
    static func report(to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        // Far from the numbers of the standard streams.
        let moved = fcntl(file, F_DUPFD_CLOEXEC, 64)
        guard file >= 0, moved >= 0 else { throw Options.Failure(description: "\(path) cannot be written") }
        close(file)
        descriptor.withLock { $0 = moved }
    }

    static func line(_ text: String) {
        let descriptor = descriptor.withLock { $0 }
        if descriptor != STDOUT_FILENO {
            print(text)
            fflush(nil)
            // Where it is closed, that fails, as it does for any app.
            _ = write(STDERR_FILENO, "complaint\n", 10)
        }
        var text = text + "\n"
        text.withUTF8 { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = write(descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent)
                if count <= 0 { return }
                sent += count
            }
        }
    }
}
