// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Foundation

/// A folder for a collector that keeps nothing: in memory where the system has a file system there, else a temporary one.
///
/// It belongs to one process, which holds a lock in it for as long as it lives. ``remove()`` takes it away; what processes left
/// behind that were killed goes when the next one is made. Safe from any thread.
final class EphemeralFolder: Sendable {
    /// The folder, as an absolute path.
    let path: String
    /// The descriptor that holds the lock.
    private let owner: Int32

    /// Free bytes that a file system in memory must have to be chosen: containers often have one of 64 MiB.
    private static let wantedBytes: Int64 = 256 << 20
    /// An intake log that takes little: what fills a segment is given back at a reset.
    static let intake: IntakeOptions = {
        var options = IntakeOptions()
        options.segmentBytes = 4 << 20
        options.reserveBytes = 16 << 20
        return options
    }()

    private static let prefix = "collector-"
    private static let lockName = "/owner.lock"

    /// Makes a folder, and removes those whose owners are gone.
    ///
    /// - Parameters:
    ///   - environment: the process's environment: `TMPDIR`.
    ///   - memory: where a file system in memory may be mounted.
    /// - Throws: ``CommandFailure`` `cannotCreate`.
    static func make(
        environment: [String: String],
        memory: String = "/dev/shm"
    ) throws(CommandFailure) -> EphemeralFolder {
        var places: [String] = []
        if isRoomy(memory) { places.append(memory) }
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
        throw first ?? CommandFailure(.cannotCreate, "there is no place for a temporary folder")
    }

    /// Makes a folder below `place`, in one that belongs to this user alone.
    ///
    /// - Throws: ``CommandFailure`` `cannotCreate`.
    init(in place: String) throws(CommandFailure) {
        let parent = (place == "/" ? "" : place) + "/trackway-ephemeral-\(geteuid())"
        try Self.makeOwn(parent)
        // Nobody removes a folder between its making and the moment its owner holds the lock in it.
        let gate = open(parent + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard gate >= 0, flock(gate, LOCK_EX) == 0 else { throw Self.failure("lock", parent) }
        defer { close(gate) }
        Self.removeOrphans(in: parent)
        var template = Array((parent + "/" + Self.prefix + "XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw Self.failure("make a folder in", parent) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        owner = open(path + Self.lockName, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard owner >= 0, flock(owner, LOCK_EX | LOCK_NB) == 0 else { throw Self.failure("lock", path) }
    }

    deinit {
        close(owner)
    }

    /// Removes the folder and all in it. What cannot be removed now goes when the next one is made.
    func remove() {
        Self.remove(path)
    }

    /// Makes the folder that holds this user's, and sees that it is nobody else's: it lies where everybody may write.
    private static func makeOwn(_ parent: String) throws(CommandFailure) {
        guard mkdir(parent, 0o700) == 0 || errno == EEXIST else { throw failure("make", parent) }
        // Of a symbolic link these are its own.
        let found = try? FileManager.default.attributesOfItem(atPath: parent)  // gone again: as if it were another's
        guard let found, found[.type] as? FileAttributeType == .typeDirectory,
            (found[.ownerAccountID] as? NSNumber)?.uint32Value == geteuid(),
            let rights = (found[.posixPermissions] as? NSNumber)?.uint16Value, rights & 0o077 == 0
        else {
            throw CommandFailure(
                .cannotCreate,
                "\(parent) is not a folder of this user alone",
                remedy: "remove it, or name another place in TMPDIR"
            )
        }
    }

    /// Removes the folders whose owners do not live any more. The caller holds the lock of `parent`.
    private static func removeOrphans(in parent: String) {
        // A folder that cannot be read has nothing to remove.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let folder = parent + "/" + name
            let lock = open(folder + lockName, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            // Without a lock its owner was killed before it had one.
            if lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0 { remove(folder) }
            if lock >= 0 { close(lock) }
        }
    }

    private static func remove(_ folder: String) {
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            // Whoever comes next tries again.
        }
    }

    /// Whether a path is where a file system in memory is mounted, with room.
    private static func isRoomy(_ path: String) -> Bool {
        guard let mounts = try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8) else {
            return false  // a system without the list: nothing is known to lie in memory
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
            remedy: "name a folder that you may write in TMPDIR"
        )
    }
}
