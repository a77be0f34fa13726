// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Colours and weights of text in a terminal; plain when they are not wanted.
public struct Style: Sendable, Hashable {
    /// The colours that stand out on light and dark grounds alike.
    enum Colour: Int, Sendable, Hashable, CaseIterable {
        case red = 31
        case green = 32
        case yellow = 33
        case blue = 34
        case magenta = 35
        case cyan = 36
    }

    /// Whether escape codes are written at all.
    var isColoured: Bool

    /// Creates a style with or without escape codes.
    public init(isColoured: Bool) { self.isColoured = isColoured }

    /// Text in a colour.
    func coloured(_ text: String, _ colour: Colour) -> String { wrap(text, "\(colour.rawValue)") }
    /// Text in bold.
    public func bold(_ text: String) -> String { wrap(text, "1") }
    /// Text that stands back.
    public func faint(_ text: String) -> String { wrap(text, "2") }

    /// Text in a colour of its own: the same text always has the same.
    func byName(_ text: String) -> String {
        // FNV-1a, so that a name keeps its colour from run to run.
        var hash: UInt32 = 2_166_136_261
        for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        let palette: [Colour] = [.cyan, .green, .yellow, .blue, .magenta]
        return coloured(text, palette[Int(hash % UInt32(palette.count))])
    }

    /// Whether colours are wanted, by the terminal and the conventions of `NO_COLOR` and `TERM`.
    static func isWanted(isTerminal: Bool, environment: [String: String]) -> Bool {
        if let refusal = environment["NO_COLOR"], !refusal.isEmpty { return false }
        if let force = environment["CLICOLOR_FORCE"], !force.isEmpty, force != "0" { return true }
        return isTerminal && environment["TERM"] != "dumb"
    }

    /// Marks that ``Console`` turns into the terminal's codes: an escape character that is met there came from outside.
    private func wrap(_ text: String, _ code: String) -> String {
        isColoured && !text.isEmpty ? "\(TerminalText.mark)\(code)m\(text)\(TerminalText.mark)0m" : text
    }
}
