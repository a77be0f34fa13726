// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayDestinations

/// Decides when a broker asks the back-end for the policy, uploads, and begins and ends a session.
///
/// An occasion is the start of the broker, the return of the app to the foreground, and a decision that permits more than
/// before. At an occasion the policy is asked for, if the broker follows it, and then an upload is begun, if one is due. What
/// fails waits for the next occasion.
struct UsageBrokerMachine: Sendable, Hashable {
    /// What the app chose.
    struct Settings: Sendable, Hashable {
        /// Days from one upload to the next; 0 for none.
        var days = 0
        /// Whether the back-end's policy counts instead, once it is known.
        var followsServer = false
        /// Whether a session is what lies between the app's coming to the foreground and its leaving.
        var injectsSessions = false

        /// Days as they count: none below 0, and a hundred years at most.
        static func bounded(_ days: Int) -> Int { min(max(0, days), SAPMobileServicesPolicy.maximumDays) }
    }

    /// What is kept from one process to the next.
    struct Memory: Sendable, Hashable, Codable {
        /// When the last upload succeeded, in seconds since 2001, by whose and which target's records these were.
        var uploads: [String: Double] = [:]
        /// The days of the back-end's policy, when it was told last.
        var days: Int?

        /// The most sources that are remembered; those uploaded longest ago are forgotten first.
        static let maximumSources = 64

        /// Takes over uploads that are not known here, or not as late.
        mutating func merge(_ other: [String: Double]) {
            uploads.merge(other) { max($0, $1) }
            while uploads.count > Self.maximumSources, let oldest = uploads.min(by: { $0.value < $1.value }) {
                uploads[oldest.key] = nil
            }
        }
    }

    /// What holds at the moment of an input.
    struct Circumstances: Sendable, Hashable {
        /// The time of day, in seconds since 2001.
        var now: Double
        /// Whose and which target's records are uploaded.
        var source: String
        var settings: Settings
        /// Whether reports are stored.
        var mayStore: Bool
        /// Whether the person consented, so that the back-end may be asked at all.
        var mayAsk: Bool
        /// Whether records may be sent.
        var maySend: Bool
        /// Whether a session is under way.
        var hasSession: Bool
    }

    /// An order to the driver; they are carried out in their order.
    enum Action: Sendable, Hashable {
        /// Ask the back-end for the policy, and tell ``policyArrived(_:_:)``.
        case askForPolicy
        /// Have the policy count, then tell ``policySettled(_:)``.
        case apply(SAPcpmsUsagePolicy)
        /// Upload, and tell ``uploadEnded(isSuccess:_:)``.
        case upload
        /// Write the memory down.
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

    /// What is to be kept.
    private(set) var memory: Memory
    private var state = State.resting
    private var isInForeground: Bool
    /// What was permitted when it was looked at last.
    private var permitted = Permission()

    /// A machine that goes on with what was kept.
    init(_ memory: Memory = Memory(), isInForeground: Bool) {
        self.memory = memory
        self.isInForeground = isInForeground
    }

    /// Whether nothing is under way that was ordered.
    var isResting: Bool { state == .resting }

    // MARK: Inputs

    /// The broker was started.
    mutating func started(_ now: Circumstances) -> [Action] {
        session(now) + occasion(now)
    }

    /// The person has the app before them again.
    mutating func enteredForeground(_ now: Circumstances) -> [Action] {
        // Systems tell it in two steps.
        guard !isInForeground else { return [] }
        isInForeground = true
        return session(now) + occasion(now)
    }

    /// The person left the app, or its process ends.
    mutating func leftForeground(_ now: Circumstances) -> [Action] {
        guard isInForeground else { return [] }
        isInForeground = false
        return now.settings.injectsSessions && now.hasSession ? [.endSession] : []
    }

    /// Something was decided about what may be stored and sent.
    mutating func decided(_ now: Circumstances) -> [Action] {
        let isMore = now.mayAsk && !permitted.asks || now.maySend && !permitted.sends
        permitted = Permission(now)
        return session(now) + (isMore ? occasion(now) : [])
    }

    /// Another process of the app wrote this down.
    mutating func remembered(_ other: Memory) {
        memory.merge(other.uploads)
        // The file's policy is the one that was told last.
        memory.days = other.days ?? memory.days
    }

    /// The back-end answered; nil when it did not, or has no policy.
    mutating func policyArrived(_ policy: SAPcpmsUsagePolicy?, _ now: Circumstances) -> [Action] {
        guard let policy else { return policySettled(now) }
        let days = Settings.bounded(policy.uploadDataAfterDays)
        let isNew = memory.days != days
        memory.days = days
        return (isNew ? [.save] : []) + [.apply(policy)]
    }

    /// The policy counts now.
    mutating func policySettled(_ now: Circumstances) -> [Action] {
        permitted = Permission(now)
        if state == .asking { state = .resting }
        return upload(now)
    }

    /// An upload ended, whoever began it.
    mutating func uploadEnded(isSuccess: Bool, _ now: Circumstances) -> [Action] {
        if state == .uploading { state = .resting }
        guard isSuccess else { return [] }
        // A clock that was set back since does not keep the former time.
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

    /// Whether the last upload is old enough. One that lies in the future was dated by a clock that was wrong, then or now: it
    /// says nothing, and nothing may wait for ever.
    private func isDue(_ now: Circumstances) -> Bool {
        let days = (now.settings.followsServer ? memory.days : nil) ?? now.settings.days
        guard days > 0 else { return false }
        guard let last = memory.uploads[now.source], last <= now.now else { return true }
        return now.now - last >= Double(days) * Self.day
    }
}
