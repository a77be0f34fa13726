// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation

// Class names in the Objective-C runtime. Rules modeled here, derived from the output of Swift's compiler for Apple
// platforms (`swiftc -emit-ir -enable-objc-interop`) and from the runtime's source (`copySwiftV1DemangledName`):
// - An Objective-C class of a framework has a name without a module.
// - A Swift class has a mangled name. The runtime demangles it if the class is at the top level of its module, visible
//   outside its file, and not generic: `Shop.HomeViewController`. All others stay mangled.

/// Returns the name that `NSStringFromClass` would return.
public func simulatedName(of kind: AnyClass) -> String {
    let parts = SimulatedClassName.parts(of: String(reflecting: kind))
    guard let module = parts.first, parts.count > 1 else { return String(reflecting: kind) }
    if module.name == "UIKit" || module.name == "Foundation", parts.count == 2 { return parts[1].name }
    if parts.count == 2, parts[1].arguments.isEmpty, !parts[1].isPrivate { return "\(module.name).\(parts[1].name)" }
    return "_Tt" + SimulatedClassName.mangled(parts, as: "C", kinds: SimulatedClassName.kinds(of: kind))
}

/// Returns the path of the bundle that contains a class.
public func simulatedBundlePath(of kind: AnyClass) -> String {
    let module = SimulatedClassName.parts(of: String(reflecting: kind)).first?.name ?? ""
    if ["UIKit", "SwiftUI", "Foundation"].contains(module) { return "/System/Library/Frameworks/\(module).framework" }
    return "/private/var/containers/Bundle/Application/6E5C1B0A-0000-4000-8000-000000000001/\(module).app"
}

/// A module or type in a class name.
struct SimulatedClassName {
    var name: String
    var isPrivate = false
    var isLocal = false
    var arguments: [[SimulatedClassName]] = []

    /// Returns the parts of a name in the spelling of Swift's own runtime.
    static func parts(of name: String) -> [SimulatedClassName] {
        var rest = Substring(name)
        return type(&rest)
    }

    private static func type(_ rest: inout Substring) -> [SimulatedClassName] {
        var parts: [SimulatedClassName] = []
        var nameless = 0
        while let first = rest.first, first != ",", first != ">" {
            if first == "." {
                rest.removeFirst()
            } else if first == "(" {
                // A context without a name: a file, or a function and its file.
                guard let end = rest.firstIndex(of: ")") else { break }
                rest = rest[end...].dropFirst()
                nameless += 1
            } else if first == "<" {
                repeat {
                    rest = rest.dropFirst().drop { $0 == " " }
                    let argument = type(&rest)
                    if !parts.isEmpty { parts[parts.count - 1].arguments.append(argument) }
                } while rest.first == ","
                if rest.first == ">" { rest.removeFirst() }
            } else {
                let end = rest.firstIndex { ".<>,(".contains($0) } ?? rest.endIndex
                parts.append(.init(name: String(rest[..<end]), isPrivate: nameless == 1, isLocal: nameless > 1))
                rest = rest[end...]
                nameless = 0
            }
        }
        return parts
    }

    /// Returns the kinds of a class and its enclosing types, as far as the mangled name contains them.
    static func kinds(of type: Any.Type) -> [Character] {
        guard let name = _mangledTypeName(type) else { return [] }
        var kinds: [Character] = []
        var rest = Substring(name)
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isNumber }
            if let length = Int(digits), length > 0, digits.first != "0" {
                rest = rest.dropFirst(digits.count + length)
            } else if let letter = rest.first {
                if "CVO".contains(letter) { kinds.append(letter) }
                rest = rest.dropFirst()
                if letter == "y" || letter == "_" { break }
            }
        }
        return kinds
    }

    /// Returns the name in the mangling that the compiler uses for Objective-C.
    static func mangled(_ parts: [SimulatedClassName], as kind: Character, kinds: [Character] = []) -> String {
        guard parts.count > 1 else { return "" }
        if parts.map(\.name) == ["Swift", "String"] { return "SS" }
        if parts.map(\.name) == ["Swift", "Int"] { return "Si" }
        let name = nominal(parts, as: kind, kinds: kinds)
        guard parts.contains(where: { !$0.arguments.isEmpty }) else { return name }
        let arguments = parts.filter { !$0.arguments.isEmpty }.map { part in
            part.arguments.map { mangled($0, as: "V") }.joined() + "_"
        }
        return "G" + name + arguments.joined()
    }

    private static func nominal(_ parts: [SimulatedClassName], as kind: Character, kinds: [Character]) -> String {
        guard let last = parts.last, parts.count > 1 else { return parts.first.map { text($0.name) } ?? "" }
        let outer = Array(parts.dropLast())
        let outerKind = kinds.dropLast().last ?? "V"
        let context =
            outer.count == 1
            ? text(outer[0].name) : nominal(outer, as: outerKind, kinds: Array(kinds.dropLast()))
        if last.isLocal { return "\(kind)F\(context)4makeFT_T_L_\(text(last.name))" }
        let discriminator = last.isPrivate ? "P33_40E525FFC87C6CA9647114FD376A3161" : ""
        return "\(kind)\(context)\(discriminator)\(text(last.name))"
    }

    private static func text(_ name: String) -> String { "\(name.utf8.count)\(name)" }
}
#endif
