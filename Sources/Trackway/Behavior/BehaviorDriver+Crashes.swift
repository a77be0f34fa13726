// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

extension BehaviorDriver {
    /// Tells of the crashes that ended earlier processes, under the session and the screen they died in. Their exit, which
    /// is told next, was not before the crash.
    ///
    /// A report is removed once its event is in the journal. A process killed between the two has it told again, under the
    /// same identity, which every receiver counts once.
    ///
    /// - Parameter sessionAndScreen: the session and the screen they died in.
    /// - Returns: when the last of them died; nil when none did.
    @discardableResult
    func recordCrashes(
        in sessionAndScreen: SessionAndScreen,
        _ state: inout State,
        _ transaction: inout ContextTransaction,
        _ turn: Turn
    ) -> DeviceTime? {
        state.former = nil
        var last: DeviceTime?
        do throws(StorageError) {
            let reports = try crashes.pending()
            guard !reports.isEmpty else { return nil }
            let (session, screen, boot) = (
                transaction.context.session, transaction.context.screen, transaction.context.boot
            )
            defer {
                (transaction.context.session, transaction.context.screen, transaction.context.boot) = (
                    session, screen, boot
                )
            }
            transaction.context.session = sessionAndScreen.session
            transaction.context.screen = sessionAndScreen.screen
            for report in reports {
                // Its monotonic time means nothing in another boot.
                transaction.context.boot = report.at.boot
                last = report.at
                let attributes: Attributes = [
                    CapturedKey.exceptionMessage: .string(report.message),
                    CapturedKey.exceptionStack: .string(report.stack),
                ]
                let receipt = transaction.record(
                    CapturedName.appException,
                    attributes.adding(
                        shared: turn.dynamic,
                        toRecord: CapturedName.appException,
                        most: Self.maxDynamic
                    ),
                    at: report.at.moment,
                    id: report.id
                )
                if receipt.durability != .none { try crashes.remove(report) }
            }
        } catch {
            self.report(error, &state, &transaction)
        }
        return last
    }
}
