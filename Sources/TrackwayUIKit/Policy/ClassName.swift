// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A class's name as written in its source.
///
/// The name is parsed from any of the class's runtime names. The Objective-C runtime has a mangled name for a Swift
/// class, which `NSStringFromClass` demangles only for top-level classes:
///
/// | Class | Name |
/// |---|---|
/// | top-level | `Shop.HomeViewController` |
/// | nested in an enumeration | `_TtCO4Shop8Checkout14ViewController` |
/// | private | `_TtC4ShopP33_40E525FFC87C6CA9647114FD376A316114ViewController` |
/// | local to a function | `_TtCF4Shop3fooFT_CS_4BaseL_5Local` |
/// | generic | `_TtGC4Shop8ListPageSS_` |
///
/// The Swift runtime writes the same classes as `Shop.Checkout.ViewController`,
/// `Shop.(unknown context at $55c72d92).ViewController`, and `Shop.ListPage<Swift.String>`. Both forms parse to the
/// same `ClassName`, without unnamed contexts and without generic arguments.
struct ClassName: Sendable, Hashable {
    /// The module; nil for an Objective-C class, which has no module.
    var module: String?
    /// The enclosing types, outermost first, followed by the class.
    var path: [String]

    /// Parses a class's runtime name.
    ///
    /// A name in an unknown format is used unchanged.
    init(_ runtimeName: String) {
        var name = Substring(runtimeName)
        // Key-value observing replaces an observed object's class with a generated one.
        if name.hasPrefix(Self.observedPrefix) { name = name.dropFirst(Self.observedPrefix.count) }
        if name.hasPrefix("_Tt"), let parsed = MangledClassName.parse(name) {
            (module, path) = (parsed.module, parsed.path)
            return
        }
        // A class in an extension has a name such as "(extension in Shop):Swift.String.Page".
        var extensionModule: String?
        if name.hasPrefix(Self.extensionPrefix), let end = name.firstIndex(of: ":") {
            extensionModule = String(name[..<end].dropFirst(Self.extensionPrefix.count).dropLast())
            name = name[end...].dropFirst()
        }
        let parts = Self.parts(of: name)
        module = extensionModule ?? (parts.count > 1 ? parts.first : nil)
        path = parts.count > 1 ? Array(parts.dropFirst()) : parts
    }

    /// The class name only, such as `ViewController`.
    var bare: String { path.last ?? "" }
    /// The class name with its enclosing types, such as `Checkout.ViewController`.
    var nested: String { path.joined(separator: ".") }
    /// The class name with its enclosing types and its module.
    ///
    /// For example, `Shop.Checkout.ViewController`.
    var full: String { module.map { "\($0).\(nested)" } ?? nested }

    /// The prefix of classes that key-value observing generates.
    private static let observedPrefix = "NSKVONotifying_"
    private static let extensionPrefix = "(extension in "

    /// Splits a Swift runtime name into its parts.
    ///
    /// Generic arguments and unnamed contexts are left out.
    private static func parts(of name: Substring) -> [String] {
        var parts: [String] = []
        var part = ""
        var genericDepth = 0
        var context: String?
        var nesting = 0
        func endPart() {
            if !part.isEmpty { parts.append(part) }
            part = ""
        }
        for character in name {
            if context != nil {
                // Contexts look like "(unknown context at $55c72d92)" or "(ViewController in _40E525FF)".
                if character == "(" { nesting += 1 }
                if character == ")" {
                    nesting -= 1
                    if nesting == 0 {
                        part += Self.name(inContext: context ?? "")
                        context = nil
                        continue
                    }
                }
                context?.append(character)
                continue
            }
            switch character {
            case "<": genericDepth += 1
            case ">" where genericDepth > 0: genericDepth -= 1
            case _ where genericDepth > 0: break
            case "(":
                context = ""
                nesting = 1
            case ".": endPart()
            default: part.append(character)
            }
        }
        endPart()
        return parts
    }

    /// Returns a context's name; empty if the context has none.
    private static func name(inContext context: String) -> String {
        guard !context.hasPrefix("unknown context"), let end = context.firstIndex(of: " ") else { return "" }
        return String(context[..<end])
    }
}

/// A parser for the Objective-C runtime's names of Swift classes.
///
/// The mangling is that of Swift before version 4, which the compiler still uses for these names: `_Tt`, `G` for a
/// class with generic arguments, then `C`, the context of the class, and its name. Each string is preceded by its
/// length in bytes.
private struct MangledClassName {
    private let bytes: [UInt8]
    private var position: Int

    private init(_ text: Substring) {
        bytes = Array(text.utf8)
        position = 3
    }

