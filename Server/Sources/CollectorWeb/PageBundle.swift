// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Collector

/// The page's files as they are served: its modules as one script, its style sheets as one.
///
/// A browser that asks for ninety files one by one begins a second later than one that asks for two, and more over a network.
/// Both are asked for with the version of their content, so that a browser may keep them for good.
///
/// The modules are linked as they lie in the folder: each becomes a function of its own that gives what it exports, in the order
/// in which they need one another. Understood are `import { a, b as c } from "./file.js";` on one line, and `export` before a
/// constant, a function or a class, or of a list of names.
public struct PageBundle: Sendable {
    /// The page, the script, the style sheet, and the files that are neither.
    public let assets: [WebAsset]

    /// Why files cannot be put together.
    public enum Failure: Error, Hashable {
        /// A module that needs itself, by way of others.
        case cycle(String)
        /// A line that imports or exports in a way that is not understood.
        case notUnderstood(file: String, line: String)
        /// A name that the file it is imported from does not export, or a file that is not there.
        case notExported(name: String, from: String, by: String)
        /// The page does not ask for any style sheet, or not for one module.
        case page
    }

    /// Puts the files together.
    ///
    /// - Parameter files: As they lie in the folder, the page under `/`. Files that the page does not lead to are left out.
    /// - Complexity: O(bytes).
    public init(_ files: [WebAsset]) throws(Failure) {
        let byPath = Dictionary(files.map { ($0.path, $0) }) { $1 }
        guard let page = byPath["/"] else { throw .page }
        let asked = Self.asked(by: page)
        guard let entry = asked.modules.first, asked.modules.count == 1, !asked.sheets.isEmpty else { throw .page }

        var linked: [String: PageModule] = [:]
        var script = Array("\"use strict\";\n".utf8)
        try Self.link(entry, of: byPath, into: &script, linked: &linked, pending: [])
        var sheet: [UInt8] = []
        for path in asked.sheets {
            guard let file = byPath[path] else { throw .notExported(name: "a style sheet", from: path, by: "/") }
            sheet += file.body
        }
        let scriptAsset = WebAsset(path: "/page.js", contentType: byPath[entry]?.contentType ?? "", body: script)
        let sheetType = byPath[asked.sheets[0]]?.contentType ?? ""
        let sheetAsset = WebAsset(path: "/page.css", contentType: sheetType, body: sheet)
        let text = Self.naming(scriptAsset, sheetAsset, in: asked.lines)
        let pageAsset = WebAsset(path: "/", contentType: page.contentType, body: Array(text.utf8))
        let others = files.filter { $0.path != "/" && !$0.path.hasSuffix(".js") && !$0.path.hasSuffix(".css") }
        assets = [pageAsset, scriptAsset, sheetAsset] + others
    }

    /// Appends a module behind those it needs.
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
            throw .notExported(name: "a module", from: path, by: pending.last ?? "/")
        }
        let module = try PageModule(file)
        for (needed, names) in module.imports {
            try link(needed, of: files, into: &script, linked: &linked, pending: pending + [path])
            let exports = linked[needed]?.exports ?? []
            if let missing = names.first(where: { !exports.contains($0) }) {
                throw .notExported(name: missing, from: needed, by: path)
            }
        }
        linked[path] = module
        script += module.linked
    }

    /// The page's lines, and the paths of its style sheets and modules in their order.
    private static func asked(by page: WebAsset) -> (lines: [Line], sheets: [String], modules: [String]) {
        var asked: (lines: [Line], sheets: [String], modules: [String]) = ([], [], [])
        for bytes in page.body.split(separator: newline, omittingEmptySubsequences: false) {
            let line = String(decoding: bytes, as: UTF8.self)
            if let path = line.between("  <link rel=\"stylesheet\" href=\"", "\">") {
                asked.lines.append(.sheet)
                asked.sheets.append(path)
            } else if let path = line.between("  <script type=\"module\" src=\"", "\"></script>") {
                asked.lines.append(.module)
                asked.modules.append(path)
            } else {
                asked.lines.append(.other(line))
            }
        }
        return asked
    }

    /// One line of the page.
    private enum Line {
        case sheet
        case module
        case other(String)
    }

    /// The page's text, asking for these in place of what it asked for.
    private static func naming(_ script: WebAsset, _ sheet: WebAsset, in lines: [Line]) -> String {
        var told: [String] = []
        var isStyled = false
        for line in lines {
            switch line {
            case .other(let text): told.append(text)
            case .module:
                told.append("  <script type=\"module\" src=\"\(script.path)?v=\(script.version)\"></script>")
            case .sheet where isStyled: break
            case .sheet:
                isStyled = true
                told.append("  <link rel=\"stylesheet\" href=\"\(sheet.path)?v=\(sheet.version)\">")
            }
        }
        return told.joined(separator: "\n")
    }
}

