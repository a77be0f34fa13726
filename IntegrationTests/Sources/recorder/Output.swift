// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCore

/// Unbuffered standard output.
///
/// Each line is written in one system call, so lines written before a kill are complete.
enum Output {
    /// The descriptor that lines are written to.
    private static let descriptor = Locked(STDOUT_FILENO)

    /// Redirects all later lines to a file.
    ///
    /// They are also printed, because an app does not know whether its standard streams are open.
    static func report(to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        // A descriptor of at least 64, so that it does not occupy the number of a closed standard stream.
        let duplicate = fcntl(file, F_DUPFD_CLOEXEC, 64)
        guard file >= 0, duplicate >= 0 else { throw Options.Failure(description: "\(path) cannot be written") }
        close(file)
        descriptor.withLock { $0 = duplicate }
    }

    static func line(_ text: String) {
        let descriptor = descriptor.withLock { $0 }
        if descriptor != STDOUT_FILENO {
            print(text)
            fflush(nil)
            // Fails if the stream is closed, as in any app.
            _ = write(STDERR_FILENO, "log line\n", 9)
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
