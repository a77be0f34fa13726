// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The name of a class as its source spells it, read from any of the names that a runtime has for it.
///
/// Objective-C's runtime knows a Swift class by a mangled name, which `NSStringFromClass` makes readable for top-level classes alone:
///
/// | Class | Name |
/// |---|---|
/// | top-level | `Shop.HomeViewController` |
/// | nested in an enumeration | `_TtCO4Shop8Checkout14ViewController` |
/// | private | `_TtC4ShopP33_40E525FFC87C6CA9647114FD376A316114ViewController` |
/// | local to a function | `_TtCF4Shop3fooFT_CS_4BaseL_5Local` |
/// | generic | `_TtGC4Shop8ListPageSS_` |
///
/// Swift's runtime spells the same classes `Shop.Checkout.ViewController`, `Shop.(unknown context at $55c72d92).ViewController`, and
/// `Shop.ListPage<Swift.String>`. Both read as one name here, without contexts that have no name and without generic arguments.
struct ClassName: Sendable, Hashable {
    /// The module; nil for a class of Objective-C's, which has none.
    var module: String?
    /// The types around the class, outermost first, and the class.
    var path: [String]

    /// Reads the name that a runtime gives a class. A name that follows no known rule stands for itself.
    init(_ runtimeName: String) {
        var name = Substring(runtimeName)
        // Key-value observation gives an observed object a class of its own.
        if name.hasPrefix(Self.observed) { name = name.dropFirst(Self.observed.count) }
        if name.hasPrefix("_Tt"), let parsed = MangledClassName.parse(name) {
            (module, path) = (parsed.module, parsed.path)
            return
        }
        // A class in an extension: "(extension in Shop):Swift.String.Page".
        var extensionModule: String?
        if name.hasPrefix(Self.extended), let end = name.firstIndex(of: ":") {
            extensionModule = String(name[..<end].dropFirst(Self.extended.count).dropLast())
            name = name[end...].dropFirst()
        }
        let parts = Self.parts(of: name)
        module = extensionModule ?? (parts.count > 1 ? parts.first : nil)
        path = parts.count > 1 ? Array(parts.dropFirst()) : parts
    }

    /// The class alone: `ViewController`.
    var bare: String { path.last ?? "" }
    /// The class with what is around it: `Checkout.ViewController`.
    var nested: String { path.joined(separator: ".") }
    /// The class with everything around it, the module included: `Shop.Checkout.ViewController`.
    var full: String { module.map { "\($0).\(nested)" } ?? nested }

    /// The prefix of the classes that key-value observation makes.
    private static let observed = "NSKVONotifying_"
    private static let extended = "(extension in "

