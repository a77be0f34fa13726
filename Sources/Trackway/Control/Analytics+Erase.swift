// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal

extension Analytics {
    /// Forgets everything about this installation: waiting events, counts, its id, everybody who used it, the global
    /// attributes, timers. What was decided about consent for the device stays.
    ///
    /// A new installation begins at once. Its first event is `_installation_erased`, whose attribute `installation` names
    /// the former one, so that a collector can forget it too; `proof` is the secret behind that identity, which only the
    /// device knew, so that nobody else can have it forgotten. The event travels under the same consent as every event, and
    /// is not recorded while consent is denied or the SDK is disabled; the next start that may record does it then. Until
    /// every destination has passed the event, id and secret are remembered: a process that dies in between, and another
    /// erasing, only delay what is told.
    ///
    /// An installation that began with a version that made no secret names itself without proof, and a collector leaves the
    /// erasing to its operator (`trackway erase`).
    ///
    /// Ask all other processes of the installation to stop first: what they write cannot be erased from here.
    ///
    /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/notErased`` when not everything could be removed; calling
    ///   again continues.
    public func erase() async throws(TrackwayError) {
        try await erase(for: nil)
    }

    /// Erases what is left here of an installation that another process of the app erased, if one did.
    func followErasure() async {
        guard let successor = copies.successor else { return }
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
        control.change { $0.eraseBegan() }
        defer { control.change { $0.eraseEnded() } }
        await control.untilAtRest()
        // From here on no new event carries what is to be forgotten.
        contextStore.perform { [takingOver] transaction in
            transaction.context.global = [:]
            takingOver.forget(in: &transaction.context)
        }
        saveGlobal()
        identity.perform { settings, _ in
            .init(identity: settings.identity.erased(), consent: settings.consent.erased())
        }
        timers.report { machine, _ in machine.cleared() }
        defer {
            behavior.beginAnew()
            snapshots?.beginAnew()
        }
        let (journal, behavior, snapshots, registry) = (journal, behavior, snapshots, registry)
        let takingOver = takingOver
        let intercepted = interception.counts
        let result = await queue.run { () -> Result<InstallationID, any Error> in
            do {
                try takingOver.close()
                try snapshots?.forget()
                try behavior.forget()
                try registry.forget { journal.removeDestination($0) }
                try intercepted?.forget()
                return .success(try journal.erase(for: successor).former)
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let former):
            identity.installationChanged()
            copies.erased(former)
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
        let moment = clock.now()
        behavior.afterLaunch { [weak self] in self?.recordErasures(at: moment) }
    }

    private func recordErasures(at moment: Moment) {
        do throws(JournalError) {
            for erasure in try journal.untoldErasures() {
                var attributes: Attributes = [
                    CapturedKey.erasedInstallation: .string(erasure.installation.description)
                ]
                if let proof = erasure.proof { attributes[CapturedKey.erasureProof] = .string(proof.description) }
                let receipt = recordOwn(CapturedName.installationErased, attributes, at: moment)
                guard receipt.durability != .none else { continue }
                try journal.erasureTold(erasure.installation, at: receipt.sequence)
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
