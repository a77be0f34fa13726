// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
/// What `/proc/cpuinfo` says about the first processor. Each architecture says it in words of its own.
package struct CPUInfo: Sendable, Hashable {
    private var fields: [String: String] = [:]

    /// Reads the file's text up to its first empty line.
    package init(_ text: String) {
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            guard !line.isEmpty else { break }
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[Self.trimmed(line[..<colon])] = Self.trimmed(line[line.index(after: colon)...])
        }
    }

    /// Whether the processor can do 64-bit work, whatever the kernel does; `nil` where the file does not say.
    package var is64Bit: Bool? {
        words("flags").map { $0.contains("lm") }
    }

    /// Whether there is a floating-point unit; `nil` where the file does not say.
    package var hasFloatingPoint: Bool? {
        switch fields["fpu"] {
        case "yes": return true
        case "no": return false
        default: break
        }
        guard let features = words("Features") else { return nil }
        return !features.isDisjoint(with: ["fp", "vfp", "vfpv3", "vfpv4"])
    }

    /// The frequency in Hz that the maker sells the processor with, where its name ends in one: "… @ 2.50GHz".
    package var soldFrequency: Int64? {
        guard let name = fields["model name"], let at = name.lastIndex(of: "@") else { return nil }
        let text = Self.trimmed(name[name.index(after: at)...])
        for (unit, factor) in [("GHz", 1e9), ("MHz", 1e6)] where text.hasSuffix(unit) {
            guard let number = Double(Self.trimmed(text.dropLast(unit.count))), (0.001...100_000).contains(number)
            else {
                return nil
            }
            return Int64((number * factor).rounded())
        }
        return nil
    }

    private func words(_ field: String) -> Set<Substring>? {
        fields[field].map { Set($0.split(separator: " ")) }
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = text.firstIndex(where: { !isBlank($0) }), let last = text.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(text[first...last])
    }
}
#endif
