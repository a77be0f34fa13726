// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

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
        .dateOutOfRange, .tooDeep, .tooManyAttributes, .tooManyItems, .itemInvalid, .eventTooLarge, .notEncodable,
    ]
}
