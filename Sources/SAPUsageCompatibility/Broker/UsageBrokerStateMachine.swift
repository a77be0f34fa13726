// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayDestinations

/// Decides when a broker requests the policy, uploads, and changes sessions.
///
/// An occasion is the start of the broker, the return of the app to the foreground, or a decision that permits more
/// than before. On each occasion, the policy is requested if the broker follows it, and then an upload begins if one
/// is due. A failed operation waits for the next occasion.
struct UsageBrokerStateMachine: Sendable, Hashable {
    /// The app's settings.
    struct Settings: Sendable, Hashable {
        /// The number of days between uploads; 0 for no uploads.
        var days = 0
        /// Whether the back end's policy replaces these settings once it is known.
        var followsServer = false
        /// Whether sessions last from entering the foreground to leaving it.
        var injectsSessions = false

        /// Clamps a number of days to 0 through 36,500, a hundred years.
        static func clamped(_ days: Int) -> Int { min(max(0, days), SAPMobileServicesPolicy.maximumDays) }
    }

    /// The state saved for the next process.
    struct Memory: Sendable, Hashable, Codable {
        /// The times of the last successful uploads, by user and target.
        ///
        /// In seconds since 2001.
        var uploads: [String: Double] = [:]
        /// The number of days between uploads, from the last policy that the back end sent.
        var days: Int?

        /// The maximum number of sources saved; the least recently uploaded are deleted first.
        static let maximumSources = 64

        /// Adds upload times that are unknown here or more recent.
        mutating func merge(_ other: [String: Double]) {
            uploads.merge(other) { max($0, $1) }
            while uploads.count > Self.maximumSources, let oldest = uploads.min(by: { $0.value < $1.value }) {
                uploads[oldest.key] = nil
            }
        }
    }

    /// The conditions at the time of an input.
    struct Conditions: Sendable, Hashable {
        /// The wall time, in seconds since 2001.
        var now: Double
        /// The user and target whose records are uploaded.
        var source: String
        var settings: Settings
        /// Whether reports are stored.
        var canStore: Bool
        /// Whether requests to the back end are allowed.
        ///
        /// Requests require the user's consent.
        var canRequest: Bool
        /// Whether records may be sent.
        var canSend: Bool
        /// Whether a session is open.
        var hasSession: Bool
    }

    /// An action for the runner; actions are performed in order.
    enum Action: Sendable, Hashable {
        /// Request the policy from the back end, then call ``policyRequestFinished(with:_:)``.
        case requestPolicy
        /// Apply the policy, then call ``policyApplied(_:)``.
        case apply(SAPcpmsUsagePolicy)
        /// Upload, then call ``uploadFinished(isSuccess:_:)``.
        case upload
        /// Save the memory.
        case save
        case beginSession
        case endSession
    }

    private enum State: Sendable, Hashable {
        case idle, requestingPolicy, uploading
    }

    private struct Permission: Sendable, Hashable {
        var canRequest = false
        var canSend = false

        init() {}

        init(_ now: Conditions) {
            canRequest = now.canRequest
            canSend = now.canSend
        }
    }

    private static let day = 86_400.0

    /// The state to save.
    private(set) var memory: Memory
    private var state = State.idle
    private var isInForeground: Bool
    /// The permissions at the last check.
    private var permission = Permission()

    /// Creates a state machine that continues from saved state.
    init(_ memory: Memory = Memory(), isInForeground: Bool) {
        self.memory = memory
        self.isInForeground = isInForeground
    }

    /// Whether no requested operation is in progress.
    var isIdle: Bool { state == .idle }

    // MARK: Inputs

    /// Handles the start of the broker.
    mutating func start(_ now: Conditions) -> [Action] {
        beginSessionIfNeeded(now) + requestPolicyOrUpload(now)
    }

    /// Handles the app's return to the foreground.
    mutating func enterForeground(_ now: Conditions) -> [Action] {
        // Systems report the return in two steps.
        guard !isInForeground else { return [] }
        isInForeground = true
        return beginSessionIfNeeded(now) + requestPolicyOrUpload(now)
    }

    /// Handles the app leaving the foreground or the end of its process.
    mutating func leaveForeground(_ now: Conditions) -> [Action] {
        guard isInForeground else { return [] }
        isInForeground = false
        return now.settings.injectsSessions && now.hasSession ? [.endSession] : []
    }

    /// Handles a decision about what may be stored and sent.
    mutating func decisionsChanged(_ now: Conditions) -> [Action] {
        let isMorePermitted = now.canRequest && !permission.canRequest || now.canSend && !permission.canSend
        permission = Permission(now)
        return beginSessionIfNeeded(now) + (isMorePermitted ? requestPolicyOrUpload(now) : [])
    }

    /// Handles state that another process of the app saved.
    mutating func merge(_ other: Memory) {
        memory.merge(other.uploads)
        // The file contains the last policy received.
        memory.days = other.days ?? memory.days
    }

    /// Handles the end of a policy request; the policy is nil if none was received.
    mutating func policyRequestFinished(with policy: SAPcpmsUsagePolicy?, _ now: Conditions) -> [Action] {
        guard let policy else { return policyApplied(now) }
        let days = Settings.clamped(policy.uploadDataAfterDays)
        let isNew = memory.days != days
        memory.days = days
        return (isNew ? [.save] : []) + [.apply(policy)]
    }

    /// Handles the end of applying a policy.
    mutating func policyApplied(_ now: Conditions) -> [Action] {
        permission = Permission(now)
        if state == .requestingPolicy { state = .idle }
        return upload(now)
    }

    /// Handles the end of an upload by the broker or the app.
    mutating func uploadFinished(isSuccess: Bool, _ now: Conditions) -> [Action] {
        if state == .uploading { state = .idle }
        guard isSuccess else { return [] }
        // Discard the previous time, which may be later if the clock has since been set back.
        memory.uploads[now.source] = nil
        memory.merge([now.source: now.now])
        return [.save]
    }

    // MARK: Transitions

    private func beginSessionIfNeeded(_ now: Conditions) -> [Action] {
        isInForeground && now.settings.injectsSessions && now.canStore && !now.hasSession ? [.beginSession] : []
    }

    private mutating func requestPolicyOrUpload(_ now: Conditions) -> [Action] {
        permission = Permission(now)
        guard state == .idle else { return [] }
        guard now.settings.followsServer, now.canRequest else { return upload(now) }
        state = .requestingPolicy
        return [.requestPolicy]
    }

    private mutating func upload(_ now: Conditions) -> [Action] {
        guard state == .idle, now.canSend, isDue(now) else { return [] }
        state = .uploading
        return [.upload]
    }

    /// Whether the last upload is old enough for another upload.
    ///
    /// An upload time in the future means that the clock was wrong at that time or is wrong now. Such a time is
    /// ignored, because it could otherwise block uploads indefinitely.
    private func isDue(_ now: Conditions) -> Bool {
        let days = (now.settings.followsServer ? memory.days : nil) ?? now.settings.days
        guard days > 0 else { return false }
        guard let last = memory.uploads[now.source], last <= now.now else { return true }
        return now.now - last >= Double(days) * Self.day
    }
}
