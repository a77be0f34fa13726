// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Parses the trace of a program, as written by `strace -f -y -q -s 64`.
///
/// A call counts when it has returned, and only if it succeeded. A promise counts when its write starts, because its
/// reader may see it from then on.
package struct TraceReader: Sendable {
    /// The calls that the reader evaluates.
    ///
    /// The `?` makes strace accept calls that the machine does not have.
    package static let calls = [
        "open", "openat", "creat", "mkdir", "mkdirat", "rename", "renameat", "renameat2", "link", "linkat", "unlink",
        "unlinkat", "rmdir", "write", "writev", "pwrite64", "sendto", "sendmsg", "fsync", "fdatasync", "ftruncate",
        "fallocate", "mmap", "munmap",
    ]

    private let promise: @Sendable (_ descriptor: String, _ text: String) -> Bool
    /// Calls that have not returned yet, by thread.
    private var unfinished: [Substring: Substring] = [:]
    /// The last known size of each file, by path.
    private var sizes: [String: Int64] = [:]
    /// The files with a writable mapping, by address.
    private var mappings: [Substring: String] = [:]

    /// - Parameter promise: Whether a write is a promise, given the descriptor and the first bytes written.
    package init(promise: @escaping @Sendable (_ descriptor: String, _ text: String) -> Bool) {
        self.promise = promise
    }

    /// Returns a command prefix that runs a program under strace.
    ///
    /// - Parameter trace: The file that strace writes.
    package static func command(writingTo trace: String) -> [String] {
        let names = calls.map { "?" + $0 }.joined(separator: ",")
        // -D makes the program itself the started process, so that a signal reaches it.
        return ["strace", "-D", "-f", "-y", "-q", "-s", "64", "-o", trace, "-e", "trace=" + names, "-e", "signal=none"]
    }

    /// Returns the actions of a trace line.
    ///
    /// A line may begin a call without an action, or end one.
    package mutating func actions(of line: some StringProtocol) -> [FileAction] {
        let line = Substring(line)
        guard let space = line.firstIndex(of: " ") else { return [] }
        let thread = line[..<space]
        let rest = line[space...].drop { $0 == " " }
        if rest.hasPrefix("<... ") {
            guard let started = unfinished.removeValue(forKey: thread), let end = rest.firstIndex(of: ">") else {
                return []
            }
            return completed(started + rest[rest.index(after: end)...])
        }
        if let cut = rest.firstRange(of: "<unfinished ...>") {
            unfinished[thread] = rest[..<cut.lowerBound]
            return promised(rest[..<cut.lowerBound])
        }
        return promised(rest) + completed(rest)
    }

    // MARK: Parts

    private func promised(_ call: Substring) -> [FileAction] {
        guard let (name, arguments) = Self.parts(of: call), Self.writes.contains(name) else { return [] }
        let text = Self.texts(in: arguments).first ?? ""
        return promise(Self.paths(in: arguments).first ?? "", text) ? [.promised(String(text.prefix(40)))] : []
    }

    private mutating func completed(_ call: Substring) -> [FileAction] {
        guard let (name, arguments) = Self.parts(of: call), let result = Self.result(of: call), !result.hasPrefix("-")
        else { return [] }
        let texts = Self.texts(in: arguments)
        let paths = Self.paths(in: arguments)
        switch name {
        case "open", "openat", "creat":
            guard let path = texts.first, ["O_WRONLY", "O_RDWR", "O_CREAT"].contains(where: arguments.contains) else {
                return []
            }
            return [.opened(path)] + (arguments.contains("O_TRUNC") ? [.changed(path)] : [])
        case "mkdir", "mkdirat": return texts.first.map { [.madeFolder($0)] } ?? []
        case "rename", "renameat", "renameat2":
            guard texts.count == 2 else { return [] }
            sizes[texts[1]] = sizes.removeValue(forKey: texts[0])
            return [.renamed(texts[0], to: texts[1])]
        case "link", "linkat": return texts.count == 2 ? [.linked(texts[0], to: texts[1])] : []
        case "unlink", "unlinkat", "rmdir":
            guard let path = texts.first else { return [] }
            sizes[path] = nil
            return [.removed(path)]
        case "ftruncate", "fallocate":
            guard let path = paths.first, path.hasPrefix("/"), let size = Self.number(endOf: arguments) else {
                return []
            }
            defer { sizes[path] = size }
            // A complete segment is truncated to its used length. If power is lost before this is flushed, the file has
            // either length, and the bytes before the end are intact in both cases.
            return name == "ftruncate" && size < sizes[path] ?? 0 ? [] : [.changed(path)]
        case "pwrite64", "write", "writev":
            return paths.first.map { $0.hasPrefix("/") ? [.changed($0)] : [] } ?? []
        case "mmap":
            guard arguments.contains("MAP_SHARED"), arguments.contains("PROT_WRITE"), let path = paths.first else {
                return []
            }
            mappings[result] = path
            return [.mapped(path)]
        case "munmap":
            let address = arguments.prefix { $0 != "," }
            return mappings.removeValue(forKey: address).map { [.unmapped($0)] } ?? []
        case "fsync", "fdatasync": return paths.first.map { [.flushed($0)] } ?? []
        default: return []
        }
    }

    private static let writes: Set<Substring> = ["write", "writev", "pwrite64", "sendto", "sendmsg"]

    private static func parts(of call: Substring) -> (name: Substring, arguments: Substring)? {
        guard let open = call.firstIndex(of: "(") else { return nil }
        return (call[..<open], call[call.index(after: open)...])
    }

    /// Returns the result of a call: the text after its last `=`.
    private static func result(of call: Substring) -> Substring? {
        guard let equals = call.lastIndex(of: "=") else { return nil }
        return call[call.index(after: equals)...].drop { $0 == " " }
    }

    /// Returns the last argument of a call if it is a number.
    private static func number(endOf arguments: Substring) -> Int64? {
        guard let close = arguments.lastIndex(of: ")") else { return nil }
        return arguments[..<close].split(separator: " ").last.flatMap { Int64($0) }
    }

    /// Returns the strings in quotation marks.
    private static func texts(in arguments: Substring) -> [String] {
        var texts: [String] = []
        var rest = arguments
        while let start = rest.firstIndex(of: "\"") {
            rest = rest[rest.index(after: start)...]
            guard let end = rest.firstIndex(of: "\"") else { break }
            texts.append(String(rest[..<end]))
            rest = rest[rest.index(after: end)...]
        }
        return texts
    }

    /// Returns the paths of the descriptors among the arguments: `5</a/file>`.
    private static func paths(in arguments: Substring) -> [String] {
        var paths: [String] = []
        var rest = arguments
        while let start = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: start)...]
            guard let end = rest.firstIndex(of: ">") else { break }
            paths.append(String(rest[..<end]))
            rest = rest[rest.index(after: end)...]
        }
        return paths
    }
}
