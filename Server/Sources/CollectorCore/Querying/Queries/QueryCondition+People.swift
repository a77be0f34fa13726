// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension QueryCondition {
    /// Creates a condition on a cohort, such as `cohort=big-spenders`.
    ///
    /// - Throws: ``InvalidQueryError`` if the comparison is not `=` or `≠`, or the operand is not one name.
    init(cohort comparison: Comparison, _ operand: Operand, _ reader: ConditionParser) throws(InvalidQueryError) {
        let hint = "write cohort=NAME or cohort≠NAME, or \"cohort\"=… for an attribute of that name"
        guard comparison == .equal || comparison == .notEqual else {
            throw reader.error("compares a cohort by something other than = or ≠: \(hint)")
        }
        let name: [UInt8]
        switch operand {
        case .text(let text): name = text
        case .number(_, let written): name = written
        case .boolean(let flag): name = Array((flag ? "true" : "false").utf8)
        case .any: throw reader.error("names no cohort: \(hint)")
        case .list: throw reader.error("names several cohorts: write cohort=a or cohort=b, or one condition for each")
        }
        let text = String(decoding: name, as: UTF8.self)
        guard CohortName.isValid(text) else { throw reader.error("is not the name of a cohort: \(CohortName.rule)") }
        self.init(.cohort(text), comparison, .any)
    }

    /// Checks that a condition on the day when a person was first seen compares it with a day.
    static func checkDay(
        _ field: QueryField,
        _ comparison: Comparison,
        _ operand: Operand,
        _ reader: ConditionParser
    ) throws(InvalidQueryError) {
        guard field == .person(.first(.seen)), comparison != .contains, comparison != .notContains else { return }
        let days: [Operand]
        if case .list(let list) = operand { days = list } else { days = [operand] }
        for day in days where !isDay(day) {
            throw reader.error("compares a day with a value that is not a day: write person.first_seen>=2026-11-21")
        }
    }

    private static func isDay(_ operand: Operand) -> Bool {
        switch operand {
        case .any: return true
        case .text(let text):
            return text.count == 10
                && text.enumerated().allSatisfy { index, byte in
                    index == 4 || index == 7
                        ? byte == UInt8(ascii: "-") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                }
        case .number, .boolean, .list: return false
        }
    }
}

/// Rules for the names of cohorts.
public enum CohortName {
    /// The rule, as part of a sentence.
    static let rule = "a name has 1 to 64 of the characters a–z, 0–9, “-” and “_”"

    /// Whether a text is valid as a name.
    public static func isValid(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
