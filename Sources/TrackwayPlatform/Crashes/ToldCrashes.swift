// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a crash is recognised by when somebody else tells of it, too.
package struct CrashTraits: Sendable, Hashable {
    /// Whether the system told, or the process itself.
    package var isFromSystem: Bool
    /// The signal that ended the process; nil when it is unknown, or nothing ended.
    package var signal: Int?
    /// The process's number.
    package var process: Int?
    /// When, in milliseconds of the wall clock: not before the one and not after the other.
    package let began: Int64
    package let ended: Int64
    /// The UUID of the app's executable; nil when it is not known which image that is.
    package var executable: String?
    /// UUIDs of images that calls lie in.
    package var images: Set<String>

    /// Traits of these parts.
    package init(
        isFromSystem: Bool,
        signal: Int?,
        process: Int? = nil,
        began: Int64,
        ended: Int64,
        executable: String? = nil,
        images: Set<String> = []
    ) {
        self.isFromSystem = isFromSystem
        self.signal = signal
        self.process = process
        self.began = Self.bounded(began)
        self.ended = Self.bounded(ended)
        self.executable = executable
        self.images = images
    }

    /// Times can be added and subtracted, whatever a damaged file says.
    private static func bounded(_ time: Int64) -> Int64 { min(max(time, -(1 << 53)), 1 << 53) }

    /// How far apart the clocks of two who saw the same may say it was.
    private static let tolerance: Int64 = 60_000

    /// Whether both tell of the same crash, one from within and one from without.
    package func isTwin(of other: CrashTraits) -> Bool {
        guard isFromSystem != other.isFromSystem, let signal, signal == other.signal else { return false }
        if let process, let another = other.process, process != another { return false }
        guard began - Self.tolerance <= other.ended, other.began - Self.tolerance <= ended else { return false }
        return Self.fits(executable, other.images) && Self.fits(other.executable, images)
    }

    /// A process that runs an executable has calls in it.
    private static func fits(_ executable: String?, _ images: Set<String>) -> Bool {
        guard let executable, !images.isEmpty else { return true }
        return images.contains(executable)
    }
}

/// The crashes that were told and that somebody else may tell again: the system does, up to a day later.
///
/// Each is met once: of two crashes in a row, told twice each, two remain. What differs in the process's number, the signal, the time
/// or the executable is another crash.
package struct ToldCrashes: Sendable, Hashable {
    /// Oldest first.
    package private(set) var crashes: [CrashTraits] = []

    /// Crashes remembered at most, and for how long: the system tells within a day, of days gone by too.
    private static let most = 32
    private static let longest: Int64 = 8 * 86_400_000

    /// Nothing was told.
    package init() {}

    /// Remembers a crash that was told.
    package mutating func note(_ crash: CrashTraits) {
        guard crash.signal != nil else { return }
        crashes.removeAll { $0.ended < crash.ended - Self.longest }
        crashes.append(crash)
        if crashes.count > Self.most { crashes.removeFirst(crashes.count - Self.most) }
    }

    /// What was told of the same crash by the other side, if it was. That one is met then, and meets no second.
    package mutating func meet(_ crash: CrashTraits) -> CrashTraits? {
        let twins = crashes.indices.filter { crashes[$0].isTwin(of: crash) }
        // Of several, the one nearest in time.
        let nearest = twins.min { crash.distance(to: crashes[$0]) < crash.distance(to: crashes[$1]) }
        return nearest.map { crashes.remove(at: $0) }
    }
}

extension CrashTraits {
    fileprivate func distance(to other: CrashTraits) -> Int64 { abs(ended - other.ended) }
}

// MARK: The file

extension ToldCrashes {
    private static let mark = "trackway-told 1"

    /// Reads a file; what makes no sense is left out.
    package init(_ bytes: [UInt8]) {
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").makeIterator()
        guard let first = lines.next(), first == Self.mark else { return }
        while let line = lines.next() {
            if let crash = CrashTraits(line: line) { crashes.append(crash) }
        }
    }

    /// The file's content.
    package var bytes: [UInt8] { Array(([Self.mark] + crashes.map(\.line)).joined(separator: "\n").utf8) }
}

extension CrashTraits {
    fileprivate init?(line: Substring) {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 7, let began = Int64(parts[3]), let ended = Int64(parts[4]) else { return nil }
        self.init(
            isFromSystem: parts[0] == "system",
            signal: Int(parts[1]),
            process: Int(parts[2]),
            began: began,
            ended: ended,
            executable: parts[5] == "-" ? nil : String(parts[5]),
            images: Set(parts[6].split(separator: ",").map(String.init)).subtracting(["-"])
        )
    }

    fileprivate var line: String {
        let images = images.sorted().prefix(256).joined(separator: ",")
        return [
            isFromSystem ? "system" : "own", signal.map(String.init) ?? "-", process.map(String.init) ?? "-",
            String(began), String(ended), executable ?? "-", images.isEmpty ? "-" : images,
        ].joined(separator: " ")
    }
}
