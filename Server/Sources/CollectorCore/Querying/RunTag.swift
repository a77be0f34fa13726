// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The tag of a test run: the attribute `_run`.
///
/// The tag is an attribute of the event, or of all events (`global` in the context). Any client can set it to
/// distinguish concurrent runs on one collector.
public enum RunTag {
    /// The attribute's name.
    public static let attribute = "_run"

    /// Returns a condition that holds for events of a run.
    ///
    /// - Parameter run: the run's name, any text.
    /// - Throws: ``InvalidQueryError`` when the text exceeds the maximum length of a value.
    static func condition(_ run: String) throws(InvalidQueryError) -> QueryCondition {
        // The whole text is the value: comparison operators in it have no special meaning, but a run may be a number.
        let isPlain = !run.hasPrefix("\"") && run != "*"
        let sign = isPlain ? "=" : ":="
        return try QueryCondition(attribute + sign + run, parameter: "run")
    }
}
