// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import TrackwayEvents

/// Reads the caches that a processor uses.
struct LinuxCaches: Sendable {
    private let tree: SystemTree
    private let folder: String

    /// Reads from a tree.
    ///
    /// - Parameters:
    ///   - tree: Where the system's files lie.
    ///   - folder: The processor's folder of caches.
    init(tree: SystemTree, folder: String) {
        self.tree = tree
        self.folder = folder
    }

    /// Adds what is known to properties.
    func report(_ properties: inout DeviceProperties) {
        for cache in tree.names(in: folder) where cache.hasPrefix("index") {
            let size = tree.text("\(folder)/\(cache)/size").flatMap(Self.bytes)
            let line = tree.number("\(folder)/\(cache)/coherency_line_size").flatMap { $0 > 0 ? $0 : nil }
            switch (tree.number("\(folder)/\(cache)/level"), tree.text("\(folder)/\(cache)/type")) {
            case (1, "Data"), (1, "Unified"):
                properties[.l1DataCacheSize] = size
                properties[.cacheLineSize] = line
            case (1, "Instruction"): properties[.l1InstructionCacheSize] = size
            case (2, "Unified"), (2, "Data"): properties[.l2CacheSize] = size
            case (3, "Unified"): properties[.l3CacheSize] = size
            default: continue
            }
        }
    }

    /// A size such as "32K".
    private static func bytes(_ text: String) -> Int64? {
        guard text.last == "K", let kibibytes = Int64(text.dropLast()), (1...1 << 40).contains(kibibytes) else {
            return nil
        }
        return kibibytes * 1_024
    }
}
#endif
