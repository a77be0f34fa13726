// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal

extension SnapshotDriver {
    /// Carries out one order. Holds no lock.
    func perform(_ order: SnapshotMachine.Action) {
        switch order {
        case .ask(let part):
            ask(part)
        case .startHeading(let run):
            startHeading(run)
        case .stopHeading:
            let source = sources.heading
            threads[.heading]?.run { source?.stop() }
        case .startMotion(let means, let run):
            startMotion(means, run)
        case .stopMotion:
            let source = sources.motion
            threads[.motion]?.run { source?.stop() }
        case .recordProperties(let attributes, let time):
            record(CapturedName.deviceProperties, attributes, at: time, to: options.devicePropertiesRoute)
        case .recordState(let state, let time, _):
            for number in state.unusable where reports(number.name) {
                contextStore.perform { $0.report(.reading(number.name, number.value)) }
            }
            record(CapturedName.appState, state.attributes, at: time, to: options.appStateRoute)
        case .reportSilent(let part):
            guard reports(part.rawValue) else { return }
            contextStore.perform { $0.report(.silent(part)) }
        case .save:
            save()
        }
    }

    /// The start of the process comes before everything that is told of it.
    private func record(_ name: String, _ attributes: Attributes, at time: DeviceTime, to route: [DestinationID]) {
        behavior.begin()
        contextStore.perform { transaction in _ = transaction.record(name, attributes, at: time.moment, to: route) }
    }

    private func save() {
        let (memory, erasures) = memory
        do throws(StorageError) {
            try file.write(KeptSnapshots(memory))
            // Erased meanwhile: what was written was the former installation's.
            if self.memory.erasures != erasures { try file.remove() }
            told.withLock { _ = $0.remove(Self.file) }
        } catch {
            // Told once until it works again: a full disk would be told with every snapshot.
            guard reports(Self.file) else { return }
            contextStore.perform { $0.report(.snapshots(notKept: error)) }
        }
    }

    /// Whether this is told for the first time.
    private func reports(_ what: String) -> Bool {
        told.withLock { $0.insert(what).inserted }
    }

    private static let file = "file"
}

extension Diagnostic {
    /// A source does not answer.
    fileprivate static func silent(_ part: SnapshotPart) -> Diagnostic {
        Diagnostic(
            code: .snapshotSourceSilent,
            field: "snapshots.sources.\(part.rawValue)",
            value: "no answer for \(SnapshotInquiry.timeout.components.seconds) s",
            remedy: "Let the source return what it knows at once; until it answers, snapshots go on without it."
        )
    }

    /// A number that no receiver can read.
    fileprivate static func reading(_ field: String, _ value: Double) -> Diagnostic {
        Diagnostic(
            code: .readingInvalid,
            field: field,
            value: "\(value)",
            remedy: "Give finite numbers, or nothing where nothing is known; the number was left out."
        )
    }

    /// What earlier runs kept cannot be understood.
    static func snapshots(damaged what: String) -> Diagnostic {
        Diagnostic(
            code: .snapshotsDamaged,
            field: "snapshots",
            value: what,
            remedy: "Nothing is to be done: the limits are counted anew, and what the device is, is told once more."
        )
    }

    /// The file cannot be written or read.
    static func snapshots(notKept error: StorageError) -> Diagnostic {
        Diagnostic(
            code: .snapshotsNotKept,
            field: "snapshots",
            value: "\(error)",
            remedy:
                "Free some space or make the storage folder readable and writable; snapshots are taken all the same, "
                + "and after a restart their limits are counted anew."
        )
    }
}
