// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayDestinations
internal import TrackwayEvents

extension SiftCore {
    // MARK: Where events go

    /// What was chosen so far, by this process or an earlier one.
    var settings: SiftSettings {
        analytics()
        return state.withLock { $0.settings }
    }

    /// Changes where events go; what waits goes there, too. Account and key are kept over restarts.
    func choose(_ choice: (inout SiftSettings) -> Void) {
        // Made first, so that what an earlier process kept does not take the place of what is chosen now.
        let analytics = analytics()
        let isNew = state.withLock { state in
            let before = state.settings
            choice(&state.settings)
            return state.settings != before
        }
        guard let analytics else { return }
        // What is said once more may be what the back-end did not know a moment ago.
        if isNew { apply(to: analytics) } else { analytics.wakeParked() }
    }

    /// Makes what was chosen count. One thread at a time, so that the last to be chosen is the last to be applied.
    func apply(to analytics: Analytics) {
        applying.withLock { kept in
            let (settings, queues) = state.withLock { ($0.settings, $0.queues) }
            if settings.kept != kept {
                kept = settings.kept
                analytics.environment.keep(settings.kept, as: SiftSettings.file, durably: true)
            }
            for id in Set(queues.destinations).union(SiftQueueTable.builtIn.values).union(queues.leaving) {
                do throws(TrackwayError) {
                    try analytics.replaceDestination(settings.destination(id))
                } catch {
                    // The queue was removed in this moment; adding it again gives it the settings of then.
                    continue
                }
            }
        }
    }

    // MARK: Who uses the app

    var user: String? { analytics()?.user ?? state.withLock { $0.user ?? nil } }

    func setUser(_ user: String?) {
        let user = user.flatMap { $0.isEmpty ? nil : $0 }
        // Kept while the analytics cannot be made: their first event is this user's.
        madeAnalytics(orElse: { $0.user = .some(user) })?.setUser(user)
    }

    // MARK: Sensors

    func allow(location: Bool) {
        state.withLock { $0.allowsLocation = location }
        analytics()?.reconfigure { $0.allowsLocation = location }
    }

    func allow(motion: Bool) {
        state.withLock { $0.allowsMotion = motion }
        analytics()?.reconfigure { $0.allowsMotion = motion }
    }
}

extension Analytics {
    /// Says who uses the app, or that nobody does.
    func setUser(_ user: String?) {
        if let user {
            identifySilently(user)
        } else {
            signOutSilently()
        }
    }
}
