// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorHTTP
internal import Foundation

/// Measures the resource usage of a collector's folder and process.
struct ResourceMeter: Sendable {
    /// The folder.
    let folder: CollectorFolder

    /// Returns the current resource usage.
    ///
    /// Values that the system does not provide are omitted.
    ///
    /// - Complexity: O(segments of the log).
    func now() -> ResourceUse {
        var use = ResourceUse()
        var disk = statvfs()
        if statvfs(folder.path, &disk) == 0 {
            use.diskFree = Int64(clamping: UInt64(disk.f_bavail) &* UInt64(disk.f_frsize))
            use.diskSize = Int64(clamping: UInt64(disk.f_blocks) &* UInt64(disk.f_frsize))
        }
        use.log = Self.bytes(in: folder.intake)
        use.index = ["", "-wal", "-shm"].compactMap { Self.bytes(of: folder.index + $0) }.reduce(nil) { ($0 ?? 0) + $1 }
        use.writeAheadLog = Self.bytes(of: folder.index + "-wal")
        use.memory = Self.memory()
        use.descriptors = Self.count(in: "/proc/self/fd")
        return use
    }

    private static func bytes(of path: String) -> Int64? {
        do {
            return (try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.int64Value
        } catch {
            return nil  // missing or unreadable
        }
    }

    private static func bytes(in path: String) -> Int64? {
        guard let names = names(in: path) else { return nil }
        return names.compactMap { bytes(of: path + "/" + $0) }.reduce(0, +)
    }

    private static func count(in path: String) -> Int64? { names(in: path).map { Int64($0.count) } }

    private static func names(in path: String) -> [String]? {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            return nil  // missing or unreadable
        }
    }

    /// Returns the resident memory of the process in bytes, from `/proc/self/statm`.
    private static func memory() -> Int64? {
        guard let text = FileManager.default.contents(atPath: "/proc/self/statm") else { return nil }
        let fields = String(decoding: text, as: UTF8.self).split(separator: " ")
        guard fields.count > 1, let pages = Int64(fields[1]) else { return nil }
        return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
