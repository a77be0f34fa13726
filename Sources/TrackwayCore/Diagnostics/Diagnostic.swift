// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A problem that the SDK found, or useful information.
///
/// ``message`` states what happened, and ``recoverySuggestion`` what to do about it.
/// `Documentation/Diagnostics.md` lists all codes with their causes and remedies.
public struct Diagnostic: Sendable, Hashable {
    /// The severity of a diagnostic.
    public enum Severity: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
        /// Useful information; nothing is wrong.
        case info
        /// An input was changed or partly left out, or a service is degraded.
        case warning
        /// Something was lost, will be lost, or does not work until the cause is fixed.
        case error

        /// Orders severities from `info` to `error`.
        public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .info: 0
            case .warning: 1
            case .error: 2
            }
        }
    }

    /// The kind of a diagnostic, by its stable name.
    ///
    /// More codes may be added, so code that compares them must allow for unknown ones. Two codes with the same name
    /// are equal.
    public struct Code: Sendable, RawRepresentable, Codable, CustomStringConvertible {
        /// The stable name, lower case with underscores.
        public let rawValue: String
        /// The severity of all diagnostics with this code.
        public let severity: Severity

        /// Creates a code with the severity `warning` from its stable name.
        ///
        /// For a code of the SDK, only its predefined constant, such as ``nameEmpty``, has the actual severity.
        public init(rawValue: String) {
            self.init(rawValue: rawValue, severity: .warning)
        }

        /// Defines a code.
        public init(rawValue: String, severity: Severity) {
            self.rawValue = rawValue
            self.severity = severity
        }

        /// The stable name.
        public var description: String { rawValue }
    }

    /// The kind of problem.
    public var code: Code
    /// The affected field, as a path such as `attributes.address.zip` or `items[3].id`.
    public var field: String
    /// The offending value, truncated to ``maximumValueBytes``.
    public var value: String
    /// What happened, in one or more sentences.
    ///
    /// Long values are truncated in the message.
    public var message: String
    /// What to do about it, in one or more sentences, or nil.
    public var recoverySuggestion: String?

    /// The severity, which the code determines.
    public var severity: Severity { code.severity }

    /// The maximum length of ``value``, in bytes.
    public static let maximumValueBytes = 128

    /// Creates a diagnostic.
    ///
    /// - Parameters:
    ///   - code: The kind of problem.
    ///   - field: The affected field, as a path.
    ///   - value: The offending value; it is truncated to ``maximumValueBytes``.
    ///   - message: What happened, as a sentence.
    ///   - recoverySuggestion: What to do about it, as a sentence; nil if no action is needed.
    public init(code: Code, field: String, value: String, message: String, recoverySuggestion: String? = nil) {
        self.code = code
        self.field = field
        self.value = value.truncated(toUTF8Count: Self.maximumValueBytes)
        self.message = message
        self.recoverySuggestion = recoverySuggestion
    }
}

extension Diagnostic.Code: Hashable {
    /// Compares the stable names.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

    /// Hashes the stable name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rawValue)
    }
}

extension Diagnostic: CustomStringConvertible {
    /// The diagnostic as one line, formatted like a compiler diagnostic.
    ///
    /// The form is `field: severity: message recoverySuggestion [code]`, for example
    /// `name: warning: The event has no name. Give the event a name. [name_empty]`.
    /// An empty field and a missing suggestion are left out.
    public var description: String {
        let place = field.isEmpty ? "" : "\(field): "
        let suggestion = recoverySuggestion.map { " \($0)" } ?? ""
        return "\(place)\(severity.rawValue): \(message)\(suggestion) [\(code.rawValue)]"
    }
}

extension String {
    /// The string in quotation marks, truncated to ``Diagnostic/maximumValueBytes``, for a message.
    package var quoted: String {
        let excerpt = truncated(toUTF8Count: Diagnostic.maximumValueBytes)
        return excerpt.utf8.count < utf8.count ? "\"\(excerpt)…\"" : "\"\(excerpt)\""
    }

    /// The string as a sentence, with an uppercase letter and a period.
    package var sentence: String {
        let text = prefix(1).uppercased() + dropFirst()
        return text.last.map { ".!?".contains($0) } ?? true ? text : text + "."
    }
}
