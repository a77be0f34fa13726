// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The tag of a test run: the attribute `_run`, of the event itself or of all events (`global` in the context). Any client can
/// set it, so that runs beside each other at one collector are told apart.
public enum RunTag {
    /// The attribute's name.
    public static let attribute = "_run"

    /// Holds for events of a run.
    ///
    /// - Parameter run: the run's name, any text.
    /// - Throws: ``QuestionError`` when the text is longer than a value may be.
    static func condition(_ run: String) throws(QuestionError) -> QuestionCondition {
        // The whole text is meant: no signs of a condition are read in it, but a run may be a number.
        let isPlain = !run.hasPrefix("\"") && run != "*"
        let sign = isPlain ? "=" : ":="
        return try QuestionCondition(attribute + sign + run, parameter: "run")
    }
}
