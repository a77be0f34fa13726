// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore

/// Conditions with lists, substrings and “or”.
struct ConditionTests {
    private static func condition(_ text: String) throws -> QueryCondition {
        try QueryCondition(text, parameter: "where")
    }

    private static func text(_ text: String) -> QueryValue { .text(Array(text.utf8)) }

    @Test(
        arguments: [
            ("a~gift", text("A Gift card"), true), ("a~GIFT", text("gift"), true), ("a~gift", text("gif"), false),
            ("a~gift", nil, false), ("a~1", .number(.integer(1)), false), ("a~1", text("x1"), true),
            ("a~É", text("éÉ"), true), ("a~É", text("é"), false), ("a~*", text("a*b"), true),
            (#"a~"x or y""#, text("X OR Y!"), true), ("a~[b,c]", text("xcx"), true), ("a~[b,c]", text("x"), false),
            ("a~true", .boolean(true), false), ("a~t", .structure(Array(#"["t"]"#.utf8)), false),
            ("a!~gift", text("Gift"), false), ("a!~gift", text("card"), true), ("a!~gift", nil, true),
            ("a!~1", .number(.integer(1)), true), ("a!~[b,c]", text("abc"), false), ("a!~[b,c]", text("x"), true),
            ("a=[pro,team]", text("team"), true), ("a=[pro,team]", text("pro,team"), false),
            ("a=[pro,team]", text("[pro,team]"), false), ("a=[ pro , team ]", text("pro"), true),
            ("a=[pro,team]", nil, false), ("a≠[pro,team]", nil, true), ("a!=[pro,team]", text("pro"), false),
            ("a≠[pro,team]", text("free"), true), (#"a=["a, b]","c\"d"]"#, text("a, b]"), true),
            (#"a=["a, b]","c\"d"]"#, text(#"c"d"#), true), ("a=[1,true,x y]", .number(.integer(1)), true),
            ("a=[1,true,x y]", .boolean(true), true), ("a=[1,true,x y]", text("x y"), true),
            ("a=[1.0]", .number(.integer(1)), true), (#"a=["1"]"#, .number(.integer(1)), false),
            (#"a=["1"]"#, text("1"), true), (#"a=[""]"#, text(""), true), ("a:=[x]", text("[x]"), true),
            (#"a="[x]""#, text("[x]"), true), ("a=x[y]", text("x[y]"), true),
            (#"a="Portland or""#, text("Portland or"), true), (#"a="""#, text(""), true),
            ("a=Portland or.", text("Portland or."), true),
            ("a=for", text("for"), true), ("a=or", text("or"), true), ("a=x orange", text("x orange"), true),
            ("a=1 ", text("1 "), true), ("a=a~b", text("a~b"), true), ("a=b=c", text("b=c"), true),
            ("a=!~", text("!~"), true),
        ] as [(String, QueryValue?, Bool)]
    )
    func `lists and substrings match the intended values`(_ text: String, _ value: QueryValue?, _ holds: Bool)
        throws
    {
        #expect(try Self.condition(text).holds { _ in value } == holds)
    }

    @Test(arguments: [
        ("country=DE or country=AT", ["country": "AT"], true), ("country=DE or country=AT", ["country": "CH"], false),
        ("country=DE or country=AT", [:], false), ("country=DE OR plan~pr", ["plan": "Pro"], true),
        ("country=DE  or \t plan=[a,pro]", ["plan": "pro"], true), ("a=1 or b≠1", [:], true),
        (#"title="Now or never" or b=1"#, ["title": "Now or never"], true),
        (#""x or y"=1 or b=1"#, ["x or y": "1"], true), (#"a=[x,"y or z"] or b=1"#, ["a": "y or z"], true),
        ("a:=1 or b=2", ["a": "1"], true), ("a:=1 or b=2", ["b": "2"], true), (#"a="" or b=2"#, ["a": ""], true),
        ("a=* or b=*", ["b": ""], true), ("a≠* or b≠*", ["a": "1"], true), ("a≠* or b≠*", ["a": "1", "b": "1"], false),
    ])
    func `one of the conditions that “or” joins must hold`(_ text: String, _ values: [String: String], _ holds: Bool)
        throws
    {
        let condition = try Self.condition(text)
        let result = condition.holds { field in
            guard case .attribute(let name) = field else { return nil }
            return values[name].map(Self.text)
        }
        #expect(result == holds)
    }

    @Test(arguments: [
        ("country=DE or AT", "no comparison on one side of “or”", "character 15"),
        ("made or bought=1", "no comparison on one side of “or”", "character 1"),
        ("a=1 or ", "no condition after “or”", "character 8"), ("a=pro or", "no condition after “or”", "character 9"),
        ("person.plan=pro OR", "no condition after “or”", "character 19"), ("a=[b] or", "no condition after", ""),
        (#"a="b" or"#, "no condition after", ""), ("a=* or", "no condition after", ""),
        ("a=1 or or", "no comparison on one side", "character 8"), ("a=1 or  or ", "no condition", ""),
        (" or a=1", "no condition before “or”", "character 1"), ("a=", "no value after", "character 3"),
        ("a= or b=2", "no value after", "character 3"), ("a:=", "no value after", "character 4"),
        ("a≠", "no value after", "character 3"), ("a>=  ", "no value after", "character 4"),
        ("a=1 or b=", "no value after", "character 10"), ("a<=", "no value after", "character 4"),
        ("a=1 or =2", "no name", "character 8"),
        ("a=1 or b or c=2", "no comparison on one side", "character 8"),
        ("a=1 or or b=2", "no condition before “or”", "character 8"),
        ("or b=2", "no condition before “or”", "character 1"),
        ("a=1 or OR\tb=2", "no condition before “or”", "character 8"),
        ("a=[1,2", "a list without an end", "character 3"),
        ("a=[", "a list without an end", "character 3"), ("a=[]", "an empty value in its list", "character 4"),
        ("a=[1,,2]", "an empty value in its list", "character 6"), ("a=[1,]", "an empty value", "character 6"),
        ("a=[1]2", "text after its list", "character 6"), (#"a=["1"2]"#, "after a quoted value", "character 7"),
        ("a=[*]", "has * in its list", "character 4"), ("é=[1,*]", "has * in its list", "character 6"),
        ("a<[1]", "no order", ""), ("a~", "no text after ~", "character 3"), ("a!~", "no text after ~", "character 4"),
        (#"a~"""#, "no text after ~", ""), (#"a~[b,""]"#, "no text after ~", ""),
        (#"a="1"2 or b=1"#, "after the quoted value", ""), (#"a="1 or b=1"#, "does not end", "character 3"),
        (#"a=1 or b="x"#, "does not end", "character 10"),
        (Array(repeating: "a=1", count: 11).joined(separator: " or "), "more than 10 conditions", ""),
        ("a=[" + Array(repeating: "1", count: 101).joined(separator: ",") + "]", "more than 100 values", ""),
        ("a=[" + String(repeating: "x", count: 1_025) + "]", "at most 1024", ""),
        ("a=1 or " + String(repeating: "x", count: 129) + "=1", "at most 128", ""),
    ])
    func `an invalid condition names the place and what to write`(_ text: String, _ part: String, _ place: String)
        throws
    {
        let error = try #require(throws: InvalidQueryError.self) { try Self.condition(text) }
        #expect(error.field == "where" && error.message.contains(part), "\(error.message)")
        #expect(place.isEmpty || error.message.contains("(\(place))"), "\(error.message)")
        #expect(error.message.utf8.count < 400)
    }

    @Test
    func `a condition reads each of its fields once`() throws {
        let condition = try Self.condition("a=1 or context.app.version=2 or a=3 or b=4")
        #expect(condition.fields == [.attribute("a"), .context(["app", "version"]), .attribute("b")])
        let filter = QueryFilter(conditions: [condition, try Self.condition("b=1 or c=1")])
        #expect(filter.fields == condition.fields + [.attribute("c")])
    }

    @Test
    func `any text parses or fails in linear time`() throws {
        var random = SeededNumberGenerator(seed: 41)
        let parts = [
            "a", "or", " ", "  or ", "=", "~", "!~", "[", "]", ",", "\"", "\\", "*", "≠", "context.", "1", "é", "\u{0}",
        ]
        for _ in 0..<20_000 {
            let text = (0..<random.number(0...12)).map { _ in parts[random.number(0...parts.count - 1)] }.joined()
            do throws(InvalidQueryError) {
                _ = try QueryCondition(text, parameter: "where").holds { _ in Self.text("a") }
            } catch {
                #expect(error.field == "where" && error.message.hasSuffix("."))
            }
        }
        let spaces = "a=" + String(repeating: " ", count: 200_000)
        #expect(throws: InvalidQueryError.self) { try Self.condition(spaces) }
    }

    // MARK: Comparison with a naive evaluator

    /// One comparison, as the test understands it.
    private struct Comparison {
        var field: String
        var sign: String
        /// The values, each as written in a list, and as meant.
        var values: [(written: String, meant: QueryValue)]
        var isList: Bool

        var text: String {
            let written = values.map(\.written)
            return field + sign + (isList ? "[" + written.joined(separator: ",") + "]" : written[0])
        }

        func holds(_ value: QueryValue?) -> Bool {
            let text: String? =
                if case .text(let bytes)? = value { String(decoding: bytes, as: UTF8.self) } else { nil }
            let isEqual = values.contains { meant in
                guard let value else { return false }
                if value == meant.meant { return true }
                // Numbers and booleans equal a text that is written the same way.
                return text == meant.written
            }
            let isPart = values.contains { meant in
                guard let text, case .text(let bytes) = meant.meant else { return false }
                return text.lowercased().contains(String(decoding: bytes, as: UTF8.self).lowercased())
            }
            return switch sign {
            case "=": isEqual
            case "≠", "!=": !isEqual
            case "~": isPart
            default: !isPart
            }
        }
    }

    private static func comparison(_ random: inout SeededNumberGenerator) -> Comparison {
        let sign = ["=", "≠", "!=", "~", "!~"][random.number(0...4)]
        let isPart = sign.hasSuffix("~")
        let texts = ["pro", "Pro", "team pro", "x or y", "[a]", "a,b", "1", "true", "*", "~"]
        func value() -> (written: String, meant: QueryValue) {
            let choice = random.number(0...(isPart ? 1 : 3))
            switch choice {
            case 2:
                let number = random.number(0...3)
                return ("\(number)", .number(.integer(Int64(number))))
            case 3: return ("true", .boolean(true))
            default:
                let text = texts[random.number(0...texts.count - 1)]
                let isPlain = ["pro", "Pro", "team pro", "~"].contains(text)
                let written = isPlain && choice == 0 ? text : JSONValue.string(text).text
                return (written, Self.text(text))
            }
        }
        let isList = random.oneIn(2)
        return Comparison(
            field: ["a", "b", "c"][random.number(0...2)],
            sign: sign,
            values: (0..<(isList ? random.number(1...3) : 1)).map { _ in value() },
            isList: isList
        )
    }

    @Test
    func `random conditions agree with a naive evaluator`() throws {
        var random = SeededNumberGenerator(seed: 7)
        let values: [QueryValue?] = [
            nil, Self.text("pro"), Self.text("PRO"), Self.text("team pro"), Self.text("x or y"), Self.text("[a]"),
            Self.text("1"), Self.text("true"), Self.text("a,b"), Self.text(""), .number(.integer(1)), .boolean(true),
            .boolean(false), .structure([91, 93]),
        ]
        var (held, failed) = (0, 0)
        for _ in 0..<20_000 {
            let comparisons = (0..<random.number(1...4)).map { _ in Self.comparison(&random) }
            let text = comparisons.map(\.text).joined(separator: random.oneIn(2) ? " or " : "  OR ")
            let event = Dictionary(
                uniqueKeysWithValues: ["a", "b", "c"].map { ($0, values[random.number(0...values.count - 1)]) }
            )
            func value(_ name: String) -> QueryValue? { event[name] ?? nil }
            let expected = comparisons.contains { $0.holds(value($0.field)) }
            let actual = try Self.condition(text).holds { field in
                guard case .attribute(let name) = field else { return nil }
                return value(name)
            }
            #expect(actual == expected, "\(text) for \(event)")
            if expected { held += 1 } else { failed += 1 }
        }
        #expect(held > 2_000 && failed > 2_000)
    }
}

extension JSONValue {
    fileprivate var text: String { String(decoding: json(), as: UTF8.self) }
}
