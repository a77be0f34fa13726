// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ShopCore

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The terminal: keys in, lines out.
///
/// The shop uses a separate screen page and receives every key.
final class Terminal {
    /// An input event.
    enum Input {
        /// A key.
        case key(Key)
        /// The window size changed, or the shop returned from the background: redraw.
        case redraw
        /// The terminal was closed.
        case closed
    }

    private let signals: TerminalSignals
    private var decoder = KeyDecoder()
    private var isEscapePending = false

    /// Takes control of the process's terminal.
    ///
    /// - Throws: `UsageError` if standard input or output is not a terminal.
    init() throws(UsageError) {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw UsageError(
                sentence: "standard input or output is not a terminal; use --visitors N to simulate visitors"
            )
        }
        guard let signals = TerminalSignals() else {
            throw UsageError(sentence: "the terminal cannot be set up; use --visitors N instead")
        }
        self.signals = signals
    }

    /// Shows the shop's page.
    func enter() {
        signals.enterAlternateScreen()
    }

    /// Restores the terminal.
    func leave() {
        signals.leaveAlternateScreen()
    }

    /// Returns the columns and rows of the window.
    func size() -> (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Draws a complete page in one write.
    func draw(_ lines: [Line]) {
        let rows = lines.map { "\($0.pieces.map(Self.paint).joined())\u{1b}[K" }
        Output.write("\u{1b}[H" + rows.joined(separator: "\r\n") + "\u{1b}[J", to: STDOUT_FILENO)
    }

    /// Waits for a key or another reason to redraw.
    func next() -> Input {
        while true {
            var files = [
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals.pipe, events: Int16(POLLIN), revents: 0),
            ]
            // The bytes of a sequence arrive together. The long timeout restores the page if a stop signal did not stop
            // the process.
            let timeout: Int32 = isEscapePending ? 50 : signals.isRestored ? 2_000 : -1
            let ready = poll(&files, 2, timeout)
            if ready == 0 {
                if isEscapePending {
                    isEscapePending = false
                    if let key = decoder.finish() { return .key(key) }
                } else {
                    signals.enterAlternateScreen()
                    return .redraw
                }
            }
            guard ready > 0 else { continue }
            if files[1].revents != 0, signals.needsRedraw() { return .redraw }
            if files[0].revents != 0 {
                var byte: UInt8 = 0
                guard read(STDIN_FILENO, &byte, 1) == 1 else { return .closed }
                let key = decoder.decode(byte)
                isEscapePending = key == nil && byte == 0x1b
                if let key { return .key(key) }
            }
        }
    }

    private static func paint(_ piece: Line.Piece) -> String {
        let code =
            switch piece.style {
            case .plain: "0"
            case .title: "1"
            case .dim: "2"
            case .price: "33"
            case .good: "32"
            case .chosen: "1;7"
            }
        return "\u{1b}[\(code)m\(piece.text)\u{1b}[0m"
    }
}
