// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import GRDB

/// The schema of an index file, compared with the schema of this version of the collector.
public enum IndexVersion: Sendable, Hashable {
    /// The schema is the one that this version uses.
    case current
    /// A collector of this version changes the schema when it starts.
    ///
    /// - Parameter rebuilds: Whether it builds the index again from the log, which takes time.
    case older(rebuilds: Bool)
    /// The schema was created by a newer version, and this version does not open the file.
    case newer
    /// The file cannot be read, with the reason.
    case unreadable(String)

    /// Reads the schema of the file at `path`, also while a collector uses the file.
    ///
    /// The file is not changed.
    public static func of(path: String) -> IndexVersion {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.label = "index-version"
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let version = try queue.read { database -> IndexVersion in
                if try IndexSchema.migrator.hasBeenSuperseded(database) { return .newer }
                if try IndexSchema.migrator.hasCompletedMigrations(database) { return .current }
                let steps = try IndexSchema.migrator.appliedIdentifiers(database)
                return .older(rebuilds: !steps.contains(IndexMigration.lastRenewal.rawValue))
            }
            try queue.close()
            return version
        } catch {
            return .unreadable("\(error)")
        }
    }
}
