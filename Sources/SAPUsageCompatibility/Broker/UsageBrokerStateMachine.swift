// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayDestinations

/// Decides when a broker requests the policy, uploads, and changes sessions.
///
/// An occasion is the start of the broker, the return of the app to the foreground, or a decision that permits more
/// than before. At an occasion, the policy is requested if the broker follows it, and then an upload begins if one is
/// due. A failed operation waits for the next occasion.
struct UsageBrokerStateMachine: Sendable, Hashable {
    /// The app's settings.
    struct Settings: Sendable, Hashable {
        /// The number of days between uploads; 0 for no uploads.
        var days = 0
        /// Whether the back end's policy applies instead, once it is known.
        var followsServer = false
        /// Whether sessions last from entering the foreground to leaving it.
        var injectsSessions = false

        /// Clamps a number of days to 0 through 36,500, a hundred years.
        static func bounded(_ days: Int) -> Int { min(max(0, days), SAPMobileServicesPolicy.maximumDays) }
    }

    /// The state saved for the next process.
    struct Memory: Sendable, Hashable, Codable {
        /// The times of the last successful uploads, by user and target.
        ///
        /// In seconds since 2001.
        var uploads: [String: Double] = [:]
        /// The days in the last policy received from the back end.
        var days: Int?

        /// Maximum number of sources saved; those uploaded longest ago are deleted first.
        static let maximumSources = 64

        /// Adds uploads that are not known here or are more recent.
        mutating func merge(_ other: [String: Double]) {
            uploads.merge(other) { max($0, $1) }
            while uploads.count > Self.maximumSources, let oldest = uploads.min(by: { $0.value < $1.value }) {
                uploads[oldest.key] = nil
            }
        }
    }

    /// The conditions at the time of an input.
    struct Circumstances: Sendable, Hashable {
        /// The wall time, in seconds since 2001.
        var now: Double
        /// The user and target whose records are uploaded.
        var source: String
        var settings: Settings
        /// Whether reports are stored.
        var mayStore: Bool
        /// Whether requests to the back end are allowed.
        ///
        /// They require the user's consent.
        var mayAsk: Bool
        /// Whether records may be sent.
        var maySend: Bool
        /// Whether a session is open.
        var hasSession: Bool
    }

    /// An action for the runner; actions are performed in order.
    enum Action: Sendable, Hashable {
        /// Request the policy from the back end, then call ``policyArrived(_:_:)``.
        case askForPolicy
        /// Apply the policy, then call ``policySettled(_:)``.
        case apply(SAPcpmsUsagePolicy)
        /// Upload, then call ``uploadEnded(isSuccess:_:)``.
        case upload
        /// Save the memory.
        case save
        case beginSession
        case endSession
    }

    private enum State: Sendable, Hashable {
        case resting, asking, uploading
    }

    private struct Permission: Sendable, Hashable {
        var asks = false
        var sends = false

        init() {}

        init(_ now: Circumstances) {
            asks = now.mayAsk
            sends = now.maySend
        }
    }

    private static let day = 86_400.0

    /// The state to save.
    private(set) var memory: Memory
    private var state = State.resting
    private var isInForeground: Bool
    /// The permissions at the last check.
    private var permitted = Permission()

    /// Creates a state machine that continues from saved state.
    init(_ memory: Memory = Memory(), isInForeground: Bool) {
        self.memory = memory
        self.isInForeground = isInForeground
    }

    /// Whether no requested operation is in progress.
    var isResting: Bool { state == .resting }

    // MARK: Inputs

    /// Handles the start of the broker.
    mutating func started(_ now: Circumstances) -> [Action] {
        session(now) + occasion(now)
    }

    /// Handles the app's return to the foreground.
    mutating func enteredForeground(_ now: Circumstances) -> [Action] {
        // Systems report it in two steps.
        guard !isInForeground else { return [] }
        isInForeground = true
        return session(now) + occasion(now)
    }

    /// Handles the app leaving the foreground or the end of its process.
    mutating func leftForeground(_ now: Circumstances) -> [Action] {
        guard isInForeground else { return [] }
        isInForeground = false
        return now.settings.injectsSessions && now.hasSession ? [.endSession] : []
    }

    /// Handles a decision about what may be stored and sent.
    mutating func decided(_ now: Circumstances) -> [Action] {
        let isMore = now.mayAsk && !permitted.asks || now.maySend && !permitted.sends
        permitted = Permission(now)
        return session(now) + (isMore ? occasion(now) : [])
    }

    /// Handles state that another process of the app saved.
    mutating func remembered(_ other: Memory) {
        memory.merge(other.uploads)
        // The file contains the last policy received.
        memory.days = other.days ?? memory.days
    }

    /// Handles the back end's response; nil without a response or policy.
    mutating func policyArrived(_ policy: SAPcpmsUsagePolicy?, _ now: Circumstances) -> [Action] {
        guard let policy else { return policySettled(now) }
        let days = Settings.bounded(policy.uploadDataAfterDays)
        let isNew = memory.days != days
        memory.days = days
        return (isNew ? [.save] : []) + [.apply(policy)]
    }

    /// Handles the end of applying a policy.
    mutating func policySettled(_ now: Circumstances) -> [Action] {
        permitted = Permission(now)
        if state == .asking { state = .resting }
        return upload(now)
    }

    /// Handles the end of an upload by the broker or the app.
    mutating func uploadEnded(isSuccess: Bool, _ now: Circumstances) -> [Action] {
        if state == .uploading { state = .resting }
        guard isSuccess else { return [] }
        // Discard the previous time, which may be later if the clock was set back since.
        memory.uploads[now.source] = nil
        memory.merge([now.source: now.now])
        return [.save]
    }

    // MARK: Transitions

    private func session(_ now: Circumstances) -> [Action] {
        isInForeground && now.settings.injectsSessions && now.mayStore && !now.hasSession ? [.beginSession] : []
    }

    private mutating func occasion(_ now: Circumstances) -> [Action] {
        permitted = Permission(now)
        guard state == .resting else { return [] }
        guard now.settings.followsServer, now.mayAsk else { return upload(now) }
        state = .asking
        return [.askForPolicy]
    }

    private mutating func upload(_ now: Circumstances) -> [Action] {
        guard state == .resting, now.maySend, isDue(now) else { return [] }
        state = .uploading
        return [.upload]
    }

    /// Whether the last upload is old enough for another one.
    ///
    /// An upload time in the future was set by a clock that was wrong, then or now. It is ignored, because uploads
    /// could otherwise be blocked indefinitely.
    private func isDue(_ now: Circumstances) -> Bool {
        let days = (now.settings.followsServer ? memory.days : nil) ?? now.settings.days
        guard days > 0 else { return false }
        guard let last = memory.uploads[now.source], last <= now.now else { return true }
        return now.now - last >= Double(days) * Self.day
    }
}