    /// Returns the module and the type names, outermost first.
    ///
    /// nil for a name in another format.
    static func parse(_ text: Substring) -> (module: String?, path: [String])? {
        var reader = MangledClassName(text)
        if reader.next == UInt8(ascii: "G") { reader.position += 1 }
        let start = reader.position
        var path: [String] = []
        if let module = reader.nominal(into: &path, depth: 0) { return (module, path) }
        // The class is local to a function. The function's type is irrelevant: the class's name is at the end, after
        // its scope number.
        reader.position = start
        return reader.localClass()
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Parses the context and the name of a nominal type.
    ///
    /// A nominal type is a class, structure, enumeration, or protocol.
    ///
    /// - Returns: The module.
    private mutating func nominal(into path: inout [String], depth: Int) -> String? {
        guard depth < Self.maxDepth, let kind = next, "CVOP".utf8.contains(kind) else { return nil }
        position += 1
        guard let module = context(into: &path, depth: depth + 1) else { return nil }
        // The discriminator of a file-private declaration.
        if next == UInt8(ascii: "P") {
            position += 1
            guard text() != nil else { return nil }
        }
        guard let name = text() else { return nil }
        path.append(name)
        return module
    }

    /// Parses a type's context: a module, another type, or an extension.
    private mutating func context(into path: inout [String], depth: Int) -> String? {
        guard let first = next else { return nil }
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            return text()
        case UInt8(ascii: "s"):
            position += 1
            return "Swift"
        case UInt8(ascii: "E"):
            // The module of the extension comes first, then the extended type.
            position += 1
            guard let module = text(), context(into: &path, depth: depth + 1) != nil else { return nil }
            return module
        case UInt8(ascii: "S"):
            return substitution(into: &path)
        default:
            return nominal(into: &path, depth: depth)
        }
    }

    /// Parses a one-letter substitution for a type or module.
    private mutating func substitution(into path: inout [String]) -> String? {
        guard position + 1 < bytes.count else { return nil }
        let letter = bytes[position + 1]
        position += 2
        switch letter {
        case UInt8(ascii: "o"): return "__C"
        case UInt8(ascii: "C"): return "__C_Synthesized"
        default:
            guard let name = Self.knownTypes[letter] else { return nil }
            path.append(name)
            return "Swift"
        }
    }

    /// Finds the class declared by a function, and its nested classes.
    private func localClass() -> (module: String?, path: [String])? {
        var end = bytes.count
        while end > position {
            end -= 1
            guard bytes[end] == UInt8(ascii: "_") else { continue }
            var mark = end - 1
            while mark > position, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[mark]) { mark -= 1 }
            guard mark > position, bytes[mark] == UInt8(ascii: "L") else { continue }
            var reader = self
            reader.position = end + 1
            var path: [String] = []
            while let name = reader.text() { path.append(name) }
            // The arguments of a generic class follow its name.
            if !path.isEmpty, reader.next == nil || bytes[3] == UInt8(ascii: "G") { return (firstText, path) }
        }
        return nil
    }

    /// The first text, which is the module that contains the function.
    private var firstText: String? {
        var reader = self
        while let byte = reader.next, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { reader.position += 1 }
        return reader.text()
    }

    /// Parses a text that is preceded by its length in bytes.
    private mutating func text() -> String? {
        var length = 0
        var end = position
        while end < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[end]), length < 10_000 {
            length = length * 10 + Int(bytes[end] - UInt8(ascii: "0"))
            end += 1
        }
        guard end > position, length > 0, end + length <= bytes.count else { return nil }
        position = end + length
        return String(decoding: bytes[end..<position], as: UTF8.self)
    }

    /// The maximum nesting depth, greater than that of any real code.
    private static let maxDepth = 64

    /// The standard library types with a one-letter name.
    private static let knownTypes: [UInt8: String] = [
        UInt8(ascii: "a"): "Array", UInt8(ascii: "b"): "Bool", UInt8(ascii: "c"): "UnicodeScalar",
        UInt8(ascii: "d"): "Double", UInt8(ascii: "f"): "Float", UInt8(ascii: "i"): "Int",
        UInt8(ascii: "q"): "Optional", UInt8(ascii: "S"): "String", UInt8(ascii: "u"): "UInt",
    ]
}

/// A namespace for determining where a class was loaded from.
enum ClassOrigin {
    /// Returns whether a class's bundle or library is part of the system.
    ///
    /// The system includes the system folders of a simulator. All other paths belong to the app: its bundle, its
    /// frameworks wherever they are stored (those of an extension are in the enclosing app), and test bundles.
    static func isOfSystem(path: String) -> Bool {
        let names = path.split(separator: "/")
        if path.hasPrefix("/usr/lib/") || names.contains("RuntimeRoot") { return true }
        return zip(names, names.dropFirst()).contains { $0 == "System" && $1 == "Library" }
    }
}
