// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
/// The identification of a Linux distribution, in the format of os-release(5).
package struct OSRelease: Sendable, Equatable {
    private var fields: [String: String] = [:]

    /// Parses the file's text.
    ///
    /// Lines that are not assignments are skipped. If a name occurs twice, the later value is used.
    package init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            guard let equals = line.firstIndex(of: "="), line.first != "#" else { continue }
            let name = line[..<equals]
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isNameByte) else { continue }
            fields[String(name)] = Self.unquoted(line[line.index(after: equals)...])
        }
    }

    /// The short name, such as "debian".
    package var id: String? { value("ID") }
    /// The human-readable name, such as "Debian GNU/Linux".
    package var name: String? { value("NAME") }
    /// The version, such as "12"; nil for rolling distributions.
    package var version: String? { value("VERSION_ID") }
    /// The device name that the device's owner set.
    ///
    /// machine-info(5) stores it in the same format.
    package var prettyHostName: String? { value("PRETTY_HOSTNAME") }

    private func value(_ name: String) -> String? {
        fields[name].flatMap { $0.isEmpty || !SystemTree.isLine($0) ? nil : $0 }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Removes the shell quoting that the format allows.
    ///
    /// The quoting consists of one pair of quotes, and of backslashes outside single quotes.
    private static func unquoted(_ text: Substring) -> String {
        var rest = text
        while let last = rest.last, last == " " || last == "\t" {
            rest.removeLast()
        }
        var quote: Character?
        if let first = rest.first, first == "\"" || first == "'", rest.count >= 2, rest.last == first {
            quote = first
            rest = rest.dropFirst().dropLast()
        }
        guard quote != "'" else { return String(rest) }
        var plain = ""
        var isEscaped = false
        for character in rest {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                plain.append(character)
                isEscaped = false
            }
        }
        return plain
    }
}
#endif
