// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A line that shows how far a long work has come.
struct ProgressBar: Sendable, Hashable {
    /// What is done, in the unit of ``total``.
    var done: UInt64 = 0
    /// All there is; nil while nobody knows.
    var total: UInt64?
    /// What stands behind the bar, such as `1,204 recorded, 1,100 delivered`.
    var note = ""

    /// The line, no wider than `width` characters.
    func line(width: Int) -> String {
        guard let total, total > 0 else { return String(note.prefix(max(0, width - 1))) }
        let share = min(1, Double(done) / Double(total))
        let percent = String(Int(share * 100))
        let text = String(repeating: " ", count: 3 - min(3, percent.count)) + percent + " %  " + note
        // The bar takes what the words leave, up to forty columns.
        let room = min(40, width - text.count - 3)
        guard room >= 5 else { return String(text.prefix(max(0, width - 1))) }
        let filled = Int(share * Double(room))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: room - filled)
        return "\(bar)  \(text)"
    }
}
