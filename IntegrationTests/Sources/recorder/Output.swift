// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// Standard output without a buffer: a line is one system call, so what was written before a kill was written whole.
enum Output {
    static func line(_ text: String) {
        var text = text + "\n"
        text.withUTF8 { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = write(STDOUT_FILENO, bytes.baseAddress.map { $0 + sent }, bytes.count - sent)
                if count <= 0 { return }
                sent += count
            }
        }
    }
}
