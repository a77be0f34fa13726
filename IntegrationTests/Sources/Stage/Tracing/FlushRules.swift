// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Holds a program's file actions to the strictest rules a file system may have.
///
/// - A file's bytes survive power loss once the file was flushed after they were written. Writing through a mapping is not
///   seen, so a mapped file counts as written again after each promise: the next one is about something newer. A log is
///   written at its end only: once another file of its folder is mapped, a file counts as written for the last time.
/// - A name survives once its folder was flushed after it was made, and so does the folder's own name, up to what was
///   there before the program began.
///
/// At each promise, every file it depends on must survive. A value: actions in, violations out.
package struct FlushRules: Sendable {
    /// What was promised too early: a sentence each.
    package private(set) var violations: [String] = []
    /// How many promises were looked at.
    package private(set) var promises = 0

    private let depends: @Sendable (String) -> Bool
    /// Files with bytes that were not flushed.
    private var dirty: Set<String> = []
    private var mapped: Set<String> = []
    /// Names that were made since their folder was flushed.
    private var unflushedNames: Set<String> = []
    /// Everything the program made or opened, and what there still is of it.
    private var known: Set<String> = []

    /// - Parameters:
    ///   - present: files and folders that are there and durable when the program begins.
    ///   - depends: whether a promise depends on a file, by its path.
    package init(present: Set<String> = [], dependingOn depends: @escaping @Sendable (String) -> Bool) {
        known = present
        self.depends = depends
    }

    /// Takes the next action in.
    package mutating func take(_ action: FileAction) {
        switch action {
        case .madeFolder(let path):
            name(path)
        case .opened(let path):
            if !known.contains(path) { name(path) }
        case .changed(let path):
            dirty.insert(path)
        case .mapped(let path):
            dirty.formUnion(mapped)
            mapped = mapped.filter { Self.folder(of: $0) != Self.folder(of: path) }
            mapped.insert(path)
            dirty.insert(path)
        case .unmapped(let path):
            mapped.remove(path)
        case .renamed(let path, let other):
            move(path, to: other)
        case .linked(let path, let other):
            name(other)
            if dirty.contains(path) { dirty.insert(other) }
        case .removed(let path):
            forget(path)
        case .flushed(let path):
            dirty.remove(path)
            unflushedNames = unflushedNames.filter { Self.folder(of: $0) != path }
        case .promised(let text):
            promises += 1
            check(text)
            // What is promised next is newer than what was flushed for this.
            dirty.formUnion(mapped)
        }
    }

    private mutating func check(_ text: String) {
        for path in known.filter(depends).sorted() {
            if dirty.contains(path) { violations.append("'\(text)' before \(path) was flushed") }
            var name = path
            while name != "/" {
                if unflushedNames.contains(name) {
                    violations.append("'\(text)' before \(Self.folder(of: name)) was flushed, which holds \(name)")
                }
                name = Self.folder(of: name)
            }
        }
    }

    private mutating func name(_ path: String) {
        known.insert(path)
        unflushedNames.insert(path)
    }

    private mutating func forget(_ path: String) {
        known.remove(path)
        dirty.remove(path)
        mapped.remove(path)
        unflushedNames.remove(path)
    }

    private mutating func move(_ path: String, to other: String) {
        let (isDirty, isMapped) = (dirty.contains(path), mapped.contains(path))
        forget(path)
        forget(other)
        name(other)
        if isDirty { dirty.insert(other) }
        if isMapped { mapped.insert(other) }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
