// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What went wrong while an event was encoded. Empty for nearly every event, and then it costs nothing.
struct EventProblems {
    /// Bytes kept free at an event's end for the two attributes that tell of problems.
    static let reservedBytes = 640

    /// The most diagnostics kept of one event; what comes after is counted.
    static let maximumCount = 32

    /// The longest `_error_message`, in bytes.
    static let maximumMessageBytes = 240

    private struct Problem {
        var diagnostic: Diagnostic
        /// The message without the offending value, which must not leave the device, and without a period.
        let statement: String
    }

    private var problems: [Problem] = []
    private var omitted = 0

    /// True when nothing went wrong.
    @inline(__always)
    var isEmpty: Bool { problems.isEmpty }

    /// How many diagnostics there are.
    @inline(__always)
    var count: Int { problems.count }

    /// Notes a problem.
    ///
    /// - Parameters:
    ///   - code: the kind of problem.
    ///   - field: the field concerned, as a path.
    ///   - value: the offending value.
    ///   - showsValue: whether the diagnostic's message ends with the value; false where the statement names it already.
    ///   - statement: what happened, as a sentence without the value and without a period.
    ///   - recoverySuggestion: what to do about it, as a sentence.
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
        // A field's name may be as long as a key that is far too long.
        let field = field.cut(toBytes: Diagnostic.maximumValueBytes)
        let diagnostic = Diagnostic(
            code: code,
            field: field,
            value: value,
            message: showsValue && !value.isEmpty ? "\(statement): \(value.quoted)." : "\(statement).",
            recoverySuggestion: recoverySuggestion
        )
        problems.append(Problem(diagnostic: diagnostic, statement: statement))
    }

    /// Forgets what was noted after the first `count`.
    mutating func truncate(to count: Int) {
        problems.removeLast(max(0, problems.count - count))
    }

    /// Puts what was noted after the first `count` inside a field.
    mutating func prefix(_ parent: String, since count: Int) {
        for index in problems.indices.dropFirst(count) {
            let field = problems[index].diagnostic.field
            let path = field.isEmpty ? parent : "\(parent).\(field)"
            problems[index].diagnostic.field = path.cut(toBytes: 2 * Diagnostic.maximumValueBytes)
        }
    }

    /// Tells each problem.
    func forEach(_ body: (Diagnostic) -> Void) {
        for problem in problems { body(problem.diagnostic) }
    }

    /// Writes `_error_code` and `_error_message` where the attributes end, moving what follows.
    ///
    /// - Parameters:
    ///   - place: The attributes' closing brace, or where the attributes would stand.
    ///   - inAttributes: True when there are attributes already.
    ///   - attributes: The event's own; if they hold such a key, it is theirs and nothing is written.
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
        let field = EventNames.replacingControlCharacters(first.diagnostic.field).cut(toBytes: 80)
        let more = others > 0 ? " And \(others) more." : ""
        return "\(field): \(first.statement).\(more)".cut(toBytes: Self.maximumMessageBytes)
    }
}

/// What an event says of itself because a part of it broke a limit when it was recorded: the attributes `_error_code` and
/// `_error_message` as ``EventEncoder`` and the recording of typed events write them.
///
/// An app's own attributes of these names are none: their code is not one of ours, or no text.
package struct EventNote: Sendable, Hashable {
    /// Which limit.
    package let code: Diagnostic.Code
    /// What broke it, and what helps.
    package let message: String

    /// Reads the note; nil when there is none.
    package init?(_ attributes: Attributes) {
        guard let code = attributes[CapturedKey.errorCode]?.string.map({ Diagnostic.Code(rawValue: $0) }),
            let message = attributes[CapturedKey.errorMessage]?.string, Self.codes.contains(code)
        else { return nil }
        self.code = code
        self.message = message
    }

    /// Whether an attribute of this name belongs to the note.
    package static func holds(_ key: String) -> Bool {
        key == CapturedKey.errorCode || key == CapturedKey.errorMessage
    }

    private static let codes: Set<Diagnostic.Code> = [
        .nameEmpty, .nameTooLong, .nameInvalid, .keyEmpty, .keyTooLong, .keyDuplicate, .valueTooLong, .numberNotFinite,
        .valueUnsupported, .dateOutOfRange, .tooDeep, .tooManyAttributes, .tooManyItems, .itemInvalid, .eventTooLarge,
        .notEncodable,
    ]
}
