// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
package import TrackwayJournal
internal import TrackwayLifecycle

/// The installation's folder and everything persisted in it: journal, settings, registered queues.
///
/// The other pipelines build on this storage, which does not depend on recording, delivery or the app's lifecycle.
package final class InstallationStorage: Sendable {
    let dependencies: Dependencies
    let reporter: DiagnosticReporter
    /// The queue for reading and writing files off the recording threads.
    package let queue: StorageQueue
    package let journal: Journal
    let settings: SettingsFile
    let registry: QueueRegistry
    package let commits: GroupCommitter
    let backup: InstallationBackup
    let migrator: any InstallationMigrator

    /// Opens the folder, or buffers in memory until it becomes usable.
    ///
    /// - Throws: ``TrackwayError`` if the folder cannot be used and waiting would not help.
    init(_ configuration: Configuration, _ dependencies: Dependencies) throws(TrackwayError) {
        let base = try dependencies.labelling(events: configuration.eventLogLabel).encrypting(configuration)
        // A preview stores and sends nothing by design, so it reports only the code `previewed`.
        let only = base.isPreview ? Diagnostic.Code.previewed : nil
        let reporter = DiagnosticReporter(configuration.onDiagnostic, log: base.log, only: only)
        let migrator =
            configuration.legacySDK?.makeMigrator(configuration, in: base, reporter) ?? NoMigration(in: base)
        let dependencies = migrator.completing(base)
        let queue = StorageQueue(label: "trackway.storage")
        let registry = QueueRegistry(configuration, dependencies, queue, reporter)
        InstallationBackup.restoreIdentity(dependencies)
        CopiedFolder(dependencies)?.startNewInstallationIfCopied(dependencies, rules: ConsentRules(configuration)) {
            () throws(TrackwayError) in
            try Self.openJournal(configuration, dependencies, registry)
        }
        // Migration decides whether the installation is new, so it runs before the journal assigns an id.
        migrator.begin()
        let journal = try Self.openJournal(configuration, dependencies, registry)
        let folder = dependencies.folder
        journal.reportRestorations { recorded in
            reporter.report(Diagnostic(folderRemoved: folder, recorded: recorded))
        }
        settings = try Self.openSettings(configuration, dependencies, queue, reporter)
        migrator.migrate(into: settings)
        commits = GroupCommitter(on: queue) {
            do throws(JournalError) {
                try journal.synchronize()
                return nil
            } catch {
                return error
            }
        }
        backup = InstallationBackup(dependencies, journal)
        self.dependencies = dependencies
        self.reporter = reporter
        self.queue = queue
        self.journal = journal
        self.registry = registry
        self.migrator = migrator
    }

    private static func openJournal(
        _ configuration: Configuration,
        _ dependencies: Dependencies,
        _ registry: QueueRegistry
    ) throws(TrackwayError) -> Journal {
        do throws(JournalError) {
            return try Journal(
                JournalConfiguration(
                    folder: dependencies.folder,
                    destinations: configuration.destinations.map(\.id),
                    expected: registry.expected,
                    appManaged: registry.expectedLocalDestinations.union(
                        configuration.destinations.filter(\.isLocal).map(\.id)
                    ),
                    maximumBytes: configuration.storage.maximumBytes,
                    maximumAppManagedBytes: configuration.storage.maximumLocalDestinationBytes,
                    maximumAge: configuration.storage.maximumAge,
                    segmentBytes: dependencies.segmentBytes
                ),
                clock: dependencies.clock,
                bootID: dependencies.facts.boot,
                storage: dependencies.storage,
                isTemporary: { dependencies.availability?.isTemporary($0) ?? false }
            )
        } catch {
            throw TrackwayError(
                .storageUnavailable,
                "The storage folder \(dependencies.folder) cannot be used.",
                recoverySuggestion: "Make it writable, or configure another storage.folder.",
                cause: error
            )
        }
    }

    private static func openSettings(
        _ configuration: Configuration,
        _ dependencies: Dependencies,
        _ queue: StorageQueue,
        _ reporter: DiagnosticReporter
    ) throws(TrackwayError) -> SettingsFile {
        do throws(StorageError) {
            return try SettingsFile(
                ConsentRules(configuration),
                folder: dependencies.folder,
                storage: dependencies.storage,
                queue: queue,
                reporter: reporter,
                isTemporary: { dependencies.availability?.isTemporary($0) ?? false }
            )
        } catch {
            guard error.code != .encrypted else {
                throw TrackwayError(
                    .encryptionKeyMissing,
                    "Consent and identity in \(dependencies.folder) are encrypted with a key that "
                        + "Configuration.storage.encryption does not have. Nothing was changed.",
                    recoverySuggestion: "Set the folder's key in Configuration.storage.encryption.",
                    cause: error
                )
            }
            throw TrackwayError(
                .storageUnavailable,
                "Consent and identity in \(dependencies.folder) exist but cannot be read now. Nothing was changed.",
                recoverySuggestion: "Try again when the folder is accessible.",
                cause: error
            )
        }
    }
}
