// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A path with named variable parts, such as `/v1/events/{id}/life`.
///
/// - `{id}` is one nonempty segment.
/// - `{id?}` is one segment that may be empty.
/// - `{id...}` is one or more segments with the slashes between them. A pattern has at most one.
///
/// Segments are compared exactly as they appear in the request: percent-encoding, letter case, and empty segments are
/// significant.
struct RoutePattern: Sendable, Hashable, ExpressibleByStringLiteral {
    private enum Segment: Sendable, Hashable {
        case text(Substring)
        case variable(String, mayBeEmpty: Bool)
        case span(String)
    }

    /// The original text of the pattern.
    let text: String
    private let segments: [Segment]

    /// Whether the pattern has no variable parts and matches exactly one path.
    var isLiteral: Bool {
        segments.allSatisfy { if case .text = $0 { true } else { false } }
    }

    /// Parses a pattern.
    ///
    /// - Parameter text: A pattern that begins with a slash.
    init(_ text: String) {
        self.text = text
        segments = Self.split(text).map { segment in
            guard segment.hasPrefix("{"), segment.hasSuffix("}") else { return .text(segment) }
            let name = segment.dropFirst().dropLast()
            if name.hasSuffix("...") { return .span(String(name.dropLast(3))) }
            if name.hasSuffix("?") { return .variable(String(name.dropLast()), mayBeEmpty: true) }
            return .variable(String(name), mayBeEmpty: false)
        }
    }

    init(stringLiteral text: String) { self.init(text) }

    /// The segments of a path.
    ///
    /// The first segment is the empty one before the leading slash.
    static func split(_ path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }

    /// Returns the variable parts of a path by name.
    ///
    /// - Parameter parts: The segments of the path.
    /// - Returns: Nil if the path does not match.
    /// - Complexity: O(bytes of the path).
    func match(_ parts: [Substring]) -> [String: String]? {
        // Only a part such as `{id...}` takes more than one segment.
        let surplus = parts.count - segments.count
        guard surplus >= 0 else { return nil }
        var values: [String: String] = [:]
        var place = 0
        for segment in segments {
            guard place < parts.count else { return nil }
            switch segment {
            case .text(let text):
                guard parts[place] == text else { return nil }
                place += 1
            case .variable(let name, let mayBeEmpty):
                guard mayBeEmpty || !parts[place].isEmpty else { return nil }
                values[name] = String(parts[place])
                place += 1
            case .span(let name):
                values[name] = parts[place...(place + surplus)].joined(separator: "/")
                place += surplus + 1
            }
        }
        return place == parts.count ? values : nil
    }
}
