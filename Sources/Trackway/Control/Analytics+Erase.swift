// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayJournal

extension Analytics {
    /// Erases everything about this installation, and begins a new one.
    ///
    /// Pending events, counts, the installation's id, users, global attributes and timers are removed. The device's
    /// consent decisions stay.
    ///
    /// The first event of the new installation is `_installation_erased`. Its attribute `installation` names the erased
    /// installation, so that a collector can also erase that installation. Its attribute `proof` is a secret that only
    /// the device knew, so that no one else can request the erasure. Consent applies to this event as to every other
    /// one. The event is not recorded while consent is denied or the SDK is disabled; it is recorded at the next start
    /// at which recording is allowed. The id and the secret are kept until every destination has received the event: if
    /// the process ends before that, or another erasure happens, the event is only delayed.
    ///
    /// An installation created by an SDK version without this secret has no proof, and a collector leaves its erasure
    /// to the operator (`trackway installations erase`).
    ///
    /// Stop all other processes of the installation first: data that they write cannot be erased from here.
    ///
    /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/notErased`` if not everything could be removed; another
    ///   call continues the erasure.
    public func erase() async throws(TrackwayError) {
        try await erase(for: nil)
    }

    /// Erases this process's data if another process of the app erased the installation.
    func adoptErasure() async {
        guard let successor = storage.backup.successor else { return }
        do {
            try await erase(for: successor)
        } catch {
            reporter.report(
                Diagnostic(
                    code: .storageFailing,
                    field: "erase",
                    value: "\(error)",
                    message: "Another process of the app erased the installation. This process could not erase its "
                        + "data (\(error)) and will try again at its next start."
                )
            )
        }
    }

    /// - Parameter successor: The identity that replaces the current one; nil creates a new one.
    private func erase(for successor: [UInt8]?) async throws(TrackwayError) {
        delivery.control.change { $0.eraseBegan() }
        defer { delivery.control.change { $0.eraseEnded() } }
        await delivery.control.waitUntilIdle()
        // From here on, no new event contains erased data.
        recording.contextStore.perform { [migrator = storage.migrator] transaction in
            transaction.context.global = [:]
            migrator.forget(in: &transaction.context)
        }
        saveGlobal()
        lifecycle.identity.perform { settings, _ in
            settings.forgetConsentOfPeople()
            return .init(identity: settings.identity.erase(), consent: settings.consent.erase())
        }
        lifecycle.timers.handle { machine, _ in machine.removeAll() }
        defer {
            lifecycle.controller.beginNewInstallation()
            lifecycle.snapshots?.beginNewInstallation()
        }
        let (storage, controller, snapshots) = (storage, lifecycle.controller, lifecycle.snapshots)
        let intercepted = recording.interceptors.counts
        let result = await storage.queue.run { () -> Result<InstallationID, any Error> in
            do {
                try storage.migrator.cancelMigration()
                try snapshots?.forget()
                try controller.forget()
                try storage.registry.forget { storage.journal.removeDestination($0) }
                try intercepted?.forget()
                return .success(try storage.journal.erase(for: successor).former)
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let former):
            lifecycle.identity.installationChanged()
            storage.backup.installationErased(former)
            reportErasures()
        case .failure(let error):
            throw TrackwayError(
                .notErased,
                "The installation could not be erased completely.",
                recoverySuggestion:
                    "Make the storage folder writable, stop other processes that use it, and call erase again.",
                cause: error
            )
        }
    }

    /// Records the missing `_installation_erased` events.
    ///
    /// An event is missing for the current erasure, and for an earlier erasure if its process was killed before it
    /// could record the event, if the event was not allowed to be recorded, or if another erasure dropped the event.
    func reportErasures() {
        let moment = recording.clock.now()
        lifecycle.controller.afterLaunch { [weak self] in self?.recordErasures(at: moment) }
    }

    private func recordErasures(at moment: DualTimestamp) {
        do throws(JournalError) {
            for erasure in try storage.journal.unreportedErasures() {
                var attributes: Attributes = [
                    CapturedKey.erasedInstallation: .string(erasure.installation.description)
                ]
                if let proof = erasure.proof { attributes[CapturedKey.erasureProof] = .string(proof.description) }
                let receipt = recordSDKEvent(CapturedName.installationErased, attributes, at: moment)
                guard receipt.durability != .none else { continue }
                try storage.journal.erasureReported(erasure.installation, at: receipt.sequence)
            }
        } catch {
            reporter.report(
                Diagnostic(
                    code: .storageFailing,
                    field: "erase",
                    value: "\(error)",
                    message: "The event that informs back ends of the erasure could not be recorded (\(error)). It "
                        + "will be recorded at the next start.",
                    recoverySuggestion: "Make the storage folder readable and writable."
                )
            )
        }
    }
}
