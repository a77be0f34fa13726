// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The colors and weights of text in a terminal; plain if disabled.
public struct Style: Sendable, Hashable {
    /// Colors that are legible on light and dark backgrounds.
    enum Color: Int, Sendable, Hashable, CaseIterable {
        case red = 31
        case green = 32
        case yellow = 33
        case blue = 34
        case magenta = 35
        case cyan = 36
    }

    /// Whether escape codes are written.
    var isColored: Bool

    /// Creates a style with or without escape codes.
    public init(isColored: Bool) { self.isColored = isColored }

    /// Returns text in a color.
    func colored(_ text: String, _ color: Color) -> String { wrap(text, "\(color.rawValue)") }
    /// Returns bold text.
    public func bold(_ text: String) -> String { wrap(text, "1") }
    /// Returns dimmed text.
    public func faint(_ text: String) -> String { wrap(text, "2") }

    /// Returns text in a color derived from the text.
    func byName(_ text: String) -> String {
        // Use FNV-1a, so that a name has the same color in every run.
        var hash: UInt32 = 2_166_136_261
        for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        let palette: [Color] = [.cyan, .green, .yellow, .blue, .magenta]
        return colored(text, palette[Int(hash % UInt32(palette.count))])
    }

    /// Whether colors are enabled, based on the terminal, `NO_COLOR`, `CLICOLOR_FORCE`, and `TERM`.
    static func isWanted(isTerminal: Bool, environment: [String: String]) -> Bool {
        if let refusal = environment["NO_COLOR"], !refusal.isEmpty { return false }
        if let force = environment["CLICOLOR_FORCE"], !force.isEmpty, force != "0" { return true }
        return isTerminal && environment["TERM"] != "dumb"
    }

    /// Wraps text in marks that ``Console`` converts to terminal codes.
    ///
    /// Therefore, any escape character that the console finds comes from external text.
    private func wrap(_ text: String, _ code: String) -> String {
        isColored && !text.isEmpty ? "\(TerminalText.mark)\(code)m\(text)\(TerminalText.mark)0m" : text
    }
}
