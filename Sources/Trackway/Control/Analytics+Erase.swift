// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal

extension Analytics {
    /// Erases everything about this installation, and begins a new one.
    ///
    /// Pending events, counts, the installation's id, users, global attributes and timers are removed. The device's decisions about consent stay.
    ///
    /// The first event of the new installation is `_installation_erased`. Its attribute `installation` names the erased installation, so that a
    /// collector can erase it too, and `proof` is a secret that only the device knew, so that no one else can request this. Consent applies to the
    /// event as to every other one. It is not recorded while consent is denied or the SDK is disabled; the next start that may record does it then.
    /// Until every destination has received the event, the id and the secret are kept: a process that dies in between, or another erasure, only
    /// delays it.
    ///
    /// An installation that began with a version without this secret has no proof, and a collector leaves the erasure to its operator
    /// (`trackway erase`).
    ///
    /// Stop all other processes of the installation first: what they write cannot be erased from here.
    ///
    /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/notErased`` when not everything could be removed; another call continues.
    public func erase() async throws(TrackwayError) {
        try await erase(for: nil)
    }

    /// Erases what is left here of an installation that another process of the app erased, if one did.
    func followErasure() async {
        guard let successor = storage.copies.successor else { return }
        do {
            try await erase(for: successor)
        } catch {
            reporter.report(
                Diagnostic(
                    code: .storageFailing,
                    field: "erase",
                    value: "\(error)",
                    message: "Another process of the app erased the installation, and this process could not follow "
                        + "(\(error)). It does so at its next start."
                )
            )
        }
    }

    /// - Parameter successor: the identity that takes the place of this one; nil for a new one.
    private func erase(for successor: [UInt8]?) async throws(TrackwayError) {
        delivery.control.change { $0.eraseBegan() }
        defer { delivery.control.change { $0.eraseEnded() } }
        await delivery.control.untilAtRest()
        // From here on no new event carries what is to be forgotten.
        recording.contextStore.perform { [takingOver = storage.takingOver] transaction in
            transaction.context.global = [:]
            takingOver.forget(in: &transaction.context)
        }
        saveGlobal()
        lifecycle.identity.perform { settings, _ in
            .init(identity: settings.identity.erased(), consent: settings.consent.erased())
        }
        lifecycle.timers.report { machine, _ in machine.cleared() }
        defer {
            lifecycle.behavior.beginAnew()
            lifecycle.snapshots?.beginAnew()
        }
        let (storage, behavior, snapshots) = (storage, lifecycle.behavior, lifecycle.snapshots)
        let intercepted = recording.interception.counts
        let result = await storage.queue.run { () -> Result<InstallationID, any Error> in
            do {
                try storage.takingOver.close()
                try snapshots?.forget()
                try behavior.forget()
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
            storage.copies.erased(former)
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

    /// Records what tells of the erasings of which nothing tells yet: of the one just now, and of earlier ones that were
    /// killed before they could, that were not allowed to be recorded, or whose event another erasing gave up.
    func reportErasures() {
        let moment = recording.clock.now()
        lifecycle.behavior.afterLaunch { [weak self] in self?.recordErasures(at: moment) }
    }

    private func recordErasures(at moment: Moment) {
        do throws(JournalError) {
            for erasure in try storage.journal.untoldErasures() {
                var attributes: Attributes = [
                    CapturedKey.erasedInstallation: .string(erasure.installation.description)
                ]
                if let proof = erasure.proof { attributes[CapturedKey.erasureProof] = .string(proof.description) }
                let receipt = recordOwn(CapturedName.installationErased, attributes, at: moment)
                guard receipt.durability != .none else { continue }
                try storage.journal.erasureTold(erasure.installation, at: receipt.sequence)
            }
        } catch {
            reporter.report(
                Diagnostic(
                    code: .storageFailing,
                    field: "erase",
                    value: "\(error)",
                    message: "The event that informs back ends of the erasure could not be recorded (\(error)). It is "
                        + "recorded at the next start.",
                    recoverySuggestion: "Make the storage folder readable and writable."
                )
            )
        }
    }
}