    /// The parts of a name that Swift's runtime spells, without generic arguments and nameless contexts.
    private static func parts(of name: Substring) -> [String] {
        var parts: [String] = []
        var part = ""
        var generic = 0
        var context: String?
        var nesting = 0
        func endPart() {
            if !part.isEmpty { parts.append(part) }
            part = ""
        }
        for character in name {
            if context != nil {
                // "(unknown context at $55c72d92)", or "(ViewController in _40E525FF)".
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
            case "<": generic += 1
            case ">" where generic > 0: generic -= 1
            case _ where generic > 0: break
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

    /// The name that a context has; empty for one without.
    private static func name(inContext context: String) -> String {
        guard !context.hasPrefix("unknown context"), let end = context.firstIndex(of: " ") else { return "" }
        return String(context[..<end])
    }
}

/// Reads the names by which Objective-C's runtime knows Swift's classes.
///
/// The notation is Swift's of before version 4, which the compiler keeps for these names: `_Tt`, `G` for a class with generic arguments,
/// then `C` with what is around the class and its name. Text is preceded by its length in bytes.
private struct MangledClassName {
    private let bytes: [UInt8]
    private var place: Int

    private init(_ text: Substring) {
        bytes = Array(text.utf8)
        place = 3
    }

    /// The module and the names from the outermost type to the class; nil for a name that follows other rules.
    static func parse(_ text: Substring) -> (module: String?, path: [String])? {
        var reader = MangledClassName(text)
        if reader.next == UInt8(ascii: "G") { reader.place += 1 }
        let start = reader.place
        var path: [String] = []
        if let module = reader.nominal(into: &path, depth: 0) { return (module, path) }
        // Local to a function, whose type is of no interest: the class's name is at the end, after the number of its scope.
        reader.place = start
        return reader.local()
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    /// A class, structure, enumeration or protocol: what is around it, then its name.
    ///
    /// - Returns: The module.
    private mutating func nominal(into path: inout [String], depth: Int) -> String? {
        guard depth < Self.maxDepth, let kind = next, "CVOP".utf8.contains(kind) else { return nil }
        place += 1
        guard let module = context(into: &path, depth: depth + 1) else { return nil }
        // The discriminator of what is private to a file.
        if next == UInt8(ascii: "P") {
            place += 1
            guard text() != nil else { return nil }
        }
        guard let name = text() else { return nil }
        path.append(name)
        return module
    }

    /// What is around a type: a module, another type, or an extension.
    private mutating func context(into path: inout [String], depth: Int) -> String? {
        guard let first = next else { return nil }
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            return text()
        case UInt8(ascii: "s"):
            place += 1
            return "Swift"
        case UInt8(ascii: "E"):
            // The module of the extension, then what it extends.
            place += 1
            guard let module = text(), context(into: &path, depth: depth + 1) != nil else { return nil }
            return module
        case UInt8(ascii: "S"):
            return known(into: &path)
        default:
            return nominal(into: &path, depth: depth)
        }
    }

    /// A type or module that has a name of one letter, or was named before.
    private mutating func known(into path: inout [String]) -> String? {
        guard place + 1 < bytes.count else { return nil }
        let letter = bytes[place + 1]
        place += 2
        switch letter {
        case UInt8(ascii: "o"): return "__C"
        case UInt8(ascii: "C"): return "__C_Synthesized"
        default:
            guard let name = Self.knownTypes[letter] else { return nil }
            path.append(name)
            return "Swift"
        }
    }

    /// The class that a function declares, and those nested in it.
    private func local() -> (module: String?, path: [String])? {
        var end = bytes.count
        while end > place {
            end -= 1
            guard bytes[end] == UInt8(ascii: "_") else { continue }
            var mark = end - 1
            while mark > place, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[mark]) { mark -= 1 }
            guard mark > place, bytes[mark] == UInt8(ascii: "L") else { continue }
            var reader = self
            reader.place = end + 1
            var path: [String] = []
            while let name = reader.text() { path.append(name) }
            // A class with generic arguments has them after its name.
            if !path.isEmpty, reader.next == nil || bytes[3] == UInt8(ascii: "G") { return (firstText, path) }
        }
        return nil
    }

    /// The first text there is: the module that the function is in.
    private var firstText: String? {
        var reader = self
        while let byte = reader.next, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { reader.place += 1 }
        return reader.text()
    }

    /// A text after its length in bytes.
    private mutating func text() -> String? {
        var length = 0
        var end = place
        while end < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[end]), length < 10_000 {
            length = length * 10 + Int(bytes[end] - UInt8(ascii: "0"))
            end += 1
        }
        guard end > place, length > 0, end + length <= bytes.count else { return nil }
        place = end + length
        return String(decoding: bytes[end..<place], as: UTF8.self)
    }

    /// More types than anybody nests.
    private static let maxDepth = 64

    /// Types of the standard library that have a letter.
    private static let knownTypes: [UInt8: String] = [
        UInt8(ascii: "a"): "Array", UInt8(ascii: "b"): "Bool", UInt8(ascii: "c"): "UnicodeScalar",
        UInt8(ascii: "d"): "Double", UInt8(ascii: "f"): "Float", UInt8(ascii: "i"): "Int",
        UInt8(ascii: "q"): "Optional", UInt8(ascii: "S"): "String", UInt8(ascii: "u"): "UInt",
    ]
}

/// Where a class was loaded from.
enum ClassOrigin {
    /// Whether the system brings the class along: its bundle or library lies in a folder of the system, in a simulator's included.
    ///
    /// Everything else is of the app: its bundle, its frameworks wherever they lie (those of an extension lie in the app around it), and
    /// the bundles of tests.
    static func isOfSystem(path: String) -> Bool {
        let names = path.split(separator: "/")
        if path.hasPrefix("/usr/lib/") || names.contains("RuntimeRoot") { return true }
        return zip(names, names.dropFirst()).contains { $0 == "System" && $1 == "Library" }
    }
}
