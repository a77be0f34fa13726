// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation

// What the Objective-C runtime says of classes. Rules modelled here, all of them read from what Swift's compiler writes for Apple's
// systems (`swiftc -emit-ir -enable-objc-interop`) and from the runtime's source (`copySwiftV1DemangledName`):
// - A framework's Objective-C class has a name without a module.
// - A Swift class has a mangled name. The runtime makes it readable when the class is at the top of its module, visible outside of its
//   file, and not generic: `Shop.HomeViewController`. Every other one stays as it is.

/// The name that `NSStringFromClass` gives.
public func simulatedName(of kind: AnyClass) -> String {
    let parts = SimulatedClassName.parts(of: String(reflecting: kind))
    guard let module = parts.first, parts.count > 1 else { return String(reflecting: kind) }
    if module.name == "UIKit" || module.name == "Foundation", parts.count == 2 { return parts[1].name }
    if parts.count == 2, parts[1].arguments.isEmpty, !parts[1].isPrivate { return "\(module.name).\(parts[1].name)" }
    return "_Tt" + SimulatedClassName.mangled(parts, as: "C", kinds: SimulatedClassName.kinds(of: kind))
}

/// Where the bundle of a class lies.
public func simulatedBundlePath(of kind: AnyClass) -> String {
    let module = SimulatedClassName.parts(of: String(reflecting: kind)).first?.name ?? ""
    if ["UIKit", "SwiftUI", "Foundation"].contains(module) { return "/System/Library/Frameworks/\(module).framework" }
    return "/private/var/containers/Bundle/Application/6E5C1B0A-0000-4000-8000-000000000001/\(module).app"
}

/// One module or type of a class's name.
struct SimulatedClassName {
    var name: String
    var isPrivate = false
    var isLocal = false
    var arguments: [[SimulatedClassName]] = []

    /// The parts of a name as Swift's own runtime spells it.
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

    /// The kinds of the types around a class and its own, as far as its mangled name says them.
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

    /// The name in the notation that the compiler keeps for Objective-C.
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
