// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The visible and the flushed folders and files of a ``MemoryStorage``.
///
/// The tree behaves like the worst permissible file system: a new, moved, or removed name is durable only after its
/// folder has been flushed, and a folder's own name only after the parent folder has been flushed. Changes covered by a
/// failed flush count as clean although they are lost. Only the root always exists.
struct MemoryTree: Sendable {
    /// The file or folder with a name.
    enum Node: Sendable {
        case file(MemoryFile)
        case folder(Int)

        /// Whether both nodes are the same file or folder, regardless of their names.
        func isSame(as other: Node?) -> Bool {
            switch (self, other) {
            case (.file(let one), .file(let two)?): one === two
            case (.folder(let one), .folder(let two)?): one == two
            default: false
            }
        }
    }

    struct Folder: Sendable {
        /// The names that processes see.
        var names: [String: Node] = [:]
        /// The names that survive power loss.
        var flushed: [String: Node] = [:]
        /// Names whose change was covered by a failed flush.
        ///
        /// No later flush writes the change, unless the name changes again.
        var lost: Set<String> = []
    }

    static let root = 0

    private(set) var folders: [Int: Folder] = [root: Folder()]
    private var lastFolder = root
    /// Watched folders.
    var watched: Set<Int> = []
    /// The names that changed in watched folders since this list was last emptied.
    var changed: [(folder: Int, name: String)] = []

    // MARK: Finding

    static func parts(_ path: String) -> [Substring] {
        path.split(separator: "/")
    }

    /// Returns a path's parent folder and last name.
    ///
    /// Nil if the folder does not exist.
    func entry(at path: String) -> (folder: Int, name: String)? {
        var parts = Self.parts(path)
        guard let name = parts.popLast(), let folder = folder(parts) else { return nil }
        return (folder, String(name))
    }

    func folder(at path: String) -> Int? {
        folder(Self.parts(path))
    }

    private func folder(_ parts: [Substring]) -> Int? {
        var current = Self.root
        for part in parts {
            guard case .folder(let next)? = folders[current]?.names[String(part)] else { return nil }
            current = next
        }
        return current
    }

    func node(at path: String) -> Node? {
        guard let entry = entry(at: path) else { return nil }
        return folders[entry.folder]?.names[entry.name]
    }

    func file(at path: String) -> MemoryFile? {
        guard case .file(let file)? = node(at: path) else { return nil }
        return file
    }

    func names(in path: String) -> [String] {
        folder(at: path).flatMap { folders[$0] }.map { Array($0.names.keys) } ?? []
    }

    /// All files that processes see, by path.
    var files: [(path: String, file: MemoryFile)] {
        var found: [(path: String, file: MemoryFile)] = []
        var open: [(path: String, folder: Int)] = [("", Self.root)]
        while let next = open.popLast() {
            for (name, node) in folders[next.folder]?.names ?? [:] {
                let path = next.path + "/" + name
                switch node {
                case .file(let file): found.append((path, file))
                case .folder(let folder): open.append((path, folder))
                }
            }
        }
        return found.sorted { $0.path < $1.path }
    }

    // MARK: Changing

    /// Creates a folder and its missing parents, but replaces no file.
    mutating func makeFolder(_ path: String) {
        var current = Self.root
        for part in Self.parts(path) {
            let name = String(part)
            switch folders[current]?.names[name] {
            case .folder(let next): current = next
            case .file: return
            case nil:
                lastFolder += 1
                folders[lastFolder] = Folder()
                set(name, in: current, to: .folder(lastFolder))
                current = lastFolder
            }
        }
    }

    /// Sets the file or folder with a name; nil removes the name.
    ///
    /// The change is volatile until the folder is flushed.
    mutating func set(_ name: String, in folder: Int, to node: Node?) {
        folders[folder]?.names[name] = node
        folders[folder]?.lost.remove(name)
        if watched.contains(folder) { changed.append((folder, name)) }
    }

