// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CollectorCore

/// The page's files as served, with one script and one style sheet.
///
/// Loading ninety files takes a browser a second longer than loading two, and even longer over a network. The URLs of
/// both files contain the version of their content, so that a browser may cache them permanently.
///
/// The modules in the folder are linked: each becomes a function that returns its exports, placed after the modules
/// that it imports. The supported syntax is `import { a, b as c } from "./file.js";` on one line, and `export` before a
/// constant, a function, or a class, or with a list of names.
public struct PageBundle: Sendable {
    /// The page, the script, the style sheet, and all other files.
    public let assets: [WebAsset]

    /// The reason why files cannot be bundled.
    public enum Failure: Error, Hashable {
        /// A module that imports itself through other modules.
        case cycle(String)
        /// A line with an unsupported import or export.
        case unsupportedSyntax(file: String, line: String)
        /// A name that the imported file does not export, or a missing file.
        case missingExport(name: String, from: String, by: String)
        /// The page has no style sheet, or not exactly one module.
        case invalidPage
    }

    /// Bundles the files.
    ///
    /// - Parameter files: The files of the folder, with the page under `/`. Scripts and style sheets that the page does
    ///   not reach are omitted.
    /// - Complexity: O(bytes).
    public init(_ files: [WebAsset]) throws(Failure) {
        let byPath = Dictionary(files.map { ($0.path, $0) }) { $1 }
        guard let page = byPath["/"] else { throw .invalidPage }
        let references = Self.references(by: page)
        guard let entry = references.modules.first, references.modules.count == 1, !references.sheets.isEmpty else {
            throw .invalidPage
        }

        var linked: [String: PageModule] = [:]
        var script = Array("\"use strict\";\n".utf8)
        try Self.link(entry, of: byPath, into: &script, linked: &linked, pending: [])
        var sheet: [UInt8] = []
        for path in references.sheets {
            guard let file = byPath[path] else { throw .missingExport(name: "a style sheet", from: path, by: "/") }
            sheet += file.body
        }
        let scriptAsset = WebAsset(path: "/page.js", contentType: byPath[entry]?.contentType ?? "", body: script)
        let sheetType = byPath[references.sheets[0]]?.contentType ?? ""
        let sheetAsset = WebAsset(path: "/page.css", contentType: sheetType, body: sheet)
        let text = Self.html(scriptAsset, sheetAsset, in: references.lines)
        let pageAsset = WebAsset(path: "/", contentType: page.contentType, body: Array(text.utf8))
        let others = files.filter { $0.path != "/" && !$0.path.hasSuffix(".js") && !$0.path.hasSuffix(".css") }
        assets = [pageAsset, scriptAsset, sheetAsset] + others
    }

    /// Appends a module after the modules that it imports.
    private static func link(
        _ path: String,
        of files: [String: WebAsset],
        into script: inout [UInt8],
        linked: inout [String: PageModule],
        pending: [String]
    ) throws(Failure) {
        guard linked[path] == nil else { return }
        guard !pending.contains(path) else { throw .cycle((pending + [path]).joined(separator: " ")) }
        guard let file = files[path] else {
            throw .missingExport(name: "a module", from: path, by: pending.last ?? "/")
        }
        let module = try PageModule(file)
        for (needed, names) in module.imports {
            try link(needed, of: files, into: &script, linked: &linked, pending: pending + [path])
            let exports = linked[needed]?.exports ?? []
            if let missing = names.first(where: { !exports.contains($0) }) {
                throw .missingExport(name: missing, from: needed, by: path)
            }
        }
        linked[path] = module
        script += module.linked
    }

    /// Returns the page's lines, and the paths of its style sheets and modules in order.
    private static func references(by page: WebAsset) -> (lines: [Line], sheets: [String], modules: [String]) {
        var references: (lines: [Line], sheets: [String], modules: [String]) = ([], [], [])
        for bytes in page.body.split(separator: newline, omittingEmptySubsequences: false) {
            let line = String(decoding: bytes, as: UTF8.self)
            if let path = line.between("  <link rel=\"stylesheet\" href=\"", "\">") {
                references.lines.append(.sheet)
                references.sheets.append(path)
            } else if let path = line.between("  <script type=\"module\" src=\"", "\"></script>") {
                references.lines.append(.module)
                references.modules.append(path)
            } else {
                references.lines.append(.other(line))
            }
        }
        return references
    }

    /// One line of the page.
    private enum Line {
        case sheet
        case module
        case other(String)
    }

