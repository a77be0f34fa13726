// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
package import TrackwayJournal
package import TrackwayLifecycle

/// An SDK that an app used before this one.
///
/// `TrackwayMigration` implements it, so that only apps with a compatibility module link the code of migrations.
package protocol MigrationSource: Sendable {
    /// Creates the migrator of one installation.
    func makeMigrator(
        _ configuration: Configuration,
        in dependencies: Dependencies,
        _ reporter: DiagnosticReporter
    ) -> any InstallationMigrator
}

/// Migrates the state of the app's older SDK, once.
///
/// The steps, in order: ``begin()``, before the installation has an identity; ``change``, which is applied to the
/// settings; ``finishSettings(isPersisted:)``; ``importEvents(_:)``, before delivery begins.
package protocol InstallationMigrator: Sendable {
    /// The initial state of the lifecycle state machines: the older SDK's, or empty.
    var initialLifecycle: LifecycleStateMachine { get }
    /// A closure that migrates the older SDK's state into the settings.
    ///
    /// nil if nothing is to be migrated.
    var change: (@Sendable (inout Settings) -> Void)? { get }
    /// Whether pending events of the older SDK are to be imported.
    var hasPendingImport: Bool { get }

    /// Returns dependencies whose facts always include the older SDK's data.
    func completing(_ dependencies: Dependencies) -> Dependencies
    /// Determines what to migrate.
    ///
    /// Called before the installation gets an identity, and again if its folder could not be used.
    func begin()
    /// Adds data about the app and the device that only the older SDK had.
    func complete(_ context: inout RecordedContext)
    /// Removes the data that ``complete(_:)`` adds.
    func forget(in context: inout RecordedContext)
    /// Stores what the settings do not contain, and reports what was migrated.
    ///
    /// - Parameter isPersisted: Whether the settings are on disk; if they are not, the next start repeats everything.
    func finishSettings(isPersisted: Bool)
    /// Records the older SDK's pending events in order.
    ///
    /// Runs on the storage queue.
    func importEvents(_ contextStore: ContextStore)
    /// Prevents further migration, because all data is being erased.
    func cancelMigration() throws(StorageError)
}

extension InstallationMigrator {
    /// Migrates users and global attributes into writable settings, then stores the rest.
    func migrate(into settings: SettingsFile) {
        guard let change else { return }
        let (_, failure) = settings.changeWithoutReporting(change)
        if let failure { settings.report(failure) }
        finishSettings(isPersisted: failure == nil)
    }
}

extension Analytics {
    /// The migrator of the older SDK's state.
    package var migrator: any InstallationMigrator { storage.migrator }
}

/// The migrator of an app without an older SDK.
struct NoMigration: InstallationMigrator {
    /// The record of a migration that must not continue, in the format of `TrackwayMigration`.
    private struct ClosedRecord: Sendable, Codable {
        var version = 1
        var stage = "closed"
        var row: Int64 = 0
    }

    private let file: StateFile<ClosedRecord>

    init(in dependencies: Dependencies) {
        file = StateFile("takeover", in: dependencies.folder, of: dependencies.storage, format: .json)
    }

    var initialLifecycle: LifecycleStateMachine { LifecycleStateMachine() }
    var change: (@Sendable (inout Settings) -> Void)? { nil }
    var hasPendingImport: Bool { false }

    func completing(_ dependencies: Dependencies) -> Dependencies { dependencies }
    func begin() {}
    func complete(_: inout RecordedContext) {}
    func forget(in _: inout RecordedContext) {}
    func finishSettings(isPersisted _: Bool) {}
    func importEvents(_: ContextStore) {}

    /// Closes the record of an earlier version of the app, which had a compatibility module.
    func cancelMigration() throws(StorageError) {
        guard file.storedValue != nil else { return }
        try file.write(ClosedRecord())
    }
}
