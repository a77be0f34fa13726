// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A result of `trackway doctor`: what was checked, and what to do about it.
struct DoctorFinding: Sendable, Hashable {
    /// The severity of a finding.
    enum Status: String, Sendable, Hashable, CaseIterable {
        /// Nothing is wrong.
        case ok
        /// The check was not possible, for the stated reason.
        case skipped
        /// Something will become a fault, or reduces the value of the answers.
        case warning
        /// Something does not work, or exposes data.
        case fault
    }

    /// The subject of a check.
    enum Check: String, Sendable, Hashable, CaseIterable {
        case address, certificate, clock, key, proxy, intake, index, disk, load, alerts, folder, keys
    }

    var check: Check
    var status: Status
    /// The stable name of the fault, such as `clock_wrong`; `ok` if nothing is wrong.
    var name: String
    /// What was found, as a sentence.
    var message: String
    /// What to do, as a sentence; empty if nothing is wrong.
    var remedy: String

    /// Creates a finding without a fault.
    static func ok(_ check: Check, _ message: String) -> DoctorFinding {
        DoctorFinding(check: check, status: .ok, name: "ok", message: message, remedy: "")
    }

    /// Creates a finding for a check that was not possible.
    static func skipped(_ check: Check, _ message: String, _ remedy: String) -> DoctorFinding {
        DoctorFinding(check: check, status: .skipped, name: "skipped", message: message, remedy: remedy)
    }

    /// Creates a warning.
    static func warning(_ check: Check, _ name: String, _ message: String, _ remedy: String) -> DoctorFinding {
        DoctorFinding(check: check, status: .warning, name: name, message: message, remedy: remedy)
    }

    /// Creates a fault.
    static func fault(_ check: Check, _ name: String, _ message: String, _ remedy: String) -> DoctorFinding {
        DoctorFinding(check: check, status: .fault, name: name, message: message, remedy: remedy)
    }

    /// The finding as JSON.
    var json: JSONValue {
        .members(
            ("check", .string(check.rawValue)),
            ("status", .string(status.rawValue)),
            ("code", .string(name)),
            ("message", .string(message)),
            ("remedy", .string(remedy))
        )
    }
}

extension [DoctorFinding] {
    /// The exit status: `negative` for a fault, `degraded` for warnings only.
    var exitStatus: CommandStatus {
        if contains(where: { $0.status == .fault }) { return .negative }
        return contains { $0.status == .warning } ? .degraded : .success
    }
}

/// Sizes at which a disk counts as nearly full.
struct DiskThreshold: Sendable, Hashable {
    /// The number of free bytes.
    var free: Int64
    /// The size of the disk in bytes.
    var size: Int64
    /// The number of free bytes below which the collector refuses batches.
    var reserve: Int64

    private static let gibibyte: Int64 = 1 << 30

    /// Returns the finding about the disk at a place, such as a folder.
    func finding(_ place: String) -> DoctorFinding {
        let text = "\(Self.text(free)) of \(Self.text(size)) are free on the disk of \(place)"
        if free < reserve {
            return .fault(
                .disk,
                "disk_reserve",
                "\(text), less than the reserve of \(Self.text(reserve)): no batch is accepted.",
                "Free space there; the collector then continues without a restart. \(Self.limits)"
            )
        }
        if free < max(2 * reserve, min(size / 20, 10 * Self.gibibyte)) {
            return .fault(
                .disk,
                "disk_low",
                "\(text); below \(Self.text(reserve)), no batch is accepted.",
                "Free space there. \(Self.limits)"
            )
        }
        if free < max(4 * reserve, min(size / 10, 20 * Self.gibibyte)) {
            return .warning(.disk, "disk_filling", "\(text).", "Plan for more space. \(Self.limits)")
        }
        return .ok(.disk, "\(text).")
    }

    private static let limits = "Limit what is stored with `trackway serve --keep 90d`."

    /// Returns a size with a binary unit, such as `12.5 GiB`.
    static func text(_ bytes: Int64) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
        var (value, unit) = (Double(max(0, bytes)), 0)
        while value >= 1_024, unit < units.count - 1 { (value, unit) = (value / 1_024, unit + 1) }
        guard unit > 0 else { return "\(max(0, bytes)) B" }
        let tenths = Int64((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}

/// Sizes at which the write-ahead log of an index counts as too large.
enum WriteAheadLogThreshold {
    /// The size above which something prevents the log from being copied.
    ///
    /// The collector restarts the log near 256 MiB.
    static let bytes: Int64 = 1 << 30

    /// Returns the finding about a write-ahead log, or nil if its size is normal.
    static func finding(_ size: Int64) -> DoctorFinding? {
        guard size > bytes else { return nil }
        return .fault(
            .index,
            "wal_large",
            "The write-ahead log of the index (index.sqlite-wal) has \(DiskThreshold.text(size)); "
                + "normal are at most 256 MiB.",
            "End other programs that read index.sqlite, then restart the collector, which copies the log into the index."
        )
    }
}
