// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal

extension BehaviorDriver {
    /// How many attributes of the app's closure a captured event takes; the limits on an event see to the rest.
    static let maxDynamic = 1_000

    /// Carries out what the machines ordered.
    func carryOut(
        _ actions: [BehaviorAction],
        _ state: inout State,
        _ transaction: inout ContextTransaction,
        _ turn: Turn
    ) {
        for action in actions {
            switch action {
            case .record(let name, let attributes, let time):
                let boot = transaction.context.boot
                // What is recovered may have happened in an earlier boot, and its monotonic time means nothing in this one.
                if time.boot != turn.now.boot { transaction.context.boot = time.boot }
                transaction.record(
                    name,
                    attributes.adding(shared: turn.dynamic, toRecord: name, most: Self.maxDynamic),
                    at: time.moment
                )
                transaction.context.boot = boot
            case .context(let session, let screen):
                transaction.context.session = session
                transaction.context.screen = screen
            case .flush:
                state.wantsFlush = true
            case .save:
                save(&state, &transaction)
            case .openWindow, .closeWindow:
                // The moment came with the input, from whoever can give one, and ends when the flush is over.
                continue
            case .background:
                // Timers are told by the input itself, because they run in processes that do not capture, too.
                continue
            }
        }
    }

    /// Keeps the state. With the kernel when this returns, so a kill right afterwards finds it.
    private func save(_ state: inout State, _ transaction: inout ContextTransaction) {
        let bytes = file.bytes(state.behavior, of: writer())
        guard bytes != state.kept else { return }
        do throws(StorageError) {
            try file.write(bytes)
            state.kept = bytes
            state.isFailing = false
        } catch {
            report(error, &state, &transaction)
        }
    }

    /// Told once until it works again: a full disk would be told with every screen.
    func report(_ error: StorageError, _ state: inout State, _ transaction: inout ContextTransaction) {
        guard !state.isFailing else { return }
        state.isFailing = true
        transaction.report(
            Diagnostic(
                code: .behaviorNotKept,
                field: "behavior",
                value: "\(error)",
                remedy: "Free some space or make the storage folder readable and writable; events are recorded all the "
                    + "same, and after a kill the session may be counted twice."
            )
        )
    }
}
