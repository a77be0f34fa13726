// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The problems found while encoding an event.
///
/// For nearly every event, the list is empty and has no cost.
struct EventProblems {
    /// The bytes reserved for the two attributes that report problems.
    ///
    /// The space is at the event's end.
    static let reservedBytes = 640

    /// The maximum number of diagnostics stored per event; more are only counted.
    static let maximumCount = 32

    /// The maximum length of `_error_message`, in bytes.
    static let maximumMessageBytes = 240

    private struct Problem {
        var diagnostic: Diagnostic
        /// The message without a period and without the offending value.
        ///
        /// The value must not leave the device.
        let statement: String
    }

    private var problems: [Problem] = []
    private var omitted = 0

    /// Whether the list of problems is empty.
    @inline(__always)
    var isEmpty: Bool { problems.isEmpty }

    /// The number of diagnostics.
    @inline(__always)
    var count: Int { problems.count }

    /// Adds a problem.
    ///
    /// - Parameters:
    ///   - code: The kind of problem.
    ///   - field: The affected field, as a path.
    ///   - value: The offending value.
    ///   - showsValue: Whether the diagnostic's message ends with the value; false if the statement contains it.
    ///   - statement: What happened, as a sentence without the value and without a period.
    ///   - recoverySuggestion: What to do about it, as a sentence.
    mutating func add(
        _ code: Diagnostic.Code,
        field: String,
        value: String,
        showsValue: Bool = true,
        _ statement: String,
        recoverySuggestion: String
    ) {
        guard problems.count < Self.maximumCount else {
            omitted += 1
            return
        }
        // The field may be a very long key.
        let field = field.truncated(toUTF8Count: Diagnostic.maximumValueBytes)
        let diagnostic = Diagnostic(
            code: code,
            field: field,
            value: value,
            message: showsValue && !value.isEmpty ? "\(statement): \(value.quoted)." : "\(statement).",
            recoverySuggestion: recoverySuggestion
        )
        problems.append(Problem(diagnostic: diagnostic, statement: statement))
    }

    /// Removes all problems after the first `count`.
    mutating func truncate(to count: Int) {
        problems.removeLast(max(0, problems.count - count))
    }

    /// Prefixes the fields of problems after the first `count` with a parent.
    mutating func prefix(_ parent: String, since count: Int) {
        for index in problems.indices.dropFirst(count) {
            let field = problems[index].diagnostic.field
            let path = field.isEmpty ? parent : "\(parent).\(field)"
            problems[index].diagnostic.field = path.truncated(toUTF8Count: 2 * Diagnostic.maximumValueBytes)
        }
    }

    /// Calls `body` with each diagnostic.
    func forEach(_ body: (Diagnostic) -> Void) {
        for problem in problems { body(problem.diagnostic) }
    }

    /// Writes `_error_code` and `_error_message` at the end of the attributes.
    ///
    /// The bytes that follow are moved.
    ///
    /// - Parameters:
    ///   - place: The position of the attributes' closing brace, or where the attributes would be.
    ///   - inAttributes: Whether the event already has attributes.
    ///   - attributes: The event's own attributes. If they contain one of the two keys, nothing is written.
    func write(into writer: inout JSONWriter, at place: Int, inAttributes: Bool, besides attributes: Attributes) {
        guard let first = problems.first, attributes["_error_code"] == nil, attributes["_error_message"] == nil
        else { return }
        let tail = Array(writer.bytes[min(place, writer.bytes.count)...])
        writer.truncate(to: place)
        writer.literal(inAttributes ? "," : ",\"attributes\":{")
        writer.literal("\"_error_code\":")
        writer.string(first.diagnostic.code.rawValue)
        writer.literal(",\"_error_message\":")
        writer.string(message(first))
        if !inAttributes { writer.literal("}") }
        writer.raw(tail)
    }

    private func message(_ first: Problem) -> String {
        let others = problems.count - 1 + omitted
        let field = EventNames.replacingControlCharacters(first.diagnostic.field).truncated(toUTF8Count: 80)
        let more = others > 0 ? " And \(others) more." : ""
        return "\(field): \(first.statement).\(more)".truncated(toUTF8Count: Self.maximumMessageBytes)
    }
}

/// The note in an event about a part that exceeded a limit.
///
/// It consists of the attributes `_error_code` and `_error_message`, as ``EventEncoder`` and the recording of typed
/// events write them. An app's own attributes of these names are not a note if their code is not one of the SDK's
/// codes, or is not a string.
package struct RecordedLimitNote: Sendable, Equatable {
    /// The code of the exceeded limit.
    package let code: Diagnostic.Code
    /// The field that exceeded the limit, and what happened.
    package let message: String

    /// Reads the note, or returns nil if the event has none.
    package init?(_ attributes: Attributes) {
        guard let code = attributes[CapturedKey.errorCode]?.string.map({ Diagnostic.Code(rawValue: $0) }),
            let message = attributes[CapturedKey.errorMessage]?.string, Self.codes.contains(code)
        else { return nil }
        self.code = code
        self.message = message
    }

    /// Whether an attribute of this name belongs to the note.
    package static func isNoteKey(_ key: String) -> Bool {
        key == CapturedKey.errorCode || key == CapturedKey.errorMessage
    }

    private static let codes: Set<Diagnostic.Code> = [
        .nameEmpty, .nameTooLong, .nameInvalid, .keyEmpty, .keyTooLong, .keyDuplicate, .valueTooLong, .numberNotFinite,
        .valueUnsupported, .dateOutOfRange, .tooDeep, .tooManyAttributes, .tooManyItems, .itemInvalid, .eventTooLarge,
        .notEncodable,
    ]
}
