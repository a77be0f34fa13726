// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Formats the findings of `trackway doctor` for the terminal.
enum DoctorText {
    /// Returns a line for each finding, its remedy, and a summary.
    static func lines(_ findings: [DoctorFinding], style: Style) -> [String] {
        let width = DoctorFinding.Check.allCases.map(\.rawValue.count).max() ?? 0
        var lines: [String] = []
        for finding in findings {
            let check = finding.check.rawValue + padding(width - finding.check.rawValue.count)
            lines.append("\(label(finding.status, style)) \(check)  \(TerminalText.part(finding.message))")
            guard !finding.remedy.isEmpty else { continue }
            let code = finding.status == .skipped ? "" : style.faint(" (\(finding.name))")
            lines.append("        → \(TerminalText.part(finding.remedy))\(code)")
        }
        return lines + [summary(findings)]
    }

    private static func label(_ status: DoctorFinding.Status, _ style: Style) -> String {
        switch status {
        case .ok: style.colored("ok     ", .green)
        case .skipped: style.faint("skipped")
        case .warning: style.colored("warning", .yellow)
        case .fault: style.colored("FAULT  ", .red)
        }
    }

    private static func summary(_ findings: [DoctorFinding]) -> String {
        let faults = findings.count { $0.status == .fault }
        let warnings = findings.count { $0.status == .warning }
        guard faults + warnings > 0 else { return "No faults found." }
        return "\(faults) \(faults == 1 ? "fault" : "faults"), \(warnings) \(warnings == 1 ? "warning" : "warnings")."
    }

    private static func padding(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
