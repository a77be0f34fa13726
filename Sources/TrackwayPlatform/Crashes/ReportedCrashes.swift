// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Facts by which two sources' reports of one crash are matched.
package struct CrashFingerprint: Sendable, Equatable {
    /// Whether the system reported the crash rather than the process itself.
    package var isFromSystem: Bool
    /// The signal that ended the process.
    ///
    /// Nil if it is unknown or the process did not end.
    package var signal: Int?
    /// The id of the process that crashed.
    package var process: Int?
    /// The earliest and latest possible time of the crash, in wall-clock milliseconds.
    package let began: Int64
    package let ended: Int64
    /// The UUID of the app's executable; nil if unknown.
    package var executable: String?
    /// The UUIDs of images that contain frames.
    package var images: Set<String>

    /// Creates a fingerprint from its parts.
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

    /// Clamps a time, because the file that contains it may be damaged.
    ///
    /// Clamped times can be added and subtracted without overflow.
    private static func bounded(_ time: Int64) -> Int64 { min(max(time, -(1 << 53)), 1 << 53) }

    /// The maximum difference between the clocks of the two sources, in milliseconds.
    private static let tolerance: Int64 = 60_000

    /// Whether both fingerprints describe the same crash.
    ///
    /// One crash must be reported by the process and the other by the system.
    package func isDuplicate(of other: CrashFingerprint) -> Bool {
        guard isFromSystem != other.isFromSystem, let signal, signal == other.signal else { return false }
        if let process, let another = other.process, process != another { return false }
        guard began - Self.tolerance <= other.ended, other.began - Self.tolerance <= ended else { return false }
        return Self.fits(executable, other.images) && Self.fits(other.executable, images)
    }

    /// Whether an executable is among the images.
    ///
    /// A process always has frames in its executable. If either is unknown, the result is true.
    private static func fits(_ executable: String?, _ images: Set<String>) -> Bool {
        guard let executable, !images.isEmpty else { return true }
        return images.contains(executable)
    }
}

/// Recorded crashes that the other source may report again.
///
/// The system reports a crash up to a day later. Each crash matches only one report: if two successive crashes are each
/// reported twice, two are recorded. Reports that differ in process id, signal, time, or executable describe different
/// crashes.
package struct ReportedCrashes: Sendable, Equatable {
    /// The recorded crashes, oldest first.
    package private(set) var crashes: [CrashFingerprint] = []

    /// The limits of the list.
    ///
    /// The limits are the maximum number of crashes, and their maximum age in milliseconds. The system's reports arrive
    /// within a day, but may also be about earlier days.
    private static let maximumCount = 32
    private static let maximumAge: Int64 = 8 * 86_400_000

    /// Creates an empty list.
    package init() {}

    /// Remembers a recorded crash.
    package mutating func note(_ crash: CrashFingerprint) {
        guard crash.signal != nil else { return }
        crashes.removeAll { $0.ended < crash.ended - Self.maximumAge }
        crashes.append(crash)
        if crashes.count > Self.maximumCount { crashes.removeFirst(crashes.count - Self.maximumCount) }
    }

    /// Removes and returns the matching crash of the other source, if any.
    ///
    /// The crash is removed so that it does not match a second report.
    package mutating func removeDuplicate(of crash: CrashFingerprint) -> CrashFingerprint? {
        let duplicates = crashes.indices.filter { crashes[$0].isDuplicate(of: crash) }
        // If several crashes match, use the one nearest in time.
        let nearest = duplicates.min { crash.distance(to: crashes[$0]) < crash.distance(to: crashes[$1]) }
        return nearest.map { crashes.remove(at: $0) }
    }
}

extension CrashFingerprint {
    fileprivate func distance(to other: CrashFingerprint) -> Int64 { abs(ended - other.ended) }
}

// MARK: File format

extension ReportedCrashes {
    private static let mark = "trackway-told 1"

    /// Parses a file; invalid lines are skipped.
    package init(_ bytes: [UInt8]) {
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").makeIterator()
        guard let first = lines.next(), first == Self.mark else { return }
        while let line = lines.next() {
            if let crash = CrashFingerprint(line: line) { crashes.append(crash) }
        }
    }

    /// The file's contents.
    package var bytes: [UInt8] { Array(([Self.mark] + crashes.map(\.line)).joined(separator: "\n").utf8) }
}

extension CrashFingerprint {
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
        let images = images.ordered().prefix(256).joined(separator: ",")
        return [
            isFromSystem ? "system" : "own", signal.map(String.init) ?? "-", process.map(String.init) ?? "-",
            String(began), String(ended), executable ?? "-", images.isEmpty ? "-" : images,
        ].joined(separator: " ")
    }
}
