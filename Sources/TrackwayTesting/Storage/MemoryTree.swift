// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The folders and files of a ``MemoryStorage``: what a process sees, and which names power loss would leave.
///
/// As unkind as a file system may be: a new, moved or removed name is durable only after its folder was flushed, a
/// folder's own name only after the folder above it was, and what a failed flush covered counts as clean though it is
/// lost. Only the root is always there.
struct MemoryTree: Sendable {
    /// What a name stands for.
    enum Node: Sendable {
        case file(MemoryFile)
        case folder(Int)

        /// Whether both are the same file or folder, whatever they are called.
        func isSame(as other: Node?) -> Bool {
            switch (self, other) {
            case (.file(let one), .file(let two)?): one === two
            case (.folder(let one), .folder(let two)?): one == two
            default: false
            }
        }
    }

    struct Folder: Sendable {
        /// The names as a process sees them.
        var names: [String: Node] = [:]
        /// The names as power loss would leave them.
        var flushed: [String: Node] = [:]
        /// Names whose change a failed flush covered: no later flush writes it, unless it changes again.
        var lost: Set<String> = []
    }

    static let root = 0

    private(set) var folders: [Int: Folder] = [root: Folder()]
    private var lastFolder = root
    /// Folders whose changes somebody wants to know.
    var watched: Set<Int> = []
    /// Names in those that got another meaning since this was emptied last.
    var changed: [(folder: Int, name: String)] = []

    // MARK: Finding

    static func parts(_ path: String) -> [Substring] {
        path.split(separator: "/")
    }

    /// The folder that holds a path's last name, and that name; nil when there is no such folder.
    func place(of path: String) -> (folder: Int, name: String)? {
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
        guard let place = place(of: path) else { return nil }
        return folders[place.folder]?.names[place.name]
    }

    func file(at path: String) -> MemoryFile? {
        guard case .file(let file)? = node(at: path) else { return nil }
        return file
    }

    func names(in path: String) -> [String] {
        folder(at: path).flatMap { folders[$0] }.map { Array($0.names.keys) } ?? []
    }

    /// All files a process sees, by path.
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

    /// Makes a folder and those above it; a file in the way stays what it is.
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

    /// Gives a name another meaning; nil removes it. Volatile until the folder is flushed.
    mutating func set(_ name: String, in folder: Int, to node: Node?) {
        folders[folder]?.names[name] = node
        folders[folder]?.lost.remove(name)
        if watched.contains(folder) { changed.append((folder, name)) }
    }

    /// Puts another content object in a file's place, in every sense: what was flushed under the name stays flushed.
    mutating func exchange(_ old: MemoryFile, for fresh: MemoryFile, named name: String, in folder: Int) {
        if Node.file(old).isSame(as: folders[folder]?.flushed[name]) { folders[folder]?.flushed[name] = .file(fresh) }
        folders[folder]?.names[name] = .file(fresh)
    }

    /// Forgets what an empty folder was called.
    mutating func removeFolder(_ name: String, in folder: Int) {
        set(name, in: folder, to: nil)
    }

    // MARK: Flushing

    /// Makes every name of a folder durable, except those that a failed flush has lost.
    mutating func flush(_ id: Int) {
        guard var folder = folders[id] else { return }
        for name in Set(folder.names.keys).union(folder.flushed.keys) where !folder.lost.contains(name) {
            folder.flushed[name] = folder.names[name]
        }
        folders[id] = folder
    }

    /// A flush of a folder fails: the changes it covered are lost, and count as clean from now on.
    mutating func loseNames(of id: Int) {
        guard let folder = folders[id] else { return }
        for name in Set(folder.names.keys).union(folder.flushed.keys) {
            let isClean =
                folder.names[name].map { $0.isSame(as: folder.flushed[name]) } ?? (folder.flushed[name] == nil)
            if !isClean { folders[id]?.lost.insert(name) }
        }
    }

    // MARK: Accidents

    /// The tree after a kill: everything that was written, in files of its own.
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

    /// The tree after power loss: what is durable, all the way from the root.
    func afterPowerLoss(_ loss: PowerLoss) -> MemoryTree {
        var random = SeededGenerator(seed: 0)
        if case .someUnflushed(let seed) = loss { random = SeededGenerator(seed: seed) }
        var left = MemoryTree()
        var open: [(old: Int, new: Int)] = [(Self.root, Self.root)]
        while let next = open.popLast() {
            guard let folder = folders[next.old] else { continue }
            // Sorted: the same seed must decide the same way every time, and a dictionary's order differs per process.
            for name in Set(folder.names.keys).union(folder.flushed.keys).sorted() {
                var survivor = folder.flushed[name]
                if case .someUnflushed = loss, !folder.lost.contains(name), random.nextBool() {
                    survivor = folder.names[name]
                }
                switch survivor {
                case nil: continue
                case .file(let file):
                    let content = file.remains(loss, &random)
                    left.plant(.file(MemoryFile(content: content, flushed: content)), name, in: next.new)
                case .folder(let old):
                    left.lastFolder += 1
                    left.folders[left.lastFolder] = Folder()
                    left.plant(.folder(left.lastFolder), name, in: next.new)
                    open.append((old, left.lastFolder))
                }
            }
        }
        return left
    }

    /// Adds a name that is durable already.
    private mutating func plant(_ node: Node, _ name: String, in folder: Int) {
        folders[folder]?.names[name] = node
        folders[folder]?.flushed[name] = node
    }
}
