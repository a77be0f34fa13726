// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// The two streams a command writes to: results to standard output, everything else to standard error.
struct Console: Sendable {
    /// The process's own streams.
    static let standard = Console()

    /// How results look.
    let style: Style
    /// How messages look.
    let messageStyle: Style
    /// Whether a person is looking at standard error, so that a progress bar makes sense.
    let isInteractive: Bool

    private init() {
        let environment = ProcessInfo.processInfo.environment
        style = Style(isColoured: Style.isWanted(isTerminal: isatty(STDOUT_FILENO) == 1, environment: environment))
        messageStyle = Style(
            isColoured: Style.isWanted(isTerminal: isatty(STDERR_FILENO) == 1, environment: environment)
        )
        isInteractive = isatty(STDERR_FILENO) == 1
    }

    /// Writes lines to standard output, all in one piece.
    func write(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        send(lines.joined(separator: "\n") + "\n", to: .standardOutput)
    }

    /// Writes one line to standard output.
    func write(_ line: String) { send(line + "\n", to: .standardOutput) }

    /// Writes bytes and a line's end to standard output.
    func write(bytes: [UInt8]) { send(String(decoding: bytes, as: UTF8.self) + "\n", to: .standardOutput) }

    /// Writes one line to standard error.
    func note(_ line: String) { send(line + "\n", to: .standardError) }

    /// Draws over the last line of standard error; an empty text removes it. Nothing when nobody is looking.
    func redraw(_ text: String) {
        if isInteractive { send("\r\u{1B}[2K" + text, to: .standardError) }
    }

    /// Says why a command stopped, and what helps.
    func complain(_ failure: CommandFailure) {
        note(messageStyle.coloured("trackway: ", .red) + failure.message)
        if !failure.remedy.isEmpty { note(messageStyle.faint("  → ") + failure.remedy) }
    }

    /// Columns of the terminal behind standard error; 80 when it has none.
    var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    private func send(_ text: String, to handle: FileHandle) {
        // A reader that went away (`| head`) is not our failure; there is nobody left to tell.
        try? handle.write(contentsOf: Data(text.utf8))
    }
}
