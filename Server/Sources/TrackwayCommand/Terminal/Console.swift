// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation
public import TrackwayEvents

/// The two streams a command writes to: results to standard output, everything else to standard error.
///
/// Whatever is written is escaped here (``TerminalText``), so that no text from outside steers a terminal, in a terminal or in the log
/// of another program.
public struct Console: Sendable {
    /// The process's own streams.
    public static let standard = Console()

    /// How results look.
    public let style: Style
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
    public func write(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        send(lines.map { TerminalText.line($0) + "\n" }.joined(), to: .standardOutput)
    }

    /// Writes one line to standard output.
    public func write(_ line: String) { send(TerminalText.line(line) + "\n", to: .standardOutput) }

    /// Writes lines that tell times, under a line that tells their zone.
    func write(timed lines: [String]) {
        guard !lines.isEmpty else { return }
        write([EventLineFormat(style: style).zoneHeading()] + lines)
    }

    /// Writes comma-separated values to standard output, all in one piece; a value may have several lines.
    func write(csv lines: [String]) {
        guard !lines.isEmpty else { return }
        send(lines.map { TerminalText.document($0) + "\n" }.joined(), to: .standardOutput)
    }

    /// Writes a text of several lines, such as a file, and a line's end to standard output.
    func write(document text: String) { send(TerminalText.document(text) + "\n", to: .standardOutput) }

    /// Writes JSON and a line's end to standard output. What could steer a terminal is escaped as JSON does, and means the same.
    func write(bytes: [UInt8]) {
        send(TerminalText.json(String(decoding: bytes, as: UTF8.self)) + "\n", to: .standardOutput)
    }

    /// Writes a value and a line's end to standard output.
    public func write(json value: JSONValue) { write(bytes: value.json()) }

    /// Writes values to standard output, one a line, all in one piece.
    public func write(json values: [JSONValue]) {
        guard !values.isEmpty else { return }
        let lines = values.map { TerminalText.json(String(decoding: $0.json(), as: UTF8.self)) + "\n" }
        send(lines.joined(), to: .standardOutput)
    }

    /// Writes a list: as JSON, one value a line; else as a table, or a note when there is nothing in it.
    ///
    /// - Parameters:
    ///   - rows: what is listed.
    ///   - isJSON: whether values are wanted.
    ///   - empty: says that there is nothing, and what helps.
    ///   - columns: the table's.
    ///   - cells: a row's cells.
    ///   - value: a row as JSON.
    func write<Row>(
        list rows: [Row],
        asJSON isJSON: Bool,
        empty: String,
        columns: [(heading: String, alignment: Table.Alignment)],
        cells: (Row) -> [String],
        value: (Row) -> JSONValue
    ) {
        if isJSON { return write(json: rows.map(value)) }
        guard !rows.isEmpty else { return note(empty) }
        var table = Table(columns)
        for row in rows { table.append(cells(row)) }
        write(table.lines(style: style))
    }

    /// Writes one line to standard error.
    public func note(_ line: String) { send(TerminalText.line(line) + "\n", to: .standardError) }

    /// Writes a text of several lines and a line's end to standard error.
    func note(document text: String) { send(TerminalText.document(text) + "\n", to: .standardError) }

    /// Draws over the last line of standard error; an empty text removes it. Does nothing when standard error is not a terminal.
    func redraw(_ text: String) {
        if isInteractive { send("\r\u{1B}[2K" + TerminalText.line(text), to: .standardError) }
    }

    /// Says why a command stopped, and what helps.
    func complain(_ failure: CommandFailure) {
        for (index, line) in failure.message.split(separator: "\n").enumerated() {
            note(index == 0 ? messageStyle.coloured("trackway: ", .red) + line : "  " + line)
        }
        if !failure.remedy.isEmpty { note(messageStyle.faint("  → ") + failure.remedy) }
    }

    /// Columns of the terminal behind standard error; 80 when it has none.
    var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    private func send(_ text: String, to handle: FileHandle) {
        // A reader that went away (`| head`) is not our failure, and there is nowhere left to report it.
        try? handle.write(contentsOf: Data(text.utf8))
    }
}

/// A line that shows how far a long work has come.
struct ProgressBar: Sendable, Hashable {
    /// What is done, in the unit of ``total``.
    var done: UInt64 = 0
    /// All there is; nil while that is unknown.
    var total: UInt64?
    /// What stands behind the bar, such as `1,204 recorded, 1,100 delivered`.
    var note = ""

    /// The line, no wider than `width` characters.
    func line(width: Int) -> String {
        guard let total, total > 0 else { return String(note.prefix(max(0, width - 1))) }
        let share = min(1, Double(done) / Double(total))
        let percent = String(Int(share * 100))
        let text = String(repeating: " ", count: 3 - min(3, percent.count)) + percent + " %  " + note
        // The bar takes what the words leave, up to forty columns.
        let room = min(40, width - text.count - 3)
        guard room >= 5 else { return String(text.prefix(max(0, width - 1))) }
        let filled = Int(share * Double(room))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: room - filled)
        return "\(bar)  \(text)"
    }
}

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

extension JSONValue {
    /// An object of these members, in this order.
    public static func members(_ members: (String, JSONValue)...) -> JSONValue {
        .object(Object(members.map { Object.Member(key: $0.0, value: $0.1) }))
    }

    /// A count; beyond the range of `Int64` it stays at its end.
    public static func count(_ value: some BinaryInteger) -> JSONValue { .integer(Int64(clamping: value)) }
}
