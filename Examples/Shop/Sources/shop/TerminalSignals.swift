// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Restores the terminal before a signal stops or ends the shop, and takes control again afterward.
///
/// The handlers are installed on top of existing ones, such as those of analytics, and pass every signal on.
final class TerminalSignals {
    /// The handlers' data, created before they are installed and not changed afterward.
    ///
    /// A handler may run at any time on any thread, so it only reads plain memory.
    private struct SharedState {
        var previous: UnsafeMutablePointer<sigaction>
        var settings: termios
        var pipe: Int32
        var isRestored: Bool
    }

    private static let restoreSequence = StaticString("\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l")
    private static let handledSignals = [SIGTSTP, SIGTERM, SIGINT, SIGHUP, SIGCONT, SIGWINCH]
    private static let numbers = 64

    // One terminal per process. Written only while no handler is installed, except for a flag that records whether the
    // terminal was restored.
    nonisolated(unsafe) private static var memory: UnsafeMutablePointer<SharedState>?

    /// Readable when the page needs attention.
    let pipe: Int32
    private let page: termios

    /// Installs the handlers; `nil` if the terminal's settings cannot be read.
    init?() {
        var settings = termios()
        var ends: [Int32] = [0, 0]
        guard Self.memory == nil, tcgetattr(STDIN_FILENO, &settings) == 0, makePipe(&ends) else { return nil }
        pipe = ends[0]
        var page = settings
        // Keys are delivered immediately and without echo; Ctrl-C and Ctrl-Z keep their functions.
        page.c_lflag &= ~tcflag_t(ICANON | ECHO)
        self.page = page
        let previous = UnsafeMutablePointer<sigaction>.allocate(capacity: Self.numbers)
        previous.initialize(repeating: sigaction(), count: Self.numbers)
        let memory = UnsafeMutablePointer<SharedState>.allocate(capacity: 1)
        memory.initialize(to: SharedState(previous: previous, settings: settings, pipe: ends[1], isRestored: true))
        Self.memory = memory
        _ = Self.restoreSequence.utf8Start
        for number in Self.handledSignals {
            var action = sigaction()
            action.handle { TerminalSignals.handle($0, $1, $2) }
            action.sa_flags = SA_SIGINFO | SA_RESTART
            sigaction(number, &action, &previous[Int(number)])
        }
    }

    /// Whether the terminal has been restored.
    var isRestored: Bool { Self.memory?.pointee.isRestored ?? true }

    /// Takes control of the terminal and shows an empty page.
    func enterAlternateScreen() {
        var page = page
        Self.memory?.pointee.isRestored = false
        tcsetattr(STDIN_FILENO, TCSANOW, &page)
        Output.write("\u{1b}[?1049h\u{1b}[?25l\u{1b}[H\u{1b}[2J", to: STDOUT_FILENO)
    }

    /// Restores the terminal.
    func leaveAlternateScreen() {
        guard let memory = Self.memory else { return }
        Self.restoreTerminal(memory)
    }

    /// Handles a change that a signal reported.
    ///
    /// - Returns: Whether to redraw.
    func needsRedraw() -> Bool {
        var number: UInt8 = 0
        guard read(pipe, &number, 1) == 1 else { return false }
        if Int32(number) == SIGCONT {
            enterAlternateScreen()
            return true
        }
        return Int32(number) == SIGWINCH && !isRestored
    }

    // MARK: Signal handler

    private static func handle(
        _ number: Int32,
        _ information: UnsafeMutablePointer<siginfo_t>?,
        _ machine: UnsafeMutableRawPointer?
    ) {
        guard let memory else { return }
        let savedErrno = errno
        if number != SIGCONT, number != SIGWINCH { restoreTerminal(memory) }
        var byte = UInt8(truncatingIfNeeded: number)
        // If the pipe is full, the reader is woken anyway.
        _ = write(memory.pointee.pipe, &byte, 1)
        errno = savedErrno
        let previous = memory.pointee.previous[Int(number)]
        switch previous.forward(number, information, machine) {
        case .done:
            break
        case .noHandler where number == SIGCONT || number == SIGWINCH:
            break
        case .noHandler:
            signal(number, SIG_DFL)
            raise(number)
        }
    }

    private static func restoreTerminal(_ memory: UnsafeMutablePointer<SharedState>) {
        guard !memory.pointee.isRestored else { return }
        memory.pointee.isRestored = true
        _ = write(STDOUT_FILENO, restoreSequence.utf8Start, restoreSequence.utf8CodeUnitCount)
        tcsetattr(STDIN_FILENO, TCSANOW, &memory.pointee.settings)
    }
}

/// Creates a pipe whose writer never blocks.
private func makePipe(_ ends: inout [Int32]) -> Bool {
    pipe(&ends) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0
}
