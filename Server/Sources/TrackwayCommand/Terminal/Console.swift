// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation
public import TrackwayCore

/// The output streams of a command.
///
/// Results go to standard output, everything else to standard error. All output is escaped (``TerminalText``), so that
/// external text cannot control a terminal, even if the text reaches a terminal through another program's log.
public struct Console: Sendable {
    /// The process's standard streams.
    public static let standard = Console()

    /// The style of results.
    public let style: Style
    /// The style of messages.
    let messageStyle: Style
    /// Whether standard error is a terminal, so that progress can be shown.
    let isInteractive: Bool

    private init() {
        let environment = ProcessInfo.processInfo.environment
        style = Style(isColored: Style.isWanted(isTerminal: isatty(STDOUT_FILENO) == 1, environment: environment))
        messageStyle = Style(
            isColored: Style.isWanted(isTerminal: isatty(STDERR_FILENO) == 1, environment: environment)
        )
        isInteractive = isatty(STDERR_FILENO) == 1
    }

    /// Writes lines to standard output in a single write.
    public func write(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        send(lines.map { TerminalText.line($0) + "\n" }.joined(), to: .standardOutput)
    }

    /// Writes one line to standard output.
    public func write(_ line: String) { send(TerminalText.line(line) + "\n", to: .standardOutput) }

    /// Writes lines that contain times, under a heading with the time zone.
    func write(timed lines: [String]) {
        guard !lines.isEmpty else { return }
        write([EventLineFormat(style: style).zoneHeading()] + lines)
    }

    /// Writes CSV lines to standard output in a single write.
    ///
    /// A value may span several lines.
    func write(csv lines: [String]) {
        guard !lines.isEmpty else { return }
        send(lines.map { TerminalText.document($0) + "\n" }.joined(), to: .standardOutput)
    }

    /// Writes a multi-line text and a line feed to standard output.
    func write(document text: String) { send(TerminalText.document(text) + "\n", to: .standardOutput) }

    /// Writes JSON and a line feed to standard output.
    ///
    /// Characters that could control a terminal become equivalent JSON escapes.
    func write(bytes: [UInt8]) {
        send(TerminalText.json(String(decoding: bytes, as: UTF8.self)) + "\n", to: .standardOutput)
    }

    /// Writes a value and a line feed to standard output.
    public func write(json value: JSONValue) { write(bytes: value.json()) }

    /// Writes values to standard output, one per line, in a single write.
    public func write(json values: [JSONValue]) {
        guard !values.isEmpty else { return }
        let lines = values.map { TerminalText.json(String(decoding: $0.json(), as: UTF8.self)) + "\n" }
        send(lines.joined(), to: .standardOutput)
    }

    /// Writes a list as JSON or as a table.
    ///
    /// JSON has one value per line. For an empty table, a note is written to standard error instead.
    ///
    /// - Parameters:
    ///   - rows: The rows of the list.
    ///   - isJSON: Whether to write JSON.
    ///   - empty: The note for an empty list, with a suggestion.
    ///   - columns: The table's columns.
    ///   - cells: Returns the cells of a row.
    ///   - value: Returns a row as JSON.
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

    /// Writes a multi-line text and a line feed to standard error.
    func note(document text: String) { send(TerminalText.document(text) + "\n", to: .standardError) }

    /// Replaces the last line of standard error.
    ///
    /// An empty text removes the line. Does nothing if standard error is not a terminal.
    func redraw(_ text: String) {
        if isInteractive { send("\r\u{1B}[2K" + TerminalText.line(text), to: .standardError) }
    }

    /// Writes a failure and its suggestion to standard error.
    func printFailure(_ failure: CommandFailure) {
        for (index, line) in failure.message.split(separator: "\n").enumerated() {
            note(index == 0 ? messageStyle.colored("trackway: ", .red) + line : "  " + line)
        }
        if !failure.remedy.isEmpty { note(messageStyle.faint("  → ") + failure.remedy) }
    }

    /// The width of standard error's terminal in columns; 80 without a terminal.
    var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    private func send(_ text: String, to handle: FileHandle) {
        // Ignore the error if a reader closed the pipe (`| head`): this is normal and cannot be reported.
        try? handle.write(contentsOf: Data(text.utf8))
    }
}

/// A line that shows the progress of a long operation.
struct ProgressBar: Sendable, Hashable {
    /// The completed amount, in the unit of ``total``.
    var done: UInt64 = 0
    /// The total amount; nil while unknown.
    var total: UInt64?
    /// The text after the bar, such as `1,204 recorded, 1,100 delivered`.
    var note = ""

    /// Returns the line, at most `width` characters wide.
    func line(width: Int) -> String {
        guard let total, total > 0 else { return String(note.prefix(max(0, width - 1))) }
        let share = min(1, Double(done) / Double(total))
        let percent = String(Int(share * 100))
        let text = String(repeating: " ", count: 3 - min(3, percent.count)) + percent + "%  " + note
        // The bar uses the columns that the text leaves free, up to 40.
        let room = min(40, width - text.count - 3)
        guard room >= 5 else { return String(text.prefix(max(0, width - 1))) }
        let filled = Int(share * Double(room))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: room - filled)
        return "\(bar)  \(text)"
    }
}

/// Waits for Ctrl-C or SIGTERM.
enum Interruption {
    /// Returns when the process is asked to terminate.
    static func wait() async {
        let (signals, arrived) = AsyncStream.makeStream(of: Void.self)
        let sources = [SIGINT, SIGTERM].map { number in
            // Let the dispatch source receive the signal; otherwise, the system would terminate the process first.
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
    /// Returns an object with these members, in this order.
    public static func members(_ members: (String, JSONValue)...) -> JSONValue {
        .object(Object(members.map { Object.Member(key: $0.0, value: $0.1) }))
    }

    /// Returns a count, clamped to the range of `Int64`.
    public static func count(_ value: some BinaryInteger) -> JSONValue { .integer(Int64(clamping: value)) }
}