    /// Returns the page's text with references to the bundled files instead of the original ones.
    private static func html(_ script: WebAsset, _ sheet: WebAsset, in lines: [Line]) -> String {
        var output: [String] = []
        var isStyled = false
        for line in lines {
            switch line {
            case .other(let text): output.append(text)
            case .module:
                output.append("  <script type=\"module\" src=\"\(script.path)?v=\(script.version)\"></script>")
            case .sheet where isStyled: break
            case .sheet:
                isStyled = true
                output.append("  <link rel=\"stylesheet\" href=\"\(sheet.path)?v=\(sheet.version)\">")
            }
        }
        return output.joined(separator: "\n")
    }
}

private let newline = UInt8(ascii: "\n")

/// One module, as a function that returns its exports.
private struct PageModule {
    /// The paths of the imported modules, in order, with the names imported from each.
    private(set) var imports: [(path: String, names: [String])] = []
    /// The exported names.
    private(set) var exports: [String] = []
    /// The module's code in the script.
    private(set) var linked: [UInt8] = []

    init(_ file: WebAsset) throws(PageBundle.Failure) {
        linked = Array("// \(file.path)\nconst \(Self.variable(file.path)) = (() => {\n".utf8)
        for line in file.body.split(separator: newline, omittingEmptySubsequences: false) {
            if line.starts(with: "import ".utf8) {
                linked += Array(try convertImport(String(decoding: line, as: UTF8.self), in: file.path).utf8)
            } else if line.starts(with: "export ".utf8) {
                linked += Array(try convertExport(String(decoding: line, as: UTF8.self), in: file.path).utf8)
            } else {
                linked += line
            }
            linked.append(newline)
        }
        linked += Array("return { \(exports.joined(separator: ", ")) };\n})();\n".utf8)
    }

    /// Converts an import.
    private mutating func convertImport(_ line: String, in file: String) throws(PageBundle.Failure) -> String {
        let parts = line.between("import { ", ".js\";")?.split(
            separator: " } from \"./",
            omittingEmptySubsequences: false
        )
        guard let parts, parts.count == 2, parts[1].isFileName else { throw .unsupportedSyntax(file: file, line: line) }
        let names = parts[0].names
        // `a as b` becomes `a: b` in a destructuring declaration.
        guard names.allSatisfy({ $0.count == 1 || $0.count == 3 && $0[1] == "as" }), names.joined().allSatisfy(\.isName)
        else {
            throw .unsupportedSyntax(file: file, line: line)
        }
        let path = "/\(parts[1]).js"
        imports.append((path, names.map { String($0[0]) }))
        let bindings = names.map { $0.count == 1 ? "\($0[0])" : "\($0[0]): \($0[2])" }.joined(separator: ", ")
        return "const { \(bindings) } = \(Self.variable(path));"
    }

    /// Converts an export.
    ///
    /// Variables are not supported, because importers would get a copy.
    private mutating func convertExport(_ line: String, in file: String) throws(PageBundle.Failure) -> String {
        if let names = line.between("export { ", " };")?[...].names, names.allSatisfy({ $0.count == 1 && $0[0].isName })
        {
            exports += names.map { String($0[0]) }
            return ""
        }
        for kind in ["const ", "async function ", "function ", "class "] where line.hasPrefix("export \(kind)") {
            let name = line.dropFirst("export \(kind)".count).prefix { "\($0)"[...].isName }
            guard !name.isEmpty else { break }
            exports.append(String(name))
            return String(line.dropFirst("export ".count))
        }
        throw .unsupportedSyntax(file: file, line: line)
    }

    /// The name of the constant that holds a module's exports, such as `$time_range` for `/time-range.js`.
    ///
    /// No name in the page's own code begins with `$`.
    private static func variable(_ path: String) -> String {
        "$" + String(path.dropFirst().dropLast(".js".count).map { $0 == "-" ? "_" : $0 })
    }
}

extension String {
    /// Returns the text between a prefix and a suffix, or nil if either is missing.
    fileprivate func between(_ start: String, _ end: String) -> String? {
        guard hasPrefix(start), hasSuffix(end), utf8.count >= start.utf8.count + end.utf8.count else { return nil }
        return String(dropFirst(start.count).dropLast(end.count))
    }
}

extension Substring {
    /// Whether this is a name consisting of letters, digits, `_`, and `$`.
    fileprivate var isName: Bool {
        !isEmpty && utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0 & ~32) || $0 == 95 || $0 == 36 }
    }

    /// Whether this is a name consisting of letters, digits, `_`, `$`, and hyphens.
    fileprivate var isFileName: Bool { split(separator: "-", omittingEmptySubsequences: false).allSatisfy(\.isName) }

    /// The words of each item in a list between braces.
    fileprivate var names: [[Substring]] { split(separator: ",").map { $0.split(separator: " ") } }
}