    /// Replaces a file object under a name, without changing its durability.
    ///
    /// If the old object's name was flushed, the flushed name refers to the new object, too.
    mutating func exchange(_ old: MemoryFile, for fresh: MemoryFile, named name: String, in folder: Int) {
        if Node.file(old).isSame(as: folders[folder]?.flushed[name]) { folders[folder]?.flushed[name] = .file(fresh) }
        folders[folder]?.names[name] = .file(fresh)
    }

    /// Removes the name of an empty folder.
    mutating func removeFolder(_ name: String, in folder: Int) {
        set(name, in: folder, to: nil)
    }

    // MARK: Flushing

    /// Makes a folder's names durable, except those lost by failed flushes.
    mutating func flush(_ id: Int) {
        guard var folder = folders[id] else { return }
        for name in Set(folder.names.keys).union(folder.flushed.keys) where !folder.lost.contains(name) {
            folder.flushed[name] = folder.names[name]
        }
        folders[id] = folder
    }

    /// Simulates a failed flush of a folder.
    ///
    /// The changes that it covered are lost, and count as clean from now on.
    mutating func loseNames(of id: Int) {
        guard let folder = folders[id] else { return }
        for name in Set(folder.names.keys).union(folder.flushed.keys) {
            let isClean =
                folder.names[name].map { $0.isSame(as: folder.flushed[name]) } ?? (folder.flushed[name] == nil)
            if !isClean { folders[id]?.lost.insert(name) }
        }
    }

    // MARK: Failures

    /// Returns the tree after a kill: everything written, in separate files.
    func copied(_ copy: (MemoryFile) -> MemoryFile) -> MemoryTree {
        var copies: [ObjectIdentifier: MemoryFile] = [:]
        func copied(_ node: Node) -> Node {
            guard case .file(let file) = node else { return node }
            if let known = copies[ObjectIdentifier(file)] { return .file(known) }
            let fresh = copy(file)
            copies[ObjectIdentifier(file)] = fresh
            return .file(fresh)
        }
        var tree = self
        tree.watched = []
        tree.changed = []
        for (id, folder) in folders {
            tree.folders[id]?.names = folder.names.mapValues(copied)
            tree.folders[id]?.flushed = folder.flushed.mapValues(copied)
        }
        return tree
    }

    /// Returns the tree after a power loss.
    ///
    /// The new tree contains everything that is durable from the root down.
    func afterPowerLoss(_ loss: PowerLoss) -> MemoryTree {
        var random = SeededGenerator(seed: 0)
        if case .someUnflushed(let seed) = loss { random = SeededGenerator(seed: seed) }
        var left = MemoryTree()
        var open: [(old: Int, new: Int)] = [(Self.root, Self.root)]
        while let next = open.popLast() {
            guard let folder = folders[next.old] else { continue }
            // Sort the names, because a dictionary's order differs between processes, but a seed must always give the
            // same result.
            for name in Set(folder.names.keys).union(folder.flushed.keys).sorted() {
                var survivor = folder.flushed[name]
                if case .someUnflushed = loss, !folder.lost.contains(name), random.nextBool() {
                    survivor = folder.names[name]
                }
                switch survivor {
                case nil: continue
                case .file(let file):
                    let content = file.contentAfterPowerLoss(loss, &random)
                    left.insertDurable(.file(MemoryFile(content: content, flushed: content)), name, in: next.new)
                case .folder(let old):
                    left.lastFolder += 1
                    left.folders[left.lastFolder] = Folder()
                    left.insertDurable(.folder(left.lastFolder), name, in: next.new)
                    open.append((old, left.lastFolder))
                }
            }
        }
        return left
    }

    /// Adds a name that is already durable.
    private mutating func insertDurable(_ node: Node, _ name: String, in folder: Int) {
        folders[folder]?.names[name] = node
        folders[folder]?.flushed[name] = node
    }
}
