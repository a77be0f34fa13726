// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// An attribute typed on a command line: `total=12.5`, `first=true`, `tags='["a","b"]'`, `zip:=0815`.
struct AttributeArgument: Sendable, Hashable {
    /// The attribute's name.
    var key: String
    /// The attribute's value.
    var value: AttributeValue

    /// Parses `key=value`.
    ///
    /// A value that looks like JSON (a number, `true`, `[…]`, `{…}`, `"…"`) has its JSON type; any other value is text.
    /// `key:=value` is always text.
    ///
    /// - Throws: ``CommandFailure`` `usage` for a missing `=` or key, and for a value that begins like JSON but is
    ///   invalid.
    init(_ argument: String) throws(CommandFailure) {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex, !argument.hasPrefix(":=") else {
            throw CommandFailure(
                .usage,
                "“\(argument)” is not an attribute",
                remedy: "write key=value, such as total=12.5 or currency=CNY"
            )
        }
        let text = String(argument[argument.index(after: equals)...])
        let name = argument[..<equals]
        if name.hasSuffix(":") {
            key = String(name.dropLast())
            value = .string(text)
        } else {
            key = String(name)
            value = try Self.value(of: text, argument: argument)
        }
    }

    private static func value(of text: String, argument: String) throws(CommandFailure) -> AttributeValue {
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        default: break
        }
        guard let first = text.utf8.first else { return .string("") }
        switch first {
        case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "\""):
            do {
                guard let value = try AttributeValue(JSONValue.parse(Array(text.utf8))) else {
                    throw CommandFailure(
                        .usage,
                        "“\(argument)” is null, but attributes cannot be null",
                        remedy: "omit the attribute instead"
                    )
                }
                return value
            } catch let failure as CommandFailure {
                throw failure
            } catch let error as JSONError {
                throw CommandFailure(
                    .usage,
                    "the value of “\(argument)” begins like JSON but is invalid: \(error)",
                    remedy: "quote it for the shell, or write key:=text to send it as text"
                )
            } catch {
                throw CommandFailure(.usage, "“\(argument)”: \(error)")
            }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            // Phone numbers and dates are text; only JSON numbers are numbers.
            guard let number = try? JSONValue.parse(Array(text.utf8)), let value = AttributeValue(number) else {
                return .string(text)  // not a JSON number, and therefore text
            }
            return value
        default:
            return .string(text)
        }
    }
}