private let newline = UInt8(ascii: "\n")

/// One module, as a function that gives what it exports.
private struct PageModule {
    /// The paths of the modules it needs, in their order, with the names it takes from each.
    private(set) var imports: [(path: String, names: [String])] = []
    /// What others may import.
    private(set) var exports: [String] = []
    /// Its place in the script.
    private(set) var linked: [UInt8] = []

    init(_ file: WebAsset) throws(PageBundle.Failure) {
        linked = Array("// \(file.path)\nconst \(Self.variable(file.path)) = (() => {\n".utf8)
        for line in file.body.split(separator: newline, omittingEmptySubsequences: false) {
            if line.starts(with: "import ".utf8) {
                linked += Array(try imported(String(decoding: line, as: UTF8.self), in: file.path).utf8)
            } else if line.starts(with: "export ".utf8) {
                linked += Array(try exported(String(decoding: line, as: UTF8.self), in: file.path).utf8)
            } else {
                linked += line
            }
            linked.append(newline)
        }
        linked += Array("return { \(exports.joined(separator: ", ")) };\n})();\n".utf8)
    }

    /// What an import becomes.
    private mutating func imported(_ line: String, in file: String) throws(PageBundle.Failure) -> String {
        let parts = line.between("import { ", ".js\";")?.split(
            separator: " } from \"./",
            omittingEmptySubsequences: false
        )
        guard let parts, parts.count == 2, parts[1].isName else { throw .notUnderstood(file: file, line: line) }
        let names = parts[0].names
        // `a as b` is `a: b` where an object is taken apart.
        guard names.allSatisfy({ $0.count == 1 || $0.count == 3 && $0[1] == "as" }), names.joined().allSatisfy(\.isName)
        else {
            throw .notUnderstood(file: file, line: line)
        }
        let path = "/\(parts[1]).js"
        imports.append((path, names.map { String($0[0]) }))
        let taken = names.map { $0.count == 1 ? "\($0[0])" : "\($0[0]): \($0[2])" }.joined(separator: ", ")
        return "const { \(taken) } = \(Self.variable(path));"
    }

    /// What remains of an export. A variable would be another one for those who import it.
    private mutating func exported(_ line: String, in file: String) throws(PageBundle.Failure) -> String {
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
        throw .notUnderstood(file: file, line: line)
    }

    /// The name of what a module gives; none of ours begins so.
    private static func variable(_ path: String) -> String {
        "$" + path.dropFirst().dropLast(".js".count)
    }
}

extension String {
    /// What stands between a beginning and an end; nil without either.
    fileprivate func between(_ start: String, _ end: String) -> String? {
        guard hasPrefix(start), hasSuffix(end), utf8.count >= start.utf8.count + end.utf8.count else { return nil }
        return String(dropFirst(start.count).dropLast(end.count))
    }
}

extension Substring {
    /// Whether it is a name of letters, digits, `_` and `$`.
    fileprivate var isName: Bool {
        !isEmpty && utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0 & ~32) || $0 == 95 || $0 == 36 }
    }

    /// What a list between braces names, each in its words.
    fileprivate var names: [[Substring]] { split(separator: ",").map { $0.split(separator: " ") } }
}
