// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation

/// A temporary folder for a collector that keeps no data.
///
/// The folder is in memory if the system has an in-memory file system, otherwise on disk. It belongs to one process,
/// which holds a lock in the folder until this object is released. ``remove()`` deletes the folder; folders left behind
/// by killed processes are deleted when the next one is created. Thread-safe.
final class EphemeralFolder: Sendable {
    /// The folder, as an absolute path.
    let path: String
    /// The descriptor that holds the lock.
    private let owner: Int32

    /// The minimum free space of an in-memory file system in bytes.
    ///
    /// Containers often have an in-memory file system of only 64 MiB, which is not used.
    private static let wantedBytes: Int64 = 256 << 20
    /// The options for a small intake log.
    ///
    /// A reset frees the space of full segments.
    static let intake: IntakeOptions = {
        var options = IntakeOptions()
        options.segmentBytes = 4 << 20
        options.reserveBytes = 16 << 20
        return options
    }()

    private static let prefix = "collector-"
    private static let lockName = "/owner.lock"

    /// Creates a folder, and removes the folders of processes that have ended.
    ///
    /// - Parameters:
    ///   - environment: The process's environment: `TMPDIR`.
    ///   - memory: The path at which an in-memory file system may be mounted.
    /// - Throws: ``CommandFailure`` `cannotCreate`.
    static func make(
        environment: [String: String],
        memory: String = "/dev/shm"
    ) throws(CommandFailure) -> EphemeralFolder {
        var places: [String] = []
        if isUsableMemoryFileSystem(memory) { places.append(memory) }
        if let temporary = environment["TMPDIR"], temporary.hasPrefix("/") { places.append(temporary) }
        places.append("/tmp")
        var first: CommandFailure?
        for place in places {
            do throws(CommandFailure) {
                return try EphemeralFolder(in: place)
            } catch {
                first = first ?? error
            }
        }
        throw first ?? CommandFailure(.cannotCreate, "no location for a temporary folder is available")
    }

    /// Creates a folder below `place`, inside a folder private to this user.
    ///
    /// - Throws: ``CommandFailure`` `cannotCreate`.
    init(in place: String) throws(CommandFailure) {
        let parent = (place == "/" ? "" : place) + "/trackway-ephemeral-\(geteuid())"
        try Self.makeParent(parent)
        // Prevent other processes from removing the new folder before its owner holds the lock in the folder.
        let gate = open(parent + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard gate >= 0, flock(gate, LOCK_EX) == 0 else { throw Self.failure("lock", parent) }
        defer { close(gate) }
        Self.removeOrphans(in: parent)
        var template = Array((parent + "/" + Self.prefix + "XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw Self.failure("create a folder in", parent) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        owner = open(path + Self.lockName, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard owner >= 0, flock(owner, LOCK_EX | LOCK_NB) == 0 else { throw Self.failure("lock", path) }
    }

    deinit {
        close(owner)
    }

    /// Removes the folder and its contents.
    ///
    /// Contents that cannot be removed are removed when the next folder is created.
    func remove() {
        Self.remove(path)
    }

    /// Creates the user's parent folder, and checks that it is private.
    ///
    /// The check is necessary because every user can write to the folder's location.
    private static func makeParent(_ parent: String) throws(CommandFailure) {
        guard mkdir(parent, 0o700) == 0 || errno == EEXIST else { throw failure("create", parent) }
        // For a symbolic link, these are the attributes of the link.
        let found = try? FileManager.default.attributesOfItem(atPath: parent)  // deleted in the meantime: unusable
        guard let found, found[.type] as? FileAttributeType == .typeDirectory,
            (found[.ownerAccountID] as? NSNumber)?.uint32Value == geteuid(),
            let rights = (found[.posixPermissions] as? NSNumber)?.uint16Value, rights & 0o077 == 0
        else {
            throw CommandFailure(
                .cannotCreate,
                "\(parent) is not a folder that only this user can access",
                remedy: "remove it, or set TMPDIR to another folder"
            )
        }
    }

    /// Removes the folders of processes that have ended.
    ///
    /// The caller holds the lock of `parent`.
    private static func removeOrphans(in parent: String) {
        // Treat an unreadable folder as empty.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let folder = parent + "/" + name
            let lock = open(folder + lockName, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            // A folder without a lock file belongs to a process that was killed before it created the file.
            if lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0 { remove(folder) }
            if lock >= 0 { close(lock) }
        }
    }

    private static func remove(_ folder: String) {
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            // The next process tries again.
        }
    }

    /// Whether an in-memory file system with enough space is mounted at a path.
    private static func isUsableMemoryFileSystem(_ path: String) -> Bool {
        guard let mounts = try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8) else {
            return false  // without the list, assume that no file system is in memory
        }
        let isInMemory = mounts.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 2 && fields[1] == path && fields[2] == "tmpfs"
        }
        guard isInMemory, access(path, W_OK) == 0 else { return false }
        var space = statvfs()
        guard statvfs(path, &space) == 0 else { return false }
        return Int64(clamping: space.f_bavail) * Int64(clamping: space.f_frsize) >= wantedBytes
    }

    private static func failure(_ verb: String, _ path: String) -> CommandFailure {
        CommandFailure(
            .cannotCreate,
            "cannot \(verb) \(path): \(String(cString: strerror(errno)))",
            remedy: "set TMPDIR to a writable folder"
        )
    }
}
