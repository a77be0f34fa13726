// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTerminal
internal import Foundation
internal import Glibc
internal import TrackwayCore

/// A shell with job control on its own terminal.
///
/// Typed text reaches the shell as from a keyboard, including control keys. The shell writes `status CODE` before it
/// reads a command.
package final class Terminal: Sendable {
    private let master: Int32
    private let shell: Int32
    private let transcript = Transcript()
    private let readLineCount = Locked(0)

    /// Opens a terminal and starts a shell in it.
    package init() throws {
        var name = [CChar](repeating: 0, count: 128)
        master = terminal_open(&name, name.count)
        guard master >= 0 else { throw TestSupportError("opening a terminal", errno: errno) }
        let path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        shell = try Program.spawnShell(on: path)
        let transcript = transcript
        let master = master
        Thread.detachNewThread {
            Descriptor.forEachLine(of: master) { line in
                transcript.append(line.filter { $0 != "\r" && $0 != "\r\n" })
            }
            transcript.close()
        }
    }

    deinit {
        // Closing the terminal hangs up all programs that run in it.
        Glibc.kill(shell, SIGHUP)
        Glibc.kill(shell, SIGKILL)
        var status: Int32 = 0
        waitpid(shell, &status, 0)
        close(master)
    }

    /// Types keys.
    package func type(_ keys: String) {
        Descriptor.write(Array(keys.utf8), to: master)
    }

    /// Skips lines until `match` finds a match in one.
    @discardableResult
    package func waitForLine<Found>(_ match: (String) -> Found?) throws -> Found {
        let start = readLineCount.withLock { $0 }
        let found = try transcript.wait(from: start, for: "a line on the terminal") { lines -> (Int, Found)? in
            for index in lines.indices {
                if let found = match(lines[index]) { return (index, found) }
            }
            return nil
        }
        guard let (index, value) = found else { throw TestSupportError("the terminal was closed:\n\(transcript.tail)") }
        readLineCount.withLock { $0 = index + 1 }
        return value
    }
}
