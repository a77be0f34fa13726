// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Checks a program's file operations against the strictest rules a file system may have.
///
/// - A file's bytes survive power loss if the file was flushed after they were written. Writes through a mapping are
///   not visible in the trace, so a mapped file counts as changed again after each promise: the next promise covers
///   newer bytes. A log is only written at its end: when another file in its folder is mapped, the file counts as
///   changed for the last time.
/// - A name survives if its folder was flushed after the name was created. The same applies to the folder's own name,
///   up to the folders that existed before the program started.
///
/// At each promise, every file that it depends on must survive. A value type: actions in, violations out.
package struct FlushRules: Sendable {
    /// One sentence for each promise that was made too early.
    package private(set) var violations: [String] = []
    /// The number of promises checked.
    package private(set) var promises = 0

    private let isDependency: @Sendable (String) -> Bool
    /// Files with unflushed bytes.
    private var dirty: Set<String> = []
    private var mapped: Set<String> = []
    /// Names created since their folder was last flushed.
    private var unflushedNames: Set<String> = []
    /// Everything the program created or opened and did not remove.
    private var known: Set<String> = []

    /// - Parameters:
    ///   - present: Files and folders that exist and are durable when the program starts.
    ///   - isDependency: Whether a promise depends on the file with this path.
    package init(present: Set<String> = [], dependingOn isDependency: @escaping @Sendable (String) -> Bool) {
        known = present
        self.isDependency = isDependency
    }

    /// Processes the next action.
    package mutating func process(_ action: FileAction) {
        switch action {
        case .madeFolder(let path):
            addName(path)
        case .opened(let path):
            if !known.contains(path) { addName(path) }
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
            addName(other)
            if dirty.contains(path) { dirty.insert(other) }
        case .removed(let path):
            forget(path)
        case .flushed(let path):
            dirty.remove(path)
            unflushedNames = unflushedNames.filter { Self.folder(of: $0) != path }
        case .promised(let text):
            promises += 1
            check(text)
            // The next promise covers bytes that are newer than this flush.
            dirty.formUnion(mapped)
        }
    }

    private mutating func check(_ text: String) {
        for path in known.filter(isDependency).sorted() {
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

    private mutating func addName(_ path: String) {
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
        addName(other)
        if isDirty { dirty.insert(other) }
        if isMapped { mapped.insert(other) }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
