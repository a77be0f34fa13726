// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation

/// Where a collector keeps its data.
public struct CollectorFolder: Sendable, Hashable {
    /// The folder, as an absolute path.
    public var path: String

    /// The folder that an option, the environment, or the system's rules give, in this order.
    ///
    /// - Parameters:
    ///   - option: What `--data` said; nil when it was not given.
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
    /// The index, which can be rebuilt from the intake log.
    public var index: String { path + "/index.sqlite" }
    /// The hashed keys.
    var keys: String { path + "/keys" }

    /// The file that a collector of a cluster leaves: the name of the stream that the index was made of.
    public var clusterMark: String { path + "/stream.json" }
    /// The lock of a collector of a cluster, which has no intake log to lock.
    public var clusterLock: String { path + "/stream.lock" }

    /// The boards. No part of the index: they cannot be made anew.
    var boards: String { path + "/boards.json" }

    /// The alerts with their secrets, and what became of them. No part of the index either.
    var alerts: String { path + "/alerts.json" }
    var alertStates: String { path + "/alert-states.json" }

    /// The remote configuration for clients of Sensors Analytics, if the operator wrote one.
    var sensorsConfiguration: String { path + "/sensors-config.json" }

    /// What is wanted of the usage reports of each application.
    var usagePolicies: String { path + "/usage-policies" }

    /// Makes the folder when it is not there.
    ///
    /// - Throws: ``CommandFailure`` `cannotCreate`.
    public func make() throws(CommandFailure) {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "the folder \(path) cannot be made: \(error.localizedDescription)",
                remedy: "name a folder that you may write with --data or in TRACKWAY_DATA"
            )
        }
    }
}

/// Where the collector on this machine keeps its data.
struct DataOptions: ParsableArguments {
    @Option(help: "The collector's folder. Default: TRACKWAY_DATA, or ~/.local/share/trackway/collector.")
    var data: String?

    /// The folder that the options and the environment give.
    var folder: CollectorFolder {
        CollectorFolder(option: data, environment: ProcessInfo.processInfo.environment)
    }
}
