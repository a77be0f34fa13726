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
        // The whole text is the value: nothing in it has a special meaning, but a run may be a number.
        let bytes = Array(run.utf8)
        guard bytes.count <= QueryLimits.valueBytes else {
            throw InvalidQueryError(
                "run",
                "“\(run.prefix(64))…” has \(bytes.count) bytes; at most \(QueryLimits.valueBytes) are allowed."
            )
        }
        return QueryCondition(.attribute(attribute), .equal, ConditionParser.literal(bytes))
    }
}
