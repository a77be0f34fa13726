// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import Foundation

/// A collector's data folder.
public struct CollectorFolder: Sendable, Hashable {
    /// The folder, as an absolute path.
    public var path: String

    /// Determines the folder from the option, the environment, or the default.
    ///
    /// The first of these that is set takes precedence.
    ///
    /// - Parameters:
    ///   - option: The value of `--data`, or nil.
    ///   - environment: The process's environment: `TRACKWAY_DATA`, `XDG_DATA_HOME`, `HOME`.
    public init(option: String?, environment: [String: String]) {
        let home = environment["HOME"] ?? "/tmp"
        let chosen: String
        if let option {
            chosen = option
        } else if let data = environment["TRACKWAY_DATA"], !data.isEmpty {
            chosen = data
        } else if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            chosen = data + "/trackway/collector"
        } else {
            chosen = home + "/.local/share/trackway/collector"
        }
        let expanded = chosen == "~" || chosen.hasPrefix("~/") ? home + chosen.dropFirst() : chosen
        path = URL(fileURLWithPath: expanded).standardizedFileURL.path
    }

    /// The folder of the intake log.
    public var intake: String { path + "/intake" }
    /// The index file, which can be rebuilt from the intake log.
    public var index: String { path + "/index.sqlite" }
    /// The folder with the plans and receipts of erasures.
    var erasures: String { path + "/erasures" }
    /// The file with the secret for the hashes and signatures of erasures.
    var erasureKey: String { path + "/erasure-key" }
    /// The file that contains the hashed keys.
    var keys: String { path + "/keys" }

    /// The file that names the stream from which the index was built.
    ///
    /// Only a collector of a cluster writes this file.
    public var indexSource: String { path + "/stream.json" }
    /// The lock file of a cluster's collector, which has no intake log.
    public var clusterLock: String { path + "/stream.lock" }

    /// The file that contains the boards.
    ///
    /// Boards are not part of the index, because they cannot be rebuilt.
    var boards: String { path + "/boards.json" }

    /// The file that contains the cohorts.
    ///
    /// Cohorts are not part of the index, because they cannot be rebuilt.
    var cohorts: String { path + "/cohorts.json" }

    /// The file that contains the alerts and their secrets.
    ///
    /// Alerts are not part of the index, because they cannot be rebuilt.
    var alerts: String { path + "/alerts.json" }
    /// The file that contains the alert states.
    var alertStates: String { path + "/alert-states.json" }

    /// The remote configuration for Sensors Analytics clients, if the operator has provided one.
    var sensorsConfiguration: String { path + "/sensors-config.json" }

    /// The file that contains the applications' usage report policies.
    var usagePolicies: String { path + "/usage-policies" }

    /// Creates the folder if it does not exist.
    ///
    /// - Throws: ``CommandFailure`` `cannotCreate`, also if a restore into the folder was interrupted.
    public func make() throws(CommandFailure) {
        guard !FileManager.default.fileExists(atPath: path + "/" + RestoredFolder.markerName) else {
            let failure = RestoredFolder.unfinished(path)
            throw CommandFailure(.cannotCreate, failure.message, remedy: failure.remedy)
        }
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "cannot create the folder \(path): \(error.localizedDescription)",
                remedy: "pass a writable folder with --data or TRACKWAY_DATA"
            )
        }
    }
}

/// The option for the data folder of this machine's collector.
struct DataOptions: ParsableArguments {
    @Option(help: "The collector's folder. Default: TRACKWAY_DATA, or ~/.local/share/trackway/collector.")
    var data: String?

    /// The folder given by the option and the environment.
    var folder: CollectorFolder {
        CollectorFolder(option: data, environment: ProcessInfo.processInfo.environment)
    }
}
